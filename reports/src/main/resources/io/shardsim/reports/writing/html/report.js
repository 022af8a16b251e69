// Turns the figures of a report into charts: one function for each kind of figure makes an option of Apache ECharts from its data.
'use strict';
/** Draws the figures of window.shardsimReport where the page has places for them; a lesson calls it for each answer. */
window.drawFigures = (page = document) => {
  const { scenario, palette, figures, renderer = 'svg' } = window.shardsimReport;
  const NARROW = 560;
  const EXPORT_WIDTH = 960;
  /** What a sheet of A4 or Letter has room for; a wider chart would shrink the whole page. */
  const PRINT_WIDTH = 700;
  const FONT = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif';
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  let printing = false;

  /** Colours and patterns on light or dark paper. */
  const paints = mode => {
    const index = mode === 'dark' ? 1 : 0;
    const colour = id => palette[id].colours[index];
    const decal = id => {
      const { pattern, angle } = palette[id];
      if (pattern === 'lines') {
        return { symbol: 'rect', color: colour('hatch'), dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: angle * Math.PI / 180 };
      }
      if (pattern === 'dots') {
        return { symbol: 'circle', color: colour('hatch'), dashArrayX: [[4, 4], [0, 4, 4, 0]], dashArrayY: [4, 0], symbolSize: 0.8 };
      }
      return undefined;
    };
    return { colour, decal, style: id => ({ color: colour(id), decal: decal(id) }), words: id => palette[id].words[index] };
  };

  /** What a tooltip shows: text only, so that no name is ever markup. */
  const tip = lines => {
    const box = document.createElement('div');
    for (const line of lines) box.append(Object.assign(document.createElement('div'), { textContent: line }));
    return box;
  };

  const axisText = (paint, extra) => Object.assign({ color: paint.colour('soft'), fontSize: 12 }, extra);
  const valueAxis = (paint, extra) => Object.assign({
    type: 'value', nameTextStyle: axisText(paint), axisLabel: axisText(paint), splitLine: { lineStyle: { color: paint.colour('rule') } },
    axisLine: { show: false }, axisTick: { show: false },
  }, extra);
  const tooltip = (paint, extra) => Object.assign({
    confine: true, backgroundColor: paint.colour('paper'), borderColor: paint.colour('soft'), textStyle: { color: paint.colour('ink'), fontSize: 13 },
    axisPointer: { z: 50, lineStyle: { color: paint.colour('soft'), type: 'solid', width: 1 } },
  }, extra);
  const legend = (paint, names, extra) => Object.assign({
    show: names.length > 1, data: names, left: 0, top: 0, type: 'plain', itemWidth: 18, itemHeight: 12, itemGap: 14,
    textStyle: { color: paint.colour('ink'), fontSize: 13 }, inactiveColor: paint.colour('rule'), icon: 'rect',
  }, extra);

  const ruler = document.createElement('canvas').getContext('2d');
  /** Pixels that a text takes. */
  const wide = (text, size = 12, weight = 'normal') => {
    ruler.font = weight + ' ' + size + 'px ' + FONT;
    return ruler.measureText(text).width;
  };
  const widest = (texts, size) => Math.max(0, ...texts.map(text => wide(text, size)));

  /** Pixels that a legend takes. */
  const legendHeight = (names, width) => {
    if (names.length < 2) return 8;
    let rows = 1, x = 0;
    for (const name of names) {
      const own = wide(name, 13) + 50;
      if (x > 0 && x + own > width) { rows++; x = 0; }
      x += own;
    }
    return rows * 26 + 8;
  };

  const zoom = (paint, from, to) => [
    { type: 'inside', startValue: from, endValue: to, filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: true, preventDefaultMouseMove: false },
    {
      type: 'slider', startValue: from, endValue: to, filterMode: 'none', height: 20, bottom: 6, showDetail: false, brushSelect: false,
      borderColor: paint.colour('rule'), fillerColor: paint.colour('busy') + '33', handleStyle: { color: paint.colour('paper'), borderColor: paint.colour('busy') },
      dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } }, selectedDataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
      moveHandleSize: 5, moveHandleStyle: { color: paint.colour('soft') },
    },
  ];

  const seconds = s => s === 0 ? '0 s' : s >= 1 ? +s.toPrecision(4) + ' s' : s >= 1e-3 ? +(s * 1e3).toPrecision(4) + ' ms' : +(s * 1e6).toPrecision(4) + ' us';

  /** The distance of ticks on an axis of that length, 1, 2 or 5 times a power of ten, and where the axis ends; SvgFigures has the same. */
  const step = (length, ticks) => {
    const raw = (length || 1) / ticks, power = 10 ** Math.floor(Math.log10(raw) + 1e-9);
    return +([1, 2, 5, 10].find(factor => factor * power >= raw * (1 - 1e-9)) * power).toPrecision(3);
  };
  const above = (value, by) => +(Math.ceil(value / by - 1e-9) * by).toPrecision(9);
  const commas = value => value.toLocaleString('en', { maximumFractionDigits: 9 });

  /** An axis from one value to another with a label at each step, and none where it ends in between. */
  const stepped = (from, to, by, axis) => ({
    min: from, max: to, interval: by,
    axisLabel: axisText(axis, { formatter: value => Math.abs(value / by - Math.round(value / by)) < 1e-6 ? commas(+value.toPrecision(9)) : '' }),
  });

  const MARKERS = ['circle', 'rect', 'triangle', 'diamond'];

  function lines(figure, { paint, width }) {
    const names = figure.series.map(s => s.name).concat(figure.idealName ?? []);
    const largest = Math.max(...figure.xs);
    const all = figure.series.flatMap(s => s.points);
    const marks = (all.some(p => p.length > 5) ? '; band: 80 % of similar runs' : '') + (all.some(p => p[3]) ? '; hollow: micro-batch changes' : '')
      + (figure.series.some(s => s.published.length) ? '; cross: published' : '');
    const { base = 2, idealName = 'linear' } = figure;
    const power = (value, to) => base ** to(+(Math.log(value) / Math.log(base)).toFixed(9));
    /** The range of similar published runs around a line. */
    const band = (s, i) => {
      const ranged = s.points.filter(p => p.length > 5);
      return {
        type: 'custom', name: s.name, silent: true, z: 1, data: ranged.length < 2 ? [] : [[ranged[0][0], ranged[0][1]]],
        renderItem: (params, api) => ({
          type: 'polygon', silent: true, style: { fill: paint.colour('s' + i % 8), opacity: 0.16 },
          shape: { points: ranged.map(p => api.coord([p[0], p[4]])).concat(ranged.map(p => api.coord([p[0], p[5]])).reverse()) },
        }),
      };
    };
    const values = all.concat(figure.ideal, ...figure.series.map(s => s.published)).flatMap(p => p.length > 5 ? [p[1], p[5]] : [p[1]]);
    const least = figure.unit === '%' ? Math.min(80, Math.floor(Math.min(...all.map(p => p[1])) / 20) * 20) : 0;
    const by = step(Math.max(...values) - least, 6), floor = Math.floor(least / by) * by;
    const top = legendHeight(names, width) + 22;
    return {
      height: figure.height + top - 50,
      option: {
        legend: legend(paint, names, { icon: undefined, itemWidth: 28 }),
        grid: { left: 6, right: largest < 10000 ? 18 : 28, top, bottom: 24, containLabel: true },
        tooltip: tooltip(paint, {
          trigger: 'axis',
          formatter: at => tip([at[0].value[0] + ' ' + figure.x].concat(
            at.filter(p => p.seriesType !== 'custom' && p.seriesName !== idealName).sort((a, b) => b.value[1] - a.value[1]).map(p => p.seriesName + ': ' + p.value[2]))),
        }),
        xAxis: valueAxis(paint, {
          ...(base ? { type: 'log', logBase: base, min: power(Math.min(...figure.xs), Math.floor), max: power(largest, Math.ceil) } : { min: 'dataMin', max: 'dataMax' }),
          name: figure.x + (width < NARROW ? '' : marks), nameLocation: 'middle', nameGap: 26,
          splitLine: { show: false }, axisLine: { show: true, lineStyle: { color: paint.colour('soft') } }, axisTick: { show: true },
        }),
        yAxis: valueAxis(paint, {
          name: figure.unit, nameLocation: 'end', nameTextStyle: axisText(paint, { align: 'left' }), nameGap: 10,
          ...stepped(floor, above(Math.max(...values), by), by, paint),
        }),
        series: figure.series.map((s, i) => ({
          type: 'line', name: s.name, data: s.points.map(p => p[3] ? { value: p, symbol: 'emptyCircle', symbolSize: 11 } : p), symbol: MARKERS[i % 4], symbolSize: 9, color: paint.colour('s' + i % 8),
          lineStyle: { width: 2.2, type: i % 2 ? [9, 3] : 'solid' }, itemStyle: { borderColor: paint.colour('paper'), borderWidth: 1 },
        })).concat(figure.series.map(band)).concat(figure.series.map(s => ({
          type: 'scatter', name: s.name, data: s.published, symbol: 'path://M0,0L10,10M0,10L10,0', symbolSize: 12, z: 4,
          itemStyle: { color: 'none', borderColor: paint.colour('ink'), borderWidth: 2 },
        }))).concat(figure.ideal.length < 2 ? [] : [{
          type: 'line', name: idealName, color: paint.colour('soft'), zlevel: 0, z: 2, data: figure.ideal, symbol: 'none', silent: true, lineStyle: { width: 1.3, type: [2, 4], color: paint.colour('soft') },
          endLabel: { show: !figure.idealName, formatter: idealName, color: paint.colour('soft'), align: 'right', offset: [-10, -2], verticalAlign: 'bottom' },
        }]),
      },
      reads: figure.series.map((s, i) => s.points.map((p, k) => ({ series: i, item: k, text: s.name + ', ' + p[0] + ' ' + figure.x + ': ' + p[2] }))),
    };
  }

  function bars(figure, { paint, width }) {
    const narrow = width < NARROW;
    const names = figure.parts.map(part => part.name);
    const rows = [];
    figure.rows.forEach((row, i) => {
      if (row.heading && figure.rows.some(other => other.heading && other !== row)) rows.push({ heading: row.heading });
      rows.push(Object.assign({ index: i }, row));
    });
    const top = legendHeight(names, width);
    // A sheet has room for all of them.
    const perRow = printing ? Math.max(12, Math.min(20, 880 / rows.length)) : narrow ? 42 : 26;
    const most = figure.max ?? Math.max(...figure.rows.map((_, i) => figure.parts.reduce((sum, part) => sum + part.values[i], 0)));
    const by = step(most, 6), max = figure.max ?? above(most, by);
    const of = (part, row) => row.heading && row.index === undefined ? null : part.values[row.index];
    const isHead = row => row.index === undefined;
    return {
      height: rows.length * perRow + top + 48,
      option: {
        legend: legend(paint, names),
        grid: { left: 6, right: widest(figure.rows.map(row => row.end)) + 14, top: top + (figure.limit ? 18 : 0), bottom: 26, containLabel: true },
        tooltip: tooltip(paint, {
          trigger: 'item',
          formatter: p => {
            const row = rows[p.dataIndex];
            return isHead(row) || p.seriesIndex >= figure.parts.length ? '' : tip([row.name, p.seriesName + ': ' + figure.parts[p.seriesIndex].texts[row.index]]);
          },
        }),
        xAxis: valueAxis(paint, { name: figure.unit, nameLocation: 'middle', nameGap: 24, ...stepped(0, max, narrow ? 2 * by : by, paint) }),
        yAxis: {
          type: 'category', inverse: true, axisTick: { show: false }, axisLine: { show: false },
          data: rows.map((row, i) => isHead(row) ? '\u0000' + i : row.name + '\u0000' + i),
          axisLabel: {
            interval: 0, color: paint.colour('ink'), fontSize: 12, inside: narrow, margin: narrow ? 0 : 8, align: narrow ? 'left' : 'right',
            formatter: (value, i) => isHead(rows[i]) ? '{h|' + rows[i].heading + '}' : rows[i].name, rich: { h: { fontWeight: 'bold', color: paint.colour('ink'), fontSize: 12 } },
            verticalAlign: narrow ? 'bottom' : 'middle', padding: narrow ? [0, 0, 13, 0] : 0,
          },
          z: 10,
        },
        series: figure.parts.map(part => ({
          type: 'bar', name: part.name, stack: 'all', barWidth: Math.min(18, perRow - 6), barCategoryGap: 0, data: rows.map(row => ({ value: of(part, row) })),
          itemStyle: Object.assign(paint.style(part.colour), { borderColor: paint.colour('paper'), borderWidth: 0.6 }),
        })).concat([{
          type: 'scatter', silent: true, symbolSize: 1, itemStyle: { opacity: 0 }, data: rows.map((row, i) => isHead(row) ? null : ({
            value: [Math.min(max, Math.max(figure.limit || 0, figure.parts.reduce((sum, part) => sum + part.values[row.index], 0))), i],
            label: {
              show: true, opacity: 1, position: 'right', formatter: row.end, fontSize: 12, color: paint.colour(row.alarm ? 'alarm' : 'soft'), fontWeight: row.alarm ? 'bold' : 'normal',
            },
          })).filter(Boolean),
          markLine: figure.limit ? {
            symbol: 'none', silent: true, lineStyle: { color: paint.colour('alarm'), width: 1.6, type: [6, 3] },
            label: { formatter: figure.limitName, color: paint.colour('alarm'), position: 'start', fontSize: 12 }, data: [{ xAxis: figure.limit }],
          } : undefined,
        }]),
      },
      reads: figure.parts.map((part, s) => rows.flatMap((row, i) => isHead(row) ? [] : [
        { series: s, item: i, text: row.name + (row.heading ? ', ' + row.heading : '') + ', ' + part.name + ': ' + part.texts[row.index] }])),
    };
  }

  /** Shades for values from least to most. */
  const SHADES = ['h0', 'h1', 'h2', 'h3', 'h4'];

  function cells(figure, { paint, width }) {
    const grids = figure.facets.length;
    const longest = Math.max(widest(figure.ys), wide(figure.y), 24) + 16;
    const every = Math.ceil(figure.xs.length / 24);
    const columns = Math.max(1, Math.min(grids, Math.floor(width / Math.max(260, longest + figure.xs.length * 44))));
    const rows = Math.ceil(grids / columns);
    const plot = figure.height - 84;
    const labels = figure.facets.flatMap(f => f.cells.map(c => c[3]));
    const labelled = figure.xs.length <= 24 && labels.some(label => label) && widest(labels) + 4 <= (width / columns - longest - 10) / figure.xs.length;
    const top = figure.facets[0].name || figure.y ? 12 : -8, gridHeight = plot + 62;
    const span = figure.max - figure.min || 1;
    const shade = value => SHADES[Math.max(0, Math.min(4, Math.floor((value - figure.min) / span * 5)))];
    const cell = c => ({
      value: [c[0], c[1], c[2] === null ? figure.min : c[2]], text: c[4],
      itemStyle: Object.assign(paint.style(c[2] === null ? 'misfit' : shade(c[2])), {
        borderColor: paint.colour(c[5] ? 'accent' : 'paper'), borderWidth: c[5] ? 3 : 1,
      }),
      label: { show: labelled, formatter: c[3], color: c[2] === null ? paint.colour('soft') : paint.colour(SHADES.indexOf(shade(c[2])) > 2 ? 'paper' : 'ink'), fontSize: 12, fontWeight: c[5] ? 'bold' : 'normal' },
    });
    const left = i => (i % columns) * (width / columns);
    const each = make => figure.facets.map((facet, i) => make(facet, i));
    return {
      height: rows * gridHeight + 34 + top,
      option: {
        tooltip: tooltip(paint, { trigger: 'item', formatter: p => tip([p.data.text]) }),
        title: each((facet, i) => ({
          text: facet.name, left: left(i) + longest, top: top + Math.floor(i / columns) * gridHeight - 8, textStyle: { fontSize: 12, color: paint.colour('ink') },
        })),
        grid: each((facet, i) => ({
          left: left(i) + longest, width: width / columns - longest - 10, top: top + Math.floor(i / columns) * gridHeight + 12, height: plot,
        })),
        xAxis: each((facet, i) => ({
          type: 'category', gridIndex: i, data: figure.xs, name: figure.x, nameLocation: 'middle', nameGap: 24, nameTextStyle: axisText(paint),
          axisLabel: axisText(paint, { interval: Math.max(every, Math.ceil(figure.xs.length * 40 / (width / columns - longest))) - 1, formatter: text => text.replace(/Node\[(\d+)\].*/, '$1') }), axisTick: { show: false }, axisLine: { show: false },
        })),
        yAxis: each((facet, i) => ({
          type: 'category', gridIndex: i, inverse: true, data: figure.ys, name: i === 0 ? figure.y : '', nameLocation: 'start', nameTextStyle: axisText(paint, { align: 'right', padding: [0, 8, 0, 0] }),
          axisLabel: axisText(paint, { color: paint.colour('ink'), interval: 0 }), axisTick: { show: false }, axisLine: { show: false },
        })),
        visualMap: {
          type: 'piecewise', orient: 'horizontal', left: 0, bottom: 0, itemWidth: 16, itemHeight: 12, itemGap: width < NARROW ? 4 : 10, textGap: 6, seriesIndex: [], selectedMode: false,
          textStyle: axisText(paint), pieces: SHADES.map((id, k) => ({
            min: figure.min + span * k / 5, max: figure.min + span * (k + 1) / 5, color: paint.colour(id),
            label: k === 0 ? number(figure.min) : k === 4 ? number(figure.max) + (width < NARROW ? '' : ' ' + figure.unit) : ' ',
          })),
        },
        series: each((facet, i) => ({ type: 'heatmap', xAxisIndex: i, yAxisIndex: i, data: facet.cells.map(cell), emphasis: { itemStyle: { borderColor: paint.colour('ink'), borderWidth: 2 } } })),
      },
      reads: each((facet, i) => facet.cells.map((c, k) => ({ series: i, item: k, text: (facet.name ? facet.name + ', ' : '') + c[4] }))),
    };
  }

  const number = value => String(+value.toPrecision(3));

  function spans(figure, { paint, width }) {
    const lane = 26;
    const texts = figure.spans.map(([, label, start, length]) =>
      (label < 0 ? 'compute waits' : figure.labels[label]) + ', ' + seconds(length * 1e-6) + ' from ' + seconds(start * 1e-6));
    const short = label => label.replace(/layers? /, '').replace('forward', 'fwd').replace('backward', 'bwd');
    const left = 10 + Math.max(...figure.lanes.map(l => l.name.length)) * 7.4 + 8;
    const by = step(figure.to - figure.from, width < NARROW ? 4 : 8);
    return {
      height: figure.lanes.length * 34 + 72,
      option: {
        grid: { left, right: 14, top: 8, height: figure.lanes.length * 34 },
        tooltip: tooltip(paint, { trigger: 'item', formatter: p => tip([figure.lanes[p.value[0]].name, texts[p.dataIndex]]) }),
        xAxis: valueAxis(paint, {
          min: 0, max: figure.end, splitNumber: (figure.to - figure.from) / by, axisLabel: axisText(paint, { formatter: us => seconds(us * 1e-6), hideOverlap: true, showMinLabel: false, showMaxLabel: false }),
        }),
        yAxis: {
          type: 'category', inverse: true, data: figure.lanes.map(l => l.name), axisTick: { show: false }, axisLine: { show: false },
          axisLabel: { color: paint.colour('ink'), fontSize: 12, interval: 0 }, splitLine: { show: true, lineStyle: { color: paint.colour('rule') } },
        },
        dataZoom: zoom(paint, figure.from, figure.to),
        series: [{
          type: 'custom', encode: { x: [1, 2], y: 0 }, clip: true, progressive: 0,
          data: figure.spans.map(([l, label, start, length]) => [l, start, start + length, label]),
          renderItem: (params, api) => {
            const { coordSys: area, context: pass } = params;
            const l = api.value(0), label = api.value(3);
            const from = api.coord([api.value(1), l]), to = api.coord([api.value(2), l]);
            const x = Math.max(area.x, from[0]), end = Math.min(area.x + area.width, to[0]);
            if (end < area.x || x > area.x + area.width) return undefined;
            // Operations that share a pixel are drawn once.
            const drawn = pass.drawn || (pass.drawn = []);
            let w = end - x;
            if (w < 1) {
              const pixel = Math.floor(x);
              if (drawn[l] === pixel) return undefined;
              drawn[l] = pixel;
              w = 1;
            }
            const id = label < 0 ? 'gap' : figure.lanes[l].colour;
            const text = label < 0 ? '' : [figure.labels[label], short(figure.labels[label])].find(t => t.length * 6 + 6 < w) || '';
            return {
              type: 'rect', shape: { x, y: from[1] - lane / 2, width: w, height: lane },
              style: { fill: paint.colour(id), decal: paint.decal(id), stroke: w > 3 ? paint.colour('paper') : 'none', lineWidth: 0.8 },
              textContent: text ? { style: { text, fill: paint.words(id), fontSize: 11, fontFamily: FONT } } : undefined,
              textConfig: { position: 'insideLeft', distance: 4 },
            };
          },
        }],
      },
      reads: figure.lanes.map((_, l) => figure.spans.flatMap((span, i) => span[0] === l ? [{ series: 0, item: i, at: span[2], text: figure.lanes[l].name + ': ' + texts[i] }] : [])),
    };
  }

  function areas(figure, { paint, width }) {
    const names = figure.layers.map(layer => layer.name);
    const top = legendHeight(names, width) + 18;
    const text = value => number(value) + ' ' + figure.unit;
    const xs = figure.xs.concat([figure.end]);
    const by = step(figure.end, width < NARROW ? 4 : 8);
    // On an axis of values a chart stacks times: so each area reaches from the axis to the top of its layer, the lowest drawn last.
    const upTo = (i, k) => figure.layers.slice(0, i + 1).reduce((sum, layer) => sum + layer.values[Math.min(k, layer.values.length - 1)], 0);
    // On paper these areas are plain: thousands of corners are no place for lines.
    const style = id => printing ? { color: paint.colour(id) } : paint.style(id);
    return {
      height: figure.height + top - 40,
      option: {
        legend: legend(paint, names, { selectedMode: false }),
        grid: { left: 6, right: 18, top, bottom: 36, containLabel: true },
        tooltip: tooltip(paint, {
          trigger: 'axis',
          formatter: at => tip([seconds(xs[at[0].dataIndex]) + ': ' + text(at.reduce((sum, p) => sum + p.value[2], 0))].concat(
            at.filter(p => p.value[2] > 0).reverse().map(p => p.seriesName + ': ' + text(p.value[2])))),
        }),
        xAxis: valueAxis(paint, {
          min: 0, max: figure.end, splitNumber: figure.end / by, splitLine: { show: false }, axisLine: { show: true, lineStyle: { color: paint.colour('soft') } },
          axisLabel: axisText(paint, { formatter: s => seconds(+s.toPrecision(9)), hideOverlap: true, showMaxLabel: false }),
        }),
        yAxis: valueAxis(paint, { name: figure.unit, nameLocation: 'end', nameGap: 8, nameTextStyle: axisText(paint, { align: 'left' }), ...stepped(0, figure.max, step(figure.max, 6), paint) }),
        dataZoom: zoom(paint, 0, figure.end),
        series: figure.layers.map((layer, i) => ({
          type: 'line', name: layer.name, zlevel: 0, z: 2 + figure.layers.length - i, step: 'end', symbol: 'none', lineStyle: { width: 0 }, triggerLineEvent: true,
          itemStyle: style(layer.colour), areaStyle: Object.assign({ opacity: 1 }, style(layer.colour)),
          data: layer.values.concat(layer.values.slice(-1)).map((value, k) => [xs[k], upTo(i, k), value]),
          markLine: i > 0 ? undefined : {
            symbol: 'none', silent: true, lineStyle: { color: paint.colour('alarm'), width: 1.6, type: [6, 3] },
            label: { formatter: figure.limitName, position: 'insideEndTop', color: paint.colour('alarm'), fontSize: 12 }, data: [{ yAxis: figure.limit }],
          },
        })),
      },
      reads: figure.layers.map((layer, i) => layer.values.map((value, k) => ({ series: i, item: k, text: seconds(figure.xs[k]) + ', ' + layer.name + ': ' + text(value) }))),
    };
  }

  /** From the slower run to the faster one: what each part saves, the largest first, and their sum. */
  function gap(figure, { paint, width }) {
    const slow = figure.runs[figure.slow], fast = figure.runs[figure.fast];
    const parts = figure.parts.map((name, i) => ({ name, ps: slow.ps[i] - fast.ps[i] })).filter(part => part.ps !== 0);
    parts.sort((a, b) => Math.abs(b.ps) - Math.abs(a.ps));
    const sum = run => run.ps.reduce((total, ps) => total + ps, 0);
    const total = sum(slow) - sum(fast);
    const [unit, per] = Math.abs(total) >= 1e12 ? ['s', 1e12] : Math.abs(total) >= 1e9 ? ['ms', 1e9] : ['us', 1e6];
    // Shown figures add up, too: what rounding leaves goes to the largest part.
    const shown = ps => Math.round(ps / per * 100);
    let rest = shown(total);
    const figures = parts.map(part => { rest -= shown(part.ps); return shown(part.ps); });
    if (figures.length) figures[0] += rest;
    const words = hundredths => (hundredths < 0 ? '\u2212' : '') + (Math.abs(hundredths) / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }) + ' ' + unit;
    const narrow = width < NARROW;
    let at = 0;
    const rows = parts.map((part, i) => {
      const from = at;
      at += figures[i] / 100;
      return { name: part.name, from, to: at, colour: figures[i] >= 0 ? 'less' : 'more', text: words(figures[i]) };
    });
    rows.push({ name: 'together', from: 0, to: shown(total) / 100, colour: 'total', text: words(shown(total)) });
    const low = Math.min(0, ...rows.map(r => Math.min(r.from, r.to))), high = Math.max(0, ...rows.map(r => Math.max(r.from, r.to)));
    const by = step(high - low, narrow ? 4 : 8);
    const seen = row => row.name + ': ' + row.text;
    return {
      height: rows.length * (narrow ? 42 : 30) + 64,
      option: {
        grid: { left: narrow && low < 0 ? 20 : 6, right: widest(rows.map(r => r.text)) + 14, top: 6, bottom: 26, containLabel: true },
        tooltip: tooltip(paint, { trigger: 'item', formatter: p => tip([seen(rows[p.dataIndex])]) }),
        xAxis: valueAxis(paint, { name: unit + ' saved per ' + figure.per, nameLocation: 'middle', nameGap: 24, ...stepped(0 - above(-low, by), above(high, by) || by, by, paint) }),
        yAxis: {
          type: 'category', inverse: true, data: rows.map(r => r.name), axisTick: { show: false }, axisLine: { show: false }, z: 10,
          axisLabel: {
            interval: 0, color: paint.colour('ink'), fontSize: 12, inside: narrow, margin: narrow ? 0 : 8, align: narrow ? 'left' : 'right',
            verticalAlign: narrow ? 'bottom' : 'middle', padding: narrow ? [0, 0, 13, 0] : 0,
          },
        },
        series: [{
          type: 'custom', encode: { x: [1, 2], y: 0 }, data: rows.map((row, i) => [i, row.from, row.to]),
          renderItem: (params, api) => {
            const row = rows[api.value(0)];
            const from = api.coord([row.from, api.value(0)]), to = api.coord([row.to, api.value(0)]);
            const x = Math.min(from[0], to[0]), w = Math.max(1, Math.abs(to[0] - from[0]));
            const next = params.dataIndex < rows.length - 2;
            return {
              type: 'group',
              children: [
                { type: 'rect', shape: { x, y: from[1] - 9, width: w, height: 18 }, style: { fill: paint.colour(row.colour), decal: paint.decal(row.colour) } },
                { type: 'text', style: { x: x + w + 6, y: from[1], text: row.text, verticalAlign: 'middle', fill: paint.colour('ink'), fontSize: 12, fontFamily: FONT } },
              ].concat(next ? [{ type: 'line', shape: { x1: to[0], y1: from[1] + 9, x2: to[0], y2: from[1] + (narrow ? 33 : 21) }, style: { stroke: paint.colour('soft'), lineWidth: 1 } }] : []),
            };
          },
        }],
      },
      reads: [rows.map((row, i) => ({ series: 0, item: i, text: seen(row) }))],
    };
  }

  /** Dots on two logarithmic axes, coloured by what most filters leave open; those that are filtered out are not there. */
  function scatter(figure, { paint, width }) {
    const points = figure.points.filter(point => !point.out);
    const by = figure.by ?? 'gpu';
    const counts = new Map();
    for (const point of points) counts.set(point[by], (counts.get(point[by]) ?? 0) + 1);
    const largest = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name || 'not named');
    const names = largest.length > 8 ? [...largest.slice(0, 7), 'others'] : largest;
    const nameOf = point => names.includes(point[by] || 'not named') ? point[by] || 'not named' : 'others';
    const values = points.flatMap(point => [point.measured, point.today]);
    const low = 10 ** Math.floor(Math.log10(Math.min(...values, 1e12))), high = 10 ** Math.ceil(Math.log10(Math.max(...values, low * 10)));
    const asError = figure.view === 'error';
    const errors = points.map(point => 10 * point.error);
    const at = (x, factor) => [x, asError ? 100 * (factor - 1) : x * factor];
    const words = point => point.id + ': ' + point.figure + ', measured ' + point.measured + ', predicted ' + point.today + ', ' + (100 * point.error).toFixed(1) + ' %';
    const top = legendHeight(names, width) + 8;
    const axis = name => valueAxis(paint, {
      type: 'log', min: low, max: high, name, nameLocation: 'middle', nameGap: 30, axisLine: { show: true, lineStyle: { color: paint.colour('soft') } },
      axisLabel: axisText(paint, { formatter: value => Number(value).toExponential(0).replace('+', '') }),
    });
    const line = factor => ({
      type: 'line', silent: true, showSymbol: false, data: [at(low, factor), at(high, factor)], z: 1,
      lineStyle: { color: paint.colour('soft'), width: factor === 1 ? 1.2 : 0.8, type: factor === 1 ? 'solid' : 'dashed' }, clip: true,
    });
    const groups = names.map(name => points.filter(point => nameOf(point) === name));
    return {
      height: figure.height + top,
      option: {
        legend: legend(paint, names, { icon: undefined, itemWidth: 12 }),
        grid: { left: 26, right: 18, top, bottom: 40, containLabel: true },
        tooltip: tooltip(paint, { trigger: 'item', formatter: at => at.seriesType === 'scatter' ? tip([words(groups[at.seriesIndex][at.dataIndex])]) : '' }),
        xAxis: axis('measured'),
        yAxis: asError ? valueAxis(paint, { min: 10 * Math.floor(Math.min(-2, ...errors)), max: 10 * Math.ceil(Math.max(2, ...errors)), name: 'predicted over measured, less one [%]', nameLocation: 'middle', nameGap: 40 }) : Object.assign(axis('predicted'), { nameGap: 44 }),
        series: groups.map((group, i) => ({
          type: 'scatter', name: names[i], data: group.map(point => at(point.measured, point.today / point.measured)), symbol: MARKERS[i % MARKERS.length], symbolSize: 7,
          itemStyle: { color: paint.colour('s' + i % 8), opacity: 0.75 },
        })).concat([line(1), line(1.1), line(1 / 1.1)]),
      },
      reads: groups.map((group, i) => group.map((point, item) => ({ series: i, item, text: words(point) }))),
    };
  }

  const KINDS = { lines, bars, cells, spans, areas, gap, scatter };

  const mode = () => printing || !dark.matches ? 'light' : 'dark';

  function made(figure, width, as) {
    const paint = paints(as);
    const chart = KINDS[figure.kind](figure, { paint, width });
    Object.assign(chart.option, { animation: false, backgroundColor: 'transparent', textStyle: { fontFamily: FONT } });
    // Labels are measured in their axis' own font, which is not that of the chart.
    for (const each of [chart.option.xAxis, chart.option.yAxis].flat()) if (each) each.axisLabel = { fontFamily: FONT, ...each.axisLabel };
    return chart;
  }

  /** Nobody drags the bar of a picture. */
  function still(chart) {
    const { dataZoom, grid } = chart.option;
    if (!dataZoom) return;
    chart.option.dataZoom = dataZoom.filter(z => z.type === 'inside');
    grid.bottom = 8;
    chart.height -= 28;
  }

  function drawn(name, attributes) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  /** One chart of the page. */
  class Chart {
    constructor(box) {
      this.box = box;
      this.figure = figures[box.dataset.figure];
      this.place = box.querySelector('.chart');
      this.readout = box.querySelector('.readout');
      this.row = 0;
      this.item = -1;
      this.place.addEventListener('keydown', event => this.key(event));
      this.place.addEventListener('blur', () => this.say(''));
      for (const button of box.querySelectorAll('[data-save]')) button.addEventListener('click', () => this.save(button.dataset.save));
    }

    draw() {
      const width = printing ? PRINT_WIDTH : this.place.clientWidth;
      if (width === 0) return;
      const chart = made(this.figure, width, mode());
      if (printing) still(chart);
      for (const hatch of this.place.querySelectorAll('.hatch')) hatch.remove();
      this.reads = chart.reads.filter(row => row.length);
      // On paper two curves share a page with their words.
      if (printing && ['lines', 'areas'].includes(this.figure.kind)) chart.height = Math.round(chart.height * 0.75);
      chart.height = Math.max(chart.height, Math.min(this.room(), 2 * chart.height));
      this.place.style.minHeight = '';
      this.place.style.height = chart.height + 'px';
      if (!this.echarts) this.echarts = echarts.init(this.place, null, { renderer, width, height: chart.height });
      else this.echarts.resize({ width, height: chart.height, silent: true });
      this.keep(chart.option);
      this.echarts.setOption(chart.option, { notMerge: true, silent: true });
      this.place.firstElementChild.setAttribute('aria-hidden', 'true');
      if (printing) this.place.querySelectorAll('[fill^="url(#"]').forEach(area => this.hatch(area));
    }

    /** The pattern of an area as lines: a PDF keeps a picture for each area that has a pattern. */
    hatch(area) {
      const id = area.getAttribute('fill').slice(5, -1), pattern = document.getElementById(id);
      const dots = pattern.getAttribute('width') > 1, by = dots ? 5 : 6;
      const { x, y, width, height } = area.getBBox(), reach = (width + height) / 2;
      const clip = drawn('clipPath', { id: id + '-' + this.place.querySelectorAll('.hatch').length });
      clip.append(drawn('path', { d: area.getAttribute('d') }));
      let d = '';
      for (let at = -reach; at < reach; at += by) d += `M${-reach} ${at}h${2 * reach}`;
      const hatch = drawn('g', { class: 'hatch', 'clip-path': `url(#${clip.id})`, transform: area.getAttribute('transform') ?? '' });
      hatch.append(clip, drawn('path', {
        d, transform: `translate(${x + width / 2} ${y + height / 2}) ${pattern.getAttribute('patternTransform')}`, stroke: palette.hatch.colours[0],
        'stroke-width': dots ? 3 : 2, 'stroke-linecap': dots ? 'round' : 'butt', 'stroke-dasharray': dots ? '0 ' + by : 'none',
      }));
      area.after(hatch);
    }

    /** The height of what stands beside the chart that the page opens with. */
    room() {
      const first = this.box.closest('.first'), second = first?.nextElementSibling;
      if (printing || !second?.lastElementChild || second.offsetLeft <= first.offsetLeft) return 0;
      const bottom = column => column.lastElementChild.getBoundingClientRect().bottom;
      return Math.min(520, bottom(second) - bottom(first) + this.place.offsetHeight);
    }

    /** What the reader chose stays: series that are off, and the stretch of time. */
    keep(option) {
      const now = this.echarts && this.echarts.getOption();
      if (!now) return;
      if (now.legend && now.legend[0] && option.legend) option.legend.selected = now.legend[0].selected;
      if (now.dataZoom && now.dataZoom[0] && option.dataZoom) {
        for (const z of option.dataZoom) Object.assign(z, { startValue: now.dataZoom[0].startValue, endValue: now.dataZoom[0].endValue });
      }
    }

    say(text) {
      this.readout.textContent = text;
    }

    key(event) {
      const row = this.reads && this.reads[this.row % this.reads.length];
      if (!row || event.ctrlKey || event.altKey || event.metaKey) return;
      const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (moves) {
        this.row = (this.row + moves[0] + this.reads.length) % this.reads.length;
        const items = this.reads[this.row];
        if (this.item < 0 || (moves[0] && this.figure.kind === 'spans')) this.item = this.firstSeen(items);
        else this.item = Math.max(0, Math.min(items.length - 1, this.item + moves[1]));
        const read = items[this.item];
        this.echarts.dispatchAction({ type: 'showTip', seriesIndex: read.series, dataIndex: read.item });
        this.say(read.text);
      } else if (event.key === '+' || event.key === '=' || event.key === '-') {
        if (!this.zoomBy(event.key === '-' ? 2 : 0.5)) return;
      } else if (event.key === 'Escape') {
        this.echarts.dispatchAction({ type: 'hideTip' });
        this.say('');
      } else return;
      event.preventDefault();
    }

    /** The first operation of the stretch that is shown. */
    firstSeen(items) {
      const zoomed = this.echarts.getOption().dataZoom;
      const from = zoomed && zoomed[0] ? zoomed[0].startValue : 0;
      return Math.max(0, items.findIndex(read => read.at === undefined || read.at >= from));
    }

    zoomBy(factor) {
      const zoomed = this.echarts.getOption().dataZoom;
      if (!zoomed || !zoomed[0]) return false;
      const { startValue, endValue } = zoomed[0];
      const middle = (startValue + endValue) / 2, half = (endValue - startValue) / 2 * factor;
      this.echarts.dispatchAction({ type: 'dataZoom', startValue: Math.max(0, middle - half), endValue: Math.min(this.figure.end, middle + half) });
      return true;
    }

    /** The chart as it stands, on white paper and with its title. */
    svg() {
      const place = document.createElement('div');
      const chart = made(this.figure, EXPORT_WIDTH, 'light');
      const title = 34;
      const drawing = echarts.init(place, null, { renderer: 'svg', width: EXPORT_WIDTH, height: chart.height });
      this.keep(chart.option);
      still(chart);
      drawing.setOption(chart.option);
      const svg = place.querySelector('svg');
      svg.setAttribute('viewBox', `0 ${-title} ${EXPORT_WIDTH} ${chart.height + title}`);
      svg.setAttribute('height', chart.height + title);
      svg.removeAttribute('style');
      const head = drawn('text', { x: 4, y: -14, 'font-family': FONT, 'font-size': 16, 'font-weight': 600, fill: palette.ink.colours[0] });
      const { kind, runs, slow, fast } = this.figure;
      head.textContent = this.figure.title + (kind === 'gap' ? ': ' + runs[slow].name + ' to ' + runs[fast].name + ', ' + runs[fast].group : '');
      svg.append(head);
      const text = new XMLSerializer().serializeToString(svg);
      drawing.dispose();
      return { text, width: EXPORT_WIDTH, height: chart.height + title };
    }

    async save(format) {
      const { text, width, height } = this.svg();
      let blob = new Blob([text], { type: 'image/svg+xml' });
      if (format === 'png') {
        const image = new Image(width, height);
        image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
        await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), { width: 2 * width, height: 2 * height });
        const context = canvas.getContext('2d');
        context.fillStyle = '#ffffff';
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        blob = await new Promise(done => canvas.toBlob(done, 'image/png'));
      }
      const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: scenario.replace(/[^\w.-]+/g, '_') + '-' + this.box.dataset.figure + '.' + format });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }
  }

  const charts = [...page.querySelectorAll('[data-figure]')].map(box => new Chart(box));

  /** Two runs to compare; the second is one whose seconds compare with the first. */
  function pickers() {
    const figure = figures.gap;
    if (!figure) return;
    const [slow, fast] = ['slow', 'fast'].map(name => document.querySelector(`[data-run=${name}]`));
    const chart = charts.find(each => each.figure === figure);
    const fill = (select, chosen, keep) => {
      select.replaceChildren();
      for (const label of [...new Set(figure.runs.map(run => run.group))]) {
        const runs = figure.runs.map((run, i) => [run, i]).filter(([run, i]) => run.group === label && keep(run, i));
        if (!runs.length) continue;
        const group = Object.assign(document.createElement('optgroup'), { label });
        for (const [run, i] of runs) group.append(new Option(run.name, i, false, i === chosen));
        select.append(group);
      }
    };
    const fillSecond = () => {
      const from = figure.runs[figure.slow];
      if (figure.runs[figure.fast].group !== from.group || figure.fast === figure.slow) {
        figure.fast = figure.runs.findIndex((run, i) => run.group === from.group && i !== figure.slow);
      }
      fill(fast, figure.fast, (run, i) => run.group === from.group && i !== figure.slow);
    };
    fill(slow, figure.slow, () => true);
    fillSecond();
    slow.addEventListener('change', () => { figure.slow = +slow.value; fillSecond(); chart.draw(); });
    fast.addEventListener('change', () => { figure.fast = +fast.value; chart.draw(); });
  }
  pickers();

  /** What the reader leaves of dots, and of the rows that stand for the same. */
  function filters() {
    const figure = figures.scatter;
    if (!figure) return;
    const selects = [...document.querySelectorAll('[data-filter]')];
    const rows = [...document.querySelectorAll('#points tbody tr')];
    const chart = charts.find(each => each.figure === figure);
    const filter = () => {
      figure.points.forEach((point, i) => {
        point.out = selects.some(select => select.value && point[select.dataset.filter] !== select.value);
        rows[i].hidden = point.out;
      });
      const left = figure.points.filter(point => !point.out);
      figure.by = ['gpu', 'strategy', 'framework'].find(key => !selects.find(select => select.dataset.filter === key).value) ?? 'gpu';
      const off = some => (100 * some.reduce((sum, point) => sum + Math.abs(point.error), 0) / some.length).toFixed(1) + ' % off on average';
      const named = left.filter(point => point.framework);
      document.getElementById('filtered').textContent = left.length ? `${left.length} figures, ${off(left)}` + (named.length ? `; of these, ${named.length} with known framework and release: ${off(named)}` : '') + '.' : 'No figures match.';
    };
    for (const select of selects) select.addEventListener('change', () => { filter(); chart.draw(); });
    const view = document.querySelector('[data-view]');
    view.addEventListener('change', () => { figure.view = view.value; chart.draw(); });
    filter();
  }
  filters();

  /** Text to copy; where the browser does not let the page, it is selected for the reader to do so. */
  for (const button of document.querySelectorAll('[data-copy]')) {
    button.addEventListener('click', async () => {
      const text = document.getElementById(button.dataset.copy);
      window.getSelection().selectAllChildren(text);
      const copied = document.execCommand('copy') || await navigator.clipboard?.writeText(text.textContent).then(() => true, () => false);
      button.textContent = copied ? 'Copied' : 'Selected';
      setTimeout(() => { button.textContent = 'Copy'; }, 3000);
    });
  }

  /** Charts are drawn when the reader comes near them, all of them for print. */
  const seen = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      charts.find(chart => chart.box === entry.target).draw();
    }
  }, { rootMargin: '400px' });
  for (const chart of charts) seen.observe(chart.box);

  const again = all => charts.filter(chart => all || chart.echarts).forEach(chart => chart.draw());
  dark.addEventListener('change', () => again(false));
  let width = document.documentElement.clientWidth;
  window.addEventListener('resize', () => {
    if (document.documentElement.clientWidth !== width && !printing) requestAnimationFrame(() => again(false));
    width = document.documentElement.clientWidth;
  });
  window.addEventListener('beforeprint', () => {
    printing = true;
    for (const remarks of document.querySelectorAll('.warnings, .notes')) remarks.open = true;
    again(true);
  });
  window.addEventListener('afterprint', () => {
    printing = false;
    again(false);
  });
  document.documentElement.dataset.drawn = 'yes';
};
if (window.shardsimReport) window.drawFigures();

// The whole training step, and below it the streams of rank 0 around the clock.

import {time} from './format.js';
import {Backdrop, drawHalo, lettering} from './scene.js';

/** How wide a letter is, of its height. */
const LETTER = 0.54;
/** A share that would be written as none. */
const SHARE_MIN = 5e-4;
/** Shares of the overview are whole parts of so many. */
const WHOLE = 10000;

/** What covers each pixel column of a stretch, from 0 to 1: each span by the share of its time in which something runs. */
function coverage(spans, from, until, columns) {
  const covered = new Float64Array(columns);
  const perPs = columns / (until - from);
  for (const [start, end, , busy = 1] of spans) {
    const right = Math.min(columns, (end - from) * perPs);
    for (let left = Math.max(0, (start - from) * perPs); left < right;) {
      const next = Math.min(right, Math.floor(left) + 1);
      covered[Math.min(columns - 1, Math.floor(left))] += (next - left) * busy;
      left = next;
    }
  }
  return covered.map(share => Math.min(1, share));
}

/** Calls with the first and the last column of each run of equal values, and the value. */
function runs(values, draw) {
  for (let first = 0, next; first < values.length; first = next) {
    for (next = first + 1; next < values.length && Math.abs(values[next] - values[first]) < 1e-3;) next++;
    draw(first, next, values[first]);
  }
}

/** Means of many columns in fewer of equal width. */
function resampled(values, columns) {
  const sums = new Float64Array(values.length + 1);
  values.forEach((value, i) => { sums[i + 1] = sums[i] + value; });
  const until = at => sums[Math.floor(at)] + (at % 1 ? (at % 1) * values[Math.floor(at)] : 0);
  const width = values.length / columns;
  return Float64Array.from({length: columns}, (_, i) => (until(Math.min(values.length, (i + 1) * width)) - until(i * width)) / width);
}

/** Sizes that go with the letters [px]: rows, where they begin, and where their names end. */
const sizes = {
  get lane() { return lettering.least + 2; },
  get detail() { return lettering.least + 6; },
  get left() { return 5.4 * lettering.least; },
  get top() { return 2 * lettering.least + 10; },
};

export class TimelineView {
  constructor(recording) {
    this.recording = recording;
    this.backdrop = new Backdrop();
    // Pipeline stages of odd number have lanes of their own; a rank uses both of a direction, one to send and one to receive.
    this.looks = Object.fromEntries(recording.streams.map(look => [look.id, look]));
    this.streams = recording.streams.map(look => look.id).filter(stream => recording.timeline[stream]);
  }

  /** Rows of the overview: one for each pipeline stage, then the lanes of rank 0 beside compute. A bare collective has its lane alone. */
  get rows() {
    return this.recording.result.collective ? [] : this.recording.overview;
  }

  get lanes() {
    return this.rows.length ? this.streams.filter(stream => stream !== 'compute') : this.streams;
  }

  get overviewEnd() {
    return sizes.top + (this.rows.length + this.lanes.length) * sizes.lane;
  }

  get height() {
    return this.overviewEnd + 22 + lettering.least + this.streams.length * sizes.detail;
  }

  /**
   * @param endPs the longest step on the page, so that timelines that stand side by side have one scale
   * @param stretchPs length of the stretch
   * @param halo what is named beside the drawing: the whole step, the streams of rank 0, or nothing
   */
  draw(painter, ps, width, colours, endPs, stretchPs, halo) {
    const {lane: LANE, detail: DETAIL_LANE, left: LEFT, top: TOP} = sizes;
    const x = at => LEFT + (width - LEFT - 2) * at / endPs;
    const standing = on => this.drawOverview(on, x, width, colours, endPs);
    // An SVG has no backdrop.
    if (painter.pen) this.backdrop.show(painter, width, this.overviewEnd + 2, `${endPs} ${colours.paper} ${lettering.least}`, standing); else standing(painter);
    const {overviewEnd} = this;
    const from = Math.max(0, ps - stretchPs / 2);
    const until = from + stretchPs;
    painter.rect(x(from), TOP - 2, Math.max(2, x(until) - x(from)), overviewEnd - TOP + 2, {stroke: colours.ink});
    painter.line([[x(ps), TOP - 2], [x(ps), overviewEnd]], {stroke: colours.ink, line: 1.5});
    const top = overviewEnd + 10 + lettering.least;
    painter.text(LEFT, top - 5, `rank 0, ${time(stretchPs)} around the clock`, {fill: colours.soft});
    const near = at => LEFT + (width - LEFT - 2) * (at - from) / stretchPs;
    this.streams.forEach((stream, lane) => {
      const y = top + lane * DETAIL_LANE;
      if (stream === 'compute') this.drawWaits(painter, from, Math.min(until, this.recording.endPs), y, near, colours);
      this.drawLane(painter, this.recording.lane(stream, from, until), stream, y, DETAIL_LANE - 4, near, from, until, colours, true);
    });
    const bottom = top + this.streams.length * DETAIL_LANE;
    painter.line([[near(ps), top - 2], [near(ps), bottom]], {stroke: colours.ink, line: 1.5});
    if (halo === 'step') drawHalo(painter, {x: LEFT, y: TOP - 2, width: width - LEFT - 4, height: overviewEnd - TOP + 2}, colours, width);
    if (halo === 'streams') drawHalo(painter, {x: LEFT, y: top - 2, width: width - LEFT - 4, height: bottom - top}, colours, width);
    this.map = {from: 0, until: endPs, left: LEFT, right: width - 2, overviewEnd, near: {from, until}};
  }

  /** The whole step, which no clock moves. */
  drawOverview(painter, x, width, colours, endPs) {
    const {lane: LANE, left: LEFT, top: TOP} = sizes;
    painter.text(LEFT, lettering.least, `whole ${this.recording.result.collective ? 'collective' : 'step'}, ${time(this.recording.endPs)}`, {fill: colours.soft});
    const columns = Math.max(1, Math.round(x(this.recording.endPs) - LEFT));
    this.drawn = this.rows.map((row, i) => this.drawShares(painter, row, this.rows.length > 1 ? `stage ${i}` : 'GPUs', TOP + i * LANE, columns, colours));
    this.drawLegend(painter, width, colours);
    this.lanes.forEach((stream, i) => this.drawLane(painter, this.recording.timeline[stream], stream, TOP + (this.rows.length + i) * LANE, LANE - 3, x, 0, endPs, colours));
  }

  /** For each pixel column the shares of its time that GPUs work, wait for each stream, and are idle, one above the other; returns their means. */
  drawShares(painter, {shares}, name, y, columns, colours) {
    const {lane: LANE, left: LEFT} = sizes;
    painter.text(0, y + LANE - 4, name, {fill: colours.soft});
    const height = LANE - 2;
    const bottom = new Float64Array(columns);
    const means = {};
    for (const [part, values] of Object.entries(shares)) {
      const drawn = resampled(values, columns).map(share => share / WHOLE);
      means[part] = drawn.reduce((sum, share) => sum + share, 0) / columns;
      if (part !== 'idle') {
        runs(drawn.map((share, i) => share ? bottom[i] * 2 + share : -1), (first, next) => {
          if (!drawn[first]) return;
          painter.rect(LEFT + first, y + height * (1 - bottom[first] - drawn[first]), next - first, height * drawn[first], {fill: colours[part]});
        });
      }
      drawn.forEach((share, i) => { bottom[i] += share; });
    }
    painter.line([[LEFT, y + height], [LEFT + columns, y + height]], {stroke: colours.rule, line: 0.5});
    return means;
  }

  /** Mean shares over all GPUs: those of the result. */
  get means() {
    const gpus = this.rows.reduce((sum, row) => sum + row.gpus, 0);
    const means = {};
    (this.drawn ?? []).forEach((row, i) => {
      for (const [part, share] of Object.entries(row)) means[part] = (means[part] ?? 0) + share * this.rows[i].gpus / gpus;
    });
    return means;
  }

  /** What the colours of the overview mean, with the share of each. */
  drawLegend(painter, width, colours) {
    let x = sizes.left;
    const top = lettering.least + 4;
    for (const [part, share] of Object.entries(this.means)) {
      if (share < SHARE_MIN) continue;
      const full = this.recording.shares[part] ?? part.replace('_', ' ');
      const written = [full, full.split(' (')[0]].map(name => `${name} ${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`);
      const fits = text => x + 11 + text.length * LETTER * lettering.least <= width;
      const words = written.find(fits);
      // Left out rather than cut.
      if (!words) break;
      painter.rect(x, top + lettering.least - 9, 8, 8, {fill: part === 'idle' ? colours.paper : colours[part], stroke: colours.soft, line: 0.5});
      painter.text(x + 11, top + lettering.least - 1, words, {fill: colours.soft});
      x += 20 + words.length * LETTER * lettering.least;
    }
  }

  drawLane(painter, spans, stream, y, height, x, from, until, colours, named) {
    const {left: LEFT} = sizes;
    const {lane, as} = this.looks[stream];
    painter.text(0, y + height - 1, lane, {fill: colours.soft});
    painter.line([[LEFT, y + height + 1], [x(until), y + height + 1]], {stroke: colours.rule});
    const columns = Math.max(1, Math.round(x(until) - LEFT));
    runs(coverage(spans, from, until, columns), (first, next, share) => {
      if (share) painter.rect(LEFT + first, y + height * (1 - share), next - first, height * share, {fill: colours[as]});
    });
    for (const [start, end, words] of named ? spans : []) {
      const left = x(Math.max(from, start));
      if (x(Math.min(until, end)) - left > words.length * LETTER * lettering.least + 6) painter.text(left + 3, y + height - 2, words, {fill: colours[`on-${as}`]});
    }
  }

  /** Hatched where compute waits, in the colour of what it waits for. */
  drawWaits(painter, from, until, y, x, colours) {
    if (this.recording.result.collective) return;
    for (const {at, start, end} of this.recording.waitsOf(from, until)) {
      if (x(end) - x(start) > 0.5) painter.rect(x(start), y, x(end) - x(start), sizes.detail - 4, {fill: colours.gap, hatch: colours[at]});
    }
  }

  /** The instant that a spot of the drawing stands for, or null. */
  instantAt(x, y) {
    const {map} = this;
    if (!map || x < map.left) return null;
    const share = (x - map.left) / (map.right - map.left);
    return y < map.overviewEnd + 4 ? share * map.until : map.near.from + share * (map.near.until - map.near.from);
  }
}

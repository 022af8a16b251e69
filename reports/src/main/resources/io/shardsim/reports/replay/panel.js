// One side of the page: a run of one strategy, its drawing, its figures, its timeline.

import {ClusterView} from './cluster.js';
import {Recording} from './recording.js';
import {CanvasPainter, SvgPainter} from './scene.js';
import {TimelineView} from './timeline.js';
import {explainTerms} from './terms.js';
import {bytes, change, instant, time} from './format.js';

/** Below this slow-down chunks are too quick to be told apart, and are not asked for while the clock runs. */
const CHUNKS_SEEN_FRAME_PS = 2e8;
const STRETCH_MIN_PS = 1e6;
const STRETCH_FRAMES = 480;
const WINDOW_MIN_PS = 2e8;
const WINDOW_MAX_PS = 2e10;

export class Panel {
  constructor(element, side, page) {
    Object.assign(this, {element, side, page});
    this.cluster = element.querySelector('canvas.cluster');
    this.timelineCanvas = element.querySelector('canvas.timeline');
    this.point = element.querySelector('.point');
    this.strategy = element.querySelector('.strategy');
    this.state = element.querySelector('.state');
    this.named = element.querySelector('.named');
    this.status = element.querySelector('.status');
    explainTerms(element.querySelectorAll('dt'));
    this.figures = Object.fromEntries([...element.querySelectorAll('[data-figure]')].map(node => [node.dataset.figure, node]));
    this.cluster.addEventListener('click', event => this.pick(event));
    this.timelineCanvas.addEventListener('click', event => {
      const box = this.timelineCanvas.getBoundingClientRect();
      const {zoom} = page;
      const ps = this.timeline?.instantAt((event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom);
      if (ps !== null && ps !== undefined) page.seek(ps);
    });
    this.timelineCanvas.addEventListener('wheel', event => {
      // What a touchpad sends for two fingers that part, and a wheel with Ctrl held.
      if (!event.ctrlKey) return;
      event.preventDefault();
      page.zoomTime(event.deltaY < 0 ? 1 : -1);
    }, {passive: false});
    this.point.addEventListener('change', () => this.takePoint());
    this.strategy.addEventListener('change', () => {
      page.turned();
      page.rerun(this);
    });
  }

  /** What the side may show: every point of the sweep, on the second side also nothing. */
  offer({points, strategies}, chosen) {
    this.before = null;
    for (const changed of this.element.querySelectorAll('.changed')) changed.classList.remove('changed');
    for (const mark of this.element.querySelectorAll('ins')) mark.textContent = '';
    this.strategy.replaceChildren();
    this.point.replaceChildren();
    if (this.side !== 'a') this.point.add(new Option('no second run', ''));
    points.forEach((_, i) => this.point.add(new Option('', i)));
    for (const {kind, title} of strategies) this.strategy.add(new Option(title, kind));
    this.points = points;
    this.showPoints(points.map(({words}) => words));
    this.point.value = chosen ?? '';
    const few = points.length < 2 && !strategies.length;
    this.point.closest('label').hidden = this.point.length < 2 || few;
    this.showChoice();
  }

  /** Whether the side shows no point at all. */
  get isNone() {
    return this.point.value === '';
  }

  takePoint() {
    this.page.turned();
    this.showChoice();
    if (!this.isNone) {
      this.page.rerun(this);
      return;
    }
    this.clear();
    this.element.classList.remove('running');
    this.page.fitClock();
    this.page.draw();
  }

  showChoice() {
    this.element.classList.toggle('none', this.isNone);
    this.element.parentElement.classList.toggle('one', this.page.panels?.some(panel => panel.isNone) ?? this.isNone);
    this.strategy.value = this.points[this.point.value]?.strategy ?? '';
    this.strategy.closest('label').hidden = this.isNone || this.strategy.length === 0;
  }

  /** Each point in words, as the knobs make it. */
  showPoints(words) {
    for (const option of this.point.options) {
      if (option.value !== '') option.textContent = words[option.value] + (this.points[option.value].tooLarge ? ' (does not fit)' : '');
    }
  }

  /** What is asked for here. */
  get choice() {
    return {point: this.point.value, ...(this.strategy.value ? {strategy: this.strategy.value} : {})};
  }

  /** Shows a run in place of the one before it. */
  show(outline, load) {
    this.before = this.recording?.result ?? null;
    this.element.classList.remove('empty');
    if (outline.points) this.showPoints(outline.points);
    if (!outline.totals) {
      this.clear();
      this.status.textContent = `${outline.label} does not fit in memory. ${outline.remedy ?? ''}`;
      return;
    }
    this.status.textContent = '';
    const {scenario, nodes, strategy = ''} = outline.result;
    Object.assign(this.element.dataset, {label: outline.label, scenario, nodes, strategy});
    this.recording = new Recording(outline, load);
    this.view = new ClusterView(this.recording);
    this.view.zoomed = Math.min(this.zoomed ?? 0, this.recording.cluster.nodes - 1);
    this.timeline = new TimelineView(this.recording);
    this.followed = null;
    this.showResult();
  }

  /** Shows nothing but the status. */
  clear() {
    this.recording = null;
    this.named.textContent = '';
    this.status.textContent = '';
    for (const each of ['label', 'scenario', 'nodes', 'strategy']) delete this.element.dataset[each];
    this.element.classList.add('empty');
  }

  /** What the list of strategies does not say already. Two runs of one strategy are told apart by what the sweep and the knobs give them. */
  showName() {
    if (!this.recording) return;
    const alike = this.page.panels.every(({recording}) => recording?.label === this.recording.label);
    const {words} = this.recording;
    this.recording.name = alike && words ? `${this.recording.label} (${words})` : this.recording.label;
    this.element.dataset.words = words || this.recording.label;
    const chosen = this.page.source.live ? this.strategy.selectedOptions[0]?.textContent ?? '' : '';
    const label = this.page.source.live ? this.recording.label : this.recording.name;
    this.named.textContent = chosen && label.startsWith(chosen) ? label.slice(chosen.length).replace(/^, /, '') : label;
  }

  /** Figures of the whole run, and how they differ from the run before. */
  showResult() {
    const {result} = this.recording;
    const put = (name, words, now, before) => {
      this.figures[name].textContent = words;
      this.figures[name].dataset.value = now;
      const changed = change(now, before);
      const mark = this.figures[`${name}-change`];
      mark.textContent = changed ? `${changed}` : '';
      mark.closest('div').classList.toggle('changed', changed !== '');
    };
    const seconds = of => of?.step_seconds ?? of?.collective_seconds;
    put('step', time(seconds(result) * 1e12), seconds(result), seconds(this.before));
    put('nic', bytes(result.nic_bytes_sent), result.nic_bytes_sent, this.before?.nic_bytes_sent);
    showOnly(this.element, result.collective ? 'collective' : 'step');
    if (result.collective) {
      for (const figure of ['algorithm', 'bus']) {
        const key = `${figure}_bandwidth_bytes_per_second`;
        put(figure, `${bytes(Number(result[key]))}/s`, result[key], this.before?.[key]);
      }
      return;
    }
    put('exposed', time(result.exposed_communication_seconds * 1e12), result.exposed_communication_seconds, this.before?.exposed_communication_seconds);
    put('rate', `${Number(result.samples_per_second).toPrecision(3)} samples/s`, result.samples_per_second, this.before?.samples_per_second);
  }

  get stretchPs() {
    const {clock} = this.page;
    return Math.max(STRETCH_MIN_PS, Math.min(this.recording.endPs, clock.framePs * STRETCH_FRAMES));
  }

  draw() {
    const {recording} = this;
    if (!recording) return;
    const {clock, colours, longestPs} = this.page;
    const ps = Math.min(clock.ps, recording.endPs);
    if (!clock.playing || clock.framePs <= CHUNKS_SEEN_FRAME_PS) {
      const ahead = clock.playing ? Math.max(WINDOW_MIN_PS, Math.min(WINDOW_MAX_PS, clock.framePs * 180)) : Math.min(WINDOW_MIN_PS, recording.endPs);
      recording.want(ps, ahead)?.then(came => { if (came && !clock.playing) this.page.draw(); });
    }
    const {zoom} = this.page;
    const width = this.cluster.clientWidth / zoom;
    if (!width) return;
    const layout = this.view.layout(width);
    const halo = this.page.tour.haloOf(this.side);
    this.view.draw(new CanvasPainter(this.cluster, width, layout.height, zoom), ps, width, colours, {followed: this.followed, framePs: clock.framePs, halo, zoom: this.page.zooming});
    this.timeline.draw(new CanvasPainter(this.timelineCanvas, width, this.timeline.height, zoom), ps, width, colours, longestPs, this.stretchPs, halo);
    this.timelineCanvas.dataset.overview = JSON.stringify(this.timeline.means);
    const totals = recording.totalsAt(clock.ps);
    this.figures['nic-now'].textContent = bytes(totals.nicBytes);
    this.figures['nic-now'].dataset.value = totals.nicBytes;
    this.figures['exposed-now'].textContent = time(totals.exposedPs);
    this.figures['exposed-now'].dataset.value = totals.exposedPs / 1e12;
    this.figures['step-now'].dataset.value = ps / 1e12;
    this.figures['step-now'].textContent = instant(ps, clock.framePs, recording.endPs);
    this.say(this.view.words(ps));
  }

  /** Draws an instant on a canvas elsewhere: time where one is to look at that, the cluster otherwise. */
  async drawOn(canvas, ps, {halo, side}) {
    const {recording, timeline} = this;
    const {zoom, colours, longestPs} = this.page;
    const at = Math.min(ps, recording.endPs);
    const width = canvas.clientWidth / zoom;
    if (!width) return;
    const own = !side || side === this.side ? halo : null;
    if (halo === 'step' || halo === 'streams') {
      timeline.draw(new CanvasPainter(canvas, width, timeline.height, zoom), at, width, colours, longestPs, recording.endPs, own);
    } else {
      const view = new ClusterView(recording);
      const draw = () => view.draw(new CanvasPainter(canvas, width, view.layout(width).height, zoom), at, width, colours, {halo: own, framePs: recording.endPs / 1000});
      draw();
      await recording.around(at);
      draw();
    }
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${recording.name}: ${this.view.words(at)}`);
  }

  /** The sentence is that of the drawing it stands beside, in every frame. */
  say(words) {
    this.state.textContent = words;
    this.cluster.setAttribute('aria-label', `${this.recording.name}: ${words}`);
    this.timelineCanvas.setAttribute('aria-label', `The whole step, and streams of rank 0 at ${instant(this.page.clock.ps, this.page.clock.framePs, this.recording.endPs)}`);
  }

  /** The drawing of an instant as SVG, and its size. */
  svg() {
    const {clock, colours, longestPs} = this.page;
    const width = Math.max(600, this.cluster.clientWidth);
    const view = new ClusterView(this.recording);
    view.zoomed = this.view.zoomed;
    const layout = view.layout(width);
    const words = `${this.recording.name} at ${instant(clock.ps, clock.framePs, this.recording.endPs)}`;
    const painter = new SvgPainter(width, layout.height + this.timeline.height + 30, words, colours.paper);
    painter.text(0, 14, words, {fill: colours.ink, size: 13, bold: true});
    const shifted = new Shifted(painter, 24);
    view.draw(shifted, clock.ps, width, colours, {followed: this.followed, framePs: clock.framePs});
    shifted.dy = layout.height + 30;
    this.timeline.draw(shifted, clock.ps, width, colours, longestPs, this.stretchPs);
    return {text: painter.close(), width, height: layout.height + this.timeline.height + 30};
  }

  pick(event) {
    if (!this.recording) return;
    const box = this.cluster.getBoundingClientRect();
    const {sight, placed} = this.view;
    const [x, y] = [event.clientX - box.left, event.clientY - box.top].map((at, i) =>
      at / this.page.zoom * (sight ? sight.width / placed.width : 1) + (sight ? [sight.x, sight.y][i] : 0));
    const dot = this.view.nearest(x, y);
    if (dot) {
      this.page.follow(this, dot);
      return;
    }
    const tile = this.view.placed.boxes.find(at => at.tile && x >= at.x && x < at.x + at.width && y >= at.y && y < at.y + at.height);
    if (tile) this.zoom(tile.node);
  }

  zoom(node) {
    this.zoomed = node;
    this.view.zoomed = node;
    this.page.draw();
  }
}

/** Leaves out what belongs to training steps, or to bare collectives. */
export function showOnly(element, what) {
  for (const each of element.querySelectorAll('[data-of]')) each.hidden = each.dataset.of !== what;
}

/** Draws further down. */
class Shifted {
  constructor(painter, dy) {
    Object.assign(this, {painter, dy});
  }

  rect(x, y, ...rest) { this.painter.rect(x, y + this.dy, ...rest); }
  line(points, style) { this.painter.line(points.map(([x, y]) => [x, y + this.dy]), style); }
  dot(x, y, ...rest) { this.painter.dot(x, y + this.dy, ...rest); }
  text(x, y, ...rest) { this.painter.text(x, y + this.dy, ...rest); }
}

// One side of the page: a run of one strategy, its drawing, its figures, its timeline.

import {ClusterView} from './cluster.js';
import {Recording} from './recording.js';
import {CanvasPainter, SvgPainter} from './scene.js';
import {TimelineView} from './timeline.js';
import {bytes, change, instant, time} from './format.js';

/** Below this slow-down chunks are too quick to be told apart, and are not asked for while the clock runs. */
const CHUNKS_SEEN_FRAME_PS = 5e8;
const WINDOW_MIN_PS = 2e8;
const WINDOW_MAX_PS = 2e10;

export class Panel {
  constructor(element, side, page) {
    Object.assign(this, {element, side, page});
    this.cluster = element.querySelector('canvas.cluster');
    this.timelineCanvas = element.querySelector('canvas.timeline');
    this.strategy = element.querySelector('select');
    this.named = element.querySelector('.named');
    this.status = element.querySelector('.status');
    this.figures = Object.fromEntries([...element.querySelectorAll('[data-figure]')].map(node => [node.dataset.figure, node]));
    this.cluster.addEventListener('click', event => this.pick(event));
    this.timelineCanvas.addEventListener('click', event => {
      const box = this.timelineCanvas.getBoundingClientRect();
      const {zoom} = page;
      const ps = this.timeline?.instantAt((event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom);
      if (ps !== null && ps !== undefined) page.clock.seek(ps);
    });
    this.strategy.addEventListener('change', () => page.rerun(this));
  }

  /** Shows a run in place of the one before it. */
  show(outline, load) {
    this.before = this.recording?.result;
    this.element.classList.toggle('empty', !outline.totals);
    if (!outline.totals) {
      this.recording = null;
      this.status.textContent = `${outline.label} does not fit in memory. ${outline.remedy ?? ''}`;
      return;
    }
    this.status.textContent = '';
    this.recording = new Recording(outline, load);
    this.view = new ClusterView(this.recording);
    this.view.zoomed = Math.min(this.zoomed ?? 0, this.recording.cluster.nodes - 1);
    this.timeline = new TimelineView(this.recording);
    this.followed = null;
    this.element.dataset.label = outline.label;
    this.showResult();
  }

  /** What the list of strategies does not say already. */
  showName() {
    const chosen = this.strategy.closest('label').hidden ? '' : this.strategy.selectedOptions[0]?.textContent ?? '';
    const {label} = this.recording;
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
    put('step', time(result.step_seconds * 1e12), result.step_seconds, this.before?.step_seconds);
    put('nic', bytes(result.nic_bytes_sent), result.nic_bytes_sent, this.before?.nic_bytes_sent);
    put('exposed', time(result.exposed_communication_seconds * 1e12), result.exposed_communication_seconds, this.before?.exposed_communication_seconds);
    put('rate', `${Number(result.samples_per_second).toPrecision(3)} samples/s`, result.samples_per_second, this.before?.samples_per_second);
  }

  get stretchPs() {
    const {clock} = this.page;
    return Math.max(2e8, Math.min(this.recording.endPs, clock.framePs * 160));
  }

  draw() {
    const {recording} = this;
    if (!recording) return;
    const {clock, colours, longestPs} = this.page;
    const ps = Math.min(clock.ps, recording.endPs);
    if (!clock.playing || clock.framePs <= CHUNKS_SEEN_FRAME_PS) {
      const ahead = clock.playing ? Math.max(WINDOW_MIN_PS, Math.min(WINDOW_MAX_PS, clock.framePs * 60)) : Math.min(WINDOW_MIN_PS, recording.endPs);
      recording.want(ps, ahead)?.then(() => { if (!clock.playing) this.page.draw(); });
    }
    const {zoom} = this.page;
    const width = this.cluster.clientWidth / zoom;
    if (!width) return;
    const layout = this.view.layout(width);
    this.view.draw(new CanvasPainter(this.cluster, width, layout.height, zoom), ps, width, colours, {followed: this.followed, framePs: clock.framePs});
    this.timeline.draw(new CanvasPainter(this.timelineCanvas, width, this.timeline.height, zoom), ps, width, colours, longestPs, this.stretchPs);
    const totals = recording.totalsAt(clock.ps);
    this.figures.now.textContent = clock.ps >= recording.endPs ? 'done' : instant(ps, clock.framePs);
    this.figures['nic-now'].textContent = bytes(totals.nicBytes);
    this.figures['nic-now'].dataset.value = totals.nicBytes;
    this.figures['exposed-now'].textContent = time(totals.exposedPs);
    this.figures['exposed-now'].dataset.value = totals.exposedPs / 1e12;
    this.figures['step-now'].dataset.value = ps / 1e12;
    this.figures['step-now'].textContent = instant(ps, clock.framePs);
  }

  /** The drawing of an instant as SVG, and its size. */
  svg() {
    const {clock, colours, longestPs} = this.page;
    const width = Math.max(600, this.cluster.clientWidth);
    const view = new ClusterView(this.recording);
    view.zoomed = this.view.zoomed;
    const layout = view.layout(width);
    const words = `${this.recording.label} at ${instant(clock.ps, clock.framePs)}`;
    const painter = new SvgPainter(width, layout.height + this.timeline.height + 30, words, colours.paper);
    painter.text(0, 14, words, {fill: colours.ink, size: 13, bold: true});
    const shifted = new Shifted(painter, 24);
    view.draw(shifted, clock.ps, width, colours, {followed: this.followed, framePs: clock.framePs});
    shifted.dy = layout.height + 30;
    this.timeline.draw(shifted, clock.ps, width, colours, longestPs, this.stretchPs);
    return {text: painter.close(), width, height: layout.height + this.timeline.height + 30};
  }

  words() {
    return this.recording ? this.view.words(Math.min(this.page.clock.ps, this.recording.endPs)) : '';
  }

  pick(event) {
    if (!this.recording) return;
    const box = this.cluster.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top].map(at => at / this.page.zoom);
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

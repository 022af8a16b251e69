// The streams of rank 0: the whole training step, and below it the stretch around the clock.

import {time} from './format.js';

const LANE = 12;
const DETAIL_LANE = 16;
const LEFT = 58;
// Pipeline stages of odd number have lanes of their own; a rank uses both of a direction, one to send and one to receive.
const SHOWN = {
  compute: 'compute', gather: 'gather', reduce: 'reduce', tensor: 'tensor', context: 'context', pipeline_forward: 'forward', pipeline_forward_odd: 'forward',
  pipeline_backward: 'backward', pipeline_backward_odd: 'backward', copy: 'copy', host: 'host',
};

export class TimelineView {
  constructor(recording) {
    this.recording = recording;
    this.streams = Object.keys(SHOWN).filter(stream => recording.timeline[stream]);
  }

  get height() {
    return 20 + this.streams.length * (LANE + DETAIL_LANE) + 24;
  }

  /**
   * @param endPs the longest step on the page, so that timelines that stand side by side have one scale
   * @param stretchPs length of the stretch
   */
  draw(painter, ps, width, colours, endPs, stretchPs) {
    const x = at => LEFT + (width - LEFT - 2) * at / endPs;
    painter.text(LEFT, 10, `whole step, ${time(this.recording.endPs)}`, {fill: colours.soft, size: 10});
    this.streams.forEach((stream, lane) => this.drawLane(painter, this.recording.timeline[stream], stream, 14 + lane * LANE, LANE - 3, x, 0, endPs, colours));
    const overviewEnd = 14 + this.streams.length * LANE;
    const from = Math.max(0, ps - stretchPs / 2);
    const until = from + stretchPs;
    painter.rect(x(from), 12, Math.max(2, x(until) - x(from)), overviewEnd - 12, {stroke: colours.ink});
    painter.line([[x(ps), 12], [x(ps), overviewEnd]], {stroke: colours.ink, line: 1.5});
    const top = overviewEnd + 18;
    painter.text(LEFT, top - 5, `${time(stretchPs)} around the clock`, {fill: colours.soft, size: 10});
    const near = at => LEFT + (width - LEFT - 2) * (at - from) / stretchPs;
    const window = this.recording.windowAt(ps)?.ranks.get(0);
    this.streams.forEach((stream, lane) => {
      const y = top + lane * DETAIL_LANE;
      const spans = window ? (window[stream] ?? []).map(span => [span.start, span.end, span.words]) : this.recording.timeline[stream];
      this.drawLane(painter, spans, stream, y, DETAIL_LANE - 4, near, from, until, colours, true);
    });
    const bottom = top + this.streams.length * DETAIL_LANE;
    painter.line([[near(ps), top - 2], [near(ps), bottom]], {stroke: colours.ink, line: 1.5});
    this.map = {from: 0, until: endPs, left: LEFT, right: width - 2, overviewEnd, near: {from, until}};
  }

  drawLane(painter, spans, stream, y, height, x, from, until, colours, named) {
    painter.text(0, y + height - 1, SHOWN[stream], {fill: colours.soft, size: 10});
    painter.line([[LEFT, y + height + 1], [x(until), y + height + 1]], {stroke: colours.rule});
    let free = from;
    for (const [start, end, words] of spans) {
      if (end <= from || start >= until) continue;
      const left = x(Math.max(from, start));
      const right = x(Math.min(until, end));
      if (named && stream === 'compute' && start > free) {
        painter.rect(x(free), y, left - x(free), height, {fill: colours.gap, hatch: colours['gap-line']});
      }
      free = Math.max(free, end);
      painter.rect(left, y, Math.max(0.6, right - left), height, {fill: colours[stream === 'compute' ? 'w3' : stream] || colours.soft});
      if (named && right - left > words.length * 5.6 + 6) {
        painter.text(left + 3, y + height - 2, words, {fill: colours[`on-${stream}`] || colours.ink, size: 10});
      }
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

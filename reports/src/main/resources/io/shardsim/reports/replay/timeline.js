// The streams of rank 0: the whole training step, and below it the stretch around the clock.

import {time} from './format.js';
import {COMPUTES} from './recording.js';

const LANE = 12;
const DETAIL_LANE = 16;
const LEFT = 58;

/** Spans of several lanes as one, within a stretch. */
function merged(spans, from, until) {
  const all = [];
  for (const [start, end] of spans.filter(span => span[1] > from && span[0] < until).sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last && Math.max(from, start) <= last[1]) last[1] = Math.max(last[1], Math.min(until, end)); else all.push([Math.max(from, start), Math.min(until, end)]);
  }
  return all;
}

export class TimelineView {
  constructor(recording) {
    this.recording = recording;
    // Pipeline stages of odd number have lanes of their own; a rank uses both of a direction, one to send and one to receive.
    this.looks = Object.fromEntries(recording.streams.map(look => [look.id, look]));
    this.streams = recording.streams.map(look => look.id).filter(stream => recording.timeline[stream]);
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
    painter.text(LEFT, 10, `whole ${this.recording.result.collective ? 'collective' : 'step'}, ${time(this.recording.endPs)}`, {fill: colours.soft, size: 10});
    this.streams.forEach((stream, lane) => this.drawLane(painter, this.recording.timeline[stream], stream, 14 + lane * LANE, LANE - 3, x, 0, endPs, colours));
    const overviewEnd = 14 + this.streams.length * LANE;
    const from = Math.max(0, ps - stretchPs / 2);
    const until = from + stretchPs;
    painter.rect(x(from), 12, Math.max(2, x(until) - x(from)), overviewEnd - 12, {stroke: colours.ink});
    painter.line([[x(ps), 12], [x(ps), overviewEnd]], {stroke: colours.ink, line: 1.5});
    const top = overviewEnd + 18;
    painter.text(LEFT, top - 5, `${time(stretchPs)} around the clock`, {fill: colours.soft, size: 10});
    const near = at => LEFT + (width - LEFT - 2) * (at - from) / stretchPs;
    const spansOf = stream => this.recording.lane(stream, from, until);
    const exchanging = merged(this.streams.filter(stream => this.looks[stream].state & ~COMPUTES).flatMap(spansOf), from, until);
    this.streams.forEach((stream, lane) => {
      const y = top + lane * DETAIL_LANE;
      if (stream === 'compute') this.drawWaits(painter, spansOf(stream), exchanging, y, near, colours);
      this.drawLane(painter, spansOf(stream), stream, y, DETAIL_LANE - 4, near, from, until, colours, true);
    });
    const bottom = top + this.streams.length * DETAIL_LANE;
    painter.line([[near(ps), top - 2], [near(ps), bottom]], {stroke: colours.ink, line: 1.5});
    this.map = {from: 0, until: endPs, left: LEFT, right: width - 2, overviewEnd, near: {from, until}};
  }

  drawLane(painter, spans, stream, y, height, x, from, until, colours, named) {
    const {lane, as} = this.looks[stream];
    painter.text(0, y + height - 1, lane, {fill: colours.soft, size: 10});
    painter.line([[LEFT, y + height + 1], [x(until), y + height + 1]], {stroke: colours.rule});
    for (const [start, end, words] of spans) {
      if (end <= from || start >= until) continue;
      const left = x(Math.max(from, start));
      const right = x(Math.min(until, end));
      painter.rect(left, y, Math.max(0.6, right - left), height, {fill: colours[as]});
      if (named && right - left > words.length * 5.6 + 6) {
        painter.text(left + 3, y + height - 2, words, {fill: colours[`on-${as}`], size: 10});
      }
    }
  }

  /** Hatched where communication goes on and nothing is computed; what waits for the host stays white. */
  drawWaits(painter, computing, exchanging, y, x, colours) {
    let next = 0;
    for (const [start, end] of exchanging) {
      let free = start;
      while (next < computing.length && computing[next][1] <= start) next++;
      for (let i = next; free < end; i++) {
        const until = Math.min(end, computing[i]?.[0] ?? end);
        if (until > free) painter.rect(x(free), y, x(until) - x(free), DETAIL_LANE - 4, {fill: colours.gap, hatch: colours['gap-line']});
        free = Math.max(until, computing[i]?.[1] ?? end);
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

// The cluster at one instant: what GPUs do, which links carry something, where chunks are, what waits at ports.

import {layoutOf} from './layout.js';
import {drawHalo, lettering} from './scene.js';
import {time, bytes} from './format.js';
import {GATHERS, REDUCES} from './recording.js';

/** Chunks that are drawn one by one; beyond that, a dot stands for all around it, the larger the more. */
const DOTS_MAX = 2000;
const DENSITY_CELL = 8;
const DOT_MAX = 7;
/** In a narrower device the length of its queue would hide what passes. */
const QUEUE_WIDTH_MIN = 24;

/** Where a chunk is: its first and last bit, in hops from the sender. */
function progressOf(journey, ps) {
  const {path: {hops, latencyPs}, starts, leaves} = journey;
  let head = 0;
  let tail = 0;
  for (let hop = 0; hop < hops; hop++) {
    if (ps > starts[hop]) head = hop + Math.min(1, (ps - starts[hop]) / latencyPs[hop]);
    if (ps > leaves[hop]) tail = hop + Math.min(1, (ps - leaves[hop]) / latencyPs[hop]);
  }
  return {head, tail};
}

/** The hop at whose port a chunk waits, or -1. */
function waitsAt(journey, ps) {
  const {path: {hops, latencyPs}, starts} = journey;
  for (let hop = 0; hop < hops; hop++) {
    const here = hop === 0 ? journey.start : starts[hop - 1] + latencyPs[hop - 1];
    if (here <= ps && ps < starts[hop]) return hop;
  }
  return -1;
}

export class ClusterView {
  constructor(recording) {
    this.recording = recording;
    this.zoomed = 0;
  }

  layout(width) {
    if (!this.placed || this.placed.width !== width || this.placedFor !== this.zoomed) {
      this.placed = layoutOf(this.recording.cluster, width, this.zoomed);
      this.placedFor = this.zoomed;
    }
    return this.placed;
  }

  /** Points of a path in the copy that sets out from a node. */
  points(path, source, layout) {
    return path.slots.map((slot, i) => {
      const gpu = i + 1 < path.slots.length ? path.slots[i + 1] : path.slots[i];
      return layout.place(this.recording.nodeOf(path, i, source), slot, gpu < this.recording.cluster.gpusPerNode ? gpu : undefined);
    });
  }

  /** Nodes from which copies of a path set out. */
  sources(path) {
    path.sources ??= path.to.map((to, node) => to < 0 ? -1 : node).filter(node => node >= 0);
    return path.sources;
  }

  /** @param halo what is named beside the drawing, see {@link #haloed} */
  draw(painter, ps, width, colours, {followed = null, framePs = 0, halo = null, zoom = null} = {}) {
    const layout = this.layout(width);
    this.sight = zoom?.sight(this, layout, followed, ps) ?? null;
    if (this.sight) painter.look(this.sight, width);
    const journeys = this.recording.journeysAt(ps);
    this.drawFabric(painter, layout, colours);
    if (!journeys) this.drawLoad(painter, layout, ps, framePs, colours);
    const shown = journeys ? this.visible(journeys, layout) : [];
    this.drawLinks(painter, layout, shown, ps, colours);
    if (followed || halo === 'ring') this.lightRing(painter, layout, ps, followed?.journey, colours);
    for (const box of layout.boxes) this.drawNode(painter, layout, box, ps, colours);
    if (journeys) {
      this.drawQueues(painter, layout, shown, ps, colours);
      this.drawChunks(painter, layout, shown, ps, colours, followed);
      this.drawQueueLengths(painter, layout, colours);
    }
    for (const box of layout.boxes) if (box.tile) this.drawTileName(painter, box, colours);
    this.drawSlow(painter, layout, colours);
    for (const box of this.haloed(halo, layout)) drawHalo(painter, box, colours, width);
    this.dots = shown;
    return layout;
  }

  /** Where a halo is: around a slow device or else the NICs of a node, switches, the links between leaves, or the nodes of a shard group. */
  haloed(halo, layout) {
    const node = layout.boxes.find(box => !box.tile);
    const around = boxes => {
      const [x, y] = ['x', 'y'].map(side => Math.min(...boxes.map(box => box[side])));
      return {x, y, width: Math.max(...boxes.map(box => box.x + box.width)) - x, height: Math.max(...boxes.map(box => box.y + box.height)) - y};
    };
    const group = () => Math.min(layout.boxes.length, Math.ceil((this.recording.result.shard_group ?? 1) / this.recording.cluster.gpusPerNode));
    return {
      slow: () => this.recording.cluster.slow.map(({slot}) => layout.box(0, slot)),
      nics: () => [around(node.nics)],
      gpus: () => [around(node.gpus)],
      nvswitch: () => layout.boxes.filter(box => !box.tile).map(box => box.nvSwitch),
      spine: () => [{...around(layout.boxes.map(({leaf}) => leaf)), y: layout.spineY - 12, height: 24}],
      group: () => layout.full ? [around(layout.boxes.slice(0, group()))] : layout.boxes.slice(0, group()),
    }[halo]?.() ?? [];
  }

  /** Slow devices of node 0, each with what it is slow at. */
  drawSlow(painter, layout, colours) {
    if (layout.boxes[0].tile) return;
    for (const {slot, words} of this.recording.cluster.slow) {
      const at = layout.box(0, slot);
      painter.rect(at.x, at.y, at.width, at.height, {fill: colours.alarm, stroke: colours.alarm, radius: 2});
      painter.text(layout.boxes[0].x + layout.boxes[0].width - 4, layout.boxes[0].labelY, words, {fill: colours.alarm, bold: true, align: 'end'});
    }
  }

  /** The way of all chunks that a channel of a collective moves: the ring, or the shard group. */
  lightRing(painter, layout, ps, journey, colours) {
    const window = this.recording.windowAt(ps);
    const one = journey ?? window?.journeys.find(each => each.end > ps);
    if (!window || !one) return;
    if (this.ring?.window !== window || this.ring.operation !== one.operation || this.ring.channel !== one.channel) {
      const own = window.journeys.filter(({operation, channel}) => operation === one.operation && channel === one.channel);
      this.ring = {window, operation: one.operation, channel: one.channel, paths: [...new Set(own.map(({path}) => path))]};
    }
    for (const path of this.ring.paths) {
      for (const source of this.sources(path)) painter.line(this.points(path, source, layout), {stroke: colours.accent, line: 3, opacity: 0.4, cap: 'round'});
    }
  }

  /** Journeys with each of their copies that touches what is drawn in full. */
  visible(journeys, layout) {
    const shown = [];
    for (const journey of journeys) {
      for (const source of this.sources(journey.path)) {
        const to = journey.path.to[source];
        if (layout.full || source === layout.zoomed || to === layout.zoomed || source !== to) shown.push({journey, source});
      }
    }
    return shown;
  }

  drawFabric(painter, layout, colours) {
    const spine = layout.boxes.map(box => box.leaf.x + box.leaf.width / 2);
    if (layout.boxes.length > 1) {
      painter.line([[Math.min(...spine) - 8, layout.spineY], [Math.max(...spine) + 8, layout.spineY]], {stroke: colours.rule, line: 5, cap: 'round'});
    }
    for (const box of layout.boxes) {
      const x = box.leaf.x + box.leaf.width / 2;
      if (layout.boxes.length > 1) painter.line([[x, layout.spineY], [x, box.leaf.y + 2]], {stroke: colours.rule, line: 2});
      painter.rect(box.leaf.x, box.leaf.y, box.leaf.width, box.leaf.height, {fill: colours.soft, radius: 2});
    }
  }

  /** Where single chunks are too quick to see: how busy each class of links is during a frame. */
  drawLoad(painter, layout, ps, framePs, colours) {
    const {recording} = this;
    const span = Math.max(framePs, recording.endPs / 2000);
    const before = recording.totalsAt(Math.max(0, ps - span)).busyPs;
    const now = recording.totalsAt(ps).busyPs;
    const ports = Object.fromEntries(recording.result.links.map(link => [link.class, link.ports]));
    const share = name => Math.min(1, (now[name] - before[name]) / Math.max(1, span) / (ports[name] || 1));
    for (const box of layout.boxes) {
      if (box.tile) continue;
      const draw = (slot, from, to, name) => {
        const load = share(name);
        if (load > 0.01) painter.line([from, to], {stroke: colours.gather, line: 1 + 4 * load, opacity: 0.35 + 0.65 * load});
      };
      box.gpus.forEach((gpu, i) => {
        const middle = layout.place(box.node, i);
        draw(i, middle, layout.place(box.node, recording.cluster.gpusPerNode, i), 'nvlink');
        draw(i, middle, layout.place(box.node, recording.cluster.gpusPerNode + 1 + recording.cluster.switchOfGpu[i]), 'pcie');
      });
      box.nics.forEach(nic => draw(0, [nic.x + nic.width / 2, nic.y], [nic.x + nic.width / 2, box.leaf.y], 'nic'));
      draw(0, [box.leaf.x + box.leaf.width / 2, box.leaf.y], [box.leaf.x + box.leaf.width / 2, layout.spineY], 'spine');
    }
  }

  drawNode(painter, layout, box, ps, colours) {
    painter.rect(box.x, box.y, box.width, box.height, {stroke: colours.rule, radius: 4});
    if (box.tile) {
      this.drawTile(painter, box, ps, colours);
      return;
    }
    painter.text(box.x + 5, box.labelY, `Node ${box.node}`, {fill: colours.soft});
    painter.rect(box.nvSwitch.x, box.nvSwitch.y, box.nvSwitch.width, box.nvSwitch.height, {fill: colours.faint, stroke: colours.soft, radius: 2});
    for (const pcie of box.pcie) painter.rect(pcie.x, pcie.y, pcie.width, pcie.height, {fill: colours.faint, stroke: colours.soft, radius: 2});
    for (const nic of box.nics) painter.rect(nic.x, nic.y, nic.width, nic.height, {fill: colours.faint, stroke: colours.ink, radius: 2});
    box.gpus.forEach((gpu, i) => this.drawGpu(painter, box.node, i, gpu, ps, colours));
  }

  /** A node in small: filled from the left by the share of its GPUs that compute, hatched by the share that waits. */
  drawTile(painter, box, ps, colours) {
    const {at} = this.recording.count(ps, 1, box.node);
    const [x, y, width, height] = [box.x + 2, box.y + 2, box.width - 4, box.height - 4];
    const perGpu = width / this.recording.cluster.gpusPerNode;
    let left = x;
    for (const part of this.recording.parts) {
      const wide = at[part] * perGpu;
      if (wide && this.lookOf(part, colours)) painter.rect(left, y, wide, height, {...this.lookOf(part, colours), radius: 3});
      left += wide;
    }
  }

  /** How a GPU is filled: blue for work, hatched in the colour of what it waits for; not where it is idle. */
  lookOf(part, colours) {
    if (part === 'compute') return {fill: colours.w3};
    return part === 'idle' || this.isBare ? null : {fill: colours.gap, hatch: colours[part]};
  }

  /** Nothing but a collective runs: no computation waits for it. */
  get isBare() {
    return Boolean(this.recording.result.collective);
  }

  /** Above all that crosses the tile, so that it can be read. */
  drawTileName(painter, box, colours) {
    painter.rect(box.x + box.width / 2 - 0.8 * lettering.least, box.labelY - lettering.least + 1, 1.6 * lettering.least, lettering.least + 2, {fill: colours.paper, radius: 2});
    painter.text(box.x + box.width / 2, box.labelY, String(box.node), {fill: colours.ink, align: 'center'});
  }

  /** A GPU: filled while it computes, hatched while compute waits for a collective; a bar above for gathers, below for reductions. */
  drawGpu(painter, node, index, {x, y, width, height}, ps, colours) {
    const {runs, at} = this.recording.stateOf(node, index, ps);
    painter.rect(x, y, width, height, {...(this.lookOf(at, colours) ?? {fill: colours.paper}), stroke: colours.soft, radius: 2});
    if (runs & GATHERS) painter.rect(x, y - 4, width, 3, {fill: colours.gather});
    if (runs & REDUCES) painter.rect(x, y + height + 1, width, 3, {fill: colours.reduce});
  }

  drawLinks(painter, layout, shown, ps, colours) {
    for (const {journey, source} of shown) {
      const {path: {hops, latencyPs}, starts, leaves} = journey;
      const points = this.points(journey.path, source, layout);
      for (let hop = 0; hop < hops; hop++) {
        if (starts[hop] <= ps && ps < leaves[hop] + latencyPs[hop]) {
          painter.line([points[hop], points[hop + 1]], {stroke: colours[journey.stream] || colours.soft, line: 1.4, opacity: 0.55});
        }
      }
    }
  }

  drawQueues(painter, layout, shown, ps, colours) {
    const waiting = new Map();
    for (const {journey, source} of shown) {
      const hop = waitsAt(journey, ps);
      if (hop < 0) continue;
      const node = this.recording.nodeOf(journey.path, hop, source);
      const key = `${node}/${journey.path.slots[hop]}`;
      waiting.set(key, (waiting.get(key) ?? 0) + 1);
    }
    this.waiting = waiting;
    for (const [key, size] of waiting) {
      const [node, slot] = key.split('/').map(Number);
      const box = layout.boxes[node];
      if (box.tile) continue;
      const at = layout.box(node, slot);
      const length = Math.min(at.height + 10, 3 + 1.5 * size);
      painter.rect(at.x + at.width - 1, at.y + at.height - length, 4, length, {fill: colours.alarm, stroke: colours.paper});
    }
  }

  /** Over the chunks, so that they can be read. */
  drawQueueLengths(painter, layout, colours) {
    for (const [key, size] of this.waiting) {
      const [node, slot] = key.split('/').map(Number);
      if (layout.boxes[node].tile) continue;
      const at = layout.box(node, slot);
      if (at.width <= QUEUE_WIDTH_MIN) continue;
      const wide = 0.62 * lettering.least * String(size).length;
      painter.rect(at.x + at.width - 4 - wide, at.y + at.height - lettering.least + 1, wide + 2, lettering.least, {fill: colours.paper, radius: 2});
      painter.text(at.x + at.width - 3, at.y + at.height - 1, String(size), {fill: colours.alarm, bold: true, align: 'end'});
    }
  }

  drawChunks(painter, layout, shown, ps, colours, followed) {
    const cells = shown.length > DOTS_MAX ? new Map() : null;
    for (const dot of shown) {
      const chosen = followed && dot.journey.key === followed.journey.key && dot.source === followed.source;
      const {head, tail} = progressOf(dot.journey, ps);
      const points = this.points(dot.journey.path, dot.source, layout);
      [dot.x, dot.y] = along(points, (head + tail) / 2);
      if (chosen) this.drawFollowed(painter, points, head, tail, dot, colours);
      else if (cells) this.gatherIn(cells, dot);
      else this.drawDot(painter, dot, 2.8, colours);
    }
    for (const cell of cells?.values() ?? []) {
      this.drawDot(painter, {journey: cell.journey, x: cell.x / cell.count, y: cell.y / cell.count}, Math.min(DOT_MAX, 2 + Math.sqrt(cell.count)), colours);
    }
  }

  drawDot(painter, {x, y, journey: {stream}}, radius, colours) {
    painter.dot(x, y, radius, {fill: colours[stream] || colours.ink, stroke: colours.paper, square: stream === 'reduce'});
  }

  /** Chunks of a stream that are about as far on the drawing. */
  gatherIn(cells, {x, y, journey}) {
    const key = `${Math.round(x / DENSITY_CELL)}/${Math.round(y / DENSITY_CELL)}/${journey.stream}`;
    const cell = cells.get(key) ?? {journey, x: 0, y: 0, count: 0};
    Object.assign(cell, {x: cell.x + x, y: cell.y + y, count: cell.count + 1});
    cells.set(key, cell);
  }

  drawFollowed(painter, points, head, tail, dot, colours) {
    painter.line(points, {stroke: colours.ink, line: 1.5, opacity: 0.5});
    const part = [along(points, tail)];
    for (let i = Math.floor(tail) + 1; i < head; i++) part.push(points[i]);
    part.push(along(points, head));
    painter.line(part, {stroke: colours[dot.journey.stream], line: 6, cap: 'round'});
    painter.dot(dot.x, dot.y, 6, {fill: colours[dot.journey.stream], stroke: colours.ink, square: dot.journey.stream === 'reduce'});
  }

  /** Where a chunk is on the drawing. */
  spotOf({journey, source}, ps, layout) {
    const {head, tail} = progressOf(journey, ps);
    return along(this.points(journey.path, source, layout), (head + tail) / 2);
  }

  /** The chunk nearest to a spot of the drawing, or null. */
  nearest(x, y) {
    let best = null;
    let distance = 14 ** 2;
    for (const dot of this.dots ?? []) {
      const d = (dot.x - x) ** 2 + (dot.y - y) ** 2;
      if (d < distance) { distance = d; best = dot; }
    }
    return best;
  }

  /** The instant that was drawn last, in a sentence. */
  words(ps) {
    const {recording} = this;
    const {exchanging, at} = recording.count(ps);
    const gpus = `of ${recording.ranks} GPUs`;
    const parts = this.isBare
      ? [`${exchanging} ${gpus} exchange data`]
      : recording.parts.filter(part => part === 'compute' || at[part]).map(part => `${at[part]} ${part === 'compute' ? `${gpus} ` : ''}${recording.say(part)}`);
    if (this.dots?.length) {
      const waits = [...(this.waiting?.values() ?? [])].reduce((a, b) => a + b, 0);
      parts.push(`${this.dots.length} chunks in flight, ${waits} of them in queues`);
    }
    return `${parts.join(', ')}${ps >= recording.endPs ? ': finished' : ''}.`;
  }

  /** Stations of a chunk: device, arrival of its first bit, wait, departure of its last bit. */
  stations({journey, source}) {
    const {recording} = this;
    const rows = [];
    for (let hop = 0; hop < journey.path.hops; hop++) {
      const here = hop === 0 ? journey.start : journey.starts[hop - 1] + journey.path.latencyPs[hop - 1];
      rows.push([recording.deviceName(journey, hop, source), here, journey.starts[hop] - here, journey.leaves[hop]]);
    }
    rows.push([recording.deviceName(journey, journey.path.hops, source), journey.end, 0, journey.end]);
    return {title: `${bytes(journey.bytes)} of ${journey.words}, channel ${journey.channel}, ${time(journey.end - journey.start)} in flight`, rows};
  }
}

function along(points, progress) {
  const at = Math.min(points.length - 2, Math.floor(progress));
  const share = Math.min(1, progress - at);
  const [[x1, y1], [x2, y2]] = [points[at], points[at + 1]];
  return [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share];
}

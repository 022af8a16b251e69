// The race: every strategy of the scenario runs the same training step; the slowest takes 20 s on the screen.

import {Recording} from './recording.js';
import {CanvasPainter} from './scene.js';
import {bytes, count, time} from './format.js';
import {Phones} from './votes.js';

/** How long the slowest lane plays. */
const RACE_SECONDS = 20;
/** A mark shines by how much its GPU worked in the last second. Layers come and go faster than an eye should be made to follow. */
const SHINE_SECONDS = 1;
/** Votes count until the first has done so much of its work. */
const VOTE_UNTIL = 0.5;
/** A tab that slept goes on where it was. */
const FRAME_MS_MAX = 200;
const MARK_MAX = 18;
const MARK_MIN = 2.5;
/** What a lane needs beside its marks, and a page beside its lanes [px]. */
const LANE_REST = 118;
const PAGE_REST = 250;
const NODE_COLUMNS = 4;
const TRACK_HEIGHT = 12;
const PILE_HEIGHT = 9;
const HEAD = 7;
const PLACES = ['first', 'second', 'third', 'fourth'];
/** What a look at a GPU is written as: work is the first part, idle the last. */
const FIRST_PART = 'a'.charCodeAt(0);

function element(name, words = '', className = '') {
  return Object.assign(document.createElement(name), {textContent: words, className});
}

/** How much of a lane's work is done when, from the looks at its ranks. */
class Work {
  constructor(recording) {
    const {states, cluster, representatives, parts} = recording;
    this.endPs = recording.endPs;
    this.looks = states.texts[0].length / 2;
    this.worked = states.texts.map(text => this.sums(text, FIRST_PART));
    this.idle = states.texts.map(text => this.sums(text, FIRST_PART + parts.length - 1));
    // One mark for each GPU of each node: which of the texts is its own.
    this.marks = [];
    for (let node = 0; node < cluster.nodes; node++) {
      for (let gpu = 0; gpu < cluster.gpusPerNode; gpu++) this.marks.push(states.ranks[representatives[node] * cluster.gpusPerNode + gpu]);
    }
    this.whole = this.mean(this.worked, this.endPs);
  }

  /** Before each look, how many were at a part. */
  sums(text, part) {
    const sums = new Uint16Array(this.looks + 1);
    for (let i = 0; i < this.looks; i++) sums[i + 1] = sums[i] + (text.charCodeAt(this.looks + i) === part ? 1 : 0);
    return sums;
  }

  at(sums, ps) {
    const place = Math.max(0, Math.min(this.looks, this.looks * ps / this.endPs));
    const low = Math.floor(place);
    return sums[low] + (low < this.looks ? (sums[low + 1] - sums[low]) * (place - low) : 0);
  }

  /** Mean over all GPUs [looks]. */
  mean(all, ps) {
    const each = all.map(sums => this.at(sums, ps));
    return this.marks.reduce((sum, text) => sum + each[text], 0) / this.marks.length;
  }

  /** Share of the work that is done. */
  done(ps) {
    return this.whole ? this.mean(this.worked, ps) / this.whole : 1;
  }

  idlePs(ps) {
    return this.mean(this.idle, ps) / this.looks * this.endPs;
  }

  /** For each text, the share of a stretch before an instant that was work. */
  shine(ps, stretchPs) {
    const from = Math.max(0, ps - stretchPs);
    const looks = Math.max(1e-9, (ps - from) / this.endPs * this.looks);
    return this.worked.map(sums => (this.at(sums, ps) - this.at(sums, from)) / looks);
  }
}

class Lane {
  constructor(race, index, {words}) {
    this.race = race;
    this.key = index + 1;
    this.element = element('li', '', 'lane');
    const head = element('div', '', 'lane-head');
    this.vote = element('button', String(this.key), 'vote');
    this.vote.type = 'button';
    this.vote.addEventListener('click', () => race.cast(this));
    this.title = element('b', words);
    this.place = element('span', '', 'place');
    this.now = element('span', '', 'now');
    head.append(this.vote, this.title, this.place, this.now);
    this.canvas = element('canvas');
    this.canvas.setAttribute('role', 'img');
    this.line = element('p', 'running …', 'at-line');
    this.blocks = element('ul', '', 'blocks');
    this.element.append(head, this.canvas, this.line, this.blocks);
    this.nameVote(words);
  }

  nameVote(name) {
    this.vote.setAttribute('aria-label', `Vote for ${name}`);
    this.vote.setAttribute('aria-pressed', 'false');
  }

  take(lane) {
    Object.assign(this, {name: lane.name, point: lane.point, gap: lane.gap, kernels: lane.kernels, parts: lane.blocks ?? [], result: lane.result});
    this.title.textContent = lane.name;
    this.nameVote(lane.name);
    const [light, dark] = lane.colours;
    this.element.style.setProperty('--lane-light', light);
    this.element.style.setProperty('--lane-dark', dark);
    const {dataset} = this.element;
    Object.assign(dataset, {label: lane.name, strategy: lane.kind, point: lane.point});
    this.runs = Boolean(lane.totals);
    if (!this.runs) {
      this.line.textContent = `Cannot start: ${lane.result.why} ${lane.result.next}`;
      dataset.place = 'none';
      this.vote.disabled = true;
      return;
    }
    this.recording = new Recording({...lane, timeline: {}, labels: []});
    this.work = new Work(this.recording);
    this.stepPs = lane.endPs;
    Object.assign(dataset, {gpus: this.work.marks.length, stepPs: this.stepPs});
  }

  get isOver() {
    return this.runs && this.race.ps >= this.stepPs;
  }

  draw() {
    const {race, canvas} = this;
    const {colours, zoom} = race.page;
    const width = canvas.clientWidth / zoom;
    if (!width || !this.runs) { canvas.hidden = !this.runs; return; }
    const ps = Math.min(race.ps, this.stepPs);
    const {marks} = this.work;
    const perNode = this.recording.cluster.gpusPerNode;
    const heightMax = Math.max(40, (innerHeight / zoom - PAGE_REST) / race.lanes.length - LANE_REST);
    const grid = gridOf(marks.length / perNode, perNode, width, heightMax);
    const painter = new CanvasPainter(canvas, width, grid.height + TRACK_HEIGHT + PILE_HEIGHT + 10, zoom);
    // At the line: the whole step.
    const shine = this.work.shine(ps, this.isOver ? ps : SHINE_SECONDS * 1e12 * race.rate);
    this.drawMarks(painter.pen, grid, perNode, shine, colours);
    const totals = this.recording.totalsAt(ps);
    this.drawTrack(painter, grid.height + 2, width, ps, totals, colours);
    const place = this.isOver ? `, ${PLACES[this.rank]} at the finish line` : '';
    this.now.textContent = `${time(ps)}, waited ${time(totals.exposedPs)}, ${bytes(totals.nicBytes)} over NICs`;
    canvas.setAttribute('aria-label', `${this.name}: ${Math.round(100 * this.work.done(ps))} % of the work done after ${time(ps)}${place}`);
    Object.assign(this.element.dataset, {nowPs: Math.round(ps), nicBytes: Math.round(totals.nicBytes), waitedPs: Math.round(totals.exposedPs)});
    this.showPlace();
  }

  drawMarks(pen, {size, columns, nodesPerRow, tile}, perNode, shine, colours) {
    const {w3: work, rule} = colours;
    this.work.marks.forEach((text, i) => {
      const node = Math.floor(i / perNode);
      const gpu = i % perNode;
      const x = (node % nodesPerRow) * tile.width + (gpu % columns) * size;
      const y = Math.floor(node / nodesPerRow) * tile.height + Math.floor(gpu / columns) * size;
      pen.globalAlpha = 1;
      pen.fillStyle = rule;
      pen.fillRect(x, y, size - 1, size - 1);
      pen.globalAlpha = shine[text];
      pen.fillStyle = work;
      pen.fillRect(x, y, size - 1, size - 1);
    });
    pen.globalAlpha = 1;
  }

  /** Above how far the work is, below where the time has gone: the pile of waiting stands behind the work, on the scale of the slowest lane. */
  drawTrack(painter, y, width, ps, totals, colours) {
    const own = getComputedStyle(this.element).getPropertyValue('--lane').trim();
    const track = width - 6;
    painter.rect(0, y + TRACK_HEIGHT / 2 - 1.5, track, 3, {fill: colours.rule});
    painter.line([[track + 2, y - 2], [track + 2, y + TRACK_HEIGHT + 2]], {stroke: colours.ink, line: 3});
    const at = HEAD + (track - HEAD) * this.work.done(ps);
    painter.rect(0, y + 2, at - HEAD, TRACK_HEIGHT - 4, {fill: own, radius: 2});
    painter.dot(at - HEAD + 1, y + TRACK_HEIGHT / 2, HEAD - 1, {fill: own, stroke: colours.paper});
    const scale = track / this.race.longestPs;
    const idle = Math.max(0, Math.min(ps - totals.exposedPs, this.work.idlePs(ps)));
    const works = Math.max(0, ps - totals.exposedPs - idle) * scale;
    const below = y + TRACK_HEIGHT + 4;
    painter.rect(0, below, works, PILE_HEIGHT, {fill: colours.w3});
    painter.rect(works, below, totals.exposedPs * scale, PILE_HEIGHT, {fill: colours.gap, hatch: colours['gap-line'], stroke: colours['gap-line']});
  }

  showPlace() {
    const {dataset} = this.element;
    const over = this.isOver ? 'true' : 'false';
    if (dataset.over === over) return;
    dataset.over = over;
    this.element.classList.toggle('over', this.isOver);
    this.blocks.replaceChildren();
    this.line.textContent = '';
    this.place.textContent = '';
    delete dataset.finishSeconds;
    delete dataset.place;
    if (!this.isOver) return;
    dataset.place = this.rank + 1;
    dataset.finishSeconds = (this.stepPs / 1e12 / this.race.rate).toFixed(3);
    this.place.textContent = PLACES[this.rank];
    const cost = this.result.cost?.training?.at(-1);
    const price = cost?.usd ? ` and $${count(Math.round(cost.usd))}` : '';
    this.line.textContent = `${fineTime(this.stepPs)} per step${cost ? `: ${days(cost.days)} days${price} for ${Number((cost.tokens / 1e9).toPrecision(3))} billion tokens` : ''}.`;
    if (!this.gap) return;
    this.blocks.append(element('li', `${this.gap} behind:`));
    for (const {id, ps, words} of this.parts) {
      const part = element('li', words, `block ${id}${ps < 0 ? ' less' : ''}`);
      part.dataset.ps = ps;
      this.blocks.append(part);
    }
    dataset.gapPs = this.parts.reduce((sum, {ps}) => sum + ps, 0);
  }
}

/** Four digits, so that a gap can be checked against the steps that it lies between. */
function fineTime(ps) {
  const [scale, unit] = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us']].find(([size]) => ps >= size) ?? [1, 'ps'];
  return `${Number((ps / scale).toPrecision(4))} ${unit}`;
}

/** Three digits. */
function days(value) {
  return value >= 1000 ? count(Math.round(value)) : value.toPrecision(3);
}

/** The largest marks with which every GPU has a place: rows of nodes as long as each other, over the whole width. */
function gridOf(nodes, perNode, width, heightMax) {
  const columns = Math.min(NODE_COLUMNS, perNode);
  const rows = Math.ceil(perNode / columns);
  let best = null;
  for (let lines = 1; lines <= nodes; lines++) {
    const nodesPerRow = Math.ceil(nodes / lines);
    const size = Math.min(MARK_MAX, width / (nodesPerRow * (columns + 0.5)), heightMax / (lines * (rows + 0.5)));
    if (!best || size > best.size) best = {size, columns, nodesPerRow, lines};
  }
  const size = Math.max(MARK_MIN, best.size);
  const tile = {width: width / best.nodesPerRow, height: (rows + 0.5) * size};
  return {...best, size, tile, height: best.lines * tile.height};
}

export class Race {
  constructor(page, element) {
    Object.assign(this, {page, element, ps: 0, rate: 1, longestPs: 1, lanes: [], playing: false, held: false});
    this.find = id => document.getElementById(`race-${id}`);
    this.find('go').addEventListener('click', () => this.toggle());
    this.find('again').addEventListener('click', () => this.again());
    this.find('why').addEventListener('click', () => this.why());
    this.find('ask-phones').addEventListener('click', () => this.askPhones());
    this.find('same').addEventListener('click', () => this.runAgainWith(this.kernels ? '' : this.lanes[0].kernels));
  }

  /** Lines up the lanes, runs them and lets go once all are there. */
  async start(offer) {
    const {places} = this;
    this.lanes = places.map((place, i) => new Lane(this, i, offer.points[place] ?? {words: ''}));
    document.getElementById('race-lanes').replaceChildren(...this.lanes.map(lane => lane.element));
    this.draw();
    const race = await this.page.source.race(places, this.kernels);
    if (!race) throw new Error('Newer races have replaced this one; reload the page.');
    const {lanes} = race;
    lanes.forEach((lane, i) => this.lanes[i].take(lane));
    this.running = this.lanes.filter(lane => lane.runs);
    this.order = [...this.running].sort((a, b) => a.stepPs - b.stepPs);
    this.order.forEach((lane, i) => { lane.rank = i; });
    this.longestPs = this.order.at(-1)?.stepPs ?? 1;
    /** Virtual seconds that pass in a second. */
    this.rate = this.longestPs / 1e12 / RACE_SECONDS;
    this.isReady = true;
    this.tellKernels();
    this.page.showHeading();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.seek(this.longestPs);
    else if (!this.held && !this.element.hidden) this.play();
    this.draw();
  }

  /** The same race with the kernels of the first lane in all, or each with its own again. */
  async runAgainWith(kernels) {
    Object.assign(this, {kernels, isReady: false, playing: false, ps: 0});
    try {
      await this.start(this.page.own);
    } catch (failure) {
      this.put('ask', failure.message);
    }
  }

  /** A switch for what no strategy decides. */
  tellKernels() {
    const all = new Set(this.lanes.map(lane => lane.kernels));
    const same = this.find('same');
    same.hidden = !this.page.source.live || all.size < 2 && !this.kernels;
    same.textContent = this.kernels ? 'Each with its own kernels' : `All with the kernels of ${this.lanes[0].name}`;
    this.element.dataset.kernels = [...all].join();
  }

  /** What is asked. */
  get title() {
    const run = this.running?.[0]?.result;
    const ways = ['', 'One way', 'Two ways', 'Three ways', 'Four ways'][this.lanes.length] ?? '';
    return run ? `${ways} to train ${run.model === 'inline' ? 'a model' : run.model} on ${count(run.gpus)} GPUs` : `${ways} to train the same model`;
  }

  play() {
    if (this.playing || !this.isReady) return;
    if (this.ps >= this.longestPs) this.seek(0);
    this.playing = true;
    let last = performance.now();
    const frame = now => {
      if (!this.playing) return;
      this.ps = Math.min(this.longestPs, this.ps + Math.min(FRAME_MS_MAX, Math.max(0, now - last)) * 1e9 * this.rate);
      last = now;
      if (this.ps >= this.longestPs) this.playing = false; else requestAnimationFrame(frame);
      this.draw();
    };
    requestAnimationFrame(frame);
    this.draw();
  }

  pause() {
    this.playing = false;
    this.draw();
  }

  /** Before the runs are there, Space keeps the race at the start. */
  toggle() {
    if (!this.isReady) this.held = !this.held;
    else if (this.playing) { this.pause(); return; }
    else this.play();
    this.draw();
  }

  again() {
    this.leave();
    this.phones = null;
    this.put('phones', '');
    this.seek(0);
    this.play();
  }

  /** It stands still, and what phones say is no longer heard. */
  leave() {
    this.playing = false;
    this.phones?.close();
  }

  seek(ps) {
    this.ps = ps;
    this.draw();
  }

  /** A vote, while it is still open. */
  cast(lane) {
    if (!this.isOpen || !lane || lane.runs === false) return;
    this.voted = lane;
    for (const each of this.lanes) each.vote.setAttribute('aria-pressed', String(each === lane));
    this.draw();
  }

  /** Phones vote, too, as long as votes count. */
  async askPhones() {
    this.phones?.close();
    // A class needs time; the race waits at the start.
    this.held = true;
    this.playing = false;
    this.seek(0);
    const options = this.lanes.map(lane => lane.name ?? lane.title.textContent);
    this.phones = new Phones(this.page.source, {id: `race-${this.places.join('-')}`, words: 'Who wins?', options});
    try {
      await this.phones.open(() => this.draw());
    } catch (failure) {
      this.put('phones', failure.message);
    }
    this.draw();
  }

  /** What phones were asked, and what they said once votes no longer count. */
  tellPhones() {
    const {phones} = this;
    if (!phones) return;
    if (!this.isOpen) phones.close();
    const {values} = phones;
    const each = this.lanes.map((lane, i) => `${values.filter(value => value === i).length} ${lane.name}`).join(', ');
    this.put('phones', phones.isOpen ? `${count(values.length)} ${values.length === 1 ? 'vote' : 'votes'}. Phones: ${phones.address}` : values.length ? `The class: ${each}.` : '');
    this.element.dataset.phones = values.length;
  }

  get isOpen() {
    return !this.isReady || this.order[0]?.work.done(this.ps) < VOTE_UNTIL;
  }

  get isOver() {
    return this.isReady && this.ps >= this.longestPs;
  }

  /** To the two sides: the slowest lane and the first. */
  why() {
    if (this.order?.length) this.page.watchLanes(this.kernels ?? '', this.order.at(-1).point, this.order[0].point);
  }

  draw() {
    if (this.element.hidden) return;
    for (const lane of this.lanes) lane.draw();
    this.find('go').textContent = !this.isReady ? (this.held ? 'Start' : 'Wait for votes') : this.playing ? 'Pause' : this.isOver ? 'Race again' : 'Start';
    this.find('go').hidden = this.isOver;
    this.find('again').disabled = !this.isReady;
    this.find('why').disabled = !this.isReady;
    this.find('ask-phones').hidden = !this.page.source.live || !this.isOpen || Boolean(this.phones?.isOpen);
    this.tellPhones();
    this.put('ask', this.ask());
    this.put('verdict', this.isOver ? this.verdict() : '');
    Object.assign(this.element.dataset, {ready: String(Boolean(this.isReady)), playing: String(this.playing), over: String(this.isOver), voted: this.voted?.key ?? ''});
  }

  put(id, words) {
    if (this.find(id).textContent !== words) this.find(id).textContent = words;
  }

  ask() {
    const open = this.isOpen ? `Who wins? Vote with ${this.lanes.length > 1 ? `1 to ${this.lanes.length}` : '1'}. ` : '';
    const speed = this.isReady ? `One training step each; ${time(this.longestPs)} play in ${RACE_SECONDS} s.` : 'The runs are in progress.';
    return open + speed;
  }

  verdict() {
    const [winner, ...others] = this.order;
    const last = others.at(-1);
    const times = last ? ` ${last.name} takes ${(last.stepPs / winner.stepPs).toFixed(2)} times as long.` : '';
    const vote = !this.voted ? '' : this.voted === winner ? ' As you voted.' : ` You voted for ${this.voted.name}, which is ${PLACES[this.voted.rank]}.`;
    return `${winner.name} wins.${times}${vote}`;
  }

  onKey(key) {
    const actions = {' ': () => this.toggle(), r: () => this.again(), Enter: () => this.why(), End: () => { this.playing = false; if (this.isReady) this.seek(this.longestPs); }, Home: () => { this.playing = false; this.seek(0); }};
    if (/^[1-4]$/.test(key)) return () => this.cast(this.lanes[key - 1]);
    return actions[key];
  }
}

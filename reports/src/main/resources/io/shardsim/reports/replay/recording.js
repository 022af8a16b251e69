// A recorded run: its outline, and windows of it in full, fetched as the clock comes near them.

const WINDOWS_MAX = 6;
/** What is fetched around an instant that is looked at. */
const AROUND_PS = 2e8;
/** Looks at each rank in the course of a step, see RankStates. */
const LOOKS = 2400;
/** A source that could not be reached is asked again after so long. */
const ASK_AGAIN_MS = 1000;

/** What a rank does at an instant, added up. */
export const COMPUTES = 1;
export const GATHERS = 2;
export const REDUCES = 4;

/** A bare collective runs in the lane of gathers, whatever it does; the page shows one that reduces as a reduction. */
function asItIs(outline) {
  if (!outline.result.collective?.includes('reduce')) return outline;
  const {texts} = outline.states;
  return {
    ...outline,
    labels: outline.labels.map(([, ...rest]) => ['reduce', ...rest]),
    timeline: {reduce: outline.timeline.gather},
    states: {...outline.states, texts: texts.map(text => text.replaceAll(GATHERS, REDUCES))},
  };
}

/** Index of the last value that is not above the sought one; -1 when all are. */
function lastNotAbove(values, sought) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= sought) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/** Devices of a fabric in the order of their slots. */
const SWITCHES = ['Leaf', 'Spine', 'Core'];

export class Recording {
  /** @param load fetches the window [from, until), or as much of it as there is */
  constructor(outline, load) {
    Object.assign(this, asItIs(outline));
    this.load = load;
    // A stage counts one lane for each direction; what its compute may be at are work, each lane that it waits for, and idle.
    this.parts = [...new Set(this.streams.map(({as}) => as)), 'idle'];
    this.shares = {...Object.fromEntries(this.streams.map(({id, share}) => [id, share])), idle: 'idle'};
    this.waitedFor = Object.fromEntries(this.streams.map(({id, waitedFor}) => [id, waitedFor]));
    this.markOf = Object.fromEntries(this.streams.map(({id, state}) => [id, state]));
    this.windows = [];
    this.pending = null;
    this.askAgainMs = 0;
    this.paths = new Map();
    this.ranks = this.cluster.nodes * this.cluster.gpusPerNode;
  }

  /** Running totals at an instant: exact where one was noted, in between as if they grew evenly. */
  totalsAt(ps) {
    const {totals} = this;
    const at = Math.max(0, lastNotAbove(totals.ps, ps));
    const next = Math.min(at + 1, totals.ps.length - 1);
    const before = ps < totals.ps[0] ? 0 : totals.ps[at];
    const span = (ps < totals.ps[0] ? totals.ps[0] : totals.ps[next]) - before;
    const share = span > 0 ? Math.min(1, (ps - before) / span) : 0;
    const read = values => ps < totals.ps[0] ? values[0] * share : values[at] + (values[next] - values[at]) * share;
    return {
      nicBytes: read(totals.nicBytes),
      exposedPs: read(totals.exposedPs) / this.ranks,
      busyPs: {nvlink: read(totals.nvlinkPs), pcie: read(totals.pciePs), nic: read(totals.nicPs), spine: read(totals.spinePs)},
    };
  }

  windowAt(ps) {
    return this.windows.find(window => window.from <= ps && ps < window.until) ?? null;
  }

  /**
   * Sees to it that the window around an instant, and the one that the clock comes to next, are there.
   *
   * @returns a promise of whether a window has come, or null where nothing is missing
   */
  want(ps, lengthPs) {
    if (this.pending || ps >= this.endPs || performance.now() < this.askAgainMs) return this.pending;
    const here = this.windowAt(ps);
    const from = here ? here.until : Math.floor(ps);
    if (here && (here.until - ps > lengthPs || here.until >= this.endPs || this.windowAt(from))) return null;
    this.pending = this.load(from, Math.ceil(Math.min(this.endPs, from + 2 * lengthPs)))
      .catch(() => { this.askAgainMs = performance.now() + ASK_AGAIN_MS; }) // What a source brings must be understood.
      .then(document => {
        if (document) this.keep(document, ps);
        return Boolean(document);
      })
      .finally(() => { this.pending = null; });
    return this.pending;
  }

  /** Sees to it that an instant is known in full, where a source knows it. */
  async around(ps) {
    // What is under way may be another window.
    for (let tries = 0; tries < 2 && !this.windowAt(ps); tries++) await this.want(ps, AROUND_PS);
  }

  keep(document, ps) {
    this.windows.push(this.prepare(document));
    if (this.windows.length > WINDOWS_MAX) {
      const far = window => Math.min(Math.abs(window.from - ps), Math.abs(window.until - ps));
      this.windows.sort((a, b) => far(a) - far(b));
      this.windows.length = WINDOWS_MAX;
    }
  }

  prepare(document) {
    for (const [id, path] of Object.entries(document.paths)) {
      if (!this.paths.has(Number(id))) this.paths.set(Number(id), {...path, id: Number(id), hops: path.ports.length});
    }
    const journeys = document.journeys.map(row => this.journey(row, document.operations));
    const ranks = new Map();
    for (const [rank, rows] of Object.entries(document.spans)) {
      const streams = {};
      for (const [operation, start, end] of rows) {
        const label = this.labels[document.operations[operation]];
        (streams[label[0]] ??= []).push({start, end, words: label[1], operation});
      }
      ranks.set(Number(rank), streams);
    }
    const waits = new Map(Object.entries(document.waits).map(([rank, rows]) =>
      [Number(rank), rows.map(([part, start, end]) => ({at: this.parts[part], start, end}))]));
    return {from: document.from, until: document.until, journeys, ranks, waits};
  }

  journey([start, pathId, operation, channel, bytes, ...hops], operations) {
    const path = this.paths.get(pathId);
    const [stream, words, collective] = this.labels[operations[operation]];
    const starts = [];
    const leaves = [];
    for (let hop = 0; hop < path.hops; hop++) {
      starts.push(start + hops[2 * hop]);
      leaves.push(start + hops[2 * hop + 1]);
    }
    const end = leaves[path.hops - 1] + path.latencyPs[path.hops - 1];
    return {start, end, path, operation, channel, bytes, starts, leaves, stream, words, collective, key: `${start}/${pathId}/${operation}/${channel}`};
  }

  /** Journeys under way at an instant; null where the window is not there yet. */
  journeysAt(ps) {
    const window = this.windowAt(ps);
    return window && window.journeys.filter(journey => journey.start <= ps && ps < journey.end);
  }

  /** What a GPU does at an instant: what runs there, added up, and what its compute is at: work, a stream that it waits for, or idle. */
  stateOf(node, gpu, ps) {
    if (ps >= this.endPs) return {runs: 0, at: 'idle'};
    const rank = this.representatives[node] * this.cluster.gpusPerNode + gpu;
    const window = this.isComplete ? this.windowAt(ps) : null;
    const covers = span => span.start <= ps && ps < span.end;
    if (window) {
      const streams = window.ranks.get(rank) ?? {};
      return {
        runs: Object.keys(streams).filter(stream => streams[stream].some(covers)).reduce((state, stream) => state | this.markOf[stream], 0),
        at: window.waits.get(rank)?.find(covers)?.at ?? 'compute',
      };
    }
    const text = this.states.texts[this.states.ranks[rank]];
    const looks = text.length / 2;
    const look = Math.min(looks - 1, Math.floor(looks * ps / this.endPs));
    return {runs: parseInt(text[look], 16), at: this.parts[text.charCodeAt(looks + look) - 97]};
  }

  /** Whether every operation of every rank was kept; of a very long run only rank 0 is known to its end. */
  get isComplete() {
    return this.states.complete;
  }

  /** What rank 0 runs in a lane during a stretch: in full where windows are there, in outline elsewhere. */
  lane(stream, from, until) {
    let spans = this.timeline[stream].filter(([start, end]) => end > from && start < until);
    for (const window of this.isComplete ? this.windows : []) {
      if (window.until <= from || window.from >= until) continue;
      const inside = (window.ranks.get(0)?.[stream] ?? []).map(span => [span.start, span.end, span.words]);
      const outside = ([start, end, ...rest]) => [[start, Math.min(end, window.from), ...rest], [Math.max(start, window.until), end, ...rest]];
      // What the host does in no time has a mark of its own.
      spans = spans.flatMap(outside).filter(([start, end]) => start <= end).concat(inside);
    }
    return spans.sort((a, b) => a[0] - b[0]);
  }

  /** What compute of rank 0 waits for during a stretch: in full where windows are there, by looks elsewhere. */
  waitsOf(from, until) {
    const waits = [];
    for (let at = from; at < until;) {
      const window = this.isComplete ? this.windowAt(at) : null;
      const end = window ? Math.min(until, window.until) : Math.min(until, (Math.floor(at * LOOKS / this.endPs + 1e-6) + 1) * this.endPs / LOOKS,
        ...this.windows.map(each => each.from).filter(each => each > at));
      if (window) waits.push(...(window.waits.get(0) ?? []).map(wait => ({...wait, start: Math.max(at, wait.start), end: Math.min(end, wait.end)})));
      else waits.push({start: at, end, at: this.stateOf(0, 0, at).at});
      at = end;
    }
    return waits.filter(({at, start, end}) => at !== 'compute' && at !== 'idle' && start < end);
  }

  /** How many GPUs of a node, or of all, compute, exchange data, and are at each of the other things. */
  count(ps, nodes = this.cluster.nodes, first = 0) {
    const counts = {exchanging: 0, at: Object.fromEntries(this.parts.map(part => [part, 0]))};
    for (let node = first; node < first + nodes; node++) {
      for (let gpu = 0; gpu < this.cluster.gpusPerNode; gpu++) {
        const {runs, at} = this.stateOf(node, gpu, ps);
        counts.at[at]++;
        if (runs & ~COMPUTES) counts.exchanging++;
      }
    }
    return counts;
  }

  /** How much of the GPUs' time, of a stage or of all, is at what; in words. */
  say(part) {
    if (part === 'compute' || part === 'idle') return part === 'idle' ? 'are idle' : 'compute';
    return this.shares[part].startsWith('bubble') ? `wait in the pipeline bubble, for ${this.waitedFor[part]}` : `wait for ${this.waitedFor[part]}`;
  }

  /** The next instant at which something begins or ends, forwards or backwards. */
  eventFrom(ps, direction) {
    const window = this.windowAt(direction > 0 ? ps : Math.max(0, ps - 1)) ?? this.windowAt(ps);
    let best = direction > 0 ? this.endPs : 0;
    let what = `the ${this.result.collective ? 'collective' : 'training step'} ${direction > 0 ? 'ends' : 'begins'}`;
    const offer = (at, words) => {
      if (direction > 0 ? at > ps && at < best : at < ps && at > best) {
        best = at;
        what = words();
      }
    };
    if (!window) {
      for (const [stream, pieces] of Object.entries(this.timeline)) {
        for (const [start, end, words] of pieces) {
          offer(start, () => `${stream} begins ${words}`);
          offer(end, () => `${stream} ends ${words}`);
        }
      }
      return {ps: best, what};
    }
    const edge = direction > 0 ? window.until : window.from;
    for (const journey of window.journeys) {
      for (let hop = 0; hop < journey.path.hops; hop++) {
        offer(journey.starts[hop], () => `${this.deviceName(journey, hop)} sends a chunk of ${journey.words}`);
      }
      offer(journey.end, () => `a chunk of ${journey.words} has arrived`);
    }
    for (const [rank, streams] of window.ranks) {
      for (const [stream, spans] of Object.entries(streams)) {
        for (const span of spans) {
          offer(span.start, () => `rank ${rank}, ${stream}: ${span.words} begins`);
          offer(span.end, () => `rank ${rank}, ${stream}: ${span.words} ends`);
        }
      }
    }
    if (direction > 0 && best > edge && edge > ps) return {ps: edge, what: ''};
    return {ps: best, what};
  }

  /** Kind and index of the device in a slot of a node. */
  device(slot) {
    const {gpusPerNode, pcieSwitches, nicsPerNode} = this.cluster;
    if (slot < gpusPerNode) return ['Gpu', slot];
    if (slot === gpusPerNode) return ['NvSwitch', 0];
    if (slot < gpusPerNode + 1 + pcieSwitches) return ['PcieSwitch', slot - gpusPerNode - 1];
    if (slot < gpusPerNode + 1 + pcieSwitches + nicsPerNode) return ['Nic', slot - gpusPerNode - 1 - pcieSwitches];
    return [SWITCHES[slot - gpusPerNode - 1 - pcieSwitches - nicsPerNode], 0];
  }

  /** Node of the i-th device of a path, in the copy that sets out from a node. */
  nodeOf(path, index, source) {
    return path.far[index] ? path.to[source] : source;
  }

  deviceName(journey, index, source = this.sourceNode(journey.path)) {
    const [kind, number] = this.device(journey.path.slots[index]);
    const node = this.nodeOf(journey.path, index, source);
    if (SWITCHES.includes(kind)) return `Fabric.${kind}[${node}]`;
    return kind === 'NvSwitch' ? `Node[${node}].NvSwitch` : `Node[${node}].${kind}[${number}]`;
  }

  sourceNode(path) {
    return Math.floor(path.rank / this.cluster.gpusPerNode);
  }
}

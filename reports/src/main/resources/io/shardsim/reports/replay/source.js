// Where recordings come from: a server that runs what is asked for, or the file that the page itself is.

/** Parts of a file that stay unpacked. */
const UNPACKED_MAX = 6;

/** Runs on the server that this page came from. */
export class ServerSource {
  /** @param onForgotten is called when the server no longer knows this page, but answers again */
  constructor(onProgress, onForgotten) {
    this.live = true;
    this.onProgress = onProgress;
    this.ready = new Promise((resolve, reject) => {
      this.events = new EventSource('api/events');
      this.events.addEventListener('hello', event => {
        const known = this.viewer;
        this.viewer = JSON.parse(event.data).viewer;
        resolve();
        if (known) onForgotten();
      });
      this.events.addEventListener('progress', event => this.onProgress(JSON.parse(event.data)));
      this.events.addEventListener('error', () => {
        // A stream that broke has taken the runs of this page with it; the browser opens another one by itself.
        if (!this.viewer) reject(new Error('The server does not answer.'));
      });
    });
    addEventListener('pagehide', () => {
      if (this.viewer) navigator.sendBeacon(`api/close?viewer=${this.viewer}`);
      this.events.close();
    });
  }

  /** Address of a file that plays what the page shows, from an instant on. */
  exportAddress(runs, ps, lesson, answered) {
    const query = new URLSearchParams({viewer: this.viewer, from: ps, lesson, answered, ...runs});
    return `api/export?${query}`;
  }

  holds() {
    return true;
  }

  /** What there is to watch in a lesson, or without one. */
  async offer(lesson = '') {
    return this.json(await fetch(`api/offer?lesson=${lesson}`));
  }

  async lessons() {
    return this.json(await fetch('api/lessons'));
  }

  /** What a lesson tells before the prediction. */
  async given(lesson) {
    await this.ready;
    return this.json(await fetch(`api/lesson?viewer=${this.viewer}&lesson=${lesson}&given=1`, {method: 'POST'}));
  }

  /** What the runs of a lesson say. */
  async answer(lesson) {
    await this.ready;
    return this.json(await fetch(`api/lesson?viewer=${this.viewer}&lesson=${lesson}`, {method: 'POST'}));
  }

  /** Runs several points of the scenario in one race, each with its own kernels or all with the same. */
  async race(places, kernels) {
    await this.ready;
    return this.json(await fetch(`api/race?viewer=${this.viewer}`, {method: 'POST', body: JSON.stringify({points: places.join(), ...(kernels ? {kernels} : {})})}));
  }

  /** Runs a choice on a side; null when a later choice has taken its place. */
  async run(side, choice) {
    await this.ready;
    const response = await fetch(`api/run?viewer=${this.viewer}&side=${side}`, {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(choice),
    });
    return this.json(response);
  }

  /** Opens a question to phones in place of the one before; an empty id closes it. */
  async poll(id, question) {
    await this.ready;
    return this.json(await fetch(`api/ask?viewer=${this.viewer}`, {method: 'POST', body: JSON.stringify({id, question: JSON.stringify(question)})}));
  }

  /** What phones have said to the question that is open. */
  async votes(id) {
    return this.json(await fetch(`api/votes?viewer=${this.viewer}&id=${id}`));
  }

  /** A window of a run; null when a later run has taken its place. */
  async window(side, run, from, until) {
    return this.json(await fetch(`api/window?viewer=${this.viewer}&side=${side}&run=${run}&from=${from}&until=${until}`));
  }

  async json(response) {
    const document = await response.json();
    if (!response.ok) {
      throw Object.assign(new Error(document.error ?? (document.problems ?? ['no answer']).join('; ')), {refused: Boolean(document.problems)});
    }
    return document.gone ? null : document;
  }
}

/** What the page's own file holds: scenarios with runs and some windows of each, perhaps a race, lessons with their answers. */
export class RecordedSource {
  constructor(recorded) {
    this.live = false;
    this.recorded = recorded;
    this.unpacked = new Map();
  }

  /** A part of the file that is packed until it is wanted; the last few stay unpacked. */
  part(id) {
    const known = this.unpacked.get(id) ?? this.unpack(document.getElementById(id).textContent);
    this.unpacked.delete(id);
    this.unpacked.set(id, known);
    if (this.unpacked.size > UNPACKED_MAX) this.unpacked.delete(this.unpacked.keys().next().value);
    return known;
  }

  async unpack(text) {
    const packed = Uint8Array.from(atob(text), character => character.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
  }

  /** Whether a lesson, or what is shown without one, can be watched. */
  holds(lesson) {
    return lesson in this.recorded.offers;
  }

  async offer(lesson = '') {
    return this.recorded.offers[lesson] ?? Object.values(this.recorded.offers)[0];
  }

  async lessons() {
    return this.recorded.lessons.map(({asked}) => asked);
  }

  async given(id) {
    return this.recorded.lessons.find(({asked}) => asked.id === id).given;
  }

  async answer(id) {
    return this.recorded.lessons.find(({asked}) => asked.id === id).answer;
  }

  race() {
    return this.part('run-race');
  }

  async run(side, {lesson = '', point}) {
    const {run} = this.recorded.offers[lesson].points[point];
    return {...(await this.part(run)).outline, run};
  }

  async window(side, run, from) {
    return (await this.part(run)).windows.find(window => window.from <= from && from < window.until) ?? null;
  }
}

// Where recordings come from: a server that runs what is asked for, or the file that the page itself is.

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

  /** Runs several points of the scenario in one race. */
  async race(places) {
    await this.ready;
    return this.json(await fetch(`api/race?viewer=${this.viewer}`, {method: 'POST', body: JSON.stringify({points: places.join()})}));
  }

  /** Runs a choice on a side; null when a later choice has taken its place. */
  async run(side, choice) {
    await this.ready;
    const response = await fetch(`api/run?viewer=${this.viewer}&side=${side}`, {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(choice),
    });
    return this.json(response);
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

/** What the page's own file holds: one run on each side, some windows of it, perhaps a lesson with its answer. */
export class RecordedSource {
  constructor(recorded) {
    this.live = false;
    this.recorded = recorded;
  }

  async offer() {
    return this.recorded.offer;
  }

  /** Whether there is a run on a side. */
  has(side) {
    return side in this.recorded.sides;
  }

  /** For how long the file holds chunks, on the side where it holds them for less. */
  get stretchPs() {
    return Math.min(...Object.values(this.recorded.sides).map(({windows}) => windows.at(-1).until - windows[0].from));
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

  async run(side) {
    return this.recorded.sides[side]?.outline ?? null;
  }

  async window(side, run, from) {
    return this.recorded.sides[side].windows.find(window => window.from <= from && from < window.until) ?? null;
  }
}

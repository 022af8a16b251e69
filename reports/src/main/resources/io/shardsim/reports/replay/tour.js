// The tour: eight stops, each a sentence, then motion, then rest. Whoever leads it goes on with Space.

import {writeAddress} from './address.js';
import {chartIn, tag} from './lessons.js';

/** How long the motion of a stop takes on the screen. */
const MOTION_SECONDS = 8;
const TELL_EVERY_MS = 2000;
/** How long one reads before the motion, unless one presses Space. */
const PHASES = {coming: 'Simulating …', text: 'Space starts it', moving: 'Space skips to the end', rest: 'Space goes on', end: 'End of the tour; R restarts it'};

export class Tour {
  /** @param page shows the runs of a stop */
  constructor(page, element) {
    Object.assign(this, {page, element, at: 0, phase: 'coming'});
    this.find = id => document.getElementById(`tour-${id}`);
    this.find('next').addEventListener('click', () => this.next());
    this.find('back').addEventListener('click', () => this.back());
  }

  /** Stops are lessons that have a place in the tour. */
  take(lessons) {
    this.stops = lessons.filter(({id, tour}) => tour && (tour.chart || this.page.source.holds(id))).sort((a, b) => a.tour.stop - b.tour.stop);
  }

  get stop() {
    return this.stops[this.at];
  }

  /** What is named by the sentence, until one leads on. */
  haloOf(side) {
    const why = this.element.hidden || this.phase === 'coming' ? null : this.stop.why;
    return why && (!why.side || why.side === side) ? why.halo : null;
  }

  get isChart() {
    return this.stop.tour.chart;
  }

  async open(at = this.at) {
    this.at = Math.max(0, Math.min(this.stops.length - 1, at));
    const {stop} = this;
    this.find('words').textContent = '';
    this.find('chart').replaceChildren();
    this.enter('coming');
    this.page.clock.pause();
    writeAddress({tour: stop.tour.stop});
    try {
      const answer = await this.page.source.answer(stop.id);
      if (!answer || stop !== this.stop) return;
      this.answer = answer;
      if (!this.isChart) await this.page.load(stop);
      if (stop !== this.stop) return;
      this.find('words').textContent = answer.stop;
      if (!this.isChart) this.begin();
      this.enter('text');
    } catch (failure) {
      this.find('words').textContent = failure.message;
    }
  }

  /** To the instant at which the motion begins, as slow as it will be. */
  begin() {
    const {clock} = this.page;
    const {from, microseconds} = this.stop.why;
    this.fromPs = from * clock.endPs;
    this.untilPs = Math.min(clock.endPs, microseconds ? this.fromPs + microseconds * 1e6 : clock.endPs);
    clock.slowDown = MOTION_SECONDS * 1e12 / (this.untilPs - this.fromPs);
    clock.seek(this.fromPs);
  }

  enter(phase) {
    this.phase = phase;
    const {stop, find} = this;
    find('stop').textContent = `${stop.tour.stop} of ${this.stops.length}: ${stop.tour.title}`;
    find('next').textContent = phase === 'text' ? 'Move' : phase === 'moving' ? 'To the end' : 'Next';
    find('next').disabled = phase === 'coming' || phase === 'end';
    find('back').disabled = this.at === 0 && phase !== 'moving' && phase !== 'rest' && phase !== 'end';
    find('how').textContent = PHASES[phase];
    Object.assign(this.element.dataset, {stop: stop.tour.stop, phase});
    document.body.dataset.halo = this.isChart ? 'chart' : stop.why.halo;
    this.element.classList.toggle('haloed', this.isChart && phase === 'moving');
    this.page.showTourOf(this.isChart);
    this.page.tellTeacher();
  }

  /** On: from the sentence to its motion, from there to its end, from rest to the next sentence. */
  next() {
    const {clock} = this.page;
    if (this.phase === 'text') this.move();
    else if (this.phase === 'moving') clock.playing ? clock.seek(this.untilPs) : this.rest();
    else if (this.phase === 'rest') this.open(this.at + 1);
  }

  back() {
    if (this.phase !== 'text' && this.phase !== 'coming') this.open(this.at);
    else if (this.at > 0) this.open(this.at - 1);
  }

  async move() {
    this.enter('moving');
    if (this.isChart) {
      const {stop} = this;
      await chartIn(this.find('chart'), this.answer, stop.title);
      if (stop === this.stop && this.phase === 'moving') this.rest();
    } else if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.page.clock.seek(this.untilPs);
    else this.page.clock.play();
  }

  /** After each frame: whether the motion is over. */
  look() {
    const {clock} = this.page;
    if (this.phase !== 'moving' || this.isChart || clock.ps < this.untilPs) return;
    clock.playing = false;
    this.rest();
  }

  rest() {
    this.enter(this.at === this.stops.length - 1 ? 'end' : 'rest');
  }

  onKey(key) {
    const actions = {' ': () => this.next(), PageDown: () => this.next(), Backspace: () => this.back(), PageUp: () => this.back(), r: () => this.open(0)};
    if (/^[1-8]$/.test(key)) return () => this.open(key - 1);
    return actions[key];
  }
}

/** What whoever teaches sees beside the page: what it shows now, its answer and the hints. */
export class TeacherNotes {
  constructor(element, source) {
    Object.assign(this, {element, source});
    addEventListener('message', event => { if (event.data?.shardsim && this.lessons) this.show(event.data.lesson); });
  }

  async load(first) {
    this.lessons = await this.source.lessons();
    await this.show(first);
    // Again and again: the page may have been loaded anew.
    const tell = () => window.opener?.postMessage({shardsim: 'teacher'}, '*');
    setInterval(tell, TELL_EVERY_MS);
    tell();
  }

  /** All lessons, or the one that the page shows with what the simulation says. */
  async show(id) {
    if (this.element.dataset.shown === (id ?? '') || this.shown === id && id) return;
    this.shown = id;
    const lessons = this.lessons.filter(lesson => !id || lesson.id === id);
    const answers = new Map();
    for (const lesson of id ? lessons : []) answers.set(lesson.id, await this.source.answer(lesson.id));
    if (this.shown !== id) return;
    this.element.replaceChildren(...lessons.map(lesson => {
      const notes = document.createElement('article');
      const answer = answers.get(lesson.id);
      const next = this.lessons[this.lessons.indexOf(lesson) + 1];
      notes.append(tag('h2', `${parseInt(lesson.id)}. ${lesson.title}`), tag('p', `Ask: ${lesson.question}`),
        ...(answer ? [`${answer.asked.name}: ${answer.asked.text}.`, ...answer.after] : []).map(words => tag('p', words)),
        ...lesson.teacher.map(words => tag('p', `Hint: ${words}`)),
        ...(id && next ? [tag('p', `Next: ${next.title}`)] : []));
      return notes;
    }));
    this.element.dataset.shown = id ?? '';
  }
}

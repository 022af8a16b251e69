// What a class says before the answer: hands that are counted in the room, and phones.

import {judged} from './scale.js';

const ASK_EVERY_MS = 1000;
const LOOPBACK = /^(localhost|127[.]|\[::1\])/;

export function part(name, words, className = '') {
  return Object.assign(document.createElement(name), {textContent: words, className});
}

/** Phones that answer a question, while it is open; the server keeps what they say in memory alone. */
export class Phones {
  /** @param question its id, and what a phone shows of it */
  constructor(source, question) {
    Object.assign(this, {source, question, values: []});
  }

  /** @param onNews is called with each count */
  async open(onNews) {
    await this.source.poll(this.question.id, this.question);
    this.isOpen = true;
    this.listening = this.listen(onNews);
  }

  async listen(onNews) {
    while (this.isOpen) {
      try {
        this.values = (await this.source.votes(this.question.id)).values;
      } catch {
        // The server is busy, or gone; what was counted stays.
      }
      if (this.isOpen) onNews(this.values);
      await new Promise(resolve => setTimeout(resolve, ASK_EVERY_MS));
    }
  }

  close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.source.poll('', {}).catch(() => {});
  }

  get address() {
    return `${location.origin}/vote${LOOPBACK.test(location.host) ? ' (on this machine only; for phones start it with --bind)' : ''}`;
  }
}

/** Guesses at a quantity. */
export class Tally {
  constructor(source, question) {
    this.hands = [];
    this.phones = source.live ? new Phones(source, question) : null;
  }

  /** Where the guesses of a class are taken. */
  begin(scale, value) {
    this.scale = scale;
    this.box = part('details', '', 'class-asked');
    this.told = part('p', '');
    this.told.setAttribute('role', 'status');
    this.told.id = 'class-told';
    const hands = Object.assign(part('input', ''), {type: 'number', id: 'class-hands', min: 1, max: 999, value: 1});
    const label = Object.assign(part('label', 'Hands '), {htmlFor: hands.id});
    const add = this.button('class-add', 'Add them at the bar', () => {
      const count = Math.max(1, Math.min(999, Math.round(hands.value) || 1));
      for (let i = 0; i < count; i++) this.hands.push(value());
      hands.value = 1;
      this.tell();
    });
    const line = part('p', '');
    line.append(label, hands, ' ', add);
    if (this.phones) line.append(' ', this.button('class-phones', 'Also ask phones', () => this.askPhones()));
    this.box.append(part('summary', 'Ask the class'), line, this.told);
    return this.box;
  }

  button(id, words, action) {
    const button = Object.assign(part('button', words), {type: 'button', id});
    button.addEventListener('click', action);
    return button;
  }

  async askPhones() {
    try {
      await this.phones.open(() => this.tell());
    } catch (failure) {
      this.told.textContent = failure.message;
    }
  }

  get all() {
    return [...this.hands, ...this.phones?.values ?? []].sort((a, b) => a - b);
  }

  get count() {
    return this.all.length;
  }

  tell() {
    const {count, phones} = this;
    this.box.dataset.count = count;
    this.told.textContent = `${count} ${count === 1 ? 'guess' : 'guesses'}${phones?.isOpen ? `. Phones: ${phones.address}` : ''}`;
  }

  /** All guesses on one bar, as marks. */
  row() {
    const {all, scale} = this;
    const line = part('div', '', 'row');
    const bar = part('span', '', 'bar marks');
    for (const value of all) {
      const mark = part('i', '');
      mark.style.setProperty('--far', scale.position(value) / scale.steps);
      bar.append(mark);
    }
    const middle = part('span', scale.words(all[Math.floor(all.length / 2)]), 'said');
    middle.dataset.kind = 'class';
    line.append(part('span', `the class; median of ${all.length}`), bar, middle);
    return line;
  }

  /** The question is closed; says how many were right. */
  end(truth) {
    this.phones?.close();
    const {all} = this;
    if (!all.length) {
      this.box.remove();
      return;
    }
    const counts = new Map();
    for (const {word} of all.map(value => judged(value, truth))) counts.set(word, (counts.get(word) ?? 0) + 1);
    const words = ['right', 'near', 'too low', 'too high'].filter(word => counts.has(word)).map(word => `${counts.get(word)} ${word}`).join(', ');
    this.box.replaceWith(Object.assign(part('p', `The class: ${words}.`), {id: 'class-said'}));
  }
}

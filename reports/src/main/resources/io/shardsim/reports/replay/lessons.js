// Guided lessons: a question, a prediction on a scale, then what the simulation says, drawn as in the report.

import {writeAddress} from './address.js';
import {factor, time} from './format.js';
import {judged, Scale} from './scale.js';
import {explainTerms} from './terms.js';
import {Tally} from './votes.js';

/** A picture shows the motion when so much of it is over. */
const INTO_MOTION = 0.3;
const KEPT = 'shardsim-lessons';
const NARROW_PAGE = '(max-width: 60rem)';

/** What this browser remembers of each lesson; nothing where it may not. */
const kept = {
  read() {
    try {
      return JSON.parse(localStorage.getItem(KEPT)) ?? {};
    } catch {
      return {};
    }
  },
  write(id, word) {
    try {
      localStorage.setItem(KEPT, JSON.stringify({...this.read(), [id]: word}));
    } catch {
      // A page without a memory of its own shows the answer all the same.
    }
  },
};

/** A question with what is given as bars, and a bar to drag. */
class Guess {
  /**
   * @param suffix of the names of its parts
   * @param onGuess is called with what is said, once
   * @param tally what a class says, if one is asked
   */
  constructor(form, suffix, words, {unit, given, asked}, onGuess, tally) {
    const scale = new Scale(unit, given);
    Object.assign(this, {form, scale, onGuess, tally});
    this.rows = document.createElement('div');
    this.rows.className = 'scale';
    for (const each of given) this.rows.append(this.bar('given', each.name, each.value, each.text));
    const slider = Object.assign(document.createElement('input'), {type: 'range', id: `prediction${suffix}`, min: 0, max: scale.steps, step: 1});
    slider.value = Math.round(scale.position(given[0].value));
    this.label = Object.assign(document.createElement('label'), {htmlFor: slider.id, textContent: `${asked}, your answer`});
    this.output = Object.assign(document.createElement('output'), {htmlFor: slider.id});
    slider.addEventListener('input', () => {
      this.isMade = true;
      this.tell(scale.value(slider.value));
    });
    this.slider = slider;
    this.tell(scale.value(slider.value));
    this.rows.append(row(this.label, slider, this.output));
    const question = document.createElement('fieldset');
    const ends = scale.isShare ? 'The scale runs from 0 to 100 %.' : `The scale runs from ${scale.words(scale.value(0))} to ${scale.words(scale.value(scale.steps))}; it is logarithmic.`;
    this.how = Object.assign(tag('p', `${ends} Drag the bar, or use the arrow keys.`), {className: 'source how'});
    question.append(tag('legend', words), this.rows, this.how);
    this.submit = Object.assign(document.createElement('button'), {type: 'submit', textContent: 'Show the simulated answer', id: `predict${suffix}`});
    form.replaceChildren(question, ...tally ? [tally.begin(scale, () => scale.value(slider.value))] : [], this.submit);
    form.onsubmit = event => {
      event.preventDefault();
      this.make(scale.value(slider.value), this.isMade);
    };
  }

  tell(value) {
    this.output.value = this.scale.words(value);
    this.output.dataset.value = value;
    this.slider.setAttribute('aria-valuetext', this.output.value);
  }

  /**
   * A guess is a guess until the simulation has spoken.
   *
   * @param isMade false where the bar was never moved: whoever looks at the answer alone is not judged
   */
  make(said, isMade = true) {
    this.isMade = Boolean(isMade);
    this.slider.value = Math.round(this.scale.position(said));
    this.tell(said);
    this.slider.disabled = this.submit.disabled = true;
    return this.onGuess(said);
  }

  unlock() {
    this.slider.disabled = this.submit.disabled = false;
  }

  /** Sets the truth beside the guess; returns the verdict. */
  reveal(said, {name, value, text}) {
    if (this.isMade) this.rows.lastChild.replaceWith(this.bar('guessed', this.label.textContent, said, this.output.value));
    else this.rows.lastChild.remove();
    if (this.tally?.count) this.rows.append(this.tally.row());
    this.rows.append(this.bar('simulated', `${name}, simulated`, value, text));
    this.submit.remove();
    this.how.textContent = this.scale.isShare ? '' : 'The bars are on a logarithmic scale.';
    const {word, off} = this.judge(said, value);
    const you = `You said ${this.scale.words(said)}, it is ${text}`;
    const verdict = tag('p', !this.isMade ? `It is ${text}. You did not move the bar.` : word === 'right' ? `Right. ${you}.` : `${word === 'near' ? 'Near. ' : ''}${you}: ${factor(off)} times too ${said < value ? 'low' : 'high'}.`);
    verdict.className = `verdict ${word.replace(' ', '-')}`;
    this.tally?.end(value);
    return verdict;
  }

  judge(said, value) {
    return this.isMade ? judged(said, value) : {word: 'seen', off: 1};
  }

  /** A row of the scale: a name, a bar as long as the slider is far, the quantity. */
  bar(kind, name, value, text) {
    const line = document.createElement('span');
    line.className = `bar ${kind}`;
    const filled = document.createElement('span');
    filled.style.setProperty('--far', this.scale.position(value) / this.scale.steps);
    line.append(filled);
    const said = tag('span', text);
    said.className = 'said';
    Object.assign(said.dataset, {kind, value});
    return row(tag('span', name), line, said);
  }
}

export class Lessons {
  /** @param page runs what a lesson wants to be watched */
  constructor(element, source, page) {
    Object.assign(this, {element, source, page});
  }

  async load() {
    this.lessons = await this.source.lessons();
    const list = document.createElement('ol');
    list.className = 'lessons';
    for (const lesson of this.lessons) {
      const button = Object.assign(document.createElement('button'), {type: 'button', textContent: lesson.title, id: `open-${lesson.id}`});
      button.addEventListener('click', () => this.open(lesson));
      button.append(Object.assign(document.createElement('span'), {className: 'kept'}));
      const entry = Object.assign(document.createElement('li'), {value: parseInt(lesson.id)});
      entry.append(button);
      list.append(entry);
    }
    this.progress = tag('summary', '');
    this.progress.id = 'progress';
    this.list = Object.assign(document.createElement('details'), {open: true});
    this.list.append(this.progress, list);
    const side = document.createElement('nav');
    side.setAttribute('aria-label', 'Lessons');
    side.append(this.list);
    this.place = document.createElement('article');
    this.place.className = 'lesson';
    this.place.id = 'lesson';
    this.place.append(tag('p', 'Choose a lesson, or press 1 to 9.'));
    this.element.append(side, this.place);
    this.showKept();
  }

  /** Which lessons were answered, and how well. */
  showKept() {
    const done = kept.read();
    for (const {id} of this.lessons) document.getElementById(`open-${id}`).lastChild.textContent = done[id] ?? '';
    this.progress.textContent = `${this.lessons.filter(({id}) => done[id]).length} of ${this.lessons.length} answered`;
  }

  /** The action of a key; none where the key has none. */
  onKey(key) {
    const at = this.lessons.indexOf(this.current);
    const lesson = {n: this.lessons[at + 1], p: this.lessons[at - 1]}[key] ?? this.lessons[/^[1-9]$/.test(key) ? key - 1 : -1];
    return lesson ? () => this.open(lesson) : null;
  }

  /**
   * @param said a prediction that is already made, as in an address that somebody passed on
   * @param saidAgain the one to the question that follows
   */
  async open(lesson, said, saidAgain) {
    this.leave();
    this.current = lesson;
    this.saidAgain = saidAgain;
    this.page.showHeading(lesson);
    writeAddress({lesson: lesson.id});
    this.page.tellTeacher();
    for (const each of this.lessons) {
      document.getElementById(`open-${each.id}`).setAttribute('aria-current', String(each === lesson));
    }
    // On a telephone the list would stand before the lesson.
    if (matchMedia(NARROW_PAGE).matches) this.list.open = false;
    const number = tag('p', `Lesson ${parseInt(lesson.id)}${this.lessons.length > 1 ? ` of ${this.lessons.length}` : ''}`);
    number.className = 'source';
    const title = tag('h2', lesson.title);
    title.tabIndex = -1;
    this.form = document.createElement('form');
    this.form.append(tag('p', lesson.question), tag('p', 'Simulating the starting point …'));
    this.answer = document.createElement('div');
    this.answer.setAttribute('role', 'status');
    this.answer.id = 'answer';
    this.place.dataset.lesson = lesson.id;
    delete this.place.dataset.verdict;
    const told = lesson.before.map(words => tag('p', words));
    this.explained = new Set();
    explainTerms(told, this.explained);
    this.place.replaceChildren(number, title, ...told, this.form, this.answer);
    title.focus();
    title.scrollIntoView({block: 'nearest'});
    try {
      const given = await this.source.given(lesson.id);
      if (given && this.current === lesson) await this.ask(lesson, given, said);
    } catch (failure) {
      this.form.lastChild.textContent = failure.message;
    }
  }

  /** Nobody on the screen hears what phones say any more. */
  leave() {
    this.guess?.tally?.phones?.close();
  }

  /** The question, and what was said already, where somebody passed that on. */
  async ask(lesson, given, said) {
    this.unit = given.unit;
    const tally = new Tally(this.source, {id: lesson.id, words: lesson.question, ...given});
    this.guess = new Guess(this.form, '', lesson.question, given, value => this.predict(lesson, value), tally);
    if (said) await this.guess.make(said);
  }

  async predict(lesson, said) {
    this.answer.replaceChildren(tag('p', 'Simulating every point of the lesson …'));
    try {
      const answer = await this.source.answer(lesson.id);
      if (answer && this.current === lesson) await this.show(lesson, said, answer);
    } catch (failure) {
      this.answer.replaceChildren(tag('p', failure.message));
      this.guess.unlock();
    }
  }

  async show(lesson, said, answer) {
    const verdict = this.guess.reveal(said, answer.asked);
    const {word} = this.guess.judge(said, answer.asked.value);
    this.place.dataset.verdict = word;
    kept.write(lesson.id, word);
    this.showKept();
    const [head, ...rows] = answer.table;
    const table = document.createElement('table');
    table.append(section('thead', [head], true), section('tbody', rows, false));
    const scroll = document.createElement('div');
    scroll.className = 'scroll';
    scroll.tabIndex = 0;
    scroll.setAttribute('role', 'region');
    scroll.setAttribute('aria-label', 'Results');
    scroll.append(table);
    const buttons = document.createElement('p');
    const watched = lesson.why && this.source.holds(lesson.id);
    if (watched) buttons.append(this.button('watch-lesson', 'Watch it', () => this.page.watch(lesson)), ' ');
    const next = this.lessons[this.lessons.indexOf(lesson) + 1];
    if (next) buttons.append(this.button('next-lesson', 'Next lesson', () => this.open(next)));
    const source = tag('p', `Every number here comes from ${answer.scenario}.`);
    source.className = 'source';
    const chart = document.createElement('div');
    const again = document.createElement('form');
    this.why = document.createElement('figure');
    const told = answer.after.map(words => tag('p', words));
    explainTerms(told, this.explained);
    this.answer.replaceChildren(verdict, chart, this.why, ...told, scroll, source, again, buttons);
    const own = this.guess.isMade ? {said: Number(said.toPrecision(6))} : {};
    const tellAddress = more => writeAddress({lesson: lesson.id, ...own, ...more});
    tellAddress();
    this.askAgain(again, answer.again, value => tellAddress({again: Number(value.toPrecision(6))}));
    await chartIn(chart, answer, lesson.title);
    if (!watched) return;
    await this.page.load(lesson);
    this.drawWhy();
  }

  /** Both runs at the instant that shows why, as they are watched. */
  drawWhy() {
    const {current: lesson, why, page} = this;
    const sides = page.offer.lesson === lesson?.id ? page.panels.filter(panel => panel.recording) : [];
    if (!why?.isConnected || !sides.length) return;
    why.className = 'why';
    const {from, microseconds} = lesson.why;
    const motionPs = microseconds ? microseconds * 1e6 : (1 - from) * page.longestPs;
    const ps = from * page.longestPs + INTO_MOTION * motionPs;
    why.dataset.ps = Math.round(ps);
    why.replaceChildren(...sides.map(panel => {
      const canvas = document.createElement('canvas');
      const half = document.createElement('div');
      half.append(tag('figcaption', `${panel.element.dataset.words} at ${time(Math.min(ps, panel.recording.endPs))}`), canvas);
      return half;
    }));
    sides.forEach((panel, i) => panel.drawOn(why.children[i].lastChild, ps, lesson.why));
  }

  /** Another question, to see whether the cause was understood; its run is there already. */
  askAgain(form, {words, given, asked, says}, onGuess) {
    const guess = new Guess(form, '-again', words, {unit: this.unit, given: [given], asked: asked.name}, said => {
      form.append(guess.reveal(said, asked), tag('p', says));
      if (guess.isMade) onGuess(said);
    });
    if (this.saidAgain) guess.make(this.saidAgain);
  }

  button(id, words, action) {
    const button = Object.assign(document.createElement('button'), {type: 'button', id, textContent: words});
    button.addEventListener('click', action);
    return button;
  }
}

/** How many of a unit one mark of an axis counts, and what that is called. */
function axisOf(unit, most) {
  if (unit === 's') return most >= 1 ? [1, 's'] : most >= 1e-3 ? [1e-3, 'ms'] : [1e-6, 'us'];
  return {B: [1e9, 'GB'], 'B/s': [1e9, 'GB/s'], GiB: [2 ** 30, 'GiB'], '%': [0.01, '%']}[unit] ?? [1, unit];
}

/** What the report draws: a line per series, or a bar per run, in parts where memory has owners. */
function drawingOf({kind, title, unit, axis, stages, marks}) {
  const [per, shown] = axisOf(unit, Math.max(...marks.map(mark => mark.value)));
  if (kind === 'lines') {
    const xs = [...new Set(marks.map(mark => mark.x))].sort((a, b) => a - b);
    const doubles = xs.every(x => Number.isInteger(Math.log2(x)));
    return {
      kind, title, unit: shown, x: axis, xs, height: 320, base: doubles ? 2 : xs.at(-1) >= 100 * xs[0] ? 10 : 0,
      series: [...new Set(marks.map(mark => mark.series))].map(name => ({
        name, published: [], points: marks.filter(mark => mark.series === name).map(mark => [mark.x, mark.value / per, mark.text, false]),
      })),
      ...(stages ? {idealName: '(p - 1) / (m + p - 1)', ideal: xs.map(m => [m, 100 * (stages - 1) / (m + stages - 1)])} : {ideal: []}),
    };
  }
  const capacity = kind === 'owners' ? marks[0].capacity / per : 0;
  const owners = kind === 'owners' ? marks[0].owners.map((_, i) => marks.map(mark => mark.owners[i])) : [marks.map(mark => ({...mark, colour: 'total', name: title}))];
  return {
    kind: 'bars', title, unit: shown, rows: marks.map(mark => ({name: mark.name, end: mark.text})),
    parts: owners.filter(held => held.some(part => part.value > 0)).map(held => ({
      colour: held[0].colour, name: held[0].name, values: held.map(part => part.value / per), texts: held.map(part => part.text),
    })),
    ...(capacity ? {max: capacity, limit: capacity, limitName: `capacity ${capacity.toFixed(1)} ${shown}`} : {}),
  };
}

/** The place of a chart, as the report has it; it says what it draws. */
function placeOf(drawn, marks, title) {
  const box = document.createElement('figure');
  box.className = 'chart-box';
  Object.assign(box.dataset, {figure: 'answer', kind: drawn.kind, marks: marks.length, values: JSON.stringify(marks.map(mark => mark.value))});
  const chart = document.createElement('div');
  chart.className = 'chart';
  chart.tabIndex = 0;
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', `${title}: ${drawn.title}, ${drawn.unit}. The table below has the same figures.`);
  const readout = tag('p', '');
  readout.className = 'readout';
  readout.setAttribute('aria-live', 'polite');
  box.append(tag('figcaption', drawn.kind === 'lines' ? `${drawn.title} against ${drawn.x}` : drawn.title), chart, readout);
  return box;
}

/** Draws the chart of an answer. */
export async function chartIn(place, {chart}, title) {
  const drawn = drawingOf(chart);
  place.replaceChildren(placeOf(drawn, chart.marks, title));
  await draw(drawn, chart.palette, place);
}

/** Draws by the scripts of the report, which a saved page has in itself. */
async function draw(drawn, palette, place) {
  for (const [name, isThere] of [['echarts.min.js', () => window.echarts], ['report.js', () => window.drawFigures]]) {
    if (isThere()) continue;
    await new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement('script'), {src: name, onload: resolve, onerror: () => reject(new Error(`${name} cannot be loaded`))});
      document.head.append(script);
    });
  }
  // Text on canvas needs no inline style, which the page's policy refuses.
  window.shardsimReport = {scenario: 'lesson', palette, figures: {answer: drawn}, renderer: 'canvas'};
  window.drawFigures(place);
}

export function tag(name, words) {
  return Object.assign(document.createElement(name), {textContent: words});
}

function row(...parts) {
  const element = document.createElement('div');
  element.className = 'row';
  element.append(...parts);
  return element;
}

function section(name, rows, isHead) {
  const part = document.createElement(name);
  for (const cells of rows) {
    const line = document.createElement('tr');
    cells.forEach((words, i) => {
      const cell = tag(isHead || i === 0 ? 'th' : 'td', words);
      if (isHead) cell.scope = 'col'; else if (i === 0) cell.scope = 'row';
      if (i > 0) cell.className = 'n';
      line.append(cell);
    });
    part.append(line);
  }
  return part;
}

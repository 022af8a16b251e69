// Guided lessons: a question, a prediction, then what the simulation says.

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
      const entry = document.createElement('li');
      entry.append(button);
      list.append(entry);
    }
    this.place = document.createElement('article');
    this.place.className = 'lesson';
    this.place.id = 'lesson';
    this.element.append(list, this.place);
  }

  open(lesson) {
    this.current = lesson;
    this.page.showHeading(lesson);
    for (const each of this.lessons) {
      document.getElementById(`open-${each.id}`).setAttribute('aria-current', String(each === lesson));
    }
    const title = tag('h2', lesson.title);
    title.tabIndex = -1;
    const form = document.createElement('form');
    const choices = document.createElement('fieldset');
    choices.append(tag('legend', lesson.question));
    lesson.choices.forEach((words, i) => {
      const label = document.createElement('label');
      const input = Object.assign(document.createElement('input'), {type: 'radio', name: 'prediction', value: i, required: true});
      label.append(input, ` ${words}`);
      choices.append(label);
    });
    const submit = Object.assign(document.createElement('button'), {type: 'submit', textContent: 'Let the simulation answer', id: 'predict'});
    this.answer = document.createElement('div');
    this.answer.setAttribute('role', 'status');
    this.answer.id = 'answer';
    form.append(choices, submit);
    form.addEventListener('submit', event => {
      event.preventDefault();
      this.predict(lesson, Number(new FormData(form).get('prediction')), submit);
    });
    this.place.replaceChildren(title, ...lesson.before.map(words => tag('p', words)), form, this.answer);
    title.focus();
  }

  async predict(lesson, chosen, submit) {
    submit.disabled = true;
    this.answer.replaceChildren(tag('p', 'Running every point of the lesson …'));
    try {
      const answer = await this.source.answer(lesson.id);
      if (answer && this.current === lesson) this.show(lesson, chosen, answer);
    } catch (failure) {
      this.answer.replaceChildren(tag('p', failure.message));
    }
    submit.disabled = false;
  }

  show(lesson, chosen, answer) {
    const right = chosen === answer.right;
    const verdict = tag('p', `${right ? 'As you said' : 'Not what you said'}: the simulation says ${answer.ratio}${answer.ratio === '1.00' ? '' : ' times'}. `
      + `You chose \u201c${lesson.choices[chosen]}\u201d${right ? '.' : `; the nearest choice is \u201c${lesson.choices[answer.nearest]}\u201d.`}`);
    verdict.className = right ? 'verdict right' : 'verdict';
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
    if (this.page.source.live) buttons.append(this.button('watch-lesson', 'Watch it', () => this.page.watch(lesson)), ' ');
    const next = this.lessons[this.lessons.indexOf(lesson) + 1];
    if (next) buttons.append(this.button('next-lesson', 'Next lesson', () => this.open(next)));
    const source = tag('p', `Every number here comes from ${answer.scenario}.`);
    source.className = 'source';
    this.answer.replaceChildren(verdict, ...answer.after.map(words => tag('p', words)), scroll, source, buttons);
    lesson.answered = answer;
  }

  button(id, words, action) {
    const button = Object.assign(document.createElement('button'), {type: 'button', id, textContent: words});
    button.addEventListener('click', action);
    return button;
  }
}

function tag(name, words) {
  return Object.assign(document.createElement(name), {textContent: words});
}

function section(name, rows, isHead) {
  const part = document.createElement(name);
  for (const cells of rows) {
    const row = document.createElement('tr');
    cells.forEach((words, i) => {
      const cell = tag(isHead || i === 0 ? 'th' : 'td', words);
      if (isHead) cell.scope = 'col'; else if (i === 0) cell.scope = 'row';
      if (i > 0) cell.className = 'n';
      row.append(cell);
    });
    part.append(row);
  }
  return part;
}

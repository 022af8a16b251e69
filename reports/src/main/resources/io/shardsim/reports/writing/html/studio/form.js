// The question as fields, from the catalog and the one table of keys; whatever is wrong stands beside its field.
import { el, $, button } from './dom.js';
import { written, isSwept, get } from './state.js';

const FIRST = ['model', 'cluster.instance', 'cluster.nodes', 'strategy.kind', 'training.global_batch',
  'training.micro_batch', 'training.sequence_length', 'framework'];
// Written as a file: their values are lists, or keys of their own.
const AS_FILE = ['sweep', 'search', 'assert', 'accepted', 'instances', 'scenario'];

let offer;
let change;

// A block's kind is called as the block is.
function label(path) {
  const words = (path.endsWith('.kind') ? blockOf(path) : path.split('.').pop()).replaceAll('_', ' ');
  return words[0].toUpperCase() + words.slice(1);
}

const blockOf = (path) => (path.includes('.') ? path.slice(0, path.indexOf('.')) : '');

export function build(given, onChange) {
  offer = given;
  change = onChange;
  for (const [name, list] of Object.entries(lists())) {
    document.body.append(el('datalist', { id: 'l-' + name }, ...list.map(({ name: value, about }) => el('option', { value }, about))));
  }
  $('#first').append(...FIRST.map((path) => field(path, schemaOf(path))));
  $('#find-setting').addEventListener('input', filter);
  // Enter asks at once; nothing is submitted.
  $('#question').addEventListener('submit', (event) => event.preventDefault());
}

function lists() {
  const [head, ...rows] = offer.instances;
  return {
    model: offer.models,
    'cluster.instance': rows.map((row) => ({ name: row[0], about: row.slice(1, 3).join(', ') + ', $' + row[3] + '/h' })),
    'strategy.kind': offer.strategies,
  };
}

function schemaOf(path) {
  return path.split('.').reduce((schema, key) => schema?.properties?.[key], offer.schema) ?? {};
}

function field(path, schema, about = schema.description ?? '') {
  const id = 'f-' + path;
  const list = $('#l-' + CSS.escape(path)) ? 'l-' + path : undefined;
  return el('div', { class: 'field', 'data-key': path },
    el('label', { for: id }, label(path)),
    el('input', { id, list, 'aria-describedby': 'a-' + path, onchange: (event) => change(path, event.target.value) }),
    el('div', { class: 'wrong-text' }),
    el('span', { class: 'about' }, el('span', { class: 'words', id: 'a-' + path, 'data-about': about }, about)));
}

const choices = (schema) => (schema.enum ? schema.enum.map(String) : schema.type === 'boolean' ? ['true', 'false'] : null);

// A choice is a list to pick from, unless a sweep gives it several values.
function control(box, path, schema, question) {
  const values = choices(schema);
  const old = box.querySelector('input, select');
  const wants = values && !isSwept(question, path) ? 'SELECT' : 'INPUT';
  if (old.tagName === wants) return old;
  const attributes = { id: old.id, 'aria-describedby': 'a-' + path, onchange: (event) => change(path, event.target.value) };
  const made = wants === 'SELECT'
    ? el('select', attributes, el('option', { value: '' }, ''), ...values.map((value) => el('option', { value }, value)))
    : el('input', attributes);
  old.replaceWith(made);
  return made;
}

// Fields of every other key, made anew where the strategy is another one: its parameters are its own.
function groups(question) {
  const kind = get(question, 'strategy.kind');
  const strategy = offer.strategies.find(({ name }) => name === kind);
  if ($('#groups').dataset.kind === String(kind)) return;
  $('#groups').dataset.kind = String(kind);
  const open = new Set([...document.querySelectorAll('#groups details[open]')].map((group) => group.dataset.block));
  const blocks = Object.entries(offer.schema.properties).filter(([name]) => !AS_FILE.includes(name));
  $('#groups').replaceChildren(...blocks.map(([block, schema]) => {
    const own = block === 'strategy'
      ? (strategy?.parameters ?? []).map(({ name, written, meaning }) => ['strategy.' + name, {}, meaning.replace(/[.]$/, '') + '; omitted: ' + written])
      : Object.entries(schema.properties ?? {}).filter(([, inner]) => inner.type !== 'array' && inner.type !== 'object')
        .map(([name, inner]) => [block + '.' + name, inner, inner.description]);
    const fields = own.filter(([path]) => !FIRST.includes(path));
    return fields.length === 0 ? '' : el('details', { 'data-block': block, open: open.has(block) },
      el('summary', {}, block), el('div', { class: 'fields' }, ...fields.map((one) => field(...one))));
  }));
  filter();
}

function filter() {
  const words = $('#find-setting').value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of document.querySelectorAll('#groups details')) {
    let found = 0;
    for (const box of group.querySelectorAll('.field')) {
      const text = (box.dataset.key + ' ' + box.textContent).toLowerCase().replaceAll('_', ' ');
      box.hidden = !words.every((word) => text.includes(word));
      found += box.hidden ? 0 : 1;
    }
    group.hidden = found === 0;
    if (words.length) group.open = found > 0;
  }
}

// Shows a question in the fields.
export function show(question) {
  groups(question);
  for (const box of document.querySelectorAll('.field[data-key]')) {
    const path = box.dataset.key;
    const input = control(box, path, schemaOf(path), question);
    const value = get(question, path);
    const described = value && typeof value === 'object' && !Array.isArray(value);
    input.value = written(question, path);
    input.disabled = Boolean(described);
    if (described) input.placeholder = 'described in the file';
    box.classList.toggle('set', input.value !== '');
    facts(box, path, input.value);
  }
}

// The facts of what was chosen stand below it, in place of the meaning of its key.
function facts(box, path, value) {
  const chosen = value.split(',').map((name) => document.querySelector(`#l-${CSS.escape(path)} option[value="${CSS.escape(name.trim())}"]`)?.textContent);
  const about = box.querySelector('.words');
  about.textContent = chosen.some(Boolean) ? chosen.filter(Boolean).join('; ') : about.dataset.about;
}

// What is in force where the question says nothing, and who decided it.
export function inForce(settings) {
  for (const box of document.querySelectorAll('.field[data-key]')) {
    const input = box.querySelector('input');
    const setting = settings?.[box.dataset.key];
    if (input && !input.disabled) input.placeholder = setting ? `${setting.value} (${setting.origin})` : '';
    const first = box.querySelector('select')?.options[0];
    if (first) first.textContent = setting ? `${setting.value} (${setting.origin})` : '';
  }
}

export function showProblems(problems) {
  $('#problems').replaceChildren();
  for (const box of document.querySelectorAll('.field[data-key]')) {
    box.classList.remove('wrong');
    box.querySelector('.wrong-text').replaceChildren();
    box.querySelector('input, select').removeAttribute('aria-invalid');
  }
  for (const { key, text } of problems) {
    const box = boxOf(key);
    $('#problems').append(el('p', { class: 'wrong' }, text, ' ', ...(box ? [] : [...remedies(key, text), leftOut(key)])));
    if (box) {
      box.classList.add('wrong');
      box.querySelector('.wrong-text').append(text, ' ', ...remedies(box.dataset.key, text));
      box.querySelector('input, select').setAttribute('aria-invalid', 'true');
      for (let group = box.closest('details'); group; group = group.parentElement.closest('details')) group.open = true;
    }
  }
}

// The field of a key.
function boxOf(key) {
  const path = key.startsWith('sweep.') ? key.slice('sweep.'.length) : key;
  return document.querySelector(`.field[data-key="${CSS.escape(path)}"]`);
}

// The question with another strategy: parameters that it does not have are left out.
export function withStrategy(question, kind) {
  const known = offer.strategies.find(({ name }) => name === kind)?.parameters.map(({ name }) => name);
  const { strategy } = question;
  if (!known || !strategy || Array.isArray(strategy)) return question;
  return { ...question, strategy: Object.fromEntries(Object.entries(strategy).filter(([key]) => key === 'kind' || known.includes(key))) };
}

const leftOut = (key) => (key.includes('.') && !key.startsWith('sweep.') ? button('Leave out ' + key, () => change(key, '')) : null);

// What a message proposes, as buttons.
function remedies(key, text) {
  const values = [
    ...(/did you mean ([\w.-]+)/.exec(text)?.slice(1) ?? []),
    ...(/write ([\w.]+) or (?:less|more)/.exec(text)?.slice(1) ?? []),
    ...(/nearest multiples?: ([\d, ]+)/.exec(text)?.[1].split(',') ?? []),
    ...(/(?:choose|write) one of \[?([\w., -]+?)\]?(?:;|$)/.exec(text)?.[1].split(',') ?? []),
  ].map((value) => value.trim()).filter(Boolean).slice(0, 8);
  return key ? values.map((value) => button(value, () => change(key, value))) : [];
}

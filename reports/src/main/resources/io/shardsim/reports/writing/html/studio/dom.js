// Elements, made in one call: el('td', {class: 'n'}, '12').

export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const $ = (selector) => document.querySelector(selector);

export const button = (text, onclick, attributes = {}) => el('button', { type: 'button', onclick, ...attributes }, text);

// What to do with a file that is dropped on an element.
export function dropped(element, take) {
  element.addEventListener('dragover', (event) => event.preventDefault());
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
}

// A table of texts; numeric tells which columns are flush right.
export function table(head, rows, numeric = head.map((_, i) => i > 0)) {
  const cell = (name, text, i, scope) => el(name, { class: numeric[i] ? 'n' : undefined, scope }, text);
  return el('table', {},
    el('thead', {}, el('tr', {}, ...head.map((text, i) => cell('th', text, i, 'col')))),
    el('tbody', {}, ...rows.map((row) => el('tr', {},
      ...row.map((text, i) => (i === 0 ? cell('th', text, i, 'row') : cell('td', text, i)))))));
}

// A table that scrolls sideways where the page is narrower.
export const wide = (label, drawn) => el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, drawn);

// Three digits, as the report writes figures.
export function digits(value) {
  const rounded = Number(value.toPrecision(3));
  if (Math.abs(rounded) >= 1000) return rounded.toLocaleString('en-US');
  return Math.abs(rounded) < 1 ? String(rounded) : rounded.toPrecision(3);
}

export function seconds(value) {
  const size = Math.abs(value);
  const [factor, unit] = size >= 1 || size === 0 ? [1, 's'] : size >= 1e-3 ? [1e3, 'ms'] : [1e6, 'µs'];
  return digits(value * factor) + ' ' + unit;
}

export const signed = (text, value) => (value > 0 ? '+' + text : text.replace('-', '−'));

export function percent(share) {
  const size = Math.abs(share * 100);
  return signed((share * 100).toFixed(size < 10 ? 1 : 0) + ' %', share);
}

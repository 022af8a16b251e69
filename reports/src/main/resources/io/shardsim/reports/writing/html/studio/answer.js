// An answer: figures, what changed against the one before, why, and what to keep of it.
import { $, el, button, table, wide, seconds, signed, percent, digits } from './dom.js';
import * as server from './server.js';
import { pointOf } from './state.js';

const PINS_MAX = 4;

let offer;
let ask;
// The answer that is shown: {question, said, best, name}.
let shown = null;
let compared = false;
let pins = [];

export function build(given, onAsk) {
  offer = given;
  ask = onAsk;
  $('#report').addEventListener('load', fit);
  $('#drawn').addEventListener('toggle', draw);
}

export const isShown = () => shown !== null;

// The next answer is to another question altogether: nothing of the last one is compared with it.
export function forget() {
  compared = false;
}

// Its fastest run, or null where none fits.
function bestOf(document) {
  const place = document.summaries?.[0]?.fastest;
  return place === null || place === undefined ? null : document.runs[place];
}

export function show(question, said, signal) {
  const before = compared ? shown : null;
  compared = true;
  shown = { question, said, best: bestOf(said.document) };
  $('#shown').hidden = false;
  $('#answer').dataset.question = JSON.stringify(question);
  $('#lead').textContent = said.shown.lead;
  $('#subject').textContent = said.shown.subject;
  figures(before);
  why();
  runs();
  keep();
  drawPins();
  draw();
  $('#change').replaceChildren();
  if (before && comparable(before.best) && comparable(shown.best) && before.best.digest !== shown.best.digest) {
    change(before, shown, signal);
  }
}

// The report, where it is open. In place of the last one: a frame's pages would stand between the questions in the browser's history.
function draw() {
  const place = server.linked('api/report?key=' + shown?.said.key);
  if (!shown || !$('#drawn').open || $('#report').dataset.place === place) return;
  $('#report').dataset.place = place;
  $('#report').contentWindow.location.replace(place);
}

const comparable = (run) => Boolean(run && run.status === 'ok' && run.samples_per_second);

// The figures of the report; those that are another number than before say what it was.
function figures(before) {
  const old = Object.fromEntries((before?.said.shown.figures ?? []).map(({ name, value }) => [name, value]));
  $('#figures').replaceChildren(...shown.said.shown.figures.map(({ name, value, unit }) => el('div', {},
    el('dt', {}, name),
    el('dd', {}, value + ' ', el('span', {}, unit)),
    (old[name] ?? value) === value ? null : el('dd', { class: 'was' }, 'was ' + old[name]))));
  $('#range').textContent = shown.said.shown.range;
  $('#figures').dataset.samplesPerSecond = shown.best?.samples_per_second ?? '';
}

// What `compare` says of the fastest run before and the fastest run now.
async function change(before, after, signal) {
  $('#change').replaceChildren(el('p', {}, 'Simulating the effect of the change.'));
  try {
    const texts = { before: pointOf(before.question, before.best.point), after: pointOf(after.question, after.best.point) };
    const { document: difference } = await server.ask('compare', texts, {}, () => {}, signal);
    if (shown === after) $('#change').replaceChildren(...changed(difference));
  } catch (refused) {
    if (shown === after) $('#change').replaceChildren(...(signal.aborted ? [] : [el('p', {}, 'Not compared: ' + refused.message)]));
  }
}

function changed(difference) {
  const { a, b, causes, parts, tokens } = difference;
  const ratio = b.samples_per_second / a.samples_per_second - 1;
  const lead = `${a.label}, ${digits(a.samples_per_second)} samples/s, became ${b.label}, ${digits(b.samples_per_second)} samples/s (${percent(ratio)}).`;
  if (difference.change_seconds === undefined || difference.change_seconds === null) return [el('p', {}, lead)];
  const per = ` for ${digits(tokens / 1e6)} M tokens`;
  return [el('p', {}, lead),
    wide('Causes', table(['cause', 'seconds' + per, 'settings'], causes.map((cause) => [
      cause.causes.join(' and '), signed(seconds(cause.change_seconds), cause.change_seconds), settingsOf(cause, difference)]), [false, true, false])),
    el('details', { open: true }, el('summary', {}, 'Where the time goes'),
      wide('Where the time goes', table(['part', 'before', 'after', 'change'], parts.map((part) => [
        part.part, seconds(part.a_seconds), seconds(part.b_seconds), signed(seconds(part.change_seconds), part.change_seconds)]))))];
}

// The settings of a cause that somebody wrote come first; of the others only their number is told.
function settingsOf(cause, { differences }) {
  const all = differences.filter(({ key }) => cause.keys.includes(key));
  const text = ({ key, a, b }) => `${key} ${a?.value ?? 'none'} → ${b?.value ?? 'none'}`;
  const given = all.filter(({ a, b }) => a?.origin === 'given' || b?.origin === 'given');
  const named = (given.length ? given : all).slice(0, 3);
  const more = all.length - named.length;
  return named.map(text).join('; ') + (more > 0 ? `, and ${more} that follow from it` : '');
}

function why() {
  const { comparisons, verdicts, warnings, notes } = shown.said.shown;
  $('#why div').replaceChildren(
    ...comparisons.map((text) => el('p', {}, text)),
    el('dl', {}, ...verdicts.flatMap(({ name, why: reason }) => [el('dt', {}, name), el('dd', {}, reason)])),
    ...remarks('Warnings: read before you trust the figures', warnings),
    ...remarks('Notes', notes));
}

const remarks = (head, list) => (list.length === 0 ? [] : [el('details', { open: head.startsWith('W') },
  el('summary', {}, `${head} (${list.length})`), el('ul', {}, ...list.map(({ text, runs: of }) => el('li', {}, text, of && of !== 'all runs' ? el('span', { class: 'of' }, ` (${of})`) : null))))]);

function runs() {
  $('#runs').hidden = shown.said.document.runs.length === 1;
  const { head, rows, numeric } = shown.said.shown.runs;
  $('#runs .scroll').replaceChildren(table(head, rows, numeric));
}

// What to take along: an address, files, a command.
function keep() {
  const { said, question, best } = shown;
  const pinned = pins.some((pin) => pin.said.key === said.key);
  const select = el('select', { onchange: (event) => event.target.value && write(event.target.value) },
    el('option', { value: '' }, 'Configuration for …'), ...writable(best).map(({ word, title }) => el('option', { value: word }, title)));
  $('#keep').replaceChildren(
    button(pinned ? 'Pinned' : 'Pin', pin, { id: 'pin', 'aria-pressed': String(pinned), disabled: !best }),
    button('Copy the link', () => copy(location.href)),
    button('Save the YAML', () => save(name(question) + '.yaml', $('#yaml').value)),
    button('Show the command', () => exported(command(question))),
    el('a', { href: server.linked('api/report?save=1&key=' + said.key), download: 'report.html' }, 'report'),
    el('a', { href: server.linked('api/report?as=csv&key=' + said.key), download: 'results.csv' }, 'CSV'),
    el('label', {}, el('span', { class: 'unseen' }, 'Configuration of the fastest run for'), select),
    el('span', { id: 'kept', role: 'status' }));
}

const name = (question) => String(question.scenario ?? 'question');

const writable = (run) => offer.frameworks.filter(({ kinds }) => run && kinds.includes(run.strategy));

const command = (question) => `shardsim run ${name(question)}.yaml${$('#tokens').value && ' --tokens ' + $('#tokens').value}\n\nwith ${name(question)}.yaml as\n\n${$('#yaml').value}`;

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    $('#kept').textContent = 'Copied.';
  } catch {
    exported(text);
  }
}

function save(file, text) {
  const link = el('a', { href: URL.createObjectURL(new Blob([text])), download: file });
  link.click();
  URL.revokeObjectURL(link.href);
}

function exported(text) {
  $('#exported').hidden = false;
  $('#exported').textContent = text;
}

async function write(framework) {
  const { question, said, best } = shown;
  try {
    const got = await server.post('api/export', { scenario: question, framework, point: said.document.runs.indexOf(best) });
    const files = got.files.map(({ name: file, text }) => `==> ${file} <==\n${text}`);
    exported([...files, 'Run: ' + got.launch, ...got.notes, ...got.lost].join('\n'));
  } catch (refused) {
    exported(refused.message);
  }
}

function pin() {
  const key = shown.said.key;
  pins = pins.some((one) => one.said.key === key) ? pins.filter((one) => one.said.key !== key) : [...pins, shown].slice(-PINS_MAX);
  keep();
  drawPins();
}

// Pinned answers side by side: figures, what they differ in, and their prices.
function drawPins() {
  $('#pins').hidden = pins.length === 0;
  if (pins.length === 0) return;
  const settings = pins.map((one) => one.best.settings);
  const keys = [...new Set(settings.flatMap(Object.keys))].filter((key) => new Set(settings.map((of) => of[key]?.value)).size > 1);
  const names = [...new Set(pins.flatMap((one) => one.said.shown.figures.map((each) => each.name)))];
  const rows = [
    ...names.map((row) => [row, ...pins.map((one) => {
      const found = one.said.shown.figures.find((each) => each.name === row);
      return found ? `${found.value} ${found.unit}`.trim() : '–';
    })]),
    ...keys.map((key) => [key, ...settings.map((of) => of[key]?.value ?? '–')]),
  ];
  const head = ['', ...pins.map((one) => one.best.strategy_label)];
  const drawn = table(head, rows, head.map(() => false));
  drawn.append(el('tfoot', {}, el('tr', {}, el('td'), ...pins.map((one) => el('td', {},
    button('Ask again', () => ask(one.question)), ' ',
    button('Unpin', () => { pins = pins.filter((other) => other !== one); keep(); drawPins(); }))))));
  $('#pins .scroll').replaceChildren(drawn);
}

// The frame is as high as the report.
function fit() {
  const page = $('#report').contentDocument?.documentElement;
  if (page) $('#report').style.height = Math.min(9000, page.scrollHeight + 20) + 'px';
}

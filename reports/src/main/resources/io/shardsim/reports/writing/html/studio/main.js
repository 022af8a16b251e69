// Asks what the fields say, shows the answer, and keeps the question in the address.
import { $, el, button, digits, dropped } from './dom.js';
import * as server from './server.js';
import { write, toAddress, fromAddress, tokensOf } from './state.js';
import * as measuring from './measuring.js';
import * as form from './form.js';
import * as answer from './answer.js';
import * as find from './find.js';

let question;
// The question that is asked now, and what ends it.
let turn = 0;
let ending = new AbortController();

async function begin() {
  const offer = await server.get('api/offer');
  form.build(offer, changeKey);
  answer.build(offer, (other) => ask(other));
  find.build((other) => ask(other));
  $('#build').textContent = offer.build;
  $('#examples').append(...offer.examples.map((name) => button(exampleWords(offer, name), () => open(name))));
  $('#library').append(...offer.library.map(({ name, about }) => el('option', { value: name, title: about }, name)));
  $('#library').addEventListener('change', (event) => event.target.value && open(event.target.value));
  $('#apply').addEventListener('click', () => read('scenario.yaml', $('#yaml').value));
  $('#file').addEventListener('change', (event) => readFile(event.target.files[0]));
  $('#tokens').addEventListener('change', () => ask(question));
  $('#cancel').addEventListener('click', stop);
  dropped($('#yaml'), readFile);
  const asked = async () => {
    $('#tokens').value = tokensOf(location.hash);
    await ask((await fromAddress(location.hash)) ?? offer.start, false);
  };
  window.addEventListener('popstate', asked);
  await asked();
}

function changeKey(path, text) {
  const changed = write(question, path, text);
  ask(path === 'strategy.kind' ? form.withStrategy(changed, text) : changed);
}

function exampleWords(offer, name) {
  return offer.library.find((one) => one.name === name).about.split(/(?<=[?.])\s/)[0];
}

async function open(name) {
  answer.forget();
  ask((await server.get('api/library?name=' + encodeURIComponent(name))).scenario);
}

async function readFile(file) {
  if (file) read(file.name, await file.text(), new Date(file.lastModified));
}

async function read(name, text, written = new Date()) {
  try {
    const got = await server.post('api/read', { name, text });
    if (got.log) {
      await calibrate(text, name, written.toISOString().slice(0, 10));
      return;
    }
    imported(got.notes);
    answer.forget();
    ask(got.scenario);
  } catch (refused) {
    wrong(refused, 'This cannot be read.');
  }
}

// What changes it is a field here, not an option.
const imported = (notes) => $('#imported').replaceChildren(...notes.map((note) => el('li', {}, note.replace(/[;,.]?\s*--[\w-]+ [A-Z]+ changes it/g, ''))));

function wrong(refused, words) {
  form.showProblems((refused.problems ?? [refused.message]).map((text) => ({ key: '', text })));
  state('problems', words);
}

// A log of nccl-tests: the question's instance becomes one that reaches what was measured.
async function calibrate(log, file, date) {
  const base = measuring.base(question);
  if (!base) throw new Error('This log calibrates an instance. Choose a catalog instance, without a sweep, and drop the log again.');
  const { signal, current } = begun();
  state('asking', `Simulating the sizes of the log on ${base}.`);
  const { document: found } = await server.ask('calibrate', { log }, { base }, (progress) => current() && tell(progress), signal).catch((failure) => {
    if (current() && !signal.aborted) throw failure;
    return {};
  });
  if (!found) return;
  imported(measuring.notes(found));
  if (Object.keys(found.figures).length === 0) throw new Error(`This log is not enough to fit any figure of ${base}. Give all sizes, on two nodes or more.`);
  ask(measuring.measured(question, base, found, file, date));
}

function state(name, words) {
  $('#answer').dataset.state = name;
  $('#answer').setAttribute('aria-busy', name === 'asking');
  $('#status').textContent = words;
  $('#waiting').hidden = name !== 'asking';
}

function stop() {
  turn++;
  ending.abort();
  state('stopped', 'Stopped. Any result shown is for an earlier question.');
}

// What is asked from now on, in place of what was.
function begun() {
  ending.abort();
  ending = new AbortController();
  const mine = ++turn;
  return { signal: ending.signal, current: () => mine === turn };
}

// Asks a question in place of the one that is asked now; `push` keeps the last one for the browser's back button.
async function ask(next, push = true) {
  const { signal, current } = begun();
  question = next;
  $('#question').dataset.question = JSON.stringify(question);
  form.show(question);
  $('#bound').textContent = '';
  find.clear();
  state('asking', answer.isShown() ? 'Simulating. Results below are for the previous question.' : 'Simulating.');
  const address = location.pathname + location.search + (await toAddress(question, $('#tokens').value));
  if (!current()) return;
  if (push) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  try {
    const seen = await server.post('api/look', { scenario: question }, signal);
    if (!current()) return;
    if (document.activeElement !== $('#yaml')) $('#yaml').value = seen.yaml;
    form.showProblems(seen.problems);
    if (seen.problems.length) {
      state('problems', (seen.problems.length === 1 ? 'One thing is' : `${seen.problems.length} things are`) + ' wrong with the question.'
        + (answer.isShown() ? ' Results below are for the previous question.' : ''));
      return;
    }
    $('#bound').textContent = bound(seen);
    const said = await server.ask('run', { question }, { 'no-trials': true, tokens: $('#tokens').value || undefined }, (progress) => current() && tell(progress), signal);
    if (!current()) return;
    $('#bound').textContent = '';
    form.inForce(said.document.runs[0]?.settings);
    state('done', said.ended ?? (seen.runs === 1 ? 'Answered: one run.' : `Answered: ${seen.runs} runs.`));
    answer.show(question, said, signal);
    find.offer(question, said);
  } catch (failure) {
    if (!current() || signal.aborted) return;
    wrong(failure, 'No answer.');
  }
}

// What is known before anything has run; never in the place of what is simulated.
function bound(seen) {
  const most = Math.max(0, ...seen.points.map((point) => point.at_most_samples_per_second ?? 0));
  const misfits = seen.points.filter((point) => point.fits === false).length;
  const words = most > 0 ? `At most ${digits(most)} samples/s (upper bound). ` : '';
  return words + (misfits ? `${misfits} of ${seen.points.length} checked ${misfits === 1 ? 'does' : 'do'} not fit in memory.` : '');
}

function tell({ share, text }) {
  $('#waiting progress').value = share;
  $('#status').textContent = text ? 'Simulating: ' + text : 'Simulating.';
}

begin().catch((failure) => state('problems', failure.message));

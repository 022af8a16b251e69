// Further questions about an answer: what would be faster, what is best, why is mine slow.
import { $, el, button, dropped, table, wide, digits, percent } from './dom.js';
import * as server from './server.js';
import { apply, pointOf, set } from './state.js';

// What a search may choose.
const AXES = {
  strategy: 'strategy', 'training.micro_batch': 'micro-batch', 'training.activation_checkpointing': 'checkpointing',
  'cluster.nodes': 'nodes', 'cluster.instance': 'instance',
};

// Stops of the sliders; the last is no limit.
const DAYS = ['1', '2', '3', '5', '7', '10', '14', '21', '30', '45', '60', '90', '180', '365', ''];
const DOLLARS = ['1k', '2k', '5k', '10k', '20k', '50k', '100k', '200k', '400k', '700k', '1M', '2M', '5M', '10M', ''];

const SUSPECTS_MAX = 4;
// Letters of a log that are sent of either end: a question has at most 1 MiB.
const LOG_END = 400000;

let ask;
let of = null;
let ending = new AbortController();
const found = el('div', { class: 'found', id: 'found' });
const status = el('p', { role: 'status', id: 'found-status' });

export function build(onAsk) {
  ask = onAsk;
  const axes = Object.entries(AXES).map(([key, text]) => el('label', {},
    el('input', { type: 'checkbox', value: key, checked: key !== 'cluster.nodes' && key !== 'cluster.instance' }), ' ' + text));
  $('#find').append(
    el('p', { class: 'buttons' },
      button('What would be faster?', whatIf, { id: 'what-if' }),
      button('Find the best', () => { $('#plan').hidden = !$('#plan').hidden; }, { 'aria-controls': 'plan', id: 'best' }),
      button('Why is my run slow?', () => { $('#slow').hidden = !$('#slow').hidden; }, { 'aria-controls': 'slow', id: 'mine' })),
    el('div', { id: 'plan', class: 'search-box', hidden: true },
      el('fieldset', { class: 'axes' }, el('legend', {}, 'Settings to search'), ...axes),
      limit('deadline', 'in at most', 'days', 6, '30', DAYS),
      limit('budget', 'for at most', 'dollars', 8, '400k', DOLLARS),
      el('label', {}, 'best is ', el('select', { id: 'objective' }, el('option', {}, 'fastest'), el('option', {}, 'cheapest'))),
      button('Search', plan, { id: 'search' })),
    el('div', { id: 'slow', class: 'search-box', hidden: true },
      el('label', {}, 'My run reaches ', el('input', { id: 'measured', size: 16, placeholder: '95 samples/s' })),
      el('label', { for: 'log' }, 'or paste or drop its log, or an NCCL_DEBUG=INFO log:'),
      el('textarea', { id: 'log', rows: 4, spellcheck: 'false' }),
      button('Diagnose', doctor, { id: 'doctor' })),
    status, found);
  dropped($('#log'), async (file) => { $('#log').value = ends(await file.text()); });
}

// A limit, which one writes or draws with a slider.
function limit(id, before, unit, size, placeholder, stops) {
  const field = el('input', { id, size, placeholder });
  const last = stops.length - 1;
  const slider = el('input', {
    type: 'range', min: 0, max: last, value: last, 'aria-label': `${before} ${unit}`, 'aria-valuetext': 'no limit',
    oninput: () => { field.value = stops[slider.value]; tell(); },
  });
  const tell = () => slider.setAttribute('aria-valuetext', field.value ? `${field.value} ${unit}` : 'no limit');
  field.addEventListener('input', () => {
    const place = stops.indexOf(field.value.trim());
    if (place >= 0) slider.value = place;
    tell();
  });
  return el('span', { class: 'limit' }, el('label', {}, before + ' ', field, ' ' + unit), ' ', slider);
}

// Asks about another answer from now on.
export function offer(question, said) {
  const best = said.document.runs[said.document.summaries[0]?.fastest] ?? null;
  of = best && { question: pointOf(question, best.point), run: best };
  for (const one of $('#find').querySelectorAll('button')) one.disabled = !of;
}

export function clear() {
  ending.abort();
  of = null;
  found.replaceChildren();
  status.textContent = '';
  for (const one of $('#find').querySelectorAll('button')) one.disabled = true;
}

async function inquire(type, question, options, draw, texts = {}) {
  ending.abort();
  ending = new AbortController();
  const { signal } = ending;
  found.replaceChildren(button('Stop', () => { ending.abort(); found.replaceChildren(); status.textContent = 'Stopped.'; }));
  status.textContent = 'Simulating.';
  try {
    const said = await server.ask(type, { question, ...texts }, options, ({ text }) => { status.textContent = text || 'Simulating.'; }, signal);
    if (signal.aborted) return;
    status.textContent = said.ended ?? '';
    found.replaceChildren(...draw(said.document));
  } catch (refused) {
    if (signal.aborted) return;
    status.textContent = '';
    found.replaceChildren(el('p', { class: 'wrong' }, inWords(refused.message)));
  }
}

// A message of a command, whose options are fields here.
const inWords = (message) => message
  .replace(/^Invalid value for option '--[\w-]+'( \(\w+\))?: /, '')
  .replace(/^--measured: no log has a speed.*/s, 'The log has no speed. Enter the speed of your run above it.');

const change = (text, question) => button(text, () => ask(question));

function whatIf() {
  const { question } = of;
  inquire('what-if', question, {}, ({ runs: [run] }) => {
    const gains = run.settings.filter(({ gain }) => gain > 0);
    const losses = run.settings.length - gains.length;
    return [
      el('p', {}, gains.length ? `${gains.length} of ${run.settings.length + run.without_effect.length} settings help; each was simulated alone.` : 'No setting helps; each was simulated alone.'),
      actions(['setting', 'samples/s', 'gain', ''], gains.map((gain) => proposal(question, gain))),
      el('p', {}, bounded(run) + (losses ? ` ${losses} settings cost speed, ${run.too_large.length} do not fit.` : '')),
    ];
  });
}

function bounded({ bound_by: resource, resources }) {
  const one = resources.find((each) => each.resource === resource);
  return one ? `Bound by ${resource.replaceAll('_', ' ')}: 10 % more of it gains ${percent(one.better_gain)}.` : '';
}

// The limits as the command takes them; what is no amount above 0 is refused with all others.
function limits() {
  const units = { deadline: 'd', budget: ' USD' };
  const texts = Object.keys(units).map((id) => [id, $('#' + id).value.trim()]);
  const wrong = texts.filter(([, text]) => text !== '' && !/^(?=.*[1-9])[0-9]+([.][0-9]+)?[kM]?$/.test(text));
  if (wrong.length) {
    throw new Error(wrong.map(([id, text]) => `${text} is not a number of ${id === 'deadline' ? 'days' : 'dollars'} above 0; write for example ${$('#' + id).placeholder}.`).join(' '));
  }
  return Object.fromEntries(texts.map(([id, text]) => [id, text === '' ? undefined : text + units[id]]));
}

function plan() {
  const { question } = of;
  const value = (id) => $('#' + id).value.trim() || undefined;
  let limited;
  try {
    limited = limits();
  } catch (refused) {
    found.replaceChildren(el('p', { class: 'wrong' }, refused.message));
    return;
  }
  const free = [...document.querySelectorAll('#plan .axes input:checked')].map((axis) => axis.value);
  const options = { free: free.join(',') || undefined, ...limited, tokens: value('tokens'), objective: $('#objective').value, 'time-limit': '40s' };
  // What no axis frees stays as it is; a micro-batch goes with what it was chosen for.
  inquire('plan', question, options, (planned) => {
    const apart = differing(planned.candidates);
    return [
      el('p', {}, `${planned.searched} candidates: ${planned.simulated} simulated, ${planned.pruned_by_memory} do not fit, ${planned.pruned_by_bound} ruled out by a lower bound on time.`
        + (planned.unlisted ? ` Out of time for ${planned.unlisted} further combinations of instance, nodes and strategy: tick fewer settings.` : '')
        + (planned.left ? ` Out of time: ${planned.left} are left, which could save ${percent(planned.gap).slice(1)} at most.` : '')),
      actions(['strategy', 'nodes', 'micro-batch', ...apart.map(([, key]) => key.replaceAll('_', ' ')), 'samples/s', 'days', 'dollars', ''], planned.candidates.map((candidate) => [
        words(candidate.strategy), String(candidate.cluster.nodes), String(candidate.training.micro_batch),
        ...apart.map(([block, key]) => String(candidate[block][key])), digits(candidate.samples_per_second),
        digits(candidate.days), candidate.usd ? '$' + digits(candidate.usd) : '–', change('Apply', candidateOf(question, candidate))])),
      el('p', { hidden: !planned.other_strategies.length }, 'Other strategies: ' + planned.other_strategies.map(({ strategy, samples_per_second: rate }) =>
        strategy + ' ' + (rate ? digits(rate) : 'does not fit or meet the limits')).join(', ') + ' (samples/s).'),
    ];
  });
}

// What tells candidates apart, beside strategy, nodes and micro-batch.
function differing(candidates) {
  return ['training', 'cluster'].flatMap((block) => Object.keys(candidates[0]?.[block] ?? {}).map((key) => [block, key]))
    .filter(([block, key]) => !['nodes', 'micro_batch'].includes(key) && candidates.some((candidate) => candidate[block][key] !== candidates[0][block][key]));
}

const words = ({ kind, ...parameters }) => [kind, ...Object.entries(parameters).filter(([, value]) => value !== 1).map(([key, value]) => `${key} ${value}`)].join(', ');

function candidateOf(question, { strategy, training, cluster }) {
  const kept = strategy.kind === question.strategy?.kind ? question : set(question, 'strategy', undefined);
  const { instance, ...own } = cluster;
  // A cluster that the question describes has no name.
  const blocks = { strategy, training, cluster: instance === 'inline' ? own : cluster };
  return Object.entries(blocks).reduce((changed, [block, values]) =>
    Object.entries(values).reduce((inner, [key, value]) => set(inner, block + '.' + key, value), changed), kept);
}

// What is known before any fault is simulated.
function expected({ samples_per_second: rate, accuracy }) {
  const range = accuracy ? `A healthy run reaches ${digits(rate / (1 + accuracy.error_high))} to ${digits(rate / (1 + accuracy.error_low))} samples/s, simulated ${digits(rate)}.` : '';
  return el('p', {}, range + ' Simulating faults and other settings, about 20 s.');
}

function doctor() {
  const { question, run } = of;
  const log = ends($('#log').value.trim());
  inquire('doctor', question, { measured: $('#measured').value.trim() || undefined }, ({ contradictions, evidence, explanation, gains, untried }) => [
    ...contradictions.map((text) => el('p', { class: 'wrong' }, `Contradiction: ${text}.`)),
    ...health(explanation.logs[0]),
    ...evidence.map((text) => el('p', {}, text)),
    explanation.suspects.length === 0 ? el('p', {}, explanation.logs[0].as_expected ? '' : 'No known fault explains it.')
      : el('ol', {}, ...explanation.suspects.slice(0, SUSPECTS_MAX).map(suspect)),
    el('p', {}, gains.length ? 'Best settings, each simulated without a fault:' : 'No setting tried gains 2 %.'),
    actions(['setting', 'samples/s', 'gain', ''], gains.map((gain) => proposal(question, gain))),
    el('p', { hidden: !untried.length }, `Not tried, too costly: ${untried.join(', ')}.`),
  ], log ? { log } : {});
  found.prepend(expected(run));
}

// Of a log that is too long to send, where NCCL tells of its networks and where the speed has settled.
function ends(log) {
  return log.length <= 2 * LOG_END ? log : log.slice(0, LOG_END) + '\n' + log.slice(-LOG_END);
}

// The range in which a healthy run lies, what was measured, and what the difference costs.
const health = ({ unit, measured, healthy, healthy_low: low, healthy_high: high, as_expected: usual, times_as_fast: times, usd_per_day: day, lost_usd_per_day: lost }) => [
  el('p', {}, el('strong', {}, `Healthy: ${digits(low)} to ${digits(high)} ${unit}`), `, simulated ${digits(healthy)}. Measured: ${digits(measured)}. `,
    usual ? 'As expected.' : times > 1 ? `A healthy run is ${digits(times)} times as fast.` : 'Faster than expected.'),
  lost > 0 ? el('p', {}, `The gap costs $${digits(lost)} of the $${digits(day)} that the cluster costs per day.`) : '',
];

// A cause: how likely it is, what it would come to, and where to look.
const suspect = ({ title, likely, simulated: [rate], look_at: places }) => el('li', {},
  `${title}: ${digits(rate)}`, likely ? `, likely by ${percent(likely).slice(1)}` : ', not likely',
  el('ul', {}, ...places.map((place) => el('li', {}, place))));

const proposal = (question, { title, samples_per_second: rate, gain, set: settings }) =>
  [title, digits(rate), percent(gain), change('Apply', apply(question, settings))];

// A table whose last column holds buttons.
function actions(head, rows) {
  return rows.length === 0 ? '' : wide('Suggestions', table(head, rows, head.map((_, i) => i > 0 && i < head.length - 1)));
}

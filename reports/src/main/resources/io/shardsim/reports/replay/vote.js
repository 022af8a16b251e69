// A phone's page: the question that is open, one answer.

import {Scale} from './scale.js';
import {part} from './votes.js';

const LOOK_EVERY_MS = 1500;
const VOTER = 'shardsim-voter';
const form = document.getElementById('vote');
const told = document.getElementById('told');
let shown = '';

/** One voice for each browser, whatever it answers; a page that may not remember has one while it is open. */
const voter = (() => {
  const fresh = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
  try {
    const known = localStorage.getItem(VOTER) ?? fresh;
    localStorage.setItem(VOTER, known);
    return known;
  } catch {
    return fresh;
  }
})();

async function json(response) {
  const document = await response.json();
  if (!response.ok) throw new Error(document.error ?? 'no answer');
  return document;
}

async function say(value, words) {
  try {
    await json(await fetch('api/vote', {method: 'POST', body: JSON.stringify({id: shown, voter, value: String(value)})}));
    told.textContent = `You said ${words}. The answer will appear on the screen.`;
  } catch (failure) {
    told.textContent = failure.message;
  }
}

/** A bar to drag, with what is given above it. */
function askQuantity({words, unit, given, asked}) {
  const scale = new Scale(unit, given);
  const question = document.createElement('fieldset');
  const slider = Object.assign(document.createElement('input'), {type: 'range', id: 'prediction', min: 0, max: scale.steps, step: 1, value: Math.round(scale.position(given[0].value))});
  const output = document.createElement('output');
  const label = Object.assign(part('label', `${asked}: `), {htmlFor: slider.id});
  const tell = () => {
    output.value = scale.words(scale.value(slider.value));
    slider.setAttribute('aria-valuetext', output.value);
  };
  const submit = Object.assign(part('button', 'Send'), {type: 'submit', id: 'say', disabled: true});
  slider.addEventListener('input', () => {
    submit.disabled = false;
    tell();
  });
  tell();
  label.append(output);
  question.append(part('legend', words), ...given.map(({name, text}) => part('p', `${name}: ${text}`)), label, slider);
  form.replaceChildren(question, submit);
  form.onsubmit = event => {
    event.preventDefault();
    say(scale.value(slider.value), output.value);
  };
}

function askChoice({words, options}) {
  const question = document.createElement('fieldset');
  question.append(part('legend', words));
  options.forEach((name, i) => {
    const button = Object.assign(part('button', name), {type: 'button', className: 'choice'});
    button.addEventListener('click', () => say(i, name));
    question.append(button);
  });
  form.replaceChildren(question);
}

async function look() {
  try {
    const {id, question} = await json(await fetch('api/poll'));
    if (id !== shown) {
      shown = id;
      form.dataset.question = id;
      told.textContent = id ? '' : 'The question is closed. See the screen.';
      if (!id) form.replaceChildren(); else if (question.options) askChoice(question); else askQuantity(question);
    }
  } catch {
    told.textContent = 'The server does not answer; retrying.';
    shown = '';
  }
  setTimeout(look, LOOK_EVERY_MS);
}

look();

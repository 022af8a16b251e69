// Words of the field explain themselves where they are first used; what they mean is the report's glossary.

import {GLOSSARY} from './glossary.js';

const escaped = words => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** The longest first, since one may be a part of another. */
const TERM = new RegExp(`\\b(${GLOSSARY.map(({name}) => escaped(name)).sort((a, b) => b.length - a.length).join('|')})(e?s)?\\b`, 'gi');
const MEANINGS = new Map(GLOSSARY.map(({name, meaning}) => [name.toLowerCase(), meaning]));

/**
 * Makes the first use of each term in some paragraphs a button that shows its meaning below the paragraph.
 *
 * @param explained terms that were used before
 */
export function explainTerms(paragraphs, explained = new Set()) {
  for (const paragraph of paragraphs) {
    const text = paragraph.textContent;
    const parts = [];
    let from = 0;
    for (const match of text.matchAll(TERM)) {
      const name = match[1].toLowerCase();
      if (explained.has(name)) continue;
      explained.add(name);
      parts.push(text.slice(from, match.index), termOf(match[0], MEANINGS.get(name), paragraph));
      from = match.index + match[0].length;
    }
    if (parts.length) paragraph.replaceChildren(...parts, text.slice(from));
  }
}

function termOf(words, meaning, paragraph) {
  const term = Object.assign(document.createElement('button'), {type: 'button', className: 'term', textContent: words});
  term.setAttribute('aria-expanded', 'false');
  let shown = null;
  term.addEventListener('click', () => {
    if (shown) shown.remove();
    shown = shown ? null : Object.assign(document.createElement('small'), {className: 'meaning', textContent: meaning});
    if (shown) paragraph.append(shown);
    term.setAttribute('aria-expanded', String(Boolean(shown)));
  });
  return term;
}

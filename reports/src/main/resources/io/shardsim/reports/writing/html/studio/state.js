// A question: the keys of a scenario as plain objects. It is never changed in place, and its address holds all of it.

export function get(question, path) {
  return path.split('.').reduce((block, key) => (block && typeof block === 'object' ? block[key] : undefined), question);
}

export function set(question, path, value) {
  const [key, ...rest] = path.split('.');
  const copy = { ...question };
  const inner = rest.length ? set(isBlock(copy[key]) ? copy[key] : {}, rest.join('.'), value) : value;
  if (inner === undefined || (rest.length && Object.keys(inner).length === 0)) {
    delete copy[key];
  } else {
    copy[key] = inner;
  }
  return copy;
}

const isBlock = (value) => value && typeof value === 'object' && !Array.isArray(value);

// What a field shows: the values of a sweep, or the value of the key.
export function written(question, path) {
  const swept = sweptOf(question, path);
  const value = swept ?? get(question, path);
  if (value === undefined || isBlock(value)) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

// The values of a key in a sweep, which may list the whole block that holds it.
function sweptOf(question, path) {
  const dot = path.lastIndexOf('.');
  const blocks = question.sweep?.[path.slice(0, dot)];
  return question.sweep?.[path] ?? (Array.isArray(blocks) ? blocks.map((block) => block[path.slice(dot + 1)]) : undefined);
}

export const isSwept = (question, path) => sweptOf(question, path) !== undefined;

// A field's text in a question: several values, with commas, are a sweep.
export function write(question, path, text) {
  const values = text.split(',').map((part) => part.trim()).filter(Boolean).map(scalar);
  const without = withoutSweep(question, path);
  if (values.length > 1) {
    return { ...set(without, path, values[0]), sweep: { ...without.sweep, [path]: values } };
  }
  return set(without, path, values[0]);
}

function withoutSweep(question, path) {
  if (!question.sweep) return question;
  const { [path]: gone, [path.slice(0, path.lastIndexOf('.'))]: whole, ...sweep } = question.sweep;
  const { sweep: all, ...rest } = question;
  return Object.keys(sweep).length ? { ...rest, sweep } : rest;
}

export function scalar(text) {
  if (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

// The same with settings of an advice, such as {"strategy.kind": "mics"}; what they set is no longer swept.
export function apply(question, settings) {
  return Object.entries(settings).reduce(
    (changed, [path, value]) => set(withoutSweep(changed, path), path, scalar(String(value))), question);
}

// One point of a sweep as a question of its own.
export function pointOf(question, values) {
  const { sweep, ...rest } = question;
  return Object.entries(values).reduce((changed, [path, value]) => set(changed, path, value), rest);
}

export async function toAddress(question, tokens) {
  const bytes = new Response(new Blob([JSON.stringify(question)]).stream().pipeThrough(new CompressionStream('deflate-raw')));
  const text = String.fromCharCode(...new Uint8Array(await bytes.arrayBuffer()));
  const packed = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return '#q=' + packed + (tokens ? '&tokens=' + encodeURIComponent(tokens) : '');
}

// For how many tokens days and dollars are asked; empty for what the commands take by themselves.
export const tokensOf = (hash) => decodeURIComponent(/&tokens=([^&]*)/.exec(hash)?.[1] ?? '');

// Null where the address holds none, or a broken one.
export async function fromAddress(hash) {
  const packed = /[#&]q=([\w-]+)/.exec(hash)?.[1];
  if (!packed) return null;
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
    const question = JSON.parse(text);
    return isBlock(question) ? question : null;
  } catch {
    return null;
  }
}

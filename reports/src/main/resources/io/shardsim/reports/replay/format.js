// Quantities in words. Three significant digits, units as in the report: GB is 10^9 bytes.

const PREFIXES = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];

function significant(value) {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 12));
}

export function bytes(value) {
  const [scale, prefix] = PREFIXES.find(([size]) => value >= size) ?? [1, ''];
  return `${significant(value / scale)} ${prefix}B`;
}

/** A duration or an instant. */
export function time(ps) {
  const sizes = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us'], [1e3, 'ns'], [1, 'ps']];
  const [scale, unit] = sizes.find(([size]) => Math.abs(ps) >= size) ?? [1, 'ps'];
  return `${significant(ps / scale)} ${unit}`;
}

/** An instant in the unit of the whole, with as many digits as its step needs, so that it does not jump while it runs. */
export function instant(ps, stepPs, endPs) {
  const [scale, unit] = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us']].find(([size]) => endPs >= size) ?? [1e3, 'ns'];
  return `${(ps / scale).toFixed(Math.max(0, Math.ceil(Math.log10(scale / Math.max(1, stepPs)))))} ${unit}`;
}

/** A quantity in the unit of a lesson's figure. */
export function amount(value, unit) {
  return {s: () => time(value * 1e12), B: () => bytes(value), 'B/s': () => `${bytes(value)}/s`, GiB: () => `${significant(value / 2 ** 30)} GiB`, '%': () => percent(value)}[unit]?.()
    ?? `${Number(value.toPrecision(3)).toLocaleString('en')} ${unit}`;
}

/** How many times as much: two digits. */
export function factor(times) {
  return String(Number(times.toPrecision(2)));
}

/** How long something plays on the screen. */
export function span(seconds) {
  const sizes = [[86400, 'days'], [3600, 'h'], [60, 'min'], [1, 's']];
  const [size, unit] = sizes.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Number((seconds / size).toPrecision(2))} ${unit}`;
}

/** How the screen's clock goes against that of the run. */
export function speed(slowDown) {
  const rounded = value => Number(value.toPrecision(2)).toLocaleString('en');
  return slowDown >= 1 ? `${rounded(slowDown)}\u00d7 slower` : `${rounded(1 / slowDown)}\u00d7 faster`;
}

function percent(share) {
  return `${significant(100 * share)} %`;
}

export function count(value) {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

export function change(now, before) {
  if (!before || now === before) return '';
  const ratio = now / before;
  if (ratio >= 2 || ratio <= 0.5) return `${significant(ratio)} times as much`;
  return `${ratio > 1 ? '+' : '\u2212'}${percent(Math.abs(ratio - 1))}`;
}

// The address says what is shown, so that it can be passed on: part, lesson with its answer, stop, instant.

/** Of a file it is what follows the hash: a browser lets a page from disk change nothing else. */
const isFile = location.protocol === 'file:';
/** What holds for the page whatever it shows. */
const STAYS = ['present'];

export function readAddress() {
  return new URLSearchParams(isFile ? location.hash.slice(1) : location.search);
}

/** @param parts by name; one without a value stands alone, one that is undefined is left out */
export function writeAddress(parts) {
  const old = readAddress();
  const all = [...STAYS.filter(name => old.has(name)).map(name => [name, '']), ...Object.entries(parts)];
  const text = all.filter(([, value]) => value !== undefined)
    .map(([name, value]) => value === '' ? name : `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`).join('&');
  history.replaceState(null, '', `${isFile ? '#' : '?'}${text}`);
}

// What the page asks the server.

const token = new URLSearchParams(location.search).get('token');

const headers = () => ({ 'Content-Type': 'application/json', ...(token ? { Authorization: 'Bearer ' + token } : {}) });

// An address of the server for a frame or a link, which cannot send the token otherwise.
export const linked = (path) => path + (token ? '&token=' + encodeURIComponent(token) : '');

export class Refused extends Error {
  constructor(problems) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

async function checked(response) {
  if (response.ok) return response;
  const said = await response.json().catch(() => ({ error: 'the server answered ' + response.status }));
  throw new Refused(said.problems ?? [said.error]);
}

export async function get(path) {
  return (await checked(await fetch(path, { headers: headers() }))).json();
}

export async function post(path, body, signal) {
  return (await checked(await fetch(path, { method: 'POST', headers: headers(), body: JSON.stringify(body), signal }))).json();
}

// Asks, tells how far it is, and returns the answer; ends when the signal says so.
export async function ask(type, texts, options, progress, signal) {
  const body = JSON.stringify({ type, arguments: Object.keys(texts), texts, options });
  const response = await checked(await fetch('api/ask', { method: 'POST', headers: headers(), body, signal }));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error('the server has stopped');
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const message = JSON.parse(line);
      if (message.type === 'progress') progress(message);
      else if (message.type === 'problems') throw new Refused(message.problems);
      else return message;
    }
  }
}

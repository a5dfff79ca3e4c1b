// Client of the JSON API. Error messages become exceptions.

/** Error message of the server. */
export class Refusal extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

let secret = null;

/** GET request; null and empty parameters are left out. */
export async function read(path, parameters = {}, signal) {
  return answer(await fetch(address(path, parameters), { signal }));
}

/** POST request with the CSRF secret; tries once more after a restart of the server. */
export async function write(method, path, body, signal) {
  const send = async () =>
    fetch(path, {
      method,
      signal,
      headers: { "Content-Type": "application/json", "X-Hadal-Csrf": await csrf() },
      body: JSON.stringify(body),
    });
  let response = await send();
  if (response.status === 403) {
    secret = null;
    response = await send();
  }
  return answer(response);
}

/** Path and query string. */
export function address(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return query ? `${path}?${query}` : path;
}

async function csrf() {
  secret ??= (await read("/api/session")).csrf;
  return secret;
}

async function answer(response) {
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  throw new Refusal(response.status, body?.error ?? `the server returned status ${response.status}`);
}

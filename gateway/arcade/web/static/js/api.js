// Calls to the arcade on the page's own origin. Who calls is said by the cookie of a sign-in, which no script can
// read, or by a token in a header; never by an address.

const AGENT = "/api/v1/agent";
export const ARCADE = "/api/v1/arcade";
const TIMEOUT_MS = 20000;

/** An answer that is no success; `status` is 0 where there was none. */
export class ApiError extends Error {
  constructor(message, { status = 0, code = null, body = null, retryAfter = null } = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.body = body;
    this.retryAfter = retryAfter;
  }

  /** Worth trying again: the server was not there, is busy, or has had enough of us for now. */
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

// How far this device's clock is from the arcade's, in milliseconds; without internet phones are often off.
let ahead = 0;

/** The arcade's time now, as precisely as the Date of its answers tells (a second). */
export function arcadeNow() {
  return Date.now() - ahead;
}

function noteClock(response) {
  const there = Date.parse(response.headers.get("Date") || "");
  if (!Number.isFinite(there)) return;
  const off = Date.now() - (there + 500);
  if (Math.abs(off - ahead) > 1500) ahead = off;
}

let bearer = () => null;

/** Where the token comes from that goes into the header; null for none. */
export function useToken(get) {
  bearer = get;
}

const SENTENCES = {
  0: "The arcade cannot be reached. Is this device still on its network?",
  401: "You are not signed in, or not any more. Sign in again.",
  403: "This account may not do that.",
  404: "There is no such table.",
  410: "This table ended when the arcade was started again.",
  413: "That was more than the arcade takes.",
  429: "Too many requests; the page will wait a little."
};

function retryAfter(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 120) : null;
}

async function failure(response) {
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    body = null;  // a proxy's page, say: the status tells enough
  }
  const said = body !== null && typeof body.error === "string" ? body.error : null;
  return new ApiError(SENTENCES[response.status] || said || `The arcade answered ${response.status}.`, {
    status: response.status,
    code: body !== null && typeof body.code === "string" ? body.code : null,
    body,
    retryAfter: retryAfter(response)
  });
}

/**
 * One request. `anybody`: without saying who calls. `wait` is the number of seconds that a long-poll may hold;
 * `signal` gives up early and then rejects with an AbortError. Raises ApiError for whatever is no success.
 */
export async function call(method, path, { anybody = false, body, wait = 0, signal = null, keepalive = false } = {}) {
  const headers = { Accept: "application/json" };
  const token = anybody ? null : bearer();
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const control = new AbortController();
  const stop = () => control.abort();
  if (signal !== null) {
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
  }
  const timer = setTimeout(stop, TIMEOUT_MS + wait * 1000);
  try {
    const response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: anybody ? "omit" : "same-origin",
      redirect: "error",
      signal: control.signal,
      keepalive
    });
    noteClock(response);
    if (!response.ok) throw await failure(response);
    return await response.json();
  } catch (error) {
    if (error instanceof ApiError || (signal !== null && signal.aborted)) throw error;
    throw new ApiError(SENTENCES[0]);
  } finally {
    clearTimeout(timer);
    if (signal !== null) signal.removeEventListener("abort", stop);
  }
}

/** How long to wait before the next try, in milliseconds: what the server says, else 1, 2, 4 … 30 s. */
export function backOff(error, failures) {
  if (error instanceof ApiError && error.retryAfter !== null) return error.retryAfter * 1000;
  return Math.min(1000 * 2 ** Math.min(failures, 5), 30000);
}

/** Resolves after that time, or at once when the signal aborts. */
export function pause(milliseconds, signal = null) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      if (signal !== null) signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal !== null) {
      if (signal.aborted) done();
      else signal.addEventListener("abort", done);
    }
  });
}

const SESSION_ID = /^ses_[0-9a-f]{12}$/;

export function isSessionId(text) {
  return typeof text === "string" && SESSION_ID.test(text);
}

/** The calls of agents and spectators (section 5). */
export const tables = {
  available: (all) => call("GET", `${AGENT}/sessions/available${all ? "?all=1" : ""}`, { anybody: true }),
  watch: (id, since, wait, signal) => {
    const query = since === null ? "" : `?since=${since}&wait=${wait}`;
    return call("GET", `${AGENT}/sessions/${id}/public${query}`, { anybody: true, wait, signal });
  },
  state: (id) => call("GET", `${AGENT}/sessions/${id}/state`),
  join: (id, asName) => call("POST", `${AGENT}/sessions/${id}/join`, { body: asName ? { asName } : {} }),
  act: (id, action, turn, wait) => {
    return call("POST", `${AGENT}/sessions/${id}/action?wait=${wait}`, { body: { action, turn }, wait });
  },
  leave: (id) => call("POST", `${AGENT}/sessions/${id}/leave`, { body: {} })
};

const BRIDGE = `${AGENT}/bridge/sessions`;

/** The calls of a host (section 3). */
export const hosting = {
  create: (body) => call("POST", BRIDGE, { body }),
  ops: (id, ops, keepalive = false) => call("POST", `${BRIDGE}/${id}/ops`, { body: { ops }, keepalive }),
  pending: (id, after, wait, signal) => {
    return call("GET", `${BRIDGE}/${id}/pending-actions?after=${after}&wait=${wait}`, { wait, signal });
  },
  rematch: (id) => call("POST", `${BRIDGE}/${id}/rematch`, { body: {} })
};

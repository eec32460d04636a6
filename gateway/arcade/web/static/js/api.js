// Calls to the arcade on the page's own origin. The token goes into a header, never into an address.

const BASE = "/api/v1/agent";
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

const SENTENCES = {
  0: "The arcade cannot be reached. Is this device still on its network?",
  401: "The arcade does not know this token. Sign in again.",
  403: "This token may not do that.",
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
 * One request. `wait` is the number of seconds that a long-poll may hold; `signal` gives up early and then
 * rejects with an AbortError. Raises ApiError for whatever is no success.
 */
export async function call(method, path, { token = null, body, wait = 0, signal = null, keepalive = false } = {}) {
  const headers = { Accept: "application/json" };
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
    const response = await fetch(BASE + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
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
  available: (all) => call("GET", `/sessions/available${all ? "?all=1" : ""}`),
  watch: (id, since, wait, signal) => {
    const query = since === null ? "" : `?since=${since}&wait=${wait}`;
    return call("GET", `/sessions/${id}/public${query}`, { wait, signal });
  },
  state: (id, token) => call("GET", `/sessions/${id}/state`, { token }),
  join: (id, token, asName) => {
    return call("POST", `/sessions/${id}/join`, { token, body: asName ? { asName } : {} });
  },
  act: (id, token, action, turn, wait) => {
    return call("POST", `/sessions/${id}/action?wait=${wait}`, { token, body: { action, turn }, wait });
  },
  leave: (id, token) => call("POST", `/sessions/${id}/leave`, { token, body: {} })
};

/** The calls of a host (section 3), with its token. */
export function hostCalls(token) {
  const base = "/bridge/sessions";
  return {
    create: (body) => call("POST", base, { token, body }),
    ops: (id, ops, keepalive = false) => call("POST", `${base}/${id}/ops`, { token, body: { ops }, keepalive }),
    pending: (id, after, wait, signal) => {
      return call("GET", `${base}/${id}/pending-actions?after=${after}&wait=${wait}`, { token, wait, signal });
    },
    rematch: (id) => call("POST", `${base}/${id}/rematch`, { token, body: {} })
  };
}

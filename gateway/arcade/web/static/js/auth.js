// Who is signed in: the token of a local account, kept for this tab only and sent in a header.

import { call, ApiError } from "./api.js";

const TOKEN = "arcade.token";
const NAME = "arcade.name";
// What a header can carry; whatever else was typed is no token.
const POSSIBLE = /^[\x21-\x7e]{8,200}$/;

/** The tab's own store; in memory only where the browser allows none. */
function store() {
  try {
    return window.sessionStorage;
  } catch (error) {
    const kept = new Map();
    return {
      getItem: (key) => (kept.has(key) ? kept.get(key) : null),
      setItem: (key, value) => kept.set(key, value),
      removeItem: (key) => kept.delete(key)
    };
  }
}

const kept = store();

export function token() {
  return kept.getItem(TOKEN);
}

export function name() {
  return kept.getItem(NAME);
}

export function setName(text) {
  if (text) kept.setItem(NAME, text);
  else kept.removeItem(NAME);
}

export function signOut() {
  kept.removeItem(TOKEN);
  kept.removeItem(NAME);
}

/** Asks the arcade whether it knows this token, and keeps it if so. Raises ApiError with a sentence otherwise. */
export async function signIn(given) {
  const text = given.trim();
  if (!POSSIBLE.test(text)) throw new ApiError("That does not look like a token. Copy all of it, without spaces.");
  // A table that cannot exist: whoever is known hears that there is none, others that they are not known.
  try {
    await call("GET", "/sessions/ses_000000000000/state", { token: text });
  } catch (error) {
    if (error.status !== 404 && error.status !== 410 && error.code !== "not_a_player") throw error;
  }
  kept.setItem(TOKEN, text);
}

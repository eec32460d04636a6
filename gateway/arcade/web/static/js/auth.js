// Who is signed in: by name and password, which the arcade answers with a cookie that no script can read, or with
// a token, which is kept for this tab only and sent in a header.

import { ApiError, ARCADE, call, useToken } from "./api.js";

const TOKEN = "arcade.token";
const NAME = "arcade.name";
const ACCOUNT = `${ARCADE}/account`;
// What a header can carry; whatever else was typed is no token.
const POSSIBLE = /^[\x21-\x7e]{8,250}$/;

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
let account = null;

useToken(() => kept.getItem(TOKEN));

/** { account, name, scopes } of whoever is signed in, else null; known after load(). */
export function me() {
  return account;
}

/** Whether it is a token that says who reads, which cannot open the stream of a match from a page. */
export function byToken() {
  return kept.getItem(TOKEN) !== null;
}

/** Asks the arcade who is signed in. Raises ApiError where it cannot be asked. */
export async function load() {
  try {
    const answer = await call("GET", ACCOUNT);
    account = answer.account === null ? null : answer;
  } catch (error) {
    account = null;
    if (error.status !== 401) throw error;
    kept.removeItem(TOKEN);
  }
  return account;
}

export async function signIn(name, password) {
  kept.removeItem(TOKEN);
  try {
    account = await call("POST", ACCOUNT, { body: { name, password } });
  } catch (error) {
    throw error.status === 401 || error.status === 400 ? new ApiError("The name or the password is wrong.") : error;
  }
}

export async function signInWithToken(text) {
  const token = text.trim();
  if (!POSSIBLE.test(token)) throw new ApiError("That does not look like a token. Copy all of it, without spaces.");
  kept.setItem(TOKEN, token);
  if ((await load()) === null) throw new ApiError("The arcade does not know this token.");
}

export async function signOut() {
  const token = kept.getItem(TOKEN);
  kept.removeItem(TOKEN);
  kept.removeItem(NAME);
  account = null;
  // A token stays what it is; the cookie of a sign-in ends with it.
  if (token === null) await call("DELETE", ACCOUNT);
}

/** The name the reader had at the last table, else that of the account. */
export function tableName() {
  return kept.getItem(NAME) || (account === null ? "" : account.name || "");
}

export function setTableName(text) {
  if (text) kept.setItem(NAME, text);
  else kept.removeItem(NAME);
}

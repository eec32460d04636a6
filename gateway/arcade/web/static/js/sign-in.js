// Signing in: with name and password, or with a token of a local account.

import { setTableName, signIn, signInWithToken } from "./auth.js";
import { byId } from "./dom.js";
import { header, note } from "./page.js";

/** The page that sent the reader here; only paths of this site. */
function back() {
  let path = "";
  try {
    path = decodeURIComponent(window.location.hash.slice(1));
  } catch (error) {
    return "/";  // somebody else's escape sequences
  }
  return /^\/[a-z][a-z0-9/_-]*$/.test(path) && path !== "/sign-in" ? path : "/";
}

function form(id, attempt) {
  byId(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.target.querySelector("button");
    button.disabled = true;
    note(null);
    try {
      await attempt();
      setTableName("");
      window.location.replace(back());
    } catch (error) {
      note(error.message);
      button.disabled = false;
      event.target.querySelector("input[type=password]").focus();
    }
  });
}

header();
form("by-password", () => signIn(byId("name").value.trim(), byId("password").value));
form("by-token", () => signInWithToken(byId("token").value));

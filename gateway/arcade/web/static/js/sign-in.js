// Signing in with the token of a local account.

import { setName, signIn } from "./auth.js";
import { byId } from "./dom.js";
import { header, note } from "./page.js";

/** The page that sent the reader here; only paths of this site. */
function back() {
  const path = decodeURIComponent(window.location.hash.slice(1));
  return /^\/[a-z][a-z0-9/_-]*$/.test(path) && path !== "/sign-in" ? path : "/";
}

header();
byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.target.querySelector("button");
  button.disabled = true;
  note(null);
  try {
    await signIn(byId("token").value);
    setName(byId("name").value.trim());
    window.location.replace(back());
  } catch (error) {
    note(error.message);
    button.disabled = false;
    byId("token").focus();
  }
});

// What every page has: who is signed in, and a place for one sentence to the reader.

import { backOff, pause } from "./api.js";
import { load, me, signOut } from "./auth.js";
import { byId, el, line, show } from "./dom.js";

/** Where to come back to after signing in: a path of this site, nothing else. */
export function signInHref() {
  return `/sign-in#${encodeURIComponent(window.location.pathname)}`;
}

/** Asks who is signed in and says so; whoever needs to know waits for it. */
export async function header() {
  const who = byId("who");
  try {
    await load();
  } catch (error) {
    note(error.message);
  }
  if (me() === null) {
    show(who, el("a", { href: signInHref() }, "Sign in"));
    return;
  }
  const leave = async () => {
    try {
      await signOut();
      window.location.reload();
    } catch (error) {
      note(error.message);
    }
  };
  show(who, el("span", { class: "quiet" }, line(me().name, 20, "Signed in")),
    el("button", { type: "button", class: "plain", onclick: leave }, "Sign out"));
}

/** One sentence above the content; null takes it away. */
export function note(text) {
  show(byId("note"), text === null ? "" : text);
}

/** Does `work` again and again while the page is looked at; where it fails the page says so, and waits longer. */
export async function keepLooking(every, work) {
  let failures = 0;
  for (;;) {
    if (document.hidden) {
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
      continue;
    }
    try {
      await work();
      failures = 0;
      await pause(every);
    } catch (error) {
      note(error.message);
      await pause(backOff(error, failures));
      failures += 1;
    }
  }
}

/** A button that asks once more before it does something that cannot be taken back. */
export function graveButton(label, question, act) {
  let sure = false;
  const button = el("button", { type: "button", class: "button grave" }, label);
  const reset = () => {
    sure = false;
    show(button, label);
  };
  button.addEventListener("click", () => {
    if (sure) {
      reset();
      act();
      return;
    }
    sure = true;
    show(button, question);
  });
  button.addEventListener("blur", reset);
  return button;
}

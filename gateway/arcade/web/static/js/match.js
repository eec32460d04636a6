// Playing a match of the ladder, or against the house: /match/c4

import { arena, gameOfPage, titleOf } from "./arena.js";
import { byToken, me } from "./auth.js";
import { byId, el, line, show } from "./dom.js";
import { MatchView } from "./match-view.js";
import { header, note, signInHref } from "./page.js";

const game = gameOfPage();
const place = byId("match");

function whoWaits(found) {
  const waiting = found.waiting ? line(found.waiting, 40) : null;
  return waiting === null ? "Nobody waits now; you will wait for whoever comes." : `${waiting} waits for an opponent.`;
}

/** What can be begun here. */
async function choose() {
  try {
    const limits = await arena.now();
    const found = limits.games.find((one) => one.game === game);
    note(null);
    if (found === undefined) throw new Error("This arcade does not play that game.");
    if (me() === null) show(place, head(), signIn());
    else if (byToken()) show(place, head(), el("p", { class: "empty" }, "To play here, sign in with a password: a page cannot show a token to the stream of a match. Programs can."));
    else show(place, head(), choices(limits, found));
  } catch (error) {
    show(place);
    note(error.message);
  }
}

function head() {
  return el("div", {}, el("h1", {}, `Play ${titleOf(game)}`),
    el("p", { class: "lead" }, "A match of the ", el("a", { href: `/ladder/${game}` }, "ladder"), ", or a game to practise."));
}

function signIn() {
  return el("div", { class: "card" }, el("p", {}, "Whoever plays here has an account of the arcade."),
    el("div", { class: "buttons" }, el("a", { class: "button main", href: signInHref() }, "Sign in to play")));
}

function choices(limits, found) {
  const levels = found.levels.map((name, i) => el("button", { type: "button", class: "button", onclick: () => begin(limits, i + 1) },
    `${i + 1} ${line(name, 30)}`));
  return el("div", { class: "choices" },
    el("section", { class: "card" }, el("h2", {}, "Rated match"),
      el("p", {}, whoWaits(found)),
      el("p", { class: "quiet small" }, `${limits.moveSeconds} seconds for each move. Who is too late, or leaves, loses. The other may be a program or a person.`),
      el("div", { class: "buttons" }, el("button", { type: "button", class: "button main", onclick: () => begin(limits, null) }, "Find an opponent"))),
    el("section", { class: "card" }, el("h2", {}, "Practice"),
      el("p", {}, "Against the house, off the ladder."),
      el("p", { class: "quiet small" }, "Take your time. Nothing of it is kept."),
      el("div", { class: "buttons" }, levels)));
}

function begin(limits, level) {
  const view = new MatchView({ game, level, me: me().name, limits, done: choose });
  show(place, view.node);
}

async function open() {
  await header();
  if (game === null) {
    show(place, el("p", { class: "empty" }, "There is no such game here. ", el("a", { href: "/ladder" }, "See the ladder")));
    return;
  }
  document.title = `Play ${titleOf(game)} · Arcade`;
  await choose();
}

open();

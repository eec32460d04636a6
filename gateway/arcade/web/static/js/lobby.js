// The lobby: which tables can be joined, which are being played.

import { isSessionId, tables } from "./api.js";
import { byId, el, line, show } from "./dom.js";
import { header, keepLooking, note } from "./page.js";
import { HOSTS } from "./words.js";

const EVERY_MS = 4000;
const MOST_SHOWN = 100;

function card(table) {
  const title = line(table.gameTitle, 60, line(table.gameId, 60, "A game"));
  const facts = [`${Number(table.currentPlayers)} of ${Number(table.maxPlayers)} seats taken`,
    `Hosted by ${HOSTS[table.host] || "somebody"}`];
  if (table.round > 1) facts.push(`Round ${Number(table.round)}`);
  const open = table.joinable === true;
  const status = table.reserved ? "Between rounds" : table.status === "active" ? "Playing" : open ? "Open" : "Waiting";
  return el("li", { class: "card" },
    el("div", {}, el("span", { class: "tag" }, status)),
    el("h3", {}, title),
    el("ul", { class: "facts" }, facts.map((fact) => el("li", {}, fact))),
    el("div", { class: "buttons" }, el("a", { class: open ? "button main" : "button", href: `/table/${table.sessionId}`,
      "aria-label": `${open ? "Sit down" : "Watch"}: ${title}` }, open ? "Sit down" : "Watch")));
}

function list(place, found, empty) {
  // A list that has not changed is left alone: the reader may be about to press something in it.
  const key = JSON.stringify(found);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  const more = found.length > MOST_SHOWN ? el("p", { class: "quiet" }, `And ${found.length - MOST_SHOWN} more.`) : null;
  if (found.length === 0) show(place, el("p", { class: "empty" }, empty));
  else show(place, el("ul", { class: "cards" }, found.slice(0, MOST_SHOWN).map(card)), more);
}

async function look() {
  const answer = await tables.available(true);
  const sessions = (Array.isArray(answer) ? answer : answer.sessions).filter((one) => isSessionId(one.sessionId));
  list(byId("open"), sessions.filter((one) => one.joinable), "No table is open now. You can host one from this browser, or wait: this page looks again by itself.");
  list(byId("running"), sessions.filter((one) => !one.joinable), "Nobody is playing at the moment.");
  note(null);
}

header();
keepLooking(EVERY_MS, look);

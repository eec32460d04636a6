// The ladder of a game, who waits there, and the matches that were played: /ladder, /ladder/c4

import { arena, ending, gameOfPage, GAMES, nameOf, rated, titleOf } from "./arena.js";
import { byId, el, line, show } from "./dom.js";
import { header, keepLooking, note } from "./page.js";
import { when } from "./words.js";

const EVERY_MS = 5000;
const PAGE = 50;
const MATCHES = 20;

const game = gameOfPage() || GAMES[0];
let player = null;

const now = el("div", { class: "card now" });
const ranks = el("div", {});
const played = el("div", {});
const heading = el("h2", { id: "matches-title" }, "Latest matches");

function tabs() {
  return el("nav", { class: "tabs", "aria-label": "Games" }, GAMES.map((one) => (
    el("a", { href: `/ladder/${one}`, class: "button", "aria-current": one === game ? "page" : null }, titleOf(one)))));
}

/** What goes on in this game: somebody who waits can be played at once. */
function paintNow(answer) {
  const found = answer.games.find((one) => one.game === game);
  const waiting = found && found.waiting ? line(found.waiting, 40) : null;
  const playing = found ? Number(found.playing) : 0;
  const said = [waiting === null ? "Nobody waits for an opponent." : `${waiting} waits for an opponent.`,
    playing === 0 ? "" : `${playing} ${playing === 1 ? "match is" : "matches are"} being played.`];
  const key = said.join(" ");
  if (now.dataset.key === key) return;
  now.dataset.key = key;
  show(now, el("p", {}, key),
    el("div", { class: "buttons" },
      el("a", { class: "button main", href: `/match/${game}` }, waiting === null ? "Play or practise" : `Play against ${waiting}`)));
}

function rank(row) {
  const name = line(row.name, 40, "?");
  return el("tr", {},
    el("td", { class: "rank-number" }, `${Number(row.rank)}.`),
    el("td", {}, el("button", { type: "button", class: "plain name", onclick: () => choose(row.name),
      "aria-label": `Matches of ${name}` }, name)),
    el("td", {}, el("strong", {}, rated(row.rating))),
    el("td", { class: "quiet" }, `${Number(row.won)} won · ${Number(row.drawn)} drawn · ${Number(row.lost)} lost`));
}

async function loadRanks() {
  const rows = [];
  const body = el("tbody", {});
  const more = el("button", { type: "button", class: "button" }, "Show more");
  const next = async () => {
    const answer = await arena.ladder(game, rows.length);
    rows.push(...answer.players);
    show(body, rows.map(rank));
    more.hidden = answer.players.length < PAGE || rows.length >= answer.total;
    return answer;
  };
  more.addEventListener("click", () => tried(next));
  await next();
  if (rows.length === 0) {
    show(ranks, el("p", { class: "empty" }, "Nobody has played a rated match yet. Be the first."));
    return;
  }
  show(ranks, el("table", { class: "list ranks" },
    el("thead", {}, el("tr", {}, ["", "Player", "Rating", "Matches"].map((name) => el("th", { scope: "col" }, name)))),
    body), more);
}

function match(one) {
  const [first, second] = [nameOf(one, 0), nameOf(one, 1)];
  return el("li", {}, el("a", { class: "match", href: `/replay/${Number(one.number)}` },
    el("span", {}, el("strong", {}, `${first} – ${second}`), el("span", { class: "quiet" }, ` ${ending(one)}`)),
    el("span", { class: "quiet small" }, `${Number(one.plies)} moves · ${when(one.endedAt || one.startedAt)}`)));
}

async function loadMatches() {
  const list = el("ul", { class: "matches" });
  const more = el("button", { type: "button", class: "button" }, "Show older ones");
  let before = null;
  const next = async () => {
    const answer = await arena.matches(game, player, before, MATCHES);
    for (const one of answer.matches) list.appendChild(match(one));
    before = answer.before;
    more.hidden = before === null;
  };
  more.addEventListener("click", () => tried(next));
  await next();
  show(heading, player === null ? "Latest matches" : `Matches of ${line(player, 40)}`);
  const all = player === null ? null : el("button", { type: "button", class: "button", onclick: () => choose(null) }, "Show all players");
  show(played, all, list.firstChild === null ? el("p", { class: "empty" }, "No match was played yet.") : list, more);
}

async function tried(work) {
  try {
    await work();
    note(null);
  } catch (error) {
    note(error.message);
  }
}

async function choose(name) {
  player = name;
  await tried(loadMatches);
  heading.scrollIntoView({ block: "start" });
}

header();
document.title = `${titleOf(game)} ladder · Arcade`;
show(byId("ladder"), tabs(), now,
  el("section", { "aria-labelledby": "ranks-title" }, el("h2", { id: "ranks-title" }, titleOf(game)), ranks),
  el("section", { "aria-labelledby": "matches-title" }, heading, played));
tried(loadRanks);
tried(loadMatches);
keepLooking(EVERY_MS, async () => paintNow(await arena.now()));

// What was played here.

import { ARCADE, call } from "./api.js";
import { byId, el, line, show } from "./dom.js";
import { header, note } from "./page.js";
import { playerName, resultText, when } from "./words.js";

function row(game) {
  const players = Array.isArray(game.players) ? game.players : [];
  return el("tr", {},
    el("td", {}, el("strong", {}, line(game.gameTitle, 60, line(game.gameSlug, 60, "A game"))),
      game.round > 1 ? el("span", { class: "quiet" }, ` round ${Number(game.round)}`) : null),
    el("td", {}, players.map(playerName).join(" · ")),
    el("td", {}, resultText(game.result, players)),
    el("td", { class: "quiet" }, when(game.endedAt)));
}

async function load() {
  try {
    const answer = await call("GET", `${ARCADE}/results`, { anybody: true });
    const games = answer.results;
    if (games.length === 0) {
      show(byId("results"), el("p", { class: "empty" }, "No game has been finished yet."));
      return;
    }
    show(byId("results"), el("table", { class: "list" },
      el("thead", {}, el("tr", {}, ["Game", "Players", "Result", "When"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, games.map(row))));
  } catch (error) {
    show(byId("results"));
    note(error.message);
  }
}

header();
load();

// The ladder over HTTP, and what is said of it. Whatever comes from the arcade is text of strangers.

import { ARCADE, call } from "./api.js";
import { line } from "./dom.js";
import { recognise } from "./shapes.js";

export const GAMES = ["ttt", "c4", "chess"];
const TITLES = { ttt: "Tic-Tac-Toe", c4: "Connect 4", chess: "Chess" };
const ROLES = { ttt: ["X", "O"], c4: ["A", "B"], chess: ["white", "black"] };
const REASONS = {
  "forfeit: illegal move": "by an illegal move of the other",
  "forfeit: move timeout": "on time",
  "forfeit: connection closed": "because the other left"
};

export const arena = {
  now: () => call("GET", `${ARCADE}/arena`, { anybody: true }),
  ladder: (game, skip) => call("GET", `${ARCADE}/ladder?game=${game}&skip=${skip}`, { anybody: true }),
  matches: (game, player, before, limit) => {
    const query = [`game=${game}`, `limit=${limit}`];
    if (player !== null) query.push(`player=${encodeURIComponent(player)}`);
    if (before !== null) query.push(`before=${before}`);
    return call("GET", `${ARCADE}/matches?${query.join("&")}`, { anybody: true });
  },
  match: (number) => call("GET", `${ARCADE}/matches/${number}`, { anybody: true })
};

export function titleOf(game) {
  return TITLES[game] || line(game, 20, "A game");
}

/** The part of player 0 or 1, for `roleSign`. */
export function roleOfPlayer(game, player) {
  return ROLES[game] ? ROLES[game][player] : null;
}

/** The last part of the page's address, where it is a game of the ladder; else null. */
export function gameOfPage() {
  const last = window.location.pathname.split("/").pop();
  return GAMES.includes(last) ? last : null;
}

export function rated(number) {
  return typeof number === "number" && Number.isFinite(number) ? String(Math.round(number)) : "–";
}

export function nameOf(match, player) {
  const one = Array.isArray(match.players) ? match.players[player] : null;
  return line(one && one.name, 40, `Player ${player + 1}`);
}

/** How a match ended, as a sentence. */
export function ending(match) {
  if (match.state === "void") return "Void: the arcade was stopped, so it counts for nothing.";
  if (match.state === "playing") return "It is still being played.";
  const known = Object.prototype.hasOwnProperty.call(REASONS, match.reason) ? REASONS[match.reason] : null;
  const why = known || (match.reason ? `(${line(match.reason, 60)})` : "");
  if (match.winner === 0 || match.winner === 1) return `${nameOf(match, match.winner)} won${why ? ` ${why}` : ""}.`;
  return `A draw${why ? ` ${why}` : ""}.`;
}

/**
 * What the boards draw of rows of text, a letter a cell. `move` is the one that led there, as it was sent, and
 * `label` what people call it.
 */
export function boardOf(game, rows, ply, move = null, label = "") {
  if (!Array.isArray(rows) || rows.length > 8 || !rows.every((row) => typeof row === "string" && row.length <= 8)) return null;
  const cells = rows.map((row) => row.split(""));
  if (game !== "chess") return recognise({ board: cells, lastMove: move === null ? null : Number(move) });
  const men = cells.map((row) => row.map((cell) => (cell === "." ? "" : cell)));
  const check = /[+#]$/.test(label);
  return recognise({ board: men, lastMove: move, turn: ply % 2 === 0 ? "white" : "black", check });
}

// Parts of a table: who sits there, with clocks, and the list of moves.

import { arcadeNow } from "./api.js";
import { actionLabel } from "./actions.js";
import { el, line, show } from "./dom.js";
import { clockText, playerName, roleOf } from "./words.js";

const SHORT_SECONDS = 30;

/** The sign of a part in a game: "white", "X", "A", …; nothing for null. */
export function roleSign(role) {
  if (role === null) return null;
  if (role.length > 1 || role === "A" || role === "B") return el("span", { class: `role ${role}`, title: role });
  return el("span", { class: "role letter" }, role);
}

function deadlineOf(view) {
  if (view.deadline === null || view.deadline === undefined || view.status !== "active") return null;
  const time = typeof view.deadline === "number" ? view.deadline : Date.parse(view.deadline);
  return Number.isFinite(time) ? time : null;
}

/** The seats of a table; the clock of whoever is to move runs by itself. */
export function seatsView() {
  const node = el("ul", { class: "seats", "aria-label": "Players" });
  let clocks = [];
  let deadline = null;

  function tick() {
    if (!node.isConnected || deadline === null) return;
    const left = (deadline - arcadeNow()) / 1000;
    for (const clock of clocks) {
      show(clock, clockText(left));
      clock.classList.toggle("short", left < SHORT_SECONDS);
    }
  }
  setInterval(tick, 500);

  return {
    node,
    update({ view, mine, state }) {
      const onTurn = view.status === "active" && Array.isArray(view.onTurnSeats) ? view.onTurnSeats : [];
      deadline = deadlineOf(view);
      clocks = [];
      const seats = view.players.map((player, i) => {
        const turn = onTurn.includes(player.seat === undefined ? i : player.seat);
        const you = mine !== null && player.playerId === mine.playerId;
        const clock = turn && deadline !== null ? el("span", { class: "clock", "aria-label": "time left" }) : null;
        if (clock !== null) clocks.push(clock);
        return el("li", { class: turn ? "seat turn" : "seat" },
          roleSign(roleOf(state, player.playerId)),
          el("span", { class: "person" }, playerName(player, i) + (you ? " (you)" : "")),
          player.ready === false ? el("span", { class: "quiet small" }, "away") : null,
          clock);
      });
      show(node, seats);
      tick();
    }
  };
}

/** The moves of a chess game in pairs. */
export function movesView() {
  const list = el("ol", { class: "moves", tabindex: "0", "aria-label": "Moves" });
  const node = el("section", { class: "card", hidden: true }, el("h2", {}, "Moves"), list);
  let shown = -1;
  return {
    node,
    update(board) {
      const moves = board !== null && Array.isArray(board.moves) ? board.moves : [];
      node.hidden = moves.length === 0;
      if (moves.length === shown) return;
      shown = moves.length;
      const items = [];
      moves.forEach((move, i) => {
        if (i % 2 === 0) items.push(el("li", { class: "number" }, `${i / 2 + 1}.`));
        items.push(el("li", { class: i === moves.length - 1 ? "latest" : null }, line(move, 10)));
      });
      show(list, items);
      list.scrollTop = list.scrollHeight;
    }
  };
}

// More buttons than anybody reads.
const MOST_MOVES = 300;

/** All moves of a board as a list, for whoever does not use the board; `act(action)` is called with one. */
export function chooserView(act) {
  const node = el("div", { class: "chooser" });
  let shown = "";
  return {
    node,
    update(board, moves) {
      const key = JSON.stringify(moves);
      if (key === shown) return;
      shown = key;
      if (moves.length === 0) {
        show(node);
        return;
      }
      const buttons = moves.slice(0, MOST_MOVES).map((move) => {
        const text = board.kind === "chess" ? actionLabel(move.action) : String(move.place + 1);
        return el("button", { type: "button", class: "button", onclick: () => act(move.action) }, line(text, 20));
      });
      show(node, el("details", {}, el("summary", {}, `All ${moves.length} moves as a list`), el("div", { class: "buttons" }, buttons)));
    }
  };
}

// A chess board: shows a recognised state, and lets a person move by choosing a man and then its square.

import { el, show } from "../dom.js";
import { squareIndex, squareName } from "../shapes.js";
import { dress, grid } from "./grid.js";
import { piece, pieceName } from "./pieces.js";

const PROMOTIONS = ["q", "r", "b", "n"];

/** `act(action)` is called with the legal action that a person has chosen. */
export function chessBoard(act = () => {}) {
  let shown = null;
  let moves = [];
  let flipped = false;
  let chosen = null;

  const board = grid({ rows: 8, columns: 8, kind: "chess", label: "Chess board", press, cancel });
  const question = el("div", { class: "promotion", role: "dialog", "aria-label": "Promote to", hidden: true });
  const node = el("div", { class: "board-frame" }, board.node, question);

  /** The square of a cell: the board may be seen from Black's side. */
  function square(cell) {
    return flipped ? 63 - cell : cell;
  }

  function targets() {
    return chosen === null ? [] : moves.filter((move) => move.from === chosen);
  }

  function press(cell) {
    const name = squareName(square(cell));
    const found = targets().filter((move) => move.to === name);
    if (found.length > 1) {
      ask(found);
      return;
    }
    if (found.length === 1) {
      chosen = null;
      paint();
      act(found[0].action);
      return;
    }
    chosen = name !== chosen && moves.some((move) => move.from === name) ? name : null;
    paint();
  }

  function cancel() {
    chosen = null;
    question.hidden = true;
    paint();
  }

  function ask(found) {
    const letters = PROMOTIONS.filter((letter) => found.some((move) => move.promotion === letter));
    const white = shown.squares[squareIndex(found[0].from)] === "P";
    const buttons = letters.map((letter) => {
      const sign = white ? letter.toUpperCase() : letter;
      return el("button", {
        type: "button",
        class: "choice",
        "aria-label": pieceName(sign),
        onclick: () => {
          const move = found.find((one) => one.promotion === letter);
          cancel();
          act(move.action);
        }
      }, piece(sign));
    });
    const back = el("button", { type: "button", class: "choice back", onclick: cancel }, "Back");
    show(question, buttons, back);
    question.hidden = false;
    buttons[0].focus();
  }

  question.addEventListener("keydown", (event) => {
    if (event.key === "Escape") cancel();
  });

  function paint() {
    const reachable = targets().map((move) => move.to);
    const king = shown.check && shown.turn !== null ? shown.squares.indexOf(shown.turn === "w" ? "K" : "k") : -1;
    board.cells.forEach((cell, i) => {
      const index = square(i);
      const name = squareName(index);
      const sign = shown.squares[index];
      const classes = [(index + Math.floor(index / 8)) % 2 === 0 ? "light" : "dark"];
      if (shown.last !== null && shown.last.includes(name)) classes.push("last");
      if (index === king) classes.push("check");
      if (name === chosen) classes.push("chosen");
      if (reachable.includes(name)) classes.push("target", sign ? "take" : "go");
      if (moves.some((move) => move.from === name)) classes.push("movable");
      const rank = i % 8 === 0 ? name[1] : "";
      const file = i >= 56 ? name[0] : "";
      dress(cell, {
        key: sign + rank + file,
        picture: () => [
          rank && el("span", { class: "rank", "aria-hidden": "true" }, rank),
          file && el("span", { class: "file", "aria-hidden": "true" }, file),
          sign && piece(sign)
        ].filter(Boolean),
        name: `${name}${sign ? `, ${pieceName(sign)}` : ""}${classes.includes("target") ? ", can move here" : ""}`,
        classes
      });
    });
  }

  return {
    node,
    /** `board` as recognised, `moves` of sortActions, `flipped` where Black sits below. */
    update(next) {
      const same = JSON.stringify(next.moves) === JSON.stringify(moves);
      shown = next.board;
      moves = next.moves;
      flipped = next.flipped;
      board.setPlayable(moves.length > 0);
      if (!same) {
        chosen = null;
        question.hidden = true;
      }
      paint();
    }
  };
}

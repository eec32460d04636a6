// Tic-tac-toe and connect four: boards on which a move is one place.

import { el, svg } from "../dom.js";
import { dress, grid } from "./grid.js";

const MARKS = ["empty", "first", "second"];

function mark(kind, side) {
  if (side === 0) return [];
  if (kind === "connectfour") {
    const ring = svg("circle", { cx: 50, cy: 50, r: 26, class: "ring" });
    return [svg("svg", { class: `disc ${MARKS[side]}`, viewBox: "0 0 100 100", "aria-hidden": "true" },
      svg("circle", { cx: 50, cy: 50, r: 42, class: "body" }), side === 1 ? ring : null)];
  }
  const shape = side === 1
    ? svg("path", { d: "M24 24 76 76 M76 24 24 76", class: "stroke" })
    : svg("circle", { cx: 50, cy: 50, r: 29, class: "stroke" });
  return [svg("svg", { class: `mark ${MARKS[side]}`, viewBox: "0 0 100 100", "aria-hidden": "true" }, shape)];
}

function view({ kind, rows, columns, label, names, placeOf, lastOf, nameOf }, act) {
  let moves = [];
  const board = grid({ rows, columns, kind, label, press, cancel: () => {} });

  function press(cell) {
    const move = moves.find((one) => one.place === placeOf(cell));
    if (move !== undefined) act(move.action);
  }

  return {
    node: el("div", { class: "board-frame" }, board.node),
    update(next) {
      moves = next.moves;
      board.setPlayable(moves.length > 0);
      const last = lastOf(next.board);
      board.cells.forEach((cell, i) => {
        const side = next.board.cells[i];
        const open = moves.some((move) => move.place === placeOf(i));
        const classes = [MARKS[side]];
        if (i === last) classes.push("last");
        if (open) classes.push("target");
        dress(cell, {
          key: String(side),
          picture: () => mark(kind, side),
          name: `${nameOf(i)}, ${names[side]}${open ? ", can be played" : ""}`,
          classes
        });
      });
    }
  };
}

export function ticTacToeBoard(act = () => {}) {
  return view({
    kind: "tictactoe",
    rows: 3,
    columns: 3,
    label: "Tic-tac-toe board",
    names: ["empty", "X", "O"],
    placeOf: (cell) => cell,
    lastOf: (board) => board.last,
    nameOf: (cell) => `row ${Math.floor(cell / 3) + 1}, column ${(cell % 3) + 1}`
  }, act);
}

export function connectFourBoard(act = () => {}) {
  return view({
    kind: "connectfour",
    rows: 6,
    columns: 7,
    label: "Connect four board",
    names: ["empty", "first player", "second player"],
    placeOf: (cell) => cell % 7,
    // The last disc lies on top of the column that was played.
    lastOf: (board) => {
      if (board.last === null) return null;
      for (let cell = board.last; cell < 42; cell += 7) if (board.cells[cell] !== 0) return cell;
      return null;
    },
    nameOf: (cell) => `column ${(cell % 7) + 1}, row ${6 - Math.floor(cell / 7)} from below`
  }, act);
}

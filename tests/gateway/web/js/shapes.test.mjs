// How pages recognise boards and moves in states and actions they know nothing about.

import assert from "node:assert/strict";
import test from "node:test";
import { actionLabel, chessMove, sortActions } from "../../../../gateway/arcade/web/static/js/actions.js";
import { line, pretty } from "../../../../gateway/arcade/web/static/js/dom.js";
import { recognise, squareIndex, squareName } from "../../../../gateway/arcade/web/static/js/shapes.js";
import { clockText, resultText, roleOf, standing } from "../../../../gateway/arcade/web/static/js/words.js";

const FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
const START = [..."rnbqkbnrpppppppp", ...Array(32).fill(""), ..."PPPPPPPPRNBQKBNR"];

test("chess by FEN, wherever it stands", () => {
  for (const state of [{ fen: FEN }, { position: FEN }, { board: FEN }, { game: { fen: FEN } }, FEN, { state: { fen: FEN } }]) {
    const board = recognise(state);
    assert.equal(board.kind, "chess");
    assert.equal(board.squares[squareIndex("e4")], "P");
    assert.equal(board.turn, "b");
  }
});

test("chess by its board", () => {
  const letters = [...Array(8).keys()].map((row) => START.slice(row * 8, row * 8 + 8).map((sign) => sign || null));
  const coded = letters.map((row) => row.map((sign) => sign && (sign > "Z" ? `b${sign}` : `w${sign.toLowerCase()}`)));
  const objects = letters.map((row) => row.map((sign) => sign && { type: sign.toLowerCase(), color: sign > "Z" ? "b" : "w" }));
  for (const board of [letters, coded, objects, START]) {
    assert.deepEqual(recognise({ board, turn: "white" }).squares, START);
  }
  assert.equal(recognise({ board: letters, turn: "black" }).turn, "b");
});

test("the last move and the list of moves", () => {
  const uci = recognise({ fen: FEN, moves: ["e2e4"] });
  assert.deepEqual([uci.last, uci.moves], [["e2", "e4"], ["e2e4"]]);
  const named = recognise({ fen: FEN, san: ["e4"], lastMove: { from: "e2", to: "e4" } });
  assert.deepEqual([named.last, named.moves], [["e2", "e4"], ["e4"]]);
});

test("tic-tac-toe in its many spellings", () => {
  const cells = [1, 0, 2, 0, 1, 0, 0, 0, 0];
  for (const board of [["X", "", "O", "", "X", "", "", "", ""], ["x", null, "o", null, "x", null, null, null, null],
    [["X", null, "O"], [null, "X", null], [null, null, null]], [1, 0, 2, 0, 1, 0, 0, 0, 0], [1, 0, -1, 0, 1, 0, 0, 0, 0],
    ["p_1", null, "p_2", null, "p_1", null, null, null, null], "X-O-X----", ["X.O", ".X.", "..."]]) {
    assert.deepEqual(recognise({ board }, ["p_1", "p_2"]), { kind: "tictactoe", cells, last: null }, JSON.stringify(board));
  }
});

test("connect four by rows from above or below, by columns, and by the discs of the house", () => {
  const rows = [...Array(5).fill([0, 0, 0, 0, 0, 0, 0]), [1, 2, 0, 0, 0, 0, 0]];
  const house = rows.map((row) => row.map((cell) => [null, "A", "B"][cell]));
  const columns = [[1], [2], [], [], [], [], []];
  for (const board of [rows, [...rows].reverse(), house, rows.flat(), columns]) {
    const found = recognise({ board, lastMove: { column: 1, row: 0 } });
    assert.deepEqual([found.kind, found.cells.slice(35), found.last], ["connectfour", [1, 2, 0, 0, 0, 0, 0], 1], JSON.stringify(board));
  }
  assert.equal(recognise({ board: [[1, 0, 0, 0, 0, 0, 0], ...Array(4).fill(Array(7).fill(0)), [2, 0, 0, 0, 0, 0, 0]] }), null);
});

test("anything else is no board, and nothing throws", () => {
  const deep = {};
  deep.game = deep;
  for (const state of [null, undefined, 1, "", "x/x", [], {}, { board: null }, { board: "//" }, { board: Array(64).fill("Q") }, { board: [[[]]] },
    { fen: "9/8/8/8/8/8/8/8 w" }, { fen: {} }, { board: Array(9).fill({}) }, { board: Array(42).fill("<img>") }, deep, { board: Array(9).fill("Z") },
    { lastMove: {}, moves: {} }, { board: { length: 64 } },
    { board: Array(200000).fill([]) }, { board: "x".repeat(200000) }, { board: Array(42).fill(Array(50000).fill("X")) }]) {
    assert.equal(recognise(state, ["p_1", "p_2"]), null);
  }
});

test("squares have names", () => {
  assert.deepEqual([squareName(0), squareName(63), squareName(4)], ["a8", "h1", "e8"]);
  for (let i = 0; i < 64; i += 1) assert.equal(squareIndex(squareName(i)), i);
});

test("chess actions are squares, the rest stays buttons", () => {
  const plain = { from: "e7", to: "e8", promotion: "q" };
  for (const action of ["e7e8q", "e7e8Q", { move: "e7e8q" }, { type: "move", uci: "e7e8q" }, { m: "e7e8q" }, { from: "e7", to: "e8", promotion: "q" },
    { from: "e7", to: "e8", promotion: "queen" }, { type: "move", move: { from: "e7", to: "e8", promotion: "q" } }]) {
    assert.deepEqual(chessMove(action), plain, JSON.stringify(action));
  }
  const board = recognise({ fen: FEN });
  const { moves, others } = sortActions(["e7e5", { type: "resign" }, "Nf6", null, 7], board);
  assert.deepEqual(moves, [{ from: "e7", to: "e5", promotion: null, action: "e7e5" }]);
  assert.deepEqual(others, [{ type: "resign" }, "Nf6", null, 7]);
});

test("cells count from 0 or from 1, as the open ones tell", () => {
  const board = recognise({ board: ["X", "", "", "", "", "", "", "", ""] });
  const place = (actions) => sortActions(actions, board).moves.map((move) => move.place);
  assert.deepEqual(place([1, 2, 3, 4, 5, 6, 7, 8]), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(place([2, 3, 4, 5, 6, 7, 8, 9]), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(place([1, 2, 3, 4, 5, 6, 7, 8].map((cell) => ({ type: "move", cell, row: Math.floor(cell / 3), column: cell % 3 }))), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(place([1, 2]), [], "not all open cells: not understood, so buttons");
  const four = recognise({ board: Array(6).fill(Array(7).fill(0)) });
  const columns = [0, 1, 2, 3, 4, 5, 6];
  for (const of of [(c) => c, (c) => c + 1, (c) => ({ column: c }), (c) => ({ type: "move", column: c, row: 5 }), (c) => ({ c }), String, (c) => ({ type: "drop", col: c })]) {
    assert.deepEqual(sortActions(columns.map(of), four).moves.map((move) => move.place), columns);
  }
});

test("buttons of unknown actions say what they are", () => {
  assert.equal(actionLabel({ type: "resign" }), "Resign");
  assert.equal(actionLabel("accept_draw"), "Accept the draw");
  assert.equal(actionLabel({ type: "bid", amount: 5 }), "bid: 5");
  assert.equal(actionLabel({ label: "Fold" }), "Fold");
  assert.equal(actionLabel([1, 2]), "[1,2]");
  assert.equal(actionLabel(null), "null");
});

test("strangers' texts are one bounded line", () => {
  assert.equal(line("  Ann\u202e\u0000\nBob "), "Ann   Bob");
  assert.equal(line("x".repeat(100), 10), `${"x".repeat(9)}…`);
  assert.equal(line({}, 10, "nobody"), "nobody");
  assert.equal(line("\u200b", 10, "nobody"), "nobody");
  assert.ok(pretty("y".repeat(50000)).length < 20010);
  let deep = [];
  for (let i = 0; i < 200000; i += 1) deep = [deep];
  assert.match(pretty(deep), /too deeply/);
  assert.equal(pretty(undefined), "");
});

const PLAYERS = [{ playerId: "p_1", seat: 0, asName: "Ann" }, { playerId: "p_2", seat: 1, asName: null }];

test("results in words", () => {
  const say = (result, me) => resultText(result, PLAYERS, me);
  assert.equal(say({ winner: "p_1", reason: "checkmate" }), "Ann wins by checkmate.");
  assert.equal(say({ winner: "p_1", reason: "timeout" }, "p_1"), "You win on time.");
  assert.equal(say({ winner: "p_2" }), "Player 2 wins.");
  assert.equal(say({ winner: null, reason: "stalemate" }), "A draw (stalemate).");
  assert.equal(say({ winner: null, reason: "left", forfeitedBy: "p_1" }), "Nobody wins (because the other player left).");
  assert.equal(say({ winner: null, reason: "host_disconnected" }), "The game stopped: its host was gone.");
  assert.equal(say({ winner: "Zed", reason: "<b>" }), "Zed wins (<b>).");
  assert.equal(say(null), "The game is over.");
  assert.equal(say("white"), "The game is over: white");
  assert.equal(say({ winner: "p_1", reason: "toString" }), "Ann wins (toString).");
});

test("where a game stands in words", () => {
  const view = { status: "active", players: PLAYERS, onTurnSeats: [1], state: null, result: null };
  assert.equal(standing(view, null), "Player 2 is to move.");
  assert.equal(standing(view, { playerId: "p_2", yourTurn: true }), "Your move.");
  assert.equal(standing({ ...view, onTurnSeats: [0, 1] }, null), "Ann, Player 2 are to move.");
  assert.equal(standing({ ...view, status: "waiting", players: [] }, null), "Nobody sits here yet.");
  assert.equal(roleOf({ white: "p_2" }, "p_2"), "white");
  assert.equal(roleOf(null, "p_2"), null);
  assert.deepEqual([0, 61, 3600, -5].map(clockText), ["0:00", "1:01", "1:00:00", "0:00"]);
});

// How a game may name its state: what can be drawn as a board is found by its shape, never by the game's name.
// Everything here is pure and takes anything; what it does not recognise is null.

const FEN_ROW = /^[prnbqkPRNBQK1-8]+$/;
const LETTER = /^[prnbqkPRNBQK]$/;
const CODED = /^([wb])([prnbqkPRNBQK])$/;
const NAMES = { pawn: "p", knight: "n", bishop: "b", rook: "r", queen: "q", king: "k" };
const EMPTY = new Set([null, undefined, "", " ", ".", "-", "_", 0, false]);
const FIRST = new Set(["x", "r", "red", "w", "white", "1", "first", "p1", "a"]);
const SECOND = new Set(["o", "y", "yellow", "b", "black", "2", "-1", "second", "p2"]);
const UCI = /^[a-h][1-8][a-h][1-8][qrbnQRBN]?$/;

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The squares of a FEN's first field, from a8 to h1, "P" … "k" or "". */
function fenSquares(text) {
  if (typeof text !== "string" || text.length > 120) return null;
  const rows = text.trim().split(/\s+/)[0].split("/");
  if (rows.length !== 8 || !rows.every((row) => FEN_ROW.test(row))) return null;
  const squares = [];
  for (const row of rows) {
    for (const sign of row) {
      if (sign >= "1" && sign <= "8") for (let n = Number(sign); n > 0; n -= 1) squares.push("");
      else squares.push(sign);
    }
  }
  return squares.length === 64 ? squares : null;
}

/** One chessman: "P", "wp", or { type, color }; "" for none; null for what is no chessman. */
function chessman(cell) {
  if (EMPTY.has(cell)) return "";
  if (typeof cell === "string") {
    if (LETTER.test(cell)) return cell;
    const coded = CODED.exec(cell);
    if (coded === null) return null;
    return coded[1] === "w" ? coded[2].toUpperCase() : coded[2].toLowerCase();
  }
  if (!isObject(cell)) return null;
  const type = String(cell.type || cell.piece || "").toLowerCase();
  const letter = NAMES[type] || (LETTER.test(type) ? type : null);
  const colour = String(cell.color || cell.colour || "").toLowerCase();
  if (letter === null || (colour[0] !== "w" && colour[0] !== "b")) return null;
  return colour[0] === "w" ? letter.toUpperCase() : letter;
}

function gridSquares(board) {
  const flat = Array.isArray(board) && board.length === 8 ? [].concat(...board) : board;
  if (!Array.isArray(flat) || flat.length !== 64) return null;
  const squares = flat.map(chessman);
  return squares.includes(null) || !squares.includes("k") || !squares.includes("K") ? null : squares;
}

/** From and to of a move as "e2e4", { from, to } or a list of two; null for none. */
export function squaresOf(move) {
  if (typeof move === "string" && UCI.test(move)) return [move.slice(0, 2), move.slice(2, 4)];
  if (Array.isArray(move) && move.length === 2) return squaresOf({ from: move[0], to: move[1] });
  if (isObject(move)) {
    if (typeof move.from === "string" && typeof move.to === "string") return squaresOf(move.from + move.to);
    return squaresOf(move.uci) || (typeof move.move === "string" ? squaresOf(move.move) : null);
  }
  return null;
}

function moveList(state) {
  for (const key of ["san", "moves", "history", "moveHistory"]) {
    const moves = state[key];
    if (!Array.isArray(moves)) continue;
    const texts = moves.slice(0, 1000).map((move) => (isObject(move) ? move.san || move.uci || move.move : move));
    if (texts.every((text) => typeof text === "string" && text.length <= 10)) return texts;
  }
  return [];
}

function chess(state) {
  const candidates = [state.fen, state.FEN, state.position, state.board];
  let squares = null;
  let fen = null;
  for (const candidate of candidates) {
    squares = fenSquares(candidate);
    if (squares !== null) {
      fen = candidate;
      break;
    }
  }
  if (squares === null) squares = gridSquares(state.board);
  if (squares === null) return null;
  const field = fen === null ? undefined : fen.trim().split(/\s+/)[1];
  const named = typeof state.turn === "string" ? state.turn[0] : undefined;
  const turn = [field, named].find((text) => text === "w" || text === "b") || null;
  const uci = Array.isArray(state.moves) ? state.moves[state.moves.length - 1] : undefined;
  return {
    kind: "chess",
    squares,
    turn,
    last: squaresOf(state.lastMove) || squaresOf(state.last) || squaresOf(uci),
    check: state.check === true || state.inCheck === true || state.isCheck === true,
    moves: moveList(state)
  };
}

/** 0 for empty, 1 and 2 for the two sides, null for anything else. `players` are ids in the order of seats. */
function side(cell, players) {
  if (EMPTY.has(cell)) return 0;
  const seat = players.indexOf(cell);
  if (seat === 0 || seat === 1) return seat + 1;
  const text = String(cell).toLowerCase();
  if (FIRST.has(text)) return 1;
  return SECOND.has(text) ? 2 : null;
}

function sides(cells, players) {
  const found = cells.map((cell) => side(cell, players));
  return found.includes(null) ? null : found;
}

function rowsOf(board) {
  // No board here has more than 42 cells: whatever is larger is somebody's flood.
  if (typeof board === "string") return board.length <= 42 ? board.split("") : null;
  if (!Array.isArray(board) || board.length > 42) return null;
  if (board.every(Array.isArray)) return [].concat(...board);
  if (board.length <= 7 && board.every((row) => typeof row === "string")) return board.join("").split("");
  return board;
}

function ticTacToe(state, players) {
  const flat = rowsOf(state.board !== undefined ? state.board : state.cells);
  if (flat === null || flat.length !== 9) return null;
  const cells = sides(flat, players);
  return cells === null ? null : { kind: "tictactoe", cells, last: cellNumber(state.lastMove, 9) };
}

function cellNumber(value, count) {
  const number = isObject(value) ? [value.i, value.index, value.cell, value.c, value.column, value.col].find(Number.isInteger) : value;
  return Number.isInteger(number) && number >= 0 && number < count ? number : null;
}

/** Whether discs rest on the bottom or on each other; cells from the top left. */
function rests(cells) {
  return cells.every((cell, i) => cell === 0 || i >= 35 || cells[i + 7] !== 0);
}

function flipped(cells) {
  const rows = [];
  for (let row = 5; row >= 0; row -= 1) rows.push(...cells.slice(row * 7, row * 7 + 7));
  return rows;
}

function columnsToRows(columns) {
  const cells = [];
  // Columns are commonly stacks from the bottom, and may be as short as they are full.
  for (let row = 5; row >= 0; row -= 1) for (const column of columns) cells.push(column[row]);
  return cells;
}

function connectFour(state, players) {
  const board = state.board !== undefined ? state.board : state.columns !== undefined ? state.columns : state.grid;
  let flat = null;
  if (Array.isArray(board) && board.length === 7 && board.every((one) => Array.isArray(one) && one.length <= 6)) {
    flat = columnsToRows(board);
  } else {
    flat = rowsOf(board);
  }
  if (flat === null || flat.length !== 42) return null;
  const cells = sides(flat, players);
  if (cells === null) return null;
  const upright = rests(cells) ? cells : flipped(cells);
  if (!rests(upright)) return null;
  return { kind: "connectfour", cells: upright, last: cellNumber(state.lastMove, 7) };
}

/**
 * What can be drawn of a state: { kind: "chess" | "tictactoe" | "connectfour", … } or null.
 * `players` are the ids in the order of seats.
 */
export function recognise(state, players = []) {
  if (typeof state === "string") return chess({ fen: state });
  if (!isObject(state)) return null;
  const found = chess(state) || ticTacToe(state, players) || connectFour(state, players);
  if (found !== null) return found;
  for (const key of ["game", "state", "public"]) {
    if (isObject(state[key])) {
      const inner = chess(state[key]) || ticTacToe(state[key], players) || connectFour(state[key], players);
      if (inner !== null) return inner;
    }
  }
  return null;
}

const FILES = "abcdefgh";

export function squareName(index) {
  return FILES[index % 8] + (8 - Math.floor(index / 8));
}

export function squareIndex(name) {
  return (8 - Number(name[1])) * 8 + FILES.indexOf(name[0]);
}

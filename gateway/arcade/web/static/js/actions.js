// How a game may name its actions: which of them are squares to click on the board that is drawn.
// Pure; what is no board move stays a button.

const UCI = /^([a-h][1-8])([a-h][1-8])([qrbn])?$/i;
const NUMBER_KEYS = ["i", "index", "cell", "square", "position", "pos"];
const COLUMN_KEYS = ["c", "column", "col"].concat(NUMBER_KEYS);
const MOVE_KEYS = ["uci", "m", "move", "action", "value"];

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** { from, to, promotion } of a chess action, or null. */
export function chessMove(action) {
  if (typeof action === "string") {
    const found = UCI.exec(action);
    if (found === null) return null;
    return { from: found[1].toLowerCase(), to: found[2].toLowerCase(), promotion: found[3] ? found[3].toLowerCase() : null };
  }
  if (!isObject(action)) return null;
  if (typeof action.from === "string" && typeof action.to === "string") {
    const promotion = typeof action.promotion === "string" ? action.promotion.slice(0, 1).toLowerCase() : "";
    return chessMove(action.from + action.to + promotion);
  }
  for (const key of MOVE_KEYS) {
    if (action[key] === undefined) continue;
    const inner = chessMove(action[key]);
    if (inner !== null) return inner;
  }
  return null;
}

function numberOf(action, keys, columns) {
  if (Number.isInteger(action)) return action;
  if (typeof action === "string" && /^\d{1,2}$/.test(action)) return Number(action);
  if (!isObject(action)) return null;
  if (columns === null && Number.isInteger(action.row)) {
    const column = [action.col, action.column].find(Number.isInteger);
    return column === undefined ? null : action.row * 3 + column;
  }
  for (const key of keys.concat(MOVE_KEYS)) {
    const inner = action[key];
    if (Number.isInteger(inner)) return inner;
    if (isObject(inner)) {
      const deeper = numberOf(inner, keys, columns);
      if (deeper !== null) return deeper;
    }
  }
  return null;
}

/** Numbers as places: counted from 0 or from 1, whichever gives exactly the open places; else null. */
function places(numbers, open) {
  for (const base of [0, 1]) {
    const shifted = numbers.map((number) => number - base);
    if (shifted.length === open.length && open.every((place) => shifted.includes(place))) return shifted;
  }
  return null;
}

function openPlaces(board) {
  if (board.kind === "tictactoe") return [...board.cells.keys()].filter((i) => board.cells[i] === 0);
  return [0, 1, 2, 3, 4, 5, 6].filter((column) => board.cells[column] === 0);
}

/**
 * Legal actions sorted for a board: `moves` are [{ from, to, promotion, action }] for chess and
 * [{ place, action }] for the others; `others` are the actions that are no place on the board.
 */
export function sortActions(actions, board) {
  const list = Array.isArray(actions) ? actions : [];
  if (board === null) return { moves: [], others: list };
  if (board.kind === "chess") {
    const moves = [];
    const others = [];
    for (const action of list) {
      const move = chessMove(action);
      if (move === null) others.push(action);
      else moves.push(Object.assign(move, { action }));
    }
    return { moves, others };
  }
  const columns = board.kind === "connectfour" ? 7 : null;
  const keys = board.kind === "connectfour" ? COLUMN_KEYS : NUMBER_KEYS;
  const numbered = [];
  const others = [];
  for (const action of list) {
    const number = numberOf(action, keys, columns);
    if (number === null) others.push(action);
    else numbered.push({ number, action });
  }
  const found = places(numbered.map((one) => one.number), openPlaces(board));
  if (found === null) return { moves: [], others: list };
  return { moves: numbered.map((one, i) => ({ place: found[i], action: one.action })), others };
}

const WORDS = {
  resign: "Resign",
  claim_draw: "Claim a draw",
  offer_draw: "Offer a draw",
  draw_offer: "Offer a draw",
  accept_draw: "Accept the draw",
  draw_accept: "Accept the draw",
  decline_draw: "Decline the draw",
  draw_decline: "Decline the draw",
  pass: "Pass"
};

/** What stands on the button of an action. */
export function actionLabel(action) {
  if (typeof action === "string" || typeof action === "number") return WORDS[action] || String(action);
  if (!isObject(action)) return JSON.stringify(action);
  for (const key of ["label", "san", "uci"]) if (typeof action[key] === "string" && action[key] !== "") return action[key];
  const detail = Object.keys(action).filter((key) => key !== "type");
  const word = typeof action.type === "string" ? WORDS[action.type] || action.type : null;
  if (word === null) return JSON.stringify(action);
  if (detail.length === 0) return word;
  return `${word}: ${detail.map((key) => (typeof action[key] === "string" ? action[key] : JSON.stringify(action[key]))).join(", ")}`;
}

/** Whether an action ends the game for whoever clicks it, so that the page asks first. */
export function isGrave(action) {
  const kind = isObject(action) ? action.type : action;
  return kind === "resign" || kind === "forfeit";
}

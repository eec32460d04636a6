// Chess as a browser game: actions of players go in, what the table is told comes out. No frame, no clock.
//
// Seats take colours by round: in odd rounds the first seat has White. A position that has come up three
// times and fifty moves without capture or pawn move end the game at once, since an agent that knows no claims
// would never come to an end; draws can also be agreed. The fields of the state are in docs/arcade-web.md.

import { Chess } from "../../vendor/chess.js";

const PIECES = { queen: "q", rook: "r", bishop: "b", knight: "n" };
const KINDS = {
  resign: "resign",
  offer_draw: "offer_draw",
  draw_offer: "offer_draw",
  accept_draw: "accept_draw",
  draw_accept: "accept_draw",
  decline_draw: "decline_draw",
  draw_decline: "decline_draw",
  claim_draw: "claim_draw"
};
const LONGEST_TEXT = 32;
// What a move in algebraic notation can consist of; chess.js also reads "--", a null move, which is none here.
const SAN = /^[KQRBNa-hO][KQRBNa-hO1-8x=+#-]*$/;

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function first(object, names) {
  const found = names.find((name) => object[name] !== undefined && object[name] !== null);
  return found === undefined ? undefined : object[found];
}

function kindOf(action) {
  const word = isObject(action) ? first(action, ["type", "action"]) : action;
  return (typeof word === "string" && Object.prototype.hasOwnProperty.call(KINDS, word) && KINDS[word]) || "move";
}

/** The move of an action as { from, to, promotion } or SAN text; null where it has none. */
function moveOf(action) {
  let named = action;
  if (isObject(action)) {
    named = first(action, ["uci", "move", "san", "m", "lan", "notation"]);
    if (typeof named !== "string") {
      const squares = isObject(named) ? named : action;
      const from = first(squares, ["from", "source", "origin"]);
      const to = first(squares, ["to", "target", "destination"]);
      if (typeof from !== "string" || typeof to !== "string") return null;
      const promotion = typeof squares.promotion === "string" ? squares.promotion.toLowerCase() : "";
      named = from + to + (PIECES[promotion] || promotion);
    }
  }
  if (typeof named !== "string" || named.length > LONGEST_TEXT) return null;
  const found = /^([a-h][1-8])[-x]?([a-h][1-8])(?:=?([qrbnQRBN]))?$/.exec(named.trim());
  if (found === null) {
    const san = named.trim().replace(/0/g, "O");
    return SAN.test(san) ? san : null;
  }
  return { from: found[1], to: found[2], promotion: found[3] === undefined ? undefined : found[3].toLowerCase() };
}

/** A refusal with a sentence for the player. */
export class Refusal extends Error {}

export class ChessGame {
  /** `players` in the order of their seats, two of them. */
  constructor(players, round) {
    this.players = players;
    this.round = round;
    this.board = new Chess();
    this.white = players[(round - 1) % 2];
    this.black = players[round % 2];
    this.moves = [];
    this.san = [];
    this.last = null;
    this.offer = null;
    this.offered = -1;
    this.result = null;
  }

  get turn() {
    return this.board.turn() === "w" ? "white" : "black";
  }

  /** Who is to move; null when the game is over. */
  get current() {
    return this.result === null ? this[this.turn] : null;
  }

  other(player) {
    return player === this.white ? this.black : this.white;
  }

  /** The public state. */
  state() {
    return {
      game: "chess",
      round: this.round,
      phase: this.result === null ? "playing" : "over",
      players: this.players.slice(),
      white: this.white,
      black: this.black,
      turn: this.result === null ? this.turn : null,
      currentPlayer: this.current,
      ply: this.moves.length,
      fen: this.board.fen(),
      board: this.board.board().map((row) => row.map((one) => {
        if (one === null) return null;
        return one.color === "w" ? one.type.toUpperCase() : one.type;
      })),
      moves: this.moves.slice(),
      san: this.san.slice(),
      moveNumber: this.board.moveNumber(),
      halfmoveClock: Number(this.board.fen().split(" ")[4]),
      check: this.board.inCheck(),
      lastMove: this.last,
      drawOffer: this.offer,
      otherActions: this.result === null ? [{ type: "resign" }, { type: "offer_draw" }] : [],
      result: this.result
    };
  }

  /** What the player to move may submit: every move, and to accept a draw that is offered. */
  legal() {
    if (this.result !== null) return [];
    const actions = this.board.moves({ verbose: true }).map((move) => {
      const action = { type: "move", uci: move.lan, san: move.san, from: move.from, to: move.to };
      if (move.promotion) action.promotion = move.promotion;
      return action;
    });
    if (this.offer !== null && this.offer !== this.current) actions.push({ type: "accept_draw" });
    return actions;
  }

  /** Carries out an action. Throws `Refusal`; then nothing has changed. */
  act(player, action) {
    if (this.result !== null) throw new Refusal("The game is over");
    if (player !== this.current) throw new Refusal("It is the other player's turn");
    const offered = this.offer !== null && this.offer !== player;
    switch (kindOf(action)) {
      case "move": return this.move(player, action);
      case "resign": return this.finish(this.other(player), "resignation");
      case "accept_draw":
        if (!offered) throw new Refusal("No draw is offered to you");
        return this.finish(null, "agreement");
      case "offer_draw":
        if (offered) return this.finish(null, "agreement");
        if (this.offer === player) throw new Refusal("You have offered a draw already; make your move");
        if (this.offered === this.moves.length) throw new Refusal("A draw can be offered once before each move");
        this.offer = player;
        this.offered = this.moves.length;
        return undefined;
      case "decline_draw":
        if (!offered) throw new Refusal("No draw is offered to you");
        this.offer = null;
        return undefined;
      default:
        throw new Refusal("There is nothing to claim: threefold repetition and fifty moves end the game at once");
    }
  }

  move(player, action) {
    const named = moveOf(action);
    if (named === null) throw new Refusal('This is no move; send one of legalActions, such as {"type": "move", "uci": "e2e4"}');
    let move;
    try {
      // Strict: notation is read as it is defined. A pawn's last step without a piece is refused as well.
      move = this.board.move(named, { strict: true });
    } catch (error) {
      throw new Refusal(`This is not a legal move here: ${JSON.stringify(named).slice(0, 60)}`);
    }
    this.moves.push(move.lan);
    this.san.push(move.san);
    this.last = { from: move.from, to: move.to, uci: move.lan, san: move.san };
    const offers = isObject(action) && ["offerDraw", "offer_draw", "drawOffer"].some((name) => action[name] === true);
    // Whoever moves declines what is offered to him; an own offer stands until it is answered.
    if (offers && this.offer === null && this.offered !== this.moves.length - 1) this.offer = player;
    else if (this.offer !== player) this.offer = null;
    if (this.board.isCheckmate()) this.finish(player, "checkmate");
    else if (this.board.isStalemate()) this.finish(null, "stalemate");
    else if (this.board.isInsufficientMaterial()) this.finish(null, "insufficient_material");
    else if (this.board.isThreefoldRepetition()) this.finish(null, "threefold_repetition");
    else if (this.board.isDrawByFiftyMoves()) this.finish(null, "fifty_moves");
  }

  finish(winner, reason) {
    this.offer = null;
    this.result = { winner, reason, draw: winner === null };
  }

  /** The platform has ended the game (timeout, leave, …): its result stands. */
  end(result, reason) {
    if (this.result !== null) return;
    this.offer = null;
    this.result = Object.assign({ winner: null, reason: reason || "ended" }, isObject(result) ? result : {});
  }
}

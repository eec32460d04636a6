// Chess as a browser game: what the rules say to players, and what the table is told.

import assert from "node:assert/strict";
import test from "node:test";
import { ChessGame, Refusal } from "../../../../gateway/arcade/web/static/games/chess/rules.js";

function played(moves, round = 1) {
  const game = new ChessGame(["p_1", "p_2"], round);
  for (const move of moves) game.act(game.current, move);
  return game;
}

const refusal = (pattern) => (error) => error instanceof Refusal && pattern.test(error.message);

test("colours change from round to round", () => {
  const sides = [1, 2, 3].map((round) => {
    const game = new ChessGame(["p_1", "p_2"], round);
    return [game.white, game.black, game.current];
  });
  assert.deepEqual(sides, [["p_1", "p_2", "p_1"], ["p_2", "p_1", "p_2"], ["p_1", "p_2", "p_1"]]);
});

test("the state says what there is to see", () => {
  const state = played(["e2e4"]).state();
  assert.equal(state.game, "chess");
  assert.equal(state.fen, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
  assert.deepEqual([state.turn, state.currentPlayer, state.ply, state.phase], ["black", "p_2", 1, "playing"]);
  assert.deepEqual(state.lastMove, { from: "e2", to: "e4", uci: "e2e4", san: "e4" });
  assert.deepEqual(state.board[4], [null, null, null, null, "P", null, null, null]);
  assert.deepEqual(JSON.parse(JSON.stringify(state)), state, "plain JSON");
});

test("every legal action can be submitted as it is", () => {
  const game = played([]);
  const actions = game.legal();
  assert.equal(actions.length, 20);
  assert.deepEqual(actions.find((action) => action.uci === "g1f3"), { type: "move", uci: "g1f3", san: "Nf3", from: "g1", to: "f3" });
  for (const action of actions) assert.doesNotThrow(() => played([action]));
});

test("takes the many ways a move is named", () => {
  for (const action of ["e2e4", "e4", "e2-e4", { move: "e2e4" }, { type: "move", uci: "e2e4" }, { san: "e4" }, { m: "e2e4" },
    { from: "e2", to: "e4" }, { move: { from: "e2", to: "e4" } }, { type: "move", from: "e2", to: "e4", promotion: null }]) {
    assert.deepEqual(played([action]).moves, ["e2e4"], JSON.stringify(action));
  }
});

const TO_PROMOTE = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "h7h6", "a6a7", "h6h5"];

test("castling is taken in letters and zeros", () => {
  const before = ["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7"];
  for (const castling of ["O-O", "0-0", "e1g1", { from: "e1", to: "g1" }]) {
    assert.equal(played([...before, castling]).state().lastMove.uci, "e1g1");
  }
});

test("a pawn becomes what the player says, and nothing by itself", () => {
  const game = played(TO_PROMOTE);
  const actions = game.legal().filter((action) => action.from === "a7" && action.to === "b8");
  assert.deepEqual(actions.map((action) => action.promotion).sort(), ["b", "n", "q", "r"]);
  assert.throws(() => game.act("p_1", "a7b8"), refusal(/not a legal move/));
  assert.equal(played([...TO_PROMOTE, "a7b8n"]).board.get("b8").type, "n");
  assert.equal(played([...TO_PROMOTE, { from: "a7", to: "b8", promotion: "queen" }]).state().lastMove.uci, "a7b8q");
});

test("refuses with a sentence and changes nothing", () => {
  const game = played(["e2e4"]);
  const before = JSON.stringify(game.state());
  const circular = {};
  circular.move = circular;
  for (const action of ["e2e4", "e9e5", "", null, undefined, 7, [], {}, { move: 7 }, { from: "e7" }, "x".repeat(5000), { type: "move", uci: null },
    { type: "__proto__" }, { type: "constructor" }, circular, { from: {}, to: [] }, "--", "0000", "e7e5 d7d5"]) {
    assert.throws(() => game.act("p_2", action), Refusal, String(JSON.stringify(action === circular ? 0 : action)).slice(0, 40));
  }
  assert.throws(() => game.act("p_1", "e7e5"), refusal(/other player's turn/));
  assert.throws(() => game.act("p_3", "e7e5"), refusal(/other player's turn/));
  assert.equal(JSON.stringify(game.state()), before);
});

test("mate is won by the player who gives it", () => {
  const game = played(["f2f3", "e7e5", "g2g4", "d8h4"]);
  assert.deepEqual(game.result, { winner: "p_2", reason: "checkmate", draw: false });
  assert.deepEqual([game.current, game.legal(), game.state().phase], [null, [], "over"]);
  assert.throws(() => game.act("p_1", "e2e4"), refusal(/over/));
  assert.equal(played(["f2f3", "e7e5", "g2g4", "d8h4"], 2).result.winner, "p_1");
});

test("draws by rule end the game", () => {
  const there = ["g1f3", "g8f6", "f3g1", "f6g8"];
  assert.equal(played([...there, ...there.slice(0, 3)]).result, null);
  assert.deepEqual(played([...there, ...there]).result, { winner: null, reason: "threefold_repetition", draw: true });

  const stale = new ChessGame(["p_1", "p_2"], 1);
  stale.board.load("7k/5Q2/8/8/8/8/8/K7 w - - 0 1");
  stale.act("p_1", "a1a2");
  assert.equal(stale.result.reason, "stalemate");

  const bare = new ChessGame(["p_1", "p_2"], 1);
  bare.board.load("8/8/8/3k4/4P3/8/8/K7 b - - 0 1");
  bare.act("p_2", "d5e4");
  assert.equal(bare.result.reason, "insufficient_material");

  const fifty = new ChessGame(["p_1", "p_2"], 1);
  fifty.board.load("7k/8/8/8/8/8/R7/K7 w - - 99 80");
  fifty.act("p_1", "a2b2");
  assert.equal(fifty.result.reason, "fifty_moves");
});

test("a draw can be offered, accepted, declined and outlived", () => {
  const offered = played([{ type: "move", uci: "e2e4", offerDraw: true }]);
  assert.equal(offered.state().drawOffer, "p_1");
  assert.deepEqual(offered.legal().pop(), { type: "accept_draw" });
  offered.act("p_2", { type: "accept_draw" });
  assert.deepEqual(offered.result, { winner: null, reason: "agreement", draw: true });

  const moved = played([{ type: "offer_draw" }, "e2e4", "e7e5"]);
  assert.equal(moved.state().drawOffer, null);
  assert.throws(() => moved.act("p_1", { type: "accept_draw" }), refusal(/No draw is offered/));

  const declined = played([{ type: "offer_draw" }, "e2e4", { type: "decline_draw" }]);
  assert.equal(declined.state().drawOffer, null);
  assert.equal(declined.current, "p_2");

  const twice = played([{ type: "offer_draw" }]);
  assert.throws(() => twice.act("p_1", "offer_draw"), refusal(/already/));
  assert.equal(played([{ type: "offer_draw" }, "e2e4", "offer_draw"]).result.reason, "agreement");
  assert.throws(() => played([{ type: "claim_draw" }]), refusal(/nothing to claim/));
});

test("resigning loses; a result of the platform stands", () => {
  assert.deepEqual(played(["e2e4", { type: "resign" }]).result, { winner: "p_1", reason: "resignation", draw: false });
  const game = played(["e2e4"]);
  game.end({ winner: "p_2", reason: "timeout", forfeitedBy: "p_1" }, "timeout");
  assert.deepEqual(game.state().result, { winner: "p_2", reason: "timeout", forfeitedBy: "p_1" });
  game.end({ winner: "p_1" }, "left");
  assert.equal(game.result.winner, "p_2");
  const left = played([]);
  left.end(null, "host_disconnected");
  assert.deepEqual(left.result, { winner: null, reason: "host_disconnected" });
});

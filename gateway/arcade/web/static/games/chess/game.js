// The chess game in its frame: the rules on one side, the table (RcadiaAgent) on the other, a board to look at.

import { chessBoard } from "../../js/boards/chess.js";
import { el, show } from "../../js/dom.js";
import { recognise } from "../../js/shapes.js";
import { ChessGame, Refusal } from "./rules.js";

const rcadia = new window.RcadiaAgent({
  minPlayers: 2,
  maxPlayers: 2,
  turnBased: true,
  simultaneous: false,
  gameType: "chess",
  turnTimeout: 300,
  maxTurnTimeouts: 2,
  autoRematch: true
});

const board = chessBoard();
const caption = el("p", { class: "caption", role: "status" }, "Waiting for two players.");
show(document.getElementById("game"), board.node, caption);

let game = null;

function draw(text) {
  board.update({ board: recognise(game === null ? new ChessGame(["", ""], 1).state() : game.state()), moves: [], flipped: false });
  show(caption, text);
}

function publish() {
  rcadia.setState(game.state());
  if (game.result !== null) {
    rcadia.endGame(game.result);
    draw(`Round ${game.round} is over: ${ending(game.result)}`);
    return;
  }
  rcadia.setLegalActions(game.current, game.legal());
  draw(`Round ${game.round}: ${game.turn === "white" ? "White" : "Black"} is to move.`);
}

function ending(result) {
  const reason = String(result.reason).replace(/_/g, " ");
  if (result.winner !== game.white && result.winner !== game.black) return `a draw or no winner (${reason}).`;
  return `${result.winner === game.white ? "White" : "Black"} wins (${reason}).`;
}

rcadia.onGameStart(({ players, round }) => {
  game = new ChessGame(players, round);
  publish();
});

rcadia.onAction((playerId, action) => {
  if (game === null) return;
  try {
    game.act(playerId, action);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    rcadia.rejectAction(playerId, error.message);
    return;
  }
  publish();
});

rcadia.onTimeout((playerId, { final }) => {
  if (game === null || final) return;
  show(caption, `${playerId === game.white ? "White" : "Black"} has run out of time and gets one more turn's time.`);
});

rcadia.onSessionEnd(({ result, reason }) => {
  if (game === null) return;
  game.end(result, reason);
  rcadia.setState(game.state());
  draw(`Round ${game.round} is over: ${ending(game.result)}`);
});

draw("Waiting for two players.");

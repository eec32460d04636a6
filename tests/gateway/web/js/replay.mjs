// Reads games from stdin, [{ fen, moves: [uci…] }…], and writes what the vendored chess.js says after each move.

import { readFileSync } from "node:fs";
import { Chess } from "../../../../gateway/arcade/web/static/vendor/chess.js";

function seen(board) {
  return {
    placement: board.fen().split(" ").slice(0, 3).join(" "),
    legal: board.moves({ verbose: true }).map((move) => [move.lan, move.san]).sort(),
    check: board.inCheck(),
    mate: board.isCheckmate(),
    stalemate: board.isStalemate(),
    bare: board.isInsufficientMaterial(),
    fifty: board.isDrawByFiftyMoves()
  };
}

const games = JSON.parse(readFileSync(0, "utf8"));
const said = games.map(({ fen, moves, every }) => {
  const board = new Chess(fen);
  const positions = [seen(board)];
  moves.forEach((uci, i) => {
    board.move({ from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci[4] });
    if ((i + 1) % every === 0 || i + 1 === moves.length) positions.push(seen(board));
  });
  return { positions, threefold: board.isThreefoldRepetition() };
});
process.stdout.write(JSON.stringify(said));

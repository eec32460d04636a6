// The view for a recognised board, or of any other state as it is.

import { el, pretty, show } from "../dom.js";
import { chessBoard } from "./chess.js";
import { connectFourBoard, ticTacToeBoard } from "./places.js";

const VIEWS = { chess: chessBoard, tictactoe: ticTacToeBoard, connectfour: connectFourBoard };

/** A place on the page that shows whatever state it is given, and keeps its view while the kind stays. */
export function stage(act) {
  const node = el("div", { class: "stage" });
  let kind = null;
  let view = null;

  return {
    node,
    /** `board` is recognise(state) or null; `moves` and `flipped` as for the boards. */
    update({ board, state, moves, flipped }) {
      if (board === null) {
        kind = null;
        const said = state !== null && state !== undefined;
        show(node, said
          ? el("pre", { class: "state", tabindex: "0", "aria-label": "State of the game" }, pretty(state))
          : el("p", { class: "empty" }, "The board appears when the game begins."));
        return;
      }
      if (kind !== board.kind) {
        kind = board.kind;
        view = VIEWS[kind](act);
        show(node, view.node);
      }
      view.update({ board, moves, flipped });
    }
  };
}

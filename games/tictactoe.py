"""Tic-Tac-Toe, ``ttt.1`` (spec, appendix A).

The challenger is X and moves first. A move carries the whole board after it; the receiver computes
the board itself and compares.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from lrgpnode.protocol.game import (
    Coin,
    GameView,
    Intent,
    LegalMove,
    Manifest,
    Payload,
    SessionType,
    Validation,
)
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.turn_based import (
    ACTIONS,
    NO_OFFER,
    PREFERRED_DELIVERY,
    Shape,
    TurnBasedGame,
    contradicts,
    invalid,
    loaded,
    malformed,
    matches,
    require,
)

from ._moves import appended, check_moves, check_result, played
from ._views import outcome, status_line

EMPTY: Final = "_"
EMPTY_BOARD: Final = EMPTY * 9
LINES: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

_MOVE: Final[Shape] = {"i": int, "b": str, "n": int, "t": str, "x": str}
_WIN: Final[Shape] = {**_MOVE, "w": str}
_METADATA: Final = {
    "board": (str,),
    "turn": (str,),
    "first_turn": (str,),
    "my_marker": (str,),
    "move_count": (int,),
    "winner": (str,),
    "terminal": (str,),
}


def marker(number: int) -> str:
    """The marker of move ``number``, 1-based: odd X, even O."""
    return "X" if number % 2 else "O"


def has_line(board: str, mark: str) -> bool:
    return any(all(board[cell] == mark for cell in line) for line in LINES)


def terminal(board: str, mark: str) -> str:
    """ "win" if ``mark``, who has just moved, has a line; "draw" on a full board; else ""."""
    if has_line(board, mark):
        return "win"
    return "" if EMPTY in board else "draw"


class TicTacToe(TurnBasedGame):
    manifest: ClassVar[Manifest] = Manifest(
        app_id="ttt",
        version=1,
        display_name="Tic-Tac-Toe",
        icon="ttt",
        session_type=SessionType.TURN_BASED,
        validation=Validation.BOTH,
        actions=ACTIONS,
        tag="TTT",
        preferred_delivery=PREFERRED_DELIVERY,
        ttl={Status.PENDING: 86_400.0, Status.ACTIVE: 86_400.0},
    )
    move_intent: ClassVar[Shape] = {"i": int}
    accept_shape: ClassVar[Shape] = {"b": str, "t": str}

    def opening(self, key: SessionKey, peer: str, initiator: str) -> dict[str, Any]:
        return {
            "board": EMPTY_BOARD,
            "turn": "",
            "first_turn": initiator,
            "my_marker": "X" if initiator == key.identity else "O",
            "move_count": 0,
            "winner": "",
            "terminal": "",
            "moves": [],
            **NO_OFFER,
        }

    def accept_payload(self, session: Session, coin: Coin) -> Payload:
        return {"b": EMPTY_BOARD, "t": session.metadata["first_turn"]}

    def accepted(self, session: Session, payload: Payload) -> dict[str, Any]:
        if payload["b"] != EMPTY_BOARD or payload["t"] != session.metadata["first_turn"]:
            raise contradicts("The challenger moves first, on an empty board")
        return {"turn": payload["t"]}

    def move_payload(self, session: Session, actor: str, intent: Intent) -> Payload:
        number = session.metadata["move_count"] + 1
        board = _place(session.metadata["board"], intent["i"], marker(number))
        end = terminal(board, marker(number))
        payload: Payload = {
            "i": intent["i"],
            "b": board,
            "n": number,
            "t": "" if end else session.other(actor),
            "x": end,
        }
        return payload | {"w": actor} if end == "win" else payload

    def check_move_shape(self, payload: Payload) -> None:
        shape = _WIN if payload.get("x") == "win" else _MOVE
        if not matches(payload, shape):
            raise malformed("move", shape)
        if payload["x"] not in ("", "win", "draw") or payload["i"] < 0 or payload["n"] < 0:
            raise contradicts("x must be empty, win or draw, and i and n must not be negative")

    def moved(self, session: Session, actor: str, payload: Payload) -> dict[str, Any]:
        number = session.metadata["move_count"] + 1
        if payload["n"] != number:
            raise invalid(f"Move {number} is expected, not move {payload['n']}")
        expected = self.move_payload(session, actor, {"i": payload["i"]})
        if payload["b"] != expected["b"]:
            raise invalid("The board does not match the moves played")
        if payload != expected:
            raise invalid("The claimed result or next player is wrong")
        return {
            "board": payload["b"],
            "turn": payload["t"],
            "move_count": number,
            "winner": payload.get("w", ""),
            "terminal": payload["x"],
            **appended(session, payload["i"]),
        }

    def normalise(self, session: Session) -> Session:
        session = loaded(session, _METADATA, optional=("moves",))
        m = session.metadata
        board, count = m["board"], m["move_count"]
        require(len(board) == 9 and set(board) <= set("_XO"), "the board is malformed")
        crosses, noughts = board.count("X"), board.count("O")
        require(crosses - noughts in (0, 1) and count == crosses + noughts, "the markers do not add up")
        require(m["first_turn"] == session.initiator, "the challenger moves first")
        mine = "X" if session.initiator == session.key.identity else "O"
        require(m["my_marker"] == mine, "my_marker is wrong")
        lines = [mark for mark in "XO" if has_line(board, mark)]
        require(lines in ([], [marker(count)]), "the board has a line that no last move can have made")
        to_move = session.initiator if count % 2 == 0 else session.responder
        check_result(session, terminal(board, marker(count)) if count else "", to_move, keeps_turn=True)
        check_moves(session, _replayed)
        return session

    def move_text(self, after: Session, payload: Payload) -> str:
        if payload["x"] == "win":
            return f"{marker(payload['n'])} wins!"
        return "Game drawn!" if payload["x"] == "draw" else f"Move {payload['n']}"

    def view(self, session: Session, viewer: str) -> GameView:
        board = session.metadata["board"]
        my_turn = session.status is Status.ACTIVE and session.metadata["turn"] == viewer
        legal = [
            LegalMove(intent={"i": i}, label=str(i + 1), target=divmod(i, 3))
            for i, cell in enumerate(board)
            if cell == EMPTY and my_turn
        ]
        return GameView(
            app_id="ttt",
            grid=tuple(tuple("" if c == EMPTY else c for c in board[r : r + 3]) for r in (0, 3, 6)),
            row_labels=("1", "2", "3"),
            column_labels=("a", "b", "c"),
            seat="X" if viewer == session.initiator else "O",
            turn=session.metadata["turn"] if session.status is Status.ACTIVE else "",
            my_turn=my_turn,
            legal=tuple(legal),
            last_cells=tuple(divmod(i, 3) for i in played(session)[-1:]),
            status_line=status_line(session, viewer, draw_by_board=EMPTY not in board),
            result=outcome(session, draw_by_board=EMPTY not in board),
            history=tuple(f"{'abc'[i % 3]}{i // 3 + 1}" for i in played(session)),
            ply=session.metadata["move_count"],
            tokens={"X": "X, the challenger", "O": "O, the challenged player"},
            draw_offered_by=session.metadata["draw_offered_by"],
        )

    def parse(self, session: Session, text: str) -> dict[str, Any]:
        word = text.strip().lower()
        if len(word) == 1 and word in "123456789":
            return {"i": int(word) - 1}
        if len(word) == 2 and word[0] in "abc" and word[1] in "123":
            return {"i": 3 * (int(word[1]) - 1) + "abc".index(word[0])}
        raise invalid(f"{ascii(text)[:16]} is no cell: type 1 to 9 in reading order, or a1 to c3")


def _replayed(moves: list[int]) -> str:
    board = EMPTY_BOARD
    for number, cell in enumerate(moves, 1):
        if number > 1 and terminal(board, marker(number - 1)):
            raise invalid("The game has ended")
        board = _place(board, cell, marker(number))
    return board


def _place(board: str, cell: int, mark: str) -> str:
    if not 0 <= cell < 9:
        raise invalid("Cells are numbered 0 to 8")
    if board[cell] != EMPTY:
        raise invalid("That cell is taken")
    return board[:cell] + mark + board[cell + 1 :]

"""Four in a Row, ``four_in_a_row.1`` (spec, appendix C).

Seven columns, six rows, row 0 on top. The challenger plays A and moves first. A move carries only its
column; both sides keep the board and compute gravity, the end and the winner themselves.
"""

from __future__ import annotations

from dataclasses import replace
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

COLUMNS: Final = 7
ROWS: Final = 6
EMPTY: Final = "_"
EMPTY_BOARD: Final = EMPTY * (COLUMNS * ROWS)
DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))

_MOVE: Final[Shape] = {"c": int, "n": int, "x": str}
_WIN: Final[Shape] = {**_MOVE, "w": str}
_CELL: Final = (int, type(None))
_METADATA: Final = {
    "board": (str,),
    "turn": (str,),
    "first_turn": (str,),
    "my_marker": (str,),
    "first_marker": (str,),
    "second_marker": (str,),
    "move_count": (int,),
    "last_column": _CELL,
    "last_row": _CELL,
    "last_cell": _CELL,
    "winner": (str,),
    "terminal": (str,),
}


def marker(number: int) -> str:
    """The marker of move ``number``, 1-based: odd A, even B."""
    return "A" if number % 2 else "B"


def landing_row(board: str, column: int) -> int | None:
    """The row a stone falls to, or None where the column is full."""
    for row in range(ROWS - 1, -1, -1):
        if board[row * COLUMNS + column] == EMPTY:
            return row
    return None


def four_through(board: str, row: int, column: int) -> bool:
    """Whether the stone at (row, column) is part of four or more in a line."""
    mark = board[row * COLUMNS + column]
    for down, right in DIRECTIONS:
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < ROWS and 0 <= c < COLUMNS and board[r * COLUMNS + c] == mark:
                length += 1
                r, c = r + sign * down, c + sign * right
        if length >= 4:
            return True
    return False


class FourInARow(TurnBasedGame):
    manifest: ClassVar[Manifest] = Manifest(
        app_id="four_in_a_row",
        version=1,
        display_name="Four in a Row",
        icon="four_in_a_row",
        session_type=SessionType.TURN_BASED,
        validation=Validation.BOTH,
        actions=ACTIONS,
        tag="Four in a Row",
        preferred_delivery=PREFERRED_DELIVERY,
    )
    move_intent: ClassVar[Shape] = {"c": int}
    accept_shape: ClassVar[Shape] = {"t": str}

    def opening(self, key: SessionKey, peer: str, initiator: str) -> dict[str, Any]:
        return {
            "board": EMPTY_BOARD,
            "turn": "",
            "first_turn": initiator,
            "my_marker": "A" if initiator == key.identity else "B",
            "first_marker": "A",
            "second_marker": "B",
            "move_count": 0,
            "last_column": None,
            "last_row": None,
            "last_cell": None,
            "winner": "",
            "terminal": "",
            "moves": [],
            **NO_OFFER,
        }

    def expire(self, session: Session, now: float) -> Session:
        return replace(session.expired(now), metadata={**session.metadata, **NO_OFFER})

    def accept_payload(self, session: Session, coin: Coin) -> Payload:
        return {"t": session.metadata["first_turn"]}

    def accepted(self, session: Session, payload: Payload) -> dict[str, Any]:
        if payload["t"] != session.metadata["first_turn"]:
            raise contradicts("The challenger moves first")
        return {"turn": payload["t"]}

    def move_payload(self, session: Session, actor: str, intent: Intent) -> Payload:
        number = session.metadata["move_count"] + 1
        board, row = _drop(session.metadata["board"], intent["c"], number)
        payload: Payload = {"c": intent["c"], "n": number, "x": _terminal(board, row, intent["c"])}
        return payload | {"w": actor} if payload["x"] == "win" else payload

    def check_move_shape(self, payload: Payload) -> None:
        shape = _WIN if payload.get("x") == "win" else _MOVE
        if not matches(payload, shape):
            raise malformed("move", shape)
        if payload["x"] not in ("", "win", "draw") or payload["c"] < 0 or payload["n"] < 0:
            raise contradicts("x must be empty, win or draw, and c and n must not be negative")

    def moved(self, session: Session, actor: str, payload: Payload) -> dict[str, Any]:
        number, column = session.metadata["move_count"] + 1, payload["c"]
        if payload["n"] != number:
            raise invalid(f"Move {number} is expected, not move {payload['n']}")
        board, row = _drop(session.metadata["board"], column, number)
        end = _terminal(board, row, column)
        if payload["x"] != end:
            raise invalid("The claimed result is wrong")
        winner = actor if end == "win" else ""
        if payload.get("w", "") != winner:
            raise invalid("The claimed winner is wrong")
        return {
            "board": board,
            "turn": "" if end else session.other(actor),
            "move_count": number,
            "last_column": column,
            "last_row": row,
            "last_cell": row * COLUMNS + column,
            "winner": winner,
            "terminal": end,
            **appended(session, column),
        }

    def normalise(self, session: Session) -> Session:
        session = loaded(session, _METADATA, optional=("moves",))
        m = session.metadata
        board, count = m["board"], m["move_count"]
        _check_stones(board, count)
        require((m["first_marker"], m["second_marker"]) == ("A", "B"), "the markers are wrong")
        require(m["first_turn"] == session.initiator, "the challenger moves first")
        mine = "A" if session.initiator == session.key.identity else "B"
        require(m["my_marker"] == mine, "my_marker is wrong")
        end = _check_last(m, board, count)
        to_move = session.initiator if count % 2 == 0 else session.responder
        check_result(session, end, to_move, keeps_turn=False)
        check_moves(session, _replayed)
        if count and "moves" in m:
            require(m["moves"][-1] == m["last_column"], "the last move is another")
        if session.status is Status.EXPIRED:
            return replace(session, metadata={**m, **NO_OFFER})
        return session

    def move_text(self, after: Session, payload: Payload) -> str:
        if payload["x"] == "win":
            return "Four in a row!"
        return "Game drawn!" if payload["x"] == "draw" else f"Move {payload['n']}"

    def command_text(self, before: Session, actor: str, command: str, payload: Payload) -> str:
        return (
            "Draw declined"
            if command == "draw_decline"
            else super().command_text(before, actor, command, payload)
        )

    def view(self, session: Session, viewer: str) -> GameView:
        m = session.metadata
        board = m["board"]
        my_turn = session.status is Status.ACTIVE and m["turn"] == viewer
        targets = [(c, landing_row(board, c)) for c in range(COLUMNS)] if my_turn else []
        legal = [
            LegalMove(intent={"c": c}, label=str(c + 1), target=(row, c))
            for c, row in targets
            if row is not None
        ]
        last = m["last_cell"]
        full = EMPTY not in board
        return GameView(
            app_id="four_in_a_row",
            grid=tuple(
                tuple("" if cell == EMPTY else cell for cell in board[start : start + COLUMNS])
                for start in range(0, len(board), COLUMNS)
            ),
            row_labels=("",) * ROWS,
            column_labels=tuple(str(c + 1) for c in range(COLUMNS)),
            seat="A" if viewer == session.initiator else "B",
            turn=m["turn"] if session.status is Status.ACTIVE else "",
            my_turn=my_turn,
            legal=tuple(legal),
            last_cells=() if last is None else (divmod(last, COLUMNS),),
            status_line=status_line(session, viewer, draw_by_board=full),
            result=outcome(session, draw_by_board=full),
            history=tuple(str(c + 1) for c in played(session)),
            ply=m["move_count"],
            tokens={"A": "A, the challenger", "B": "B, the challenged player"},
            draw_offered_by=m["draw_offered_by"],
        )

    def parse(self, session: Session, text: str) -> dict[str, Any]:
        word = text.strip()
        if len(word) == 1 and word in "1234567":
            return {"c": int(word) - 1}
        raise invalid(f"{ascii(text)[:16]} is no column: type 1 to 7")


def _drop(board: str, column: int, number: int) -> tuple[str, int]:
    """(board after move ``number`` into ``column``, landing row)."""
    if not 0 <= column < COLUMNS:
        raise invalid("Columns are numbered 0 to 6")
    row = landing_row(board, column)
    if row is None:
        raise invalid("That column is full")
    cell = row * COLUMNS + column
    return board[:cell] + marker(number) + board[cell + 1 :], row


def _terminal(board: str, row: int, column: int) -> str:
    if four_through(board, row, column):
        return "win"
    return "" if EMPTY in board else "draw"


def _replayed(moves: list[int]) -> str:
    board, end = EMPTY_BOARD, ""
    for number, column in enumerate(moves, 1):
        if end:
            raise invalid("The game has ended")
        board, row = _drop(board, column, number)
        end = _terminal(board, row, column)
    return board


def _check_stones(board: str, count: int) -> None:
    require(len(board) == COLUMNS * ROWS and set(board) <= set("_AB"), "the board is malformed")
    first, second = board.count("A"), board.count("B")
    require(first - second in (0, 1) and count == first + second, "the stones do not add up")
    floating = any(
        board[cell] != EMPTY and board[cell + COLUMNS] == EMPTY for cell in range(COLUMNS * (ROWS - 1))
    )
    require(not floating, "a stone floats above an empty cell")


def _check_last(m: Any, board: str, count: int) -> str:
    """The end the board says, "" while it goes on; the last move is checked on the way."""
    last = (m["last_column"], m["last_row"], m["last_cell"])
    if count == 0:
        require(last == (None, None, None), "there is no last move yet")
        return ""
    column, row, cell = last
    require(None not in last, "the last move is missing")
    require(0 <= column < COLUMNS and 0 <= row < ROWS and cell == row * COLUMNS + column, "last_* disagree")
    require(board[cell] == marker(count), "the last stone has the wrong marker")
    require(row == 0 or board[cell - COLUMNS] == EMPTY, "the last stone is not on top of its column")
    before = board[:cell] + EMPTY + board[cell + 1 :]
    require(not _any_four(before), "the game had ended before the last move")
    return _terminal(board, row, column)


def _any_four(board: str) -> bool:
    return any(
        board[cell] != EMPTY and four_through(board, *divmod(cell, COLUMNS)) for cell in range(len(board))
    )

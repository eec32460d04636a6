"""Tic-tac-toe and connect four on the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from games.four_in_a_row import COLUMNS, EMPTY_BOARD as NO_STONES, ROWS, FourInARow, landing_row
from games.tictactoe import EMPTY, EMPTY_BOARD as NO_MARKS, TicTacToe
from lrgpnode.protocol.session import Session

from .words import Words, no_move, one_of, whole

_CELL: Final = ("cell", "index", "position", "square", "i", "move")
_COLUMN: Final = ("column", "col", "c", "index", "move")
_CELL_EXAMPLE: Final = '{"type": "move", "cell": 4}'
_COLUMN_EXAMPLE: Final = '{"type": "move", "column": 3}'


class TicTacToeWords(Words):
    app: ClassVar[str] = "ttt"
    title: ClassVar[str] = "Tic-Tac-Toe"
    kind: ClassVar[str] = "tic-tac-toe"
    seats: ClassVar[tuple[str, str]] = ("X", "O")

    def __init__(self, game: TicTacToe) -> None:
        super().__init__(game)

    def describe(self, session: Session | None) -> dict[str, Any]:
        board = _cells(NO_MARKS if session is None else session.metadata["board"])
        moves = [] if session is None else list(session.metadata["moves"])
        last = {"cell": moves[-1], "row": moves[-1] // 3, "column": moves[-1] % 3} if moves else None
        return {
            "board": board,
            "rows": [board[start : start + 3] for start in (0, 3, 6)],
            "moves": moves,
            "lastMove": last,
        }

    def moves(self, session: Session) -> list[dict[str, Any]]:
        board = session.metadata["board"]
        return [
            {"type": "move", "cell": cell, "row": cell // 3, "column": cell % 3}
            for cell, mark in enumerate(board)
            if mark == EMPTY
        ]

    def move(self, session: Session, action: Any) -> dict[str, Any]:
        cell = _number(action, _CELL)
        if cell is None and isinstance(action, Mapping):
            row, column = whole(action.get("row")), whole(one_of(action, ("column", "col")))
            if row is not None and column is not None and 0 <= row < 3 and 0 <= column < 3:
                cell = 3 * row + column
        if cell is None:
            raise no_move(_CELL_EXAMPLE)
        return {"i": cell}


class FourWords(Words):
    app: ClassVar[str] = "four_in_a_row"
    title: ClassVar[str] = "Connect Four"
    kind: ClassVar[str] = "connect-four"
    seats: ClassVar[tuple[str, str]] = ("A", "B")

    def __init__(self, game: FourInARow) -> None:
        super().__init__(game)

    def describe(self, session: Session | None) -> dict[str, Any]:
        cells = _cells(NO_STONES if session is None else session.metadata["board"])
        moves = [] if session is None else list(session.metadata["moves"])
        last = None
        if session is not None and moves:
            last = {"column": moves[-1], "row": session.metadata["last_row"]}
        return {
            "board": [cells[start : start + COLUMNS] for start in range(0, len(cells), COLUMNS)],
            "columns": COLUMNS,
            "rows": ROWS,
            "moves": moves,
            "lastMove": last,
        }

    def moves(self, session: Session) -> list[dict[str, Any]]:
        board = session.metadata["board"]
        landings = ((column, landing_row(board, column)) for column in range(COLUMNS))
        return [{"type": "move", "column": column, "row": row} for column, row in landings if row is not None]

    def move(self, session: Session, action: Any) -> dict[str, Any]:
        column = _number(action, _COLUMN)
        if column is None:
            raise no_move(_COLUMN_EXAMPLE)
        return {"c": column}


def _cells(board: str) -> list[str | None]:
    return [None if mark == EMPTY else mark for mark in board]


def _number(action: Any, names: tuple[str, ...]) -> int | None:
    return whole(one_of(action, names) if isinstance(action, Mapping) else action)

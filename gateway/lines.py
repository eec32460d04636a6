"""The three games behind one contract, as far as reading what a platform shows needs their rules.

A move is what an intent holds: UCI with castling as king takes own rook, a cell 0 to 8 in reading order, a
column 0 to 6. A `Line` is a game from its beginning; equal moves make equal lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from games import four_in_a_row as four, tictactoe as ttt
from lrgpnode.protocol.errors import ErrorCode, Rejection
from lrgpnode.protocol.game import Intent
from lrgpnode.protocol.value import Value

if TYPE_CHECKING:
    from games._chess_rules import Position

Move: TypeAlias = str | int


class Rules(Protocol):
    """One game. Positions are its own values."""

    app: str
    key: str
    """The one key of a move's intent."""

    def start(self) -> Any: ...

    def legal(self, position: Any) -> tuple[Move, ...]:
        """All legal moves, none after the end."""
        ...

    def after(self, position: Any, move: Move) -> tuple[Move, Any]:
        """The move in its one form, and the position after it. Raises ``Rejection``."""
        ...

    def end(self, position: Any) -> str:
        """ "win" by the side that moved last, "draw", or "" while play goes on."""
        ...

    def text(self, position: Any) -> str:
        """The position for ``gateway.seat.Board``."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Line(Value):
    """A game as it was played. ``position`` follows from ``moves``."""

    rules: Rules
    moves: tuple[Move, ...]
    position: Any = field(compare=False)

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def mover(self) -> int:
        """Who is to move: 0 the side that began, 1 the other."""
        return len(self.moves) % 2

    @property
    def intents(self) -> tuple[Intent, ...]:
        return tuple({self.rules.key: move} for move in self.moves)

    def plus(self, move: Move) -> Line:
        """Raises ``Rejection``."""
        if self.rules.end(self.position):
            raise Rejection(ErrorCode.INVALID_MOVE, "The game is over")
        canonical, position = self.rules.after(self.position, move)
        return Line(self.rules, (*self.moves, canonical), position)

    def legal(self) -> tuple[Move, ...]:
        return self.rules.legal(self.position)

    def end(self) -> str:
        return self.rules.end(self.position)

    def text(self) -> str:
        return self.rules.text(self.position)

    def move_of(self, intent: Intent) -> Move:
        """The move of an intent in its one form. Raises ``Rejection``."""
        move = intent.get(self.rules.key)
        if not isinstance(move, str | int) or isinstance(move, bool):
            raise Rejection(ErrorCode.INVALID_MOVE, f"A {self.rules.app} move has the key {self.rules.key}")
        return self.plus(move).moves[-1]


def rules_of(app: str) -> Rules:
    """Raises ``KeyError`` for a game that is not one of the three."""
    return _RULES[app]


def line_of(app: str, moves: Iterable[Move] = ()) -> Line:
    """A game from its moves. Raises ``Rejection`` where one is not legal."""
    rules = rules_of(app)
    line = Line(rules, (), rules.start())
    for move in moves:
        line = line.plus(move)
    return line


class _Chess:
    app = "chess"
    key = "m"

    def start(self) -> Position:
        return _first_position()

    def legal(self, position: Position) -> tuple[Move, ...]:
        if self.end(position):
            return ()
        return tuple(position.wire(move) for move in position.board.legal_moves)

    def after(self, position: Position, move: Move) -> tuple[Move, Position]:
        found = position.move(str(move))
        return position.wire(found), position.after(found)

    def end(self, position: Position) -> str:
        return position.end()[0]

    def text(self, position: Position) -> str:
        return position.board.fen()


class _TicTacToe:
    app = "ttt"
    key = "i"

    def start(self) -> str:
        return ttt.EMPTY_BOARD

    def legal(self, position: str) -> tuple[Move, ...]:
        return () if self.end(position) else tuple(i for i, cell in enumerate(position) if cell == ttt.EMPTY)

    def after(self, position: str, move: Move) -> tuple[Move, str]:
        if move not in self.legal(position):
            raise Rejection(ErrorCode.INVALID_MOVE, "That cell is not free")
        cell = int(move)
        mark = ttt.marker(_stones(position) + 1)
        return cell, position[:cell] + mark + position[cell + 1 :]

    def end(self, position: str) -> str:
        return ttt.terminal(position, ttt.marker(_stones(position))) if _stones(position) else ""

    def text(self, position: str) -> str:
        return position


class _Four:
    app = "four_in_a_row"
    key = "c"

    def start(self) -> tuple[str, str]:
        return four.EMPTY_BOARD, ""

    def legal(self, position: tuple[str, str]) -> tuple[Move, ...]:
        board, end = position
        return () if end else tuple(c for c in range(four.COLUMNS) if four.landing_row(board, c) is not None)

    def after(self, position: tuple[str, str], move: Move) -> tuple[Move, tuple[str, str]]:
        if move not in self.legal(position):
            raise Rejection(ErrorCode.INVALID_MOVE, "That column is full, or there is none")
        board, column = position[0], int(move)
        row = four.landing_row(board, column)
        assert row is not None
        cell = row * four.COLUMNS + column
        board = board[:cell] + four.marker(_stones(board) + 1) + board[cell + 1 :]
        end = "draw" if four.EMPTY not in board else ""
        return column, (board, "win" if four.four_through(board, row, column) else end)

    def end(self, position: tuple[str, str]) -> str:
        return position[1]

    def text(self, position: tuple[str, str]) -> str:
        return position[0]


def _stones(board: str) -> int:
    return sum(cell != "_" for cell in board)


@cache
def _first_position() -> Position:
    from games._chess_rules import start  # noqa: PLC0415 - loads `chess`, which not every table needs

    return start()


_RULES: Final[dict[str, Rules]] = {rules.app: rules for rules in (_Chess(), _TicTacToe(), _Four())}

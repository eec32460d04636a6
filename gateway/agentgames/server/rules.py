"""Positions of the games of the ladder, over the rules in ``games``: what is legal, what a move leads to.

A position is a value. ``winner`` is that of a position that ends a match, ``wire.DRAW`` for nobody; then
``legal`` is empty. It is None while the match goes on. Player 0 is X, or White, and moves first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from games import four_in_a_row as four, tictactoe
from gateway.agentgames import wire
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.value import Value

if TYPE_CHECKING:
    from games import _chess_rules


class IllegalMove(Exception):
    """The token is no legal move; it costs the match."""


class Position(Protocol):
    @property
    def to_move(self) -> int: ...

    @property
    def winner(self) -> int | None: ...

    @property
    def legal(self) -> tuple[str, ...]:
        """Tokens in the order in which they are sent."""
        ...

    def play(self, token: str) -> Position:
        """The position after a move, which is read as leniently as the specification's server does.

        Raises ``IllegalMove``.
        """
        ...

    def observation(self) -> wire.Observation: ...

    def rows(self) -> tuple[str, ...]:
        """The board as text for people and pages: a row a line, a letter a cell, ``.`` for none."""
        ...

    def question(self) -> str | tuple[str, ...]:
        """How ``lrgpnode.house.question`` knows this position."""
        ...

    def say(self, token: str) -> str:
        """What people call a legal move here."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class _Board(Value):
    """Of marks or stones that stay where they are, as `games` keeps it."""

    board: str
    plies: int = 0
    winner: int | None = None

    @property
    def to_move(self) -> int:
        return self.plies % 2

    def question(self) -> str:
        return self.board


@dataclass(frozen=True, slots=True, repr=False)
class TttPosition(_Board):
    """Tic-tac-toe."""

    board: str = tictactoe.EMPTY_BOARD

    @property
    def legal(self) -> tuple[str, ...]:
        if self.winner is not None:
            return ()
        return tuple(str(cell) for cell, mark in enumerate(self.board) if mark == tictactoe.EMPTY)

    def play(self, token: str) -> TttPosition:
        cell = _number(token, range(9))
        if self.winner is not None or self.board[cell] != tictactoe.EMPTY:
            raise IllegalMove
        mark = tictactoe.marker(self.plies + 1)
        board = self.board[:cell] + mark + self.board[cell + 1 :]
        return TttPosition(board, self.plies + 1, _winner(tictactoe.terminal(board, mark), self.to_move))

    def observation(self) -> wire.TttObservation:
        board = list(self.board.replace(tictactoe.EMPTY, wire.EMPTY))
        return wire.TttObservation(board=board, to_move=self.to_move, legal=list(self.legal))

    def rows(self) -> tuple[str, ...]:
        board = self.board.replace(tictactoe.EMPTY, wire.EMPTY)
        return board[:3], board[3:6], board[6:]

    def say(self, token: str) -> str:
        row, column = divmod(_number(token, range(9)), 3)
        return f"{'abc'[column]}{row + 1}"


_STONES: Final = str.maketrans({"A": wire.MARKS[0], "B": wire.MARKS[1], four.EMPTY: wire.EMPTY})


@dataclass(frozen=True, slots=True, repr=False)
class C4Position(_Board):
    """Four in a row."""

    board: str = four.EMPTY_BOARD

    @property
    def legal(self) -> tuple[str, ...]:
        if self.winner is not None:
            return ()
        return tuple(str(column) for column in range(four.COLUMNS) if self.board[column] == four.EMPTY)

    def play(self, token: str) -> C4Position:
        column = _number(token, range(four.COLUMNS))
        row = four.landing_row(self.board, column)
        if self.winner is not None or row is None:
            raise IllegalMove
        cell = row * four.COLUMNS + column
        board = self.board[:cell] + four.marker(self.plies + 1) + self.board[cell + 1 :]
        won = four.four_through(board, row, column)
        end = "win" if won else "" if four.EMPTY in board else "draw"
        return C4Position(board, self.plies + 1, _winner(end, self.to_move))

    def observation(self) -> wire.C4Observation:
        return wire.C4Observation(
            board=[list(row) for row in self.rows()], to_move=self.to_move, legal=list(self.legal)
        )

    def rows(self) -> tuple[str, ...]:
        board = self.board.translate(_STONES)
        return tuple(board[start : start + four.COLUMNS] for start in range(0, len(board), four.COLUMNS))

    def say(self, token: str) -> str:
        return str(_number(token, range(four.COLUMNS)) + 1)


@dataclass(frozen=True, slots=True, repr=False)
class ChessPosition(Value):
    """``moves`` in plain UCI: castling is the king's two steps, however it was sent.

    The protocol has no offers and no claims, so that what may be claimed elsewhere ends a match: threefold
    repetition, and fifty moves without a pawn or a capture.
    """

    inner: _chess_rules.Position
    moves: tuple[str, ...]
    winner: int | None

    @property
    def to_move(self) -> int:
        return len(self.moves) % 2

    @property
    def legal(self) -> tuple[str, ...]:
        if self.winner is not None:
            return ()
        return tuple(sorted(move.uci() for move in self.inner.board.generate_legal_moves()))

    def play(self, token: str) -> ChessPosition:
        if self.winner is not None:
            raise IllegalMove
        try:
            move = self.inner.move(token)
        except Rejection:
            raise IllegalMove from None
        after = self.inner.after(move)
        end = after.end()[0] or ("draw" if after.claim() else "")
        return ChessPosition(after, (*self.moves, move.uci()), _winner(end, self.to_move))

    def observation(self) -> wire.ChessObservation:
        return wire.ChessObservation(
            fen=self.inner.board.fen(), to_move=self.to_move, legal=list(self.legal), moves=list(self.moves)
        )

    def rows(self) -> tuple[str, ...]:
        return tuple(str(self.inner.board).replace(" ", "").split("\n"))

    def question(self) -> tuple[str, ...]:
        return self.moves

    def say(self, token: str) -> str:
        return self.inner.board.san(self.inner.move(token))


def _chess() -> ChessPosition:
    from games import _chess_rules  # noqa: PLC0415 - loads a large library

    return ChessPosition(_chess_rules.start(), (), None)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Game(Value):
    """A game of the ladder. ``app``: that of `games`, and of the engines of the house."""

    id: str
    app: str
    title: str
    start: Callable[[], Position]


GAMES: Final[Mapping[str, Game]] = MappingProxyType(
    {
        game.id: game
        for game in (
            Game(id=wire.TTT, app="ttt", title="Tic-Tac-Toe", start=TttPosition),
            Game(id=wire.C4, app="four_in_a_row", title="Connect 4", start=C4Position),
            Game(id=wire.CHESS, app="chess", title="Chess", start=_chess),
        )
    }
)


def replay(game: str, moves: Iterable[str]) -> list[Position]:
    """Every position of a match, the first one included. Raises ``IllegalMove``."""
    positions = [GAMES[game].start()]
    for token in moves:
        positions.append(positions[-1].play(token))
    return positions


def _number(token: str, allowed: range) -> int:
    number = wire.go_int(token)
    if number is None or number not in allowed:
        raise IllegalMove
    return number


def _winner(end: str, mover: int) -> int | None:
    return {"win": mover, "draw": wire.DRAW}.get(end)

"""A match of the ladder as the node's own games show it: every position as a view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from gateway.agentgames import wire
from gateway.agentgames.server.rules import GAMES, ChessPosition, IllegalMove, Position
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Command, GameView, Intent
from lrgpnode.protocol.session import Session, SessionKey

if TYPE_CHECKING:
    from lrgpnode.protocol.game import Game

FIRST: Final = "0" * 31 + "1"
SECOND: Final = "0" * 31 + "2"
"""Addresses of players 0 and 1, who have none: they stand in views only."""


class Film:
    """A match, played again. Belongs to one thread at a time. Raises ``IllegalMove``."""

    def __init__(self, game: str, moves: Iterable[str]) -> None:
        self._game = _made(game)
        self._sessions = list(_sessions(self._game, game, moves))

    @property
    def last(self) -> int:
        """How many moves were made."""
        return len(self._sessions) - 1

    def view(self, moves: int) -> GameView:
        """The position after so many moves, at most ``last``, as player 0 sees it."""
        return self._game.view(self._sessions[moves], FIRST)


def _sessions(game: Game, id: str, moves: Iterable[str]) -> Iterable[Session]:
    session = game.open(SessionKey(FIRST, "0" * 16), SECOND, FIRST, 0.0)
    for actor, command in ((FIRST, Command.CHALLENGE), (SECOND, Command.ACCEPT)):
        # The lot falls on player 0, who is White.
        payload = game.intend(session, actor, command, {}, lambda: False)
        session = game.apply(session, actor, command, payload, 0.0)
    yield session
    position, intent = GAMES[id].start(), _INTENTS[id]
    for token in moves:
        actor = (FIRST, SECOND)[position.to_move]
        position = position.play(token)
        try:
            payload = game.intend(session, actor, Command.MOVE, intent(token, position), lambda: False)
            session = game.apply(session, actor, Command.MOVE, payload, 0.0)
        except Rejection:
            raise IllegalMove from None
        yield session


def _cell(token: str, _: Position) -> Intent:
    return {"i": wire.go_int(token)}


def _column(token: str, _: Position) -> Intent:
    return {"c": wire.go_int(token)}


def _uci(_: str, after: Position) -> Intent:
    assert isinstance(after, ChessPosition)
    return {"m": after.moves[-1]}


_INTENTS: Final[Mapping[str, Callable[[str, Position], Intent]]] = {
    wire.TTT: _cell,
    wire.C4: _column,
    wire.CHESS: _uci,
}


def _made(game: str) -> Game:
    """A game of our own, as its positions are kept between calls."""
    if game == wire.TTT:
        from games.tictactoe import TicTacToe  # noqa: PLC0415 - only what is looked at

        return TicTacToe()
    if game == wire.C4:
        from games.four_in_a_row import FourInARow  # noqa: PLC0415

        return FourInARow()
    from games.chess import Chess  # noqa: PLC0415

    return Chess()

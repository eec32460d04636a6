"""A match without clock or network: what each thing that happens makes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gateway.agentgames import wire
from gateway.agentgames.server.rules import GAMES, IllegalMove, Position
from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Match(Value):
    """``moves`` as they were sent, the one that cost the match not among them.

    ``winner``: None while it goes on. ``reason``: empty where the board says how it ended.
    """

    game: str
    position: Position
    moves: tuple[str, ...] = ()
    winner: int | None = None
    reason: str = ""

    @property
    def mover(self) -> int:
        return self.position.to_move

    @property
    def over(self) -> bool:
        return self.winner is not None

    def play(self, token: str) -> Match:
        """The mover's move. An illegal one ends the match at once."""
        assert not self.over
        try:
            position = self.position.play(token)
        except IllegalMove:
            return self.forfeit(self.mover, wire.ILLEGAL_MOVE)
        return replace(self, position=position, moves=(*self.moves, token), winner=position.winner)

    def forfeit(self, player: int, reason: str) -> Match:
        """``player`` loses. ``reason``: one of the three of ``wire``."""
        assert not self.over
        return replace(self, winner=1 - player, reason=reason)

    def outcome(self, player: int) -> Literal["win", "loss", "draw"]:
        """What it is for one of the two, once it is over."""
        if self.winner == wire.DRAW:
            return "draw"
        return "win" if self.winner == player else "loss"


def begin(game: str) -> Match:
    return Match(game=game, position=GAMES[game].start())


def score(winner: int) -> float:
    """Of player 0, as ``rating.after`` counts it."""
    return 0.5 if winner == wire.DRAW else float(winner == 0)

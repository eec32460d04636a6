"""What the house agrees to: games and draws. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lrgpnode.protocol.value import Value

from .levels import LEVELS

EARLIEST_DRAW: Final = {"ttt": 0, "four_in_a_row": 12, "chess": 30}
"""Plies before which the house is glad of a draw only where it is clearly worse."""

CLEARLY_WORSE: Final = -150


class Verdict(StrEnum):
    """IGNORE: no answer at all, which costs no airtime; the challenge ends by itself in a day."""

    ACCEPT = "accept"
    DECLINE = "decline"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits(Value):
    """What peers on the mesh may ask of the house; whoever uses the node itself may always play.

    ``games``: at a time, of all peers; ``peer_games``: at a time, of one. ``pause``: seconds from a peer's
    action to the house's answer, at least.
    """

    open: bool = False
    games: int = 4
    peer_games: int = 1
    pause: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Load(Value):
    """What the house is playing with peers on the mesh: all of them, and the one that challenges."""

    games: int
    peer_games: int


def judge(app: str, local: bool, limits: Limits, load: Load) -> Verdict:
    """What a challenge gets. A peer that the house does not play with at all gets no answer."""
    if not local and not limits.open:
        return Verdict.IGNORE
    if app not in LEVELS:
        return Verdict.DECLINE
    if not local and (load.games >= limits.games or load.peer_games >= limits.peer_games):
        return Verdict.DECLINE
    return Verdict.ACCEPT


def agrees(app: str, ply: int, score: int) -> bool:
    """Whether a draw is good enough, where ``score`` is what the house thinks of its position."""
    return score < CLEARLY_WORSE or (score <= 0 and ply >= EARLIEST_DRAW.get(app, 0))

"""How strong the house plays: one table for all games.

A level is a limit of the search, not of time, so that a game can be played again move for move from
its seeds, and a fast computer is no better an opponent than a slow one. The largest ones take about
ten seconds a move on a Raspberry Pi Zero 2 W.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Level(Value):
    """``depth``: plies looked ahead at most. ``nodes``: positions looked at, at most.

    ``slips``: how often (0 to 1) any legal move is played without a thought. ``noise``: the largest
    whim, in hundredths of a pawn or of a threat, by which a move is liked better than it is.
    """

    name: str
    depth: int
    nodes: int = 1_000_000
    slips: float = 0.0
    noise: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Choice(Value):
    """What an engine would play. ``score`` is that of the side to move: above 0 it is better.

    ``nodes``: positions looked at.
    """

    move: int | str
    score: int
    nodes: int


MATE: Final = 100_000
"""The score of a won game, less the plies until it is over."""

_TTT: Final = (
    Level(name="absent-minded", depth=1, slips=0.4),
    Level(name="attentive", depth=2, slips=0.1),
    Level(name="perfect", depth=9),
)
_FOUR: Final = (
    Level(name="absent-minded", depth=1, slips=0.3, noise=200),
    Level(name="attentive", depth=2, slips=0.12, noise=60),
    Level(name="careful", depth=4, slips=0.04, noise=30),
    Level(name="strong", depth=6, slips=0.01, noise=20),
    Level(name="master", depth=42, nodes=60_000, noise=4),
)
_CHESS: Final = (
    Level(name="absent-minded", depth=1, slips=0.3, noise=150),
    Level(name="casual", depth=1, slips=0.1, noise=60),
    Level(name="attentive", depth=2, slips=0.02, noise=30),
    Level(name="club", depth=3, noise=15),
    Level(name="strong", depth=40, nodes=15_000, noise=8),
)

LEVELS: Final[Mapping[str, tuple[Level, ...]]] = MappingProxyType(
    {"ttt": _TTT, "four_in_a_row": _FOUR, "chess": _CHESS}
)
"""The levels of each game by app id, easiest first; the number of a level starts at 1."""


def level(app: str, number: int) -> Level:
    """The level of this number, the hardest where there is none so high."""
    levels = LEVELS[app]
    return levels[min(max(number, 1), len(levels)) - 1]

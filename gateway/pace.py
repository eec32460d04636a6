"""Whether the way to a player is fast enough for a platform that limits each move. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pace(Value):
    """Seconds. ``limit``: for a move at the platform. ``trip``: of a move to the player and his answer back,
    None where nobody knows. ``thinking``: what a player should have beside that."""

    limit: float
    trip: float | None
    thinking: float

    @property
    def too_slow(self) -> bool:
        """Whether a move would mostly come too late. Where nothing is known it is tried."""
        return self.trip is not None and self.trip + self.thinking > self.limit


def limit_words(platform: str, pace: Pace) -> str:
    """What a player is told before a seat is asked for. His client may show no clock, and LRGP has none."""
    return f"{_words(platform, pace)}. A move that comes too late loses the game there."


def again(platform: str, pace: Pace, insist: float) -> str:
    """The same, and how a player insists who has challenged us."""
    return f"{_words(platform, pace)}. If you insist, challenge me again within {insist / 60:g} minutes"


def anyway(platform: str, pace: Pace) -> str:
    """The same for somebody who has asked by text."""
    return f"Too slow: {_words(platform, pace)}. Add the word anyway if you insist."


def _words(platform: str, pace: Pace) -> str:
    """How much time there is, and how much of it the way takes."""
    return f"{platform} gives {pace.limit:g} s for a move{_trip_words(pace)}"


def _trip_words(pace: Pace) -> str:
    return "" if pace.trip is None else f", and about {ceil(pace.trip)} s go by on the way to and from you"

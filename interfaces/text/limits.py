"""How much anybody is listened to and answered, so that neither a flood nor another program keeps us busy.

Two programs that answer each other end here: what begins like our own answers is never answered, what is not
known gets two lines in ten minutes and six a day, and commands are counted by the minute and by the day.
"""

from __future__ import annotations

from typing import Final

from lrgpnode.limit import Limit

MINUTE: Final = 60.0
DAY: Final = 86_400.0
UNKNOWN_PAUSE: Final = 600.0
UNKNOWN: Final = 2
UNKNOWN_A_DAY: Final = 6
WARNINGS_PAUSE: Final = 600.0


class Patience:
    """``now`` is any clock in seconds that does not jump."""

    def __init__(self, *, per_minute: int, per_day: int) -> None:
        self._minute = Limit(per_minute, seconds=MINUTE)
        self._day = Limit(per_day, seconds=DAY)
        self._unknown = Limit(UNKNOWN, seconds=UNKNOWN_PAUSE)
        self._unknown_a_day = Limit(UNKNOWN_A_DAY, seconds=DAY)
        self._warnings = Limit(1, seconds=WARNINGS_PAUSE)

    def command(self, player: str, now: float) -> bool:
        """Whether what he has written is carried out."""
        return self._minute.allow(player, now) and self._day.allow(player, now)

    def warns(self, player: str, now: float) -> bool:
        """Whether he is told that something was not carried out."""
        return self._warnings.allow(player, now)

    def unknown(self, player: str, now: float) -> bool:
        """Whether he is told that he was not understood."""
        return self._unknown.allow(player, now) and self._unknown_a_day.allow(player, now)

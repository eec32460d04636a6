"""What the house remembers over a restart: the level of each game, and how many it has begun today.

Each is one value of the database.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final

from .levels import LEVELS

log = logging.getLogger(__name__)

META_KEY: Final = "house.levels"
DAILY_KEY: Final = "house.begun"
DAY: Final = 86_400.0

KEPT: Final = 200
"""Levels remembered beyond those of the games that go on: a challenge may not have arrived yet."""


class Levels:
    """``keep`` makes a value durable; ``live`` has the ids of the house's games that go on."""

    def __init__(
        self,
        stored: str | None,
        keep: Callable[[str, str], Awaitable[Any]],
        live: Callable[[], Collection[str]],
        default: int,
    ) -> None:
        self._levels = _parsed(stored)
        self._keep = keep
        self._live = live
        self._default = default

    def of(self, session_id: str, app: str) -> int:
        """The level of a game, the default one where nobody chose."""
        chosen = self._levels.get(session_id, self._default)
        return min(max(chosen, 1), len(LEVELS[app]))

    def chosen(self, session_id: str) -> bool:
        return session_id in self._levels

    async def choose(self, session_id: str, level: int) -> None:
        """Durable when this returns. Raises ``StorageError``; then nothing has changed."""
        levels = {id: kept for id, kept in self._levels.items() if id != session_id} | {session_id: level}
        spare = len(levels) - KEPT
        if spare > 0:
            live = self._live()
            for id in [id for id in levels if id not in live and id != session_id][:spare]:
                del levels[id]
        await self._keep(META_KEY, json.dumps(levels, separators=(",", ":")))
        self._levels = levels

    async def settle(self, session_id: str, app: str) -> None:
        """From now on a game has the level that it has now, whatever becomes of the default."""
        if not self.chosen(session_id):
            await self.choose(session_id, self.of(session_id, app))


class Daily:
    """At most ``most`` games with peers on the mesh are begun in any 24 hours of the wall clock.

    ``stored`` and ``keep`` as with ``Levels``.
    """

    def __init__(self, stored: str | None, keep: Callable[[str, str], Awaitable[Any]], most: int) -> None:
        self._begun = _times(stored)
        self._keep = keep
        self._most = most

    async def allow(self, now: float) -> bool:
        """Whether one more may begin at ``now``, Unix seconds; then it counts, also after a restart.

        Raises ``StorageError``; then nothing has changed.
        """
        # A clock that was set back must not open the house anew.
        recent = [min(at, now) for at in self._begun if at > now - DAY]
        if len(recent) >= self._most:
            return False
        begun = [*recent, now]
        await self._keep(DAILY_KEY, json.dumps(begun, separators=(",", ":")))
        self._begun = begun
        return True


def _times(stored: str | None) -> list[float]:
    try:
        return [float(at) for at in json.loads(stored or "[]")]
    except (ValueError, TypeError):
        log.warning("how many games the house has begun today is not known; it counts anew")
        return []


def _parsed(stored: str | None) -> dict[str, int]:
    if stored is None:
        return {}
    try:
        levels = json.loads(stored)
        return {str(id): int(level) for id, level in levels.items()}
    except (ValueError, TypeError, AttributeError):
        log.warning("the levels of the house's games are damaged; they go on at the usual level")
        return {}

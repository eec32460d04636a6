"""How long to wait before a request is tried again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final

from .errors import Unreachable

FIRST: Final = 0.5
"""Seconds before the first repetition; each later pause is twice the one before."""

LONGEST: Final = 10.0
"""A host counts as gone after 20 s of silence (§3), so it is back within half of that."""

Sleep = Callable[[float], Awaitable[None]]


class Pauses:
    """The pauses of one kind of request, at most ``longest`` seconds unless the server asks for more."""

    def __init__(
        self,
        sleep: Sleep = asyncio.sleep,
        spread: Callable[[], float] = random.random,
        longest: float = LONGEST,
    ) -> None:
        self._longest = longest
        self._sleep = sleep
        self._spread = spread
        self._failed = 0

    @property
    def failed(self) -> int:
        """How often in a row it has not worked."""
        return self._failed

    def worked(self) -> None:
        self._failed = 0

    async def after(self, error: Exception) -> None:
        """Wait as long as the server has asked for, or longer each time that it fails."""
        await self.after_seconds(error.retry_after if isinstance(error, Unreachable) else None)

    async def after_seconds(self, asked: float | None) -> None:
        """Wait for ``asked`` seconds; where nothing was asked for, longer each time."""
        pause = min(FIRST * 2.0**self._failed, self._longest) * (0.75 + 0.5 * self._spread())
        self._failed = min(self._failed + 1, 30)
        await self._sleep(pause if asked is None else max(asked, 0.1 * pause))

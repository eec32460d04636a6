"""What both transports share: how much one connection may send, and how long it may take to read."""

from __future__ import annotations

import asyncio
from typing import Final

from gateway.arcade.limits import Rate

CLOSE_SECONDS: Final = 5.0
"""For the rest to be read, and the other side's part of closing."""

KEEP_ALIVE_SECONDS: Final = 15
"""Between two looks whether a silent client is still there; three without an answer, and it has left."""

KEEP_ALIVE_TIMES: Final = 3

RATE: Final = Rate(per_second=100, burst=2500)
"""Messages of one connection, each of which counts once more for every further KiB."""

_KIB: Final = 1024


class Throttle:
    """Of one connection. Unlike a ``Limiter`` it refuses nothing: what came too early is to be waited for."""

    def __init__(self) -> None:
        self._left = RATE.burst
        self._at = asyncio.get_running_loop().time()

    def wait(self, size: int) -> float:
        """A message of so many bytes has come: seconds after which the next may be read."""
        now = asyncio.get_running_loop().time()
        refilled = self._left + (now - self._at) * RATE.per_second
        self._left = min(RATE.burst, refilled) - 1 - size // _KIB
        self._at = now
        return max(0.0, -self._left / RATE.per_second)

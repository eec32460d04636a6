"""What both transports share: how much one connection may send, and how long it may take to read."""

from __future__ import annotations

import asyncio
from typing import Final

from gateway.arcade.limits import Limiter, Rate

CLOSE_SECONDS: Final = 5.0
"""For the rest to be read, and the other side's part of closing."""

KEEP_ALIVE_SECONDS: Final = 15
"""Between two looks whether a silent client is still there; three without an answer, and it has left."""

KEEP_ALIVE_TIMES: Final = 3

RATE: Final = Rate(per_second=100, burst=2500)
"""Messages of one connection, each of which counts once more for every further KiB."""

_KIB: Final = 1024


class Throttle:
    """Of one connection."""

    def __init__(self) -> None:
        self._limiter = Limiter(RATE)
        self._name = ""

    def wait(self, size: int) -> float:
        """A message of so many bytes has come: seconds after which the next may be read."""
        now = asyncio.get_running_loop().time()
        for _ in range(1 + size // _KIB):
            seconds = self._limiter.take(self._name, now)
        return seconds

"""Long-polls: a request waits in the list of its session until something it waits for has happened.

Nothing is polled. Whoever changes a session calls ``wake``, which asks each request of that session whether
it has what it waits for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Session

MAX_HOLDERS: Final = 4000
MAX_PER_ACCOUNT: Final = 64


class Holder:
    """A waiting request. ``ready`` says whether it has what it waits for."""

    __slots__ = ("future", "ready")

    def __init__(self, ready: Callable[[], bool], future: asyncio.Future[None]) -> None:
        self.ready = ready
        self.future = future

    def release(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


class Holding:
    """All waiting requests of a server."""

    def __init__(self) -> None:
        self._holders: dict[Session, set[Holder]] = {}
        self._counts: dict[str, int] = {}
        self._closing = False
        self.count = 0

    async def until(
        self, session: Session, ready: Callable[[], bool], seconds: float, who: str, most: int
    ) -> None:
        """Wait until ``ready``, or that long. ``who`` may have ``most`` requests waiting.

        Raises ``Refusal`` (429) where too many wait.
        """
        if seconds <= 0 or self._closing or ready():
            return
        if self.count >= MAX_HOLDERS or self._counts.get(who, 0) >= most:
            raise Refusal(429, "too_many_polls", "Too many requests wait.", retry_after=1)
        loop = asyncio.get_running_loop()
        holder = Holder(ready, loop.create_future())
        holders = self._holders.setdefault(session, set())
        holders.add(holder)
        self.count += 1
        self._counts[who] = self._counts.get(who, 0) + 1
        timer = loop.call_later(seconds, holder.release)
        try:
            await holder.future
        finally:
            timer.cancel()
            self._forget(session, holders, holder, who)

    def wake(self, sessions: Iterable[Session]) -> None:
        """These have changed."""
        for session in sessions:
            for holder in self._holders.get(session, ()):
                if holder.ready():
                    holder.release()

    def close(self) -> None:
        """Let everybody go: the server stops."""
        self._closing = True
        for holders in self._holders.values():
            for holder in holders:
                holder.release()

    def _forget(self, session: Session, holders: set[Holder], holder: Holder, who: str) -> None:
        holders.discard(holder)
        if not holders:
            self._holders.pop(session, None)
        self.count -= 1
        left = self._counts[who] - 1
        if left:
            self._counts[who] = left
        else:
            del self._counts[who]

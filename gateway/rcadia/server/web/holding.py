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

MAX_HOLDERS: Final = 6000
MAX_PER_ACCOUNT: Final = 2500


class Holder:
    """A waiting request. ``ready`` says whether it has what it waits for; then ``deliver`` may answer it.
    ``permit`` says whether it may wait."""

    __slots__ = ("deliver", "future", "permit", "ready")

    def __init__(
        self,
        ready: Callable[[], bool],
        deliver: Callable[[], None] | None,
        permit: Callable[[], bool] | None,
        future: asyncio.Future[None],
    ) -> None:
        self.ready = ready
        self.deliver = deliver
        self.permit = permit
        self.future = future

    def wake(self) -> None:
        if self.future.done() or not self.ready():
            return
        if self.deliver is not None:
            self.deliver()
        self.future.set_result(None)

    def refuse(self) -> None:
        """Nobody may wait here with that token any more."""
        if not self.future.done() and self.permit is not None and not self.permit():
            self.future.set_exception(Refusal(401, "unauthorized", "This token is not known any more."))

    def release(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


class Holders:
    """Those of one session. Players and the host are woken before spectators."""

    __slots__ = ("first", "spectators")

    def __init__(self) -> None:
        self.first: set[Holder] = set()
        self.spectators: set[Holder] = set()

    def all(self) -> list[Holder]:
        return [*self.first, *self.spectators]


class Holding:
    """All waiting requests of a server."""

    def __init__(self) -> None:
        self._holders: dict[Session, Holders] = {}
        self._counts: dict[str, int] = {}
        self._closing = False
        self.count = 0

    async def until(
        self,
        session: Session,
        ready: Callable[[], bool],
        seconds: float,
        *,
        who: str,
        most: int,
        deliver: Callable[[], None] | None = None,
        spectator: bool = False,
        permit: Callable[[], bool] | None = None,
    ) -> None:
        """Wait until ``ready``, or that long. ``who`` may have ``most`` requests waiting.

        ``deliver`` is called at the moment of a change that makes it ready, and must be quick. Raises
        ``Refusal`` (429) where too many wait, and (401) once ``permit`` is asked and is false.
        """
        if seconds <= 0 or self._closing or ready():
            return
        if self.count >= MAX_HOLDERS or self._counts.get(who, 0) >= most:
            raise Refusal(429, "too_many_polls", "Too many requests wait.", retry_after=1)
        loop = asyncio.get_running_loop()
        holder = Holder(ready, deliver, permit, loop.create_future())
        holders = self._holders.setdefault(session, Holders())
        kind = holders.spectators if spectator else holders.first
        kind.add(holder)
        self.count += 1
        self._counts[who] = self._counts.get(who, 0) + 1
        timer = loop.call_later(seconds, holder.release)
        try:
            await holder.future
        finally:
            timer.cancel()
            kind.discard(holder)
            self._forget(session, who)

    def wake(self, sessions: Iterable[Session]) -> None:
        """These have changed."""
        for session in sessions:
            holders = self._holders.get(session)
            for holder in holders.all() if holders is not None else ():
                holder.wake()

    def cut_off(self) -> None:
        """Refuse whoever may not wait any more."""
        for holders in list(self._holders.values()):
            for holder in holders.all():
                holder.refuse()

    def close(self) -> None:
        """Let everybody go: the server stops."""
        self._closing = True
        for holders in self._holders.values():
            for holder in holders.all():
                holder.release()

    def _forget(self, session: Session, who: str) -> None:
        holders = self._holders[session]
        if not holders.first and not holders.spectators:
            del self._holders[session]
        self.count -= 1
        left = self._counts[who] - 1
        if left:
            self._counts[who] = left
        else:
            del self._counts[who]

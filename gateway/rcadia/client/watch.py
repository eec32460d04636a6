"""The long-poll loop of a player (protocol §5): the next snapshot of one session, whenever there is one.

While it is not our turn, ``GET /state?wait=&since=`` is held by the server. On our turn that call returns
at once, for hours if a player on the mesh thinks for hours. So what may happen meanwhile (a strike, the
end) is waited for at ``GET /public?since=&wait=``, which is held always; where there is none, ``/state`` is
asked for at a slow pace. A server that does not hold requests is never asked more often than that either.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from gateway.rcadia.wire import MAX_WAIT, Snapshot
from lrgpnode.protocol.value import Value

from .agent import AgentApi
from .errors import Forbidden, Refused, UnknownSession, Unusable

Sleep = Callable[[float], Awaitable[None]]


class WatchClosed(Exception):
    """Nobody watches any more."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pace(Value):
    """Seconds. ``wait``: for which the server holds a request. ``gap``: between two requests at least.

    ``unheld``: the longest pause where the server answers at once without anything new, reached by doubling.
    ``turn``: between two looks on our own turn where the server has no public view.
    """

    wait: int = MAX_WAIT
    gap: float = 0.2
    unheld: float = 20.0
    turn: float = 20.0


LOOK_AFTER: Final = 4
"""Public views without news after which the state itself is looked at."""


class Watch:
    """One session. ``latest``: the newest snapshot, from here or from an action's answer (``take``)."""

    def __init__(
        self,
        api: AgentApi,
        session_id: str,
        *,
        pace: Pace | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = api
        self._id = session_id
        self._pace = pace or Pace()
        self._sleep = sleep
        self._clock = clock
        self.latest: Snapshot | None = None
        self._news = asyncio.Event()
        self._closing = asyncio.Event()
        self._interrupt = asyncio.Event()
        self._busy = False
        self._unheld = 0
        self._quiet = 0
        self._public = True
        self._asked = clock() - 3600.0

    def take(self, snapshot: Snapshot) -> bool:
        """A snapshot that came with another answer; whether it is not older than what we have."""
        if self.latest is not None and snapshot.version < self.latest.version:
            return False
        self.latest = snapshot
        self.wake()
        return True

    def wake(self) -> None:
        """Let ``next`` return what there is."""
        self._news.set()
        self._interrupt.set()

    @property
    def closed(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        self._closing.set()
        self.wake()

    def busy(self, busy: bool) -> None:
        """While somebody else asks for the state, and passes it on with ``take``, nothing is asked for
        here."""
        self._busy = busy
        self._interrupt.set()

    async def look(self) -> Snapshot:
        """The state as it is now. Raises ``RcadiaError``."""
        snapshot = await self._api.state(self._id)
        self.take(snapshot)
        assert self.latest is not None
        return self.latest

    async def next(self) -> Snapshot:
        """The next snapshot; sooner or later one comes without anything new.

        Raises ``RcadiaError``, and ``WatchClosed``.
        """
        while not self._news.is_set():
            self._interrupt.clear()
            if self._busy:
                await self._interrupt.wait()
            else:
                await self._before(self._interrupt, self._poll())
        if self.closed:
            raise WatchClosed
        self._news.clear()
        assert self.latest is not None
        return self.latest

    async def rest(self, work: Coroutine[Any, Any, None]) -> None:
        """A pause, or something else that may take long, that ends sooner where nobody watches any more."""
        await self._before(self._closing, work)

    async def _before(self, event: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
        """Do ``work`` unless the event comes first."""
        working = asyncio.ensure_future(work)
        waiting = asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
        finally:
            for task in (working, waiting):
                task.cancel()
            await asyncio.gather(working, waiting, return_exceptions=True)

    async def _poll(self) -> None:
        before = self.latest
        await self._sleep_until_due()
        began = self._clock()
        self._asked = began
        if before is None:
            snapshot = await self._api.state(self._id)
        elif before.your_turn:
            snapshot = await self._on_our_turn(before)
        else:
            snapshot = await self._state(before)
        held = self._clock() - began >= min(1.0, self._pace.wait / 2)
        news = before is None or snapshot != before
        self._unheld = 0 if held or news else self._unheld + 1
        self.take(snapshot)

    async def _sleep_until_due(self) -> None:
        pause = self._pace.gap
        if self._unheld:
            pause = min(2.0 ** (self._unheld - 1), self._pace.unheld)
        left = self._asked + pause - self._clock()
        if left > 0:
            await self._sleep(left)

    async def _on_our_turn(self, before: Snapshot) -> Snapshot:
        if not self._public or self._quiet >= LOOK_AFTER:
            if not self._public:
                await self._sleep(self._pace.turn)
            self._quiet = 0
            return await self._state(before)
        try:
            view = await self._api.public(self._id, since=before.version, wait=self._pace.wait)
        except (Forbidden, Refused, UnknownSession, Unusable):
            self._public = False
            return await self._state(before)
        if view.version == 0:
            self._public = False
        if view.version != before.version or view.status != before.status:
            self._quiet = 0
            return await self._state(before)
        self._quiet += 1
        return before

    async def _state(self, before: Snapshot) -> Snapshot:
        """The state: at once while it is our turn, and when it is newer than ``before``."""
        return await self._api.state(self._id, wait=self._pace.wait, since=before.version)

"""Sessions whose time is up (spec §10): one timer an identity, set for the next one that can expire."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from lrgpnode.protocol.game import Game
from lrgpnode.protocol.router import Router
from lrgpnode.protocol.session import GRACE_SECONDS, Session
from storage.errors import StorageError
from storage.model import Commit
from storage.store import Store
from storage.writer import Writer

from .clock import Clock

log = logging.getLogger(__name__)


class Expiry:
    """``lane`` is the lock of an identity; ``ended`` is told of what has expired and is stored."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        router: Router,
        games: Mapping[str, Game],
        clock: Clock,
        *,
        lane: Callable[[str], asyncio.Lock],
        ended: Callable[[tuple[Session, ...]], None],
        spawn: Callable[..., None],
    ) -> None:
        self._store = store
        self._writer = writer
        self._router = router
        self._games = games
        self._clock = clock
        self._lane = lane
        self._ended = ended
        self._spawn = spawn
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._stopped = False

    async def sweep(self, identity: str) -> None:
        """Make due expiries of one identity durable, tell, and wake up again for the next one."""
        async with self._lane(identity):
            overdue = tuple(self._router.overdue(identity, self._clock.wall()))
            if overdue:
                try:
                    await self._writer.run(self._store.commit, Commit(expired=overdue))
                except StorageError as error:
                    log.warning("expired sessions are not stored: %s", error)
                else:
                    self._ended(overdue)
        self._wake(identity)

    def watch(self, identity: str) -> None:
        """A session of this identity has changed."""
        if identity not in self._timers:
            self._wake(identity)

    def stop(self) -> None:
        self._stopped = True
        for timer in self._timers.values():
            timer.cancel()

    def _wake(self, identity: str) -> None:
        """Set the one timer of an identity to the moment its next session can expire."""
        timer = self._timers.pop(identity, None)
        if timer is not None:
            timer.cancel()
        deadlines = [
            last + self._games[app].manifest.ttl[status] + GRACE_SECONDS
            for app, status, last in self._store.sessions.oldest(identity)
            if app in self._games
        ]
        if not deadlines or self._stopped:
            return
        # Not sooner than in a minute: a deadline that could not be stored is tried again then. Not
        # later than in a day: a wall clock that was set moves every deadline.
        delay = min(max(60.0, min(deadlines) - self._clock.wall() + 1.0), 86_400.0)
        self._timers[identity] = asyncio.get_running_loop().call_later(delay, self._sweep_now, identity)

    def _sweep_now(self, identity: str) -> None:
        if not self._stopped:
            self._spawn(self.sweep(identity))

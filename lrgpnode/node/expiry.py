"""Sessions whose time is up (spec §10): one timer an identity, set for the next one that can expire."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from lrgpnode.agenda import Agenda, Entry
from lrgpnode.protocol.session import GRACE_SECONDS, Session
from storage.errors import StorageError
from storage.model import Commit

from .parts import Parts

SOONEST: Final = 60.0
"""A deadline that could not be stored is tried again after so many seconds."""

log = logging.getLogger(__name__)


class Expiry:
    """``ended`` is told of what has expired and is stored."""

    def __init__(self, parts: Parts, agenda: Agenda, *, ended: Callable[[tuple[Session, ...]], None]) -> None:
        self._parts = parts
        self._agenda = agenda
        self._ended = ended
        self._timers: dict[str, Entry] = {}

    async def sweep(self, identity: str) -> None:
        """Make due expiries of one identity durable, tell, and wake up again for the next one."""
        parts = self._parts
        now = parts.time.now()
        if parts.time.trusted:
            async with parts.lane(identity):
                overdue = tuple(parts.router.overdue(identity, now))
                if overdue:
                    try:
                        await parts.writer.run(parts.store.commit, Commit(expired=overdue))
                    except StorageError as error:
                        log.warning("expired sessions are not stored: %s", error)
                    else:
                        self._ended(overdue)
        self._wake(identity)

    def watch(self, identity: str) -> None:
        """A session of this identity has changed."""
        if identity not in self._timers:
            self._wake(identity)

    def _wake(self, identity: str) -> None:
        """Set the one timer of an identity to the moment its next session can expire."""
        self._agenda.cancel(self._timers.pop(identity, None))
        parts = self._parts
        deadlines = [
            last + parts.games[app].manifest.ttl[status] + GRACE_SECONDS
            for app, status, last in parts.store.sessions.oldest(identity)
            if app in parts.games
        ]
        # While the clock is not trusted nothing expires; when it is, all are swept.
        if deadlines and parts.time.trusted:
            delay = max(SOONEST, min(deadlines) - parts.time.now() + 1.0)
            self._timers[identity] = self._agenda.after(delay, self._sweep_now, identity)

    def _sweep_now(self, identity: str) -> None:
        self._timers.pop(identity, None)
        self._parts.spawn(self.sweep(identity))

"""What a node that runs for months does once a day, and when its clock changes."""

from __future__ import annotations

import logging
from typing import Final

from lrgpnode.agenda import Agenda, Entry
from lrgpnode.protocol.replay import DEDUP_TTL_SECONDS
from storage.errors import StorageError

from .expiry import Expiry
from .parts import Parts

DAY: Final = 86_400.0
SEEN_SECONDS: Final = 30 * DAY
"""LXMF message hashes and tombstones are kept as long as a propagation node keeps mail (architecture §5)."""

SOONEST: Final = 1.0
"""Seconds that a timer for a wall clock's time waits at least: both clocks differ by a little."""

log = logging.getLogger(__name__)


class Upkeep:
    def __init__(self, parts: Parts, agenda: Agenda, expiry: Expiry) -> None:
        self._parts = parts
        self._agenda = agenda
        self._expiry = expiry
        self._identities: set[str] = set()
        self._block_ends: Entry | None = None

    async def start(self, identities: tuple[str, ...]) -> None:
        """Prune, expire what is due, and go on with that from now on."""
        time = self._parts.time
        self._identities.update(identities)
        self._parts.router.expiring = time.trusted
        time.changed = self._clock_changed
        time.start(self._agenda)
        if time.trusted:
            await self._put_right()
        await self._prune()
        for identity in identities:
            await self._expiry.sweep(identity)
        self._agenda.after(DAY, self._daily)

    def watch_blocks(self) -> None:
        """Let go of the blocks that are over, and come back when the next one is."""
        time = self._parts.time
        self._agenda.cancel(self._block_ends)
        ends = [block.until for block in self._parts.admission.blocks() if block.until is not None]
        if ends and time.trusted:
            self._block_ends = self._agenda.after(max(SOONEST, min(ends) - time.now()), self.watch_blocks)

    def _daily(self) -> None:
        self._agenda.after(DAY, self._daily)
        self._parts.spawn(self._prune())

    async def _prune(self) -> None:
        """Forget what nobody can ask for any more, in small steps, so that no move waits long."""
        parts = self._parts
        now, trusted = parts.time.now(), parts.time.trusted
        before = now - SEEN_SECONDS if trusted else None
        replay_before = parts.time.clock.boot() - DEDUP_TTL_SECONDS
        prune = parts.store.mail.prune
        try:
            while await parts.writer.run(
                prune, replay_before=replay_before, seen_before=before, tombstones_before=before
            ):
                pass
            if trusted:
                await parts.writer.run(parts.store.book.put_meta, "clock", str(now))
        except StorageError as error:
            log.warning("the daily clean-up is put off: %s", error)

    def _clock_changed(self) -> None:
        time = self._parts.time
        self._parts.router.expiring = time.trusted
        self._parts.news.clock(trusted=time.trusted, reason=time.reason)
        if time.trusted:
            self._parts.spawn(self._trusted_again())

    async def _trusted_again(self) -> None:
        await self._put_right()
        # Identities come and go while the node runs.
        self._identities.update(row.hash for row in self._parts.store.book.identities())
        for identity in self._identities:
            await self._expiry.sweep(identity)
        self.watch_blocks()

    async def _put_right(self) -> None:
        """Sessions that were touched while the clock was not trusted count their time from now."""
        parts = self._parts
        try:
            await parts.writer.run(parts.store.put_times_right, parts.time.now())
        except StorageError as error:
            log.warning("stored times are not put right: %s", error)

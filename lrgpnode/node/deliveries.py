"""What becomes of our envelopes, stored where it must last.

A change of state is written in a moment, several rows at once, and often not at all: the opponent's
next action settles the rows of its session in its own transaction.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from lrgpnode.outbox import Outbox
from lrgpnode.protocol.session import SessionKey
from storage.errors import StorageError
from storage.model import Commit, OutboxChange, OutboxRow, OutboxState, Signature
from storage.store import Store
from storage.writer import Writer

from .clock import Clock

RECORD_SECONDS = 0.5
"""How long a change of a delivery state may wait for others to be written with it."""

log = logging.getLogger(__name__)


class Deliveries:
    """On the loop's thread. ``spawn`` runs a coroutine that the node's stop waits for."""

    def __init__(self, store: Store, writer: Writer, clock: Clock, spawn: Callable[..., None]) -> None:
        self._store = store
        self._writer = writer
        self._clock = clock
        self._spawn = spawn
        self._signed: dict[SessionKey, dict[int, Signature]] = {}
        self._unrecorded: dict[int, OutboxRow] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    def changed(self, row: OutboxRow) -> None:
        """The outbox reports a new state of a row."""
        if row.state in (OutboxState.DELIVERED, OutboxState.FAILED):
            self._unrecorded[row.id] = row
            self._record_soon()

    def signed(self, outbox: Outbox, ref: int, message_hash: bytes, message: bytes) -> None:
        """The signed LXMF message that carries row ``ref``; 0 is none."""
        row = outbox.state(ref) if ref else None
        if ref and (row is None or row.action_num is None):
            # The news was faster than the end of the commit, or the opponent than the news.
            row = self._store.outbox.get(ref)
            if row is not None and outbox.state(ref) is None:
                self._unrecorded[ref] = row
                self._record_soon()
        if row is not None and row.action_num is not None:
            self._signed.setdefault(row.key, {})[ref] = Signature(
                key=row.key, action_num=row.action_num, message_hash=message_hash, signed=message
            )

    def signatures(self, key: SessionKey) -> tuple[Signature, ...]:
        """Those of a session that are not stored yet."""
        return tuple(self._signed.get(key, {}).values())

    def settled(self, key: SessionKey) -> None:
        """A commit has settled the rows of a session and stored its signatures."""
        self._signed.pop(key, None)
        self._unrecorded = {id: row for id, row in self._unrecorded.items() if row.key != key}

    async def stop(self) -> None:
        """Write what is not written yet."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        await self._record()

    def _record_soon(self) -> None:
        """A power cut before that costs one more attempt of the same envelope."""
        if self._timer is None and not self._stopped:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(RECORD_SECONDS, lambda: self._spawn(self._record()))

    async def _record(self) -> None:
        self._timer = None
        rows, self._unrecorded = tuple(self._unrecorded.values()), {}
        if not rows:
            return
        signed = tuple(
            signature for row in rows if (signature := self._signed.get(row.key, {}).get(row.id)) is not None
        )
        unit = Commit(outbox_changes=tuple(self._change(row) for row in rows), signatures=signed)
        try:
            await self._writer.run(self._store.commit, unit)
        except StorageError as error:
            log.warning("the delivery of %d messages is not stored: %s", len(rows), error)
            return
        for row in rows:
            of_session = self._signed.get(row.key, {})
            of_session.pop(row.id, None)
            if not of_session:
                self._signed.pop(row.key, None)

    def _change(self, row: OutboxRow) -> OutboxChange:
        state = row.state
        if state is OutboxState.DELIVERED:
            session = self._store.sessions.get(row.key)
            if session is None or session.status.ended:
                state = OutboxState.CONFIRMED  # nothing can come that presupposes it
        failed = state is OutboxState.FAILED
        return OutboxChange(
            id=row.id, state=state, at=self._clock.wall(), reason=row.reason, attempted=failed
        )

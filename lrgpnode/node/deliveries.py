"""What becomes of our envelopes, stored where it must last; implements ``lrgpnode.outbox.Books``.

A change of state is written in a moment, several rows at once, and often not at all: the opponent's
next action settles the rows of its session in its own transaction.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from lrgpnode.outbox import Outbox
from lrgpnode.protocol.session import SessionKey
from storage.errors import StorageError
from storage.model import Commit, OutboxChange, OutboxRow, OutboxState, Signature
from storage.store import Store
from storage.writer import Writer

RECORD_SECONDS = 0.5
"""How long a change of a delivery state may wait for others to be written with it."""

log = logging.getLogger(__name__)

_IN_FLIGHT = (OutboxState.SENDING, OutboxState.SENT)


class Deliveries:
    """On the loop's thread. ``wall`` in Unix seconds; ``tell`` publishes a row's new state; ``spawn`` runs
    a coroutine that the node's stop waits for."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        wall: Callable[[], float],
        tell: Callable[[OutboxRow], None],
        spawn: Callable[..., None],
    ) -> None:
        self._store = store
        self._writer = writer
        self._wall = wall
        self._tell = tell
        self._spawn = spawn
        self._signed: dict[SessionKey, dict[int, Signature]] = {}
        self._late: set[SessionKey] = set()
        self._unrecorded: dict[int, OutboxRow] = {}
        self._recording: dict[int, OutboxRow] = {}
        self._attempts: dict[int, tuple[float, ...]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    # Books

    def changed(self, row: OutboxRow) -> None:
        self._tell(row)
        if row.state not in _IN_FLIGHT:
            self._unrecorded[row.id] = row
            self._record_soon()

    def attempted(self, row: OutboxRow) -> None:
        self._attempts[row.id] = (*self._attempts.get(row.id, ()), self._wall())
        self._record_soon()

    def open_rows(self, key: SessionKey) -> Sequence[OutboxRow]:
        newer = self._recording | self._unrecorded
        rows = (newer.get(row.id, row) for row in self._store.outbox.open_of(key))
        return [row for row in rows if row.state.open]

    def ended(self, key: SessionKey) -> bool:
        session = self._store.sessions.get(key)
        return session is None or session.status.ended

    # Signatures

    def signed(self, outbox: Outbox, ref: int, message_hash: bytes, message: bytes) -> None:
        """The signed LXMF message that carries row ``ref``; 0 is none."""
        row = outbox.state(ref) if ref else None
        if ref and (row is None or row.action_num is None):
            # The news was faster than the end of the commit, or the opponent than the news.
            row = self._store.outbox.get(ref)
            if row is not None and outbox.state(ref) is None:
                self._unrecorded.setdefault(ref, row)
                self._record_soon()
        if row is not None and row.action_num is not None:
            self._signed.setdefault(row.key, {})[ref] = Signature(
                key=row.key, action_num=row.action_num, message_hash=message_hash, signed=message
            )

    def signatures(self, key: SessionKey) -> tuple[Signature, ...]:
        """Those of a session that are not stored yet."""
        return tuple(self._signed.get(key, {}).values())

    def settled(self, key: SessionKey, stored: Collection[Signature]) -> None:
        """A commit has settled the rows of a session and ``stored`` these signatures.

        One that came while the disk was waited for is written with the next record.
        """
        self._forget_rows(key)
        self._stored(stored)
        if key in self._signed:
            self._late.add(key)
            self._record_soon()

    def deleted(self, key: SessionKey) -> None:
        """A session is gone with all that hangs on it."""
        self._forget_rows(key)
        self._signed.pop(key, None)

    def _forget_rows(self, key: SessionKey) -> None:
        if self._unrecorded:
            self._unrecorded = {id: row for id, row in self._unrecorded.items() if row.key != key}

    def _stored(self, signatures: Collection[Signature]) -> None:
        """These are in the database now; a newer one of the same action stays to be written."""
        for signature in signatures:
            of_session = self._signed.get(signature.key, {})
            for ref in [ref for ref, known in of_session.items() if known is signature]:
                del of_session[ref]
            if not of_session:
                self._signed.pop(signature.key, None)

    def gone(self, id: int) -> None:
        """A row has a final state in the database."""
        self._unrecorded.pop(id, None)
        self._attempts.pop(id, None)

    # Writing

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
        rows, self._unrecorded = self._unrecorded, {}
        attempts, self._attempts = self._attempts, {}
        for id in attempts.keys() - rows.keys():
            row = self._store.outbox.get(id)
            if row is not None and row.state.open:
                rows[id] = row
        late, self._late = self._late, set()
        signed = tuple(
            signature
            for key in late.union(row.key for row in rows.values())
            for ref, signature in self._signed.get(key, {}).items()
            if key in late or ref in rows
        )
        if not rows and not signed:
            return
        changes = tuple(self._change(row, attempts.get(id, ())) for id, row in rows.items())
        self._recording = self._recording | rows
        try:
            await self._writer.run(self._store.commit, Commit(outbox_changes=changes, signatures=signed))
        except StorageError as error:
            log.warning("the delivery of %d messages is not stored: %s", len(rows), error)
            # Newer news goes before. It is tried again with the next.
            self._unrecorded = rows | self._unrecorded
            self._attempts = attempts | self._attempts
            self._late |= late
            return
        finally:
            self._recording = {id: row for id, row in self._recording.items() if rows.get(id) is not row}
        self._stored(signed)

    def _change(self, row: OutboxRow, attempted: tuple[float, ...]) -> OutboxChange:
        if row.state is OutboxState.DELIVERED and self.ended(row.key):
            # Nothing can come that presupposes it.
            row = replace(row, state=OutboxState.CONFIRMED)
        return OutboxChange(
            id=row.id,
            state=row.state,
            at=self._wall(),
            reason=row.reason,
            next_attempt_at=row.next_attempt_at,
            attempted=attempted,
        )

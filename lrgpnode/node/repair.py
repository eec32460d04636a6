"""What a person does about games that do not go on: send again, give up, cancel, delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lrgpnode.outbox import Outbox
from lrgpnode.outbox.policy import without_superseded
from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.errors import StorageError
from storage.gateway_model import BridgeChange
from storage.messages import is_text
from storage.model import Commit, Flag, OutboxChange, OutboxRow, OutboxState
from storage.scores import OUT_OF_SYNC

from .deliveries import Deliveries
from .parking import Parking
from .parts import Parts
from .sync import CLOSED, Sync

CANCELLED = "cancelled"


class Repair:
    """Methods raise ``CallerError`` or ``StorageError``; then nothing has changed."""

    def __init__(
        self,
        parts: Parts,
        outbox: Outbox,
        deliveries: Deliveries,
        sync: Sync,
        parking: Parking,
        *,
        ended: Callable[[tuple[Session, ...]], None],
    ) -> None:
        self._parts = parts
        self._outbox = outbox
        self._deliveries = deliveries
        self._sync = sync
        self._parking = parking
        self._ended = ended

    # Sending again

    def resend(self, key: SessionKey) -> Sequence[OutboxRow]:
        """Send what the peer may not have once more, in order; the rows."""
        self._session(key)
        rows = without_superseded(self._deliveries.open_rows(key))
        if not rows:
            raise CallerError(Kind.VALIDATION, "the peer has answered everything that was sent in this game")
        return self._again(rows)

    def resend_row(self, id: int) -> Sequence[OutboxRow]:
        """As ``resend``, for the session of an outbox row, from this row on."""
        row = self._row(id)
        rows = [r for r in without_superseded(self._deliveries.open_rows(row.key)) if r.id >= id]
        if not rows or rows[0].id != id:
            raise CallerError(Kind.VALIDATION, f"message {id} is of no use any more")
        return self._again(rows)

    def _again(self, rows: Sequence[OutboxRow]) -> Sequence[OutboxRow]:
        wait = self._outbox.resend(rows)
        if wait is not None:
            minutes = int(wait / 60) + 1
            raise CallerError(
                Kind.VALIDATION,
                f"{_whose(rows[0])} were sent twelve times within a day; try again in {minutes} minutes",
            )
        return [self._outbox.state(row.id) or row for row in rows]

    # Giving up

    async def cancel(self, id: int) -> OutboxRow:
        """Do not send this row any more; its game is out of sync then, if the peer does not have it."""
        row = self._row(id)
        async with self._parts.lane(row.key.identity):
            now = self._parts.time.now()
            change = OutboxChange(id=id, state=OutboxState.DROPPED, at=now, reason=CANCELLED)
            session = self._parts.store.sessions.get(row.key)
            missing = session is not None and row.state not in (OutboxState.DELIVERED, OutboxState.STORED)
            reason = f"our {row.command} was cancelled before the peer had it"
            flag = Flag(key=row.key, flag=OUT_OF_SYNC, reason=reason, at=now)
            unit = Commit(outbox_changes=(change,), flags=(flag,) if missing else ())
            await self._parts.writer.run(self._parts.store.commit, unit)
            self._deliveries.gone(id)
            self._outbox.drop(row)
            dropped = replace(row, state=OutboxState.DROPPED, reason=CANCELLED, next_attempt_at=None)
            self._parts.news.delivery(dropped)
            if missing and session is not None and self._sync.flagged(flag, session):
                self._parts.news.out_of_sync(session, reason)
        return dropped

    async def abandon(
        self, key: SessionKey, reason: str = "", *, beside: BridgeChange | None = None
    ) -> Session:
        """End a session here, as expired; the peer is told nothing.

        With a ``reason`` that is what whatever it still does in this game is answered with.
        ``beside``: what of the gateway is written in the same transaction.
        """
        async with self._parts.lane(key.identity):
            session = self._session(key)
            if session.status.ended:
                raise CallerError(
                    Kind.ILLEGAL_TRANSITION, f"that game is over already: it is {session.status}"
                )
            now = self._parts.time.now()
            game = self._parts.games.get(session.app_id)
            after = game.expire(session, now) if game is not None else session.expired(now)
            if after.status is not Status.EXPIRED:
                after = session.expired(now)
            signatures = self._deliveries.signatures(key)
            closed = (Flag(key=key, flag=CLOSED, reason=reason, at=now),) if reason else ()
            unit = Commit(
                expired=(after,),
                signatures=signatures,
                flags=closed,
                unflag=self._sync.clearing(key),
                bridge_change=beside,
            )
            await self._parts.writer.run(self._parts.store.commit, unit)
            self._deliveries.settled(key, signatures)
            self._ended((after,))
        return after

    async def delete(self, key: SessionKey, *, force: bool = False) -> None:
        """Delete a session that is over. Late mail for it is dropped for 30 days."""
        async with self._parts.lane(key.identity):
            session = self._session(key)
            if not session.status.ended:
                raise CallerError(
                    Kind.ILLEGAL_TRANSITION, "that game is not over; resign or abandon it first"
                )
            if self._deliveries.open_rows(key) and not force:
                raise CallerError(
                    Kind.VALIDATION, "the peer does not have your last action yet; it would never get it"
                )
            now = self._parts.time.now()
            await self._parts.writer.run(self._parts.store.sessions.delete, key, now)
            self._parts.router.remove(key.identity, key.session_id)
            self._outbox.confirm(key)
            self._deliveries.deleted(key)
            self._parking.forget(key)
            self._sync.cleared(key)
            self._parts.news.deleted(session)

    async def depart(self, identity: str) -> None:
        """Delete all games of an identity that is off the mesh; no peer is told. Raises ``StorageError``."""
        async with self._parts.lane(identity):
            for key in await self._parts.writer.run(self._parts.store.delete_identity, identity):
                self._parts.router.remove(identity, key.session_id)
                self._outbox.confirm(key)
                self._deliveries.deleted(key)
                self._parking.forget(key)
                self._sync.cleared(key)

    # Out of sync

    async def certain(self, key: SessionKey) -> None:
        """The peer has refused a copy and stayed silent since: the sides differ."""
        async with self._parts.lane(key.identity):
            doubt = self._sync.doubt(key)
            session = self._parts.store.sessions.get(key)
            if doubt is None or session is None or session.status.ended:
                return
            flag = replace(doubt, flag=OUT_OF_SYNC, at=self._parts.time.now())
            unit = Commit(flags=(flag,), unflag=((key, doubt.flag),))
            try:
                await self._parts.writer.run(self._parts.store.commit, unit)
            except StorageError:
                self._sync.flagged(doubt, session)  # it is judged again later
                return
            self._sync.flagged(flag, session)
            self._parts.news.out_of_sync(session, flag.reason)

    # Inside

    def _session(self, key: SessionKey) -> Session:
        session = self._parts.router.get(key.identity, key.session_id, self._parts.time.now())
        if session is None:
            raise CallerError(Kind.SESSION_NOT_FOUND, f"there is no session {key.session_id}")
        return session

    def _row(self, id: int) -> OutboxRow:
        row = self._outbox.state(id) or self._parts.store.outbox.get(id)
        if row is None:
            raise CallerError(Kind.VALIDATION, f"there is no message {id} in the outbox")
        if not row.state.open:
            raise CallerError(Kind.VALIDATION, f"message {id} is done with: it is {row.state}")
        return row


def _whose(row: OutboxRow) -> str:
    return "the texts to this peer" if is_text(row.key) else "this game's messages"

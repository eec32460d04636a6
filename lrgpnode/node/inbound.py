"""Inbound messages: judged, committed, told, answered (architecture §3).

A message passes, in this order: canonical form → known LXMF hash → nonce of a committed action →
parked if it is early → router. The first three leave no trace; what the router records is written with
the outcome. If the commit fails, the stored value is the one before, the nonce is freed, and the
message stays in the inbox file and is tried again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from lrgpnode import metrics
from lrgpnode.limit import Limit
from lrgpnode.mesh.transport import Outgoing, Received
from lrgpnode.outbox import PRESUPPOSING, Outbox
from lrgpnode.protocol.envelope import Envelope, InvalidEnvelope
from lrgpnode.protocol.errors import Corrupt, Kind
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.router import (
    Applied,
    Duplicate,
    Idempotent,
    Outcome,
    Refused,
    Rejected,
    RemoteError,
)
from lrgpnode.protocol.session import Session, SessionKey
from storage.clock import UNSURE
from storage.errors import Conflict, Forbidden, Invalid, NotFound, StorageError
from storage.model import Commit, Committed, Flag, KeptNonce, NewParked, Parked, Seen
from storage.scores import OUT_OF_SYNC

from .deliveries import Deliveries
from .parking import Full, Parking
from .parts import Parts, action
from .sync import CLOSED, Sync, keeps_nonce
from .texts import Texts

ANSWERS_PER_MINUTE: Final = 6
"""Error actions one peer can draw from us, so that nobody uses us as an amplifier."""

NOT_INSTALLED: Final = (Kind.UNKNOWN_APP, Kind.UNSUPPORTED_VERSION)

log = logging.getLogger(__name__)


class Inbound:
    """``applied`` is told of sessions that an action of the peer has changed, ``ended`` of expired ones.

    ``again`` is called with a message whose commit failed.
    """

    def __init__(
        self,
        parts: Parts,
        deliveries: Deliveries,
        parking: Parking,
        sync: Sync,
        texts: Texts,
        *,
        outbox: Callable[[], Outbox],
        applied: Callable[[Session], None],
        ended: Callable[[tuple[Session, ...]], None],
        again: Callable[[Received], None],
    ) -> None:
        self._parts = parts
        self._deliveries = deliveries
        self._parking = parking
        self._sync = sync
        self._texts = texts
        self._outbox = outbox
        self._applied = applied
        self._ended = ended
        self._again = again
        self._answers = Limit(ANSWERS_PER_MINUTE, seconds=60.0)

    async def judge(self, message: Received) -> bool:
        """One message from beginning to end, in the lane of its identity; False for one handled before."""
        transport = self._parts.transport
        async with self._parts.lane(message.identity):
            try:
                return await self.handle(message)
            except (Invalid, Conflict, Forbidden, NotFound) as error:
                # Not the database's state but what a game made of the action: it will never fit.
                log.error("message %s cannot be stored, ever: %s", message.message_hash.hex(), error)
                transport.done(message.entry)
            except StorageError as error:
                log.error("message %s waits for the database: %s", message.message_hash.hex(), error)
                self._again(message)
        return True

    async def handle(self, message: Received, admitted_at: float | None = None) -> bool:
        """As ``judge``, for who is in the lane. Raises ``StorageError``; then nothing has changed.

        ``admitted_at``: when a message came in that a person has let in.
        """
        fresh = True
        envelope = _read(message)
        if envelope is None:
            fresh = await self._texts.take(message)
        elif isinstance(envelope, InvalidEnvelope):
            self._parts.counters.add(metrics.REFUSED, envelope.kind)
        else:
            key = SessionKey(message.identity, envelope.session_id)
            if self._parts.store.mail.handled(key, envelope.nonce, message.message_hash):
                self._parts.counters.add(metrics.REFUSED, "handled_before")
                self._parts.transport.done(message.entry)
                return False
            if admitted_at is not None or await self._parts.admission.admits(message, envelope):
                now = self._parts.time.now() if admitted_at is None else admitted_at
                try:
                    if not await self._parked(message, envelope, now):
                        await self._route(message, envelope, now)
                    await self.unpark(key)
                except Corrupt as corrupt:
                    log.error("session %s is damaged, its message is dropped: %s", key.session_id, corrupt)
        self._parts.transport.done(message.entry)
        return fresh

    async def _route(
        self, message: Received, envelope: Envelope, now: float, unpark: tuple[int, ...] = ()
    ) -> Outcome:
        """Let the router judge; commit, tell and answer what comes of it. Frees the nonce on failure."""
        outcome = self._explained(self._parts.router.receive(message.identity, message.peer, envelope, now))
        try:
            unit = self._unit(message, outcome, now)
            if unpark:
                unit = replace(unit or Commit(), unpark=unpark)
            number = await self._commit(unit)
        except StorageError:
            if outcome.recorded is not None:
                entry = outcome.recorded
                self._parts.router.forget(entry.identity, entry.session_id, entry.nonce)
            raise
        self._tell(outcome, number, unit)
        if isinstance(outcome, Refused) and outcome.kind in NOT_INSTALLED:
            self._parts.admission.tell_unknown(message, envelope)
        self._answer(outcome, now)
        return outcome

    def _explained(self, outcome: Outcome) -> Outcome:
        """The answer to an action in a game that was ended here says why it was."""
        if not isinstance(outcome, Refused) or outcome.session is None:
            return outcome
        flags = self._parts.store.mail.flags(outcome.session.key)
        reason = next((flag.reason for flag in flags if flag.flag == CLOSED), "")
        return replace(outcome, message=reason) if reason else outcome

    # Parking

    async def _parked(self, message: Received, envelope: Envelope, now: float) -> bool:
        """Whether the message is early, and is parked or dropped."""
        try:
            new: NewParked | None = self._parking.place(message, envelope, now)
        except Full as full:
            log.info("dropped an early %s: %s", envelope.command, full)
            return True
        if new is None:
            return False
        unit = Commit(park=new, seen=(_seen(message, now),))
        await self._parts.writer.run(self._parts.store.commit, unit)
        self._parking.parked(new, now)
        return True

    async def unpark(self, key: SessionKey) -> None:
        """Judge again what is parked for a session, in its lane. Faults are logged."""
        if key not in self._parking:
            return
        try:
            while await self._unpark_one(key):
                pass
        except (StorageError, Corrupt) as error:
            log.warning("what is parked for session %s waits: %s", key.session_id, error)
        else:
            self._parking.judged(key, self._parts.time.now())

    async def _unpark_one(self, key: SessionKey) -> bool:
        """Judge the first parked message that is no longer early, or too old; False if there is none."""
        now, store = self._parts.time.now(), self._parts.store
        for parked in self._parking.of(key):
            envelope = Envelope.unpack(parked.envelope)
            session = store.sessions.get(key)
            if parked.until > now and self._parking.early(session, parked.sender, envelope, now):
                continue
            if store.actions.has_nonce(key.identity, key.session_id, parked.nonce):
                await self._parts.writer.run(store.commit, Commit(unpark=(parked.id,)))
            else:
                await self._route(_message(parked), envelope, now, unpark=(parked.id,))
            return True
        return False

    # Committing

    def _unit(self, message: Received, outcome: Outcome, now: float) -> Commit | None:
        if outcome.recorded is None:
            return Commit(expired=outcome.expired) if outcome.expired else None
        if isinstance(outcome, Applied):
            return self._applied_unit(message, outcome, now)
        unit = Commit(expired=outcome.expired, replay=(outcome.recorded,), seen=(_seen(message, now),))
        match outcome:
            case Rejected(session=Session() as session, ref=command):
                kept = KeptNonce(key=session.key, nonce=outcome.recorded.nonce)
                flag = self._sync.refused(outcome, now)
                return replace(
                    unit,
                    keep=(kept,) if keeps_nonce(command) else (),
                    flags=_some(flag),
                    unflag=self._agreed(session),
                )
            case RemoteError():
                return replace(unit, flags=_some(self._sync.error(outcome, now)))
        return unit

    def _agreed(self, session: Session) -> tuple[tuple[SessionKey, str], ...]:
        """The flag that the peer's error has left on a game which both have ended in the same way."""
        key = session.key
        flagged = self._sync.alike(key) and any(
            one.flag == OUT_OF_SYNC for one in self._parts.store.mail.flags(key)
        )
        return ((key, OUT_OF_SYNC),) if flagged else ()

    def _applied_unit(self, message: Received, outcome: Applied, now: float) -> Commit:
        after, envelope = outcome.after, outcome.envelope
        assert envelope is not None
        assert outcome.recorded is not None
        command, undelivered = envelope.command, self._outbox().undelivered(after.key)
        crossed = self._sync.crossed(after, command, undelivered, now) if undelivered else None
        cleared = self._sync.clearing(after.key)
        offering = any(row.command == Command.DRAW_OFFER for row in undelivered)
        return Commit(
            expired=outcome.expired,
            replay=(outcome.recorded,),
            seen=(_seen(message, now),),
            insert=after if outcome.before is None else None,
            update=after if outcome.before is not None else None,
            action=action(after.key, envelope, message.peer, now, message),
            settle=after.key if _settles(outcome) else None,
            withdraw=offering and command == Command.MOVE,
            signatures=self._deliveries.signatures(after.key),
            flags=(*self._parts.unsure(after.key, now), *_some(crossed)),
            unflag=cleared if crossed is None else tuple(old for old in cleared if old[1] != crossed.flag),
        )

    async def _commit(self, unit: Commit | None) -> int | None:
        """Write what the outcome changed; its action number, if any."""
        if unit is None:
            return None
        committed: Committed = await self._parts.writer.run(self._parts.store.commit, unit)
        if unit.settle is not None:
            self._deliveries.settled(unit.settle, unit.signatures)
        return committed.action_num

    # Telling

    def _tell(self, outcome: Outcome, number: int | None, unit: Commit | None) -> None:
        news = self._parts.news
        if outcome.expired:
            self._ended(outcome.expired)
        match outcome:
            case Applied(before=before, after=after, envelope=envelope) if envelope is not None:
                if _settles(outcome):
                    self._outbox().confirm(after.key)
                news.applied(before, after, envelope, after.peer, number or 0)
                self._cleared(after, unit)
                self._applied(after)
            case RemoteError():
                news.remote_error(outcome)
                self._flagged(outcome.session, unit)
            case Rejected(code=code):
                self._parts.counters.add(metrics.REFUSED, code)
                news.rejected(outcome)
                self._flagged(outcome.session, unit)
                if outcome.session is not None and unit is not None and unit.unflag:
                    news.in_sync(outcome.session)
            case Refused(kind=kind):
                self._parts.counters.add(metrics.REFUSED, kind)
                log.debug("refused envelope kind=%s", kind)
            case Idempotent() | Duplicate():
                self._parts.counters.add(metrics.REFUSED, "duplicate")
                log.debug("dropped a repeated envelope")

    def _cleared(self, after: Session, unit: Commit | None) -> None:
        """An action of the peer was accepted: the session is in sync, unless just that has crossed ours."""
        if unit is None or not (unit.flags or unit.unflag):
            return
        crossed = any(flag.flag == OUT_OF_SYNC for flag in unit.flags)
        was_out = self._sync.cleared(after.key)
        if crossed:
            self._flagged(after, unit)
        elif was_out:
            self._parts.news.in_sync(after)

    def _flagged(self, session: Session | None, unit: Commit | None) -> None:
        for flag in unit.flags if unit is not None else ():
            if session is not None and flag.flag != UNSURE and self._sync.flagged(flag, session):
                self._parts.news.out_of_sync(session, flag.reason)

    def _answer(self, outcome: Outcome, now: float) -> None:
        """Send the error action an outcome may be answered with; best effort, and not too often."""
        prepared = self._parts.router.answer(outcome)
        if prepared is None or not self._answers.allow(prepared.after.peer, now):
            return
        self._outbox().notice(
            prepared.after.key,
            Outgoing(
                ref=0,
                identity=prepared.after.key.identity,
                peer=prepared.after.peer,
                envelope=prepared.envelope.pack(),
                content=prepared.fallback,
                delivery=prepared.delivery,
            ),
        )


def _read(message: Received) -> Envelope | InvalidEnvelope | None:
    """The message's envelope, what is wrong with it, or None where it is not LRGP but a text."""
    if message.envelope is None:
        return None
    try:
        return Envelope.unpack(message.envelope)
    except InvalidEnvelope as error:
        log.debug("refused envelope peer=%s rule=%s", message.peer, error.rule)
        return error


def _settles(outcome: Applied) -> bool:
    """Whether the opponent's action shows that all of ours arrived, or makes them pointless."""
    assert outcome.envelope is not None
    return outcome.envelope.command in PRESUPPOSING or outcome.after.status.ended


def _seen(message: Received, now: float) -> Seen:
    return Seen(message_hash=message.message_hash, identity=message.identity, at=now)


def _some(flag: Flag | None) -> tuple[Flag, ...]:
    return () if flag is None else (flag,)


def _message(parked: Parked) -> Received:
    """The message that was parked, as it came."""
    return Received(
        entry=0,
        identity=parked.key.identity,
        peer=parked.sender,
        message_hash=parked.message_hash or b"",
        envelope=parked.envelope,
        title="",
        content=parked.content,
        signed=parked.signed or b"",
        timestamp=parked.timestamp,
    )

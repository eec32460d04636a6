"""The one place where a move is committed.

Theory of operation. Everything here runs on the loop's thread. Per local identity, one action at a
time is judged and committed: ``_lane`` is a lock that an inbound message and a local intent take
alike, so the next one always sees the committed state. A commit runs on the writer thread; only when
it is on the disk are subscribers told, is the envelope handed to the outbox, and is the inbox entry
closed. If it fails, the stored value is the one before, the nonce is freed, and an inbound message
stays in the inbox file and is tried again.

An inbound message passes, in this order: canonical form → known LXMF hash → nonce of a committed
action → router. The first three leave no trace; what the router records is written with the outcome.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lrgpnode import metrics
from lrgpnode.limit import Limit
from lrgpnode.mesh.transport import Heard, Outgoing, Progress, Received, Transport
from lrgpnode.metrics import Counters
from lrgpnode.outbox import PRESUPPOSING, Outbox
from lrgpnode.protocol.envelope import Envelope, InvalidEnvelope
from lrgpnode.protocol.errors import CallerError, Corrupt, Kind
from lrgpnode.protocol.game import Command, Game
from lrgpnode.protocol.replay import DEDUP_TTL_SECONDS, NONCE_BYTES, ReplayCache, ReplayEntry
from lrgpnode.protocol.router import (
    Applied,
    Duplicate,
    Idempotent,
    Outcome,
    Prepared,
    Refused,
    Rejected,
    RemoteError,
    Router,
)
from lrgpnode.protocol.session import Session, SessionKey
from storage.errors import Conflict, Forbidden, Invalid, NotFound, StorageError
from storage.model import (
    Commit,
    Committed,
    NewAction,
    NewOutbox,
    OutboxRow,
    OutboxState,
    Peer,
    Policy,
    Request,
    Seen,
    Signature,
)
from storage.store import Store
from storage.writer import Writer

from .admission import Admission, received
from .clock import Clock
from .deliveries import Deliveries
from .expiry import Expiry
from .news import News, Publish
from .tally import count_progress, count_received

log = logging.getLogger(__name__)

COMMIT_RETRY_SECONDS: Final = 5.0
"""Pause before a message whose commit failed is judged again; it is safe in the inbox file."""

ANSWERS_PER_MINUTE: Final = 6
"""Error actions one peer can draw from us, so that nobody uses us as an amplifier."""

KNOWN_PEERS: Final = 2000
SEEN_SECONDS: Final = 30 * 86_400.0
"""LXMF message hashes are kept as long as a propagation node keeps mail (architecture §5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """A local action that is committed and on its way."""

    session: Session
    command: str
    action_num: int
    outbox_id: int


class Node:
    """Implements ``lrgpnode.mesh.transport.Listener``. ``start`` before anything else."""

    def __init__(
        self,
        *,
        store: Store,
        writer: Writer,
        games: Mapping[str, Game],
        transport: Transport,
        publish: Publish,
        clock: Clock | None = None,
        local: Collection[str] = (),
        accept: Policy = Policy.OPEN,
        introduce: Callable[[str, str], None] | None = None,
        counters: Counters | None = None,
    ) -> None:
        self._store = store
        self._writer = writer
        self._transport = transport
        self._clock = clock or Clock()
        self._counters = counters or Counters()
        self.games = games
        self.router = Router(
            games,
            store.sessions,
            self._replay(),
            nonce=lambda: secrets.token_bytes(NONCE_BYTES),
            new_session_id=lambda: secrets.token_hex(8),
            coin=lambda: bool(secrets.randbits(1)),
        )
        store.sessions.on_load = self._loaded
        self._lanes: dict[str, asyncio.Lock] = {}
        self._last_row = store.outbox.last_id()
        self._tasks: set[asyncio.Task[None]] = set()
        self._answers = Limit(ANSWERS_PER_MINUTE, seconds=60.0)
        self._news = News(publish)
        self.admission = Admission(store, writer, games, self._clock, publish, local=local, default=accept)
        self._introduce = introduce
        self._deliveries = Deliveries(store, writer, self._clock, self._spawn)
        self._expiry = Expiry(
            store,
            writer,
            self.router,
            games,
            self._clock,
            lane=self._lane,
            ended=self._expired,
            spawn=self._spawn,
        )
        self._outbox: Outbox | None = None
        self._stopping = False

    def _replay(self) -> ReplayCache:
        replay = ReplayCache(self._clock.boot)
        replay.restore(self._store.mail.load_replay(self._clock.boot()))
        return replay

    def _loaded(self, session: Session) -> Session:
        return self.router.normalised(session) if session.app_id in self.games else session

    # Life

    async def start(self, identities: Iterable[str]) -> None:
        """Expire what is due, prune, and go on sending what was not delivered."""
        self._outbox = Outbox(self._transport, self._sent, asyncio.get_running_loop())
        await self._prune()
        for identity in identities:
            await self._expiry.sweep(identity)
        self._outbox.resume(self._store.outbox.pending())

    async def stop(self) -> None:
        """Finish what is being committed; begin nothing new."""
        self._stopping = True
        if self._outbox is not None:
            self._outbox.stop()
        self._expiry.stop()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._deliveries.stop()

    async def _prune(self) -> None:
        replay_before = self._clock.boot() - DEDUP_TTL_SECONDS
        seen_before = self._clock.wall() - SEEN_SECONDS
        await self._writer.run(self._store.mail.prune, replay_before=replay_before, seen_before=seen_before)

    @property
    def outbox(self) -> Outbox:
        if self._outbox is None:
            raise RuntimeError("the node has not been started")
        return self._outbox

    def signatures(self, key: SessionKey) -> tuple[Signature, ...]:
        """The signed messages of own actions that are not stored yet."""
        return self._deliveries.signatures(key)

    def now(self) -> float:
        """Unix seconds of the node's clock."""
        return self._clock.wall()

    def _lane(self, identity: str) -> asyncio.Lock:
        return self._lanes.setdefault(identity, asyncio.Lock())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Local actions

    async def challenge(self, identity: str, peer: str, app_id: str, intent: Mapping[str, Any]) -> Acted:
        """Challenge ``peer``. Raises ``CallerError`` or ``StorageError``; then nothing has changed."""
        if self._introduce is not None and not self._store.admission.has_session(identity, peer):
            self._introduce(identity, peer)
        return await self._act(identity, peer, app_id, Command.CHALLENGE, intent, "")

    async def act(self, key: SessionKey, command: str, intent: Mapping[str, Any]) -> Acted:
        """Carry out a local action in an existing session. Raises as ``challenge`` does."""
        session = self.session(key)
        return await self._act(key.identity, session.peer, session.app_id, command, intent, key.session_id)

    async def admit(self, request: Request) -> Session:
        """Let a stranger's challenge through to the router. Raises ``CallerError`` or ``StorageError``."""
        if request.until <= self._clock.wall():
            raise CallerError(Kind.SESSION_EXPIRED, "the challenge has expired")
        async with self._lane(request.key.identity):
            await self._handle(received(request), request.received_at)
        await self._writer.run(self._store.admission.remove_request, request.key)
        return self.session(request.key)

    async def _act(
        self, identity: str, peer: str, app_id: str, command: str, intent: Mapping[str, Any], session_id: str
    ) -> Acted:
        async with self._lane(identity):
            now = self._clock.wall()
            prepared = self.router.prepare(identity, peer, app_id, command, intent, session_id, now)
            row = self._row(prepared, now)
            number = await self._commit_and_send(self._outgoing(prepared, row, now), row)
            self._tell_applied(prepared.before, prepared.after, prepared.envelope, identity, number)
        return Acted(session=prepared.after, command=str(command), action_num=number, outbox_id=row.id)

    async def _commit_and_send(self, unit: Commit, row: OutboxRow) -> int:
        """The action number of a committed local action.

        Where nothing of the session waits before it, the transport builds the message during the
        commit, and gets it from the writer thread itself the moment it is on the disk.
        """
        message = self.outbox.claim(row)

        def commit() -> int:
            number = self._store.commit(unit).action_num or 0
            if message is not None:
                self._transport.send(message)
            return number

        if message is not None:
            self._transport.prepare(message)
        try:
            number = await self._writer.run(commit)
        except BaseException:
            if message is not None:
                self._transport.discard(row.id)
                self.outbox.withdraw(row)
            raise
        if message is None:
            self.outbox.add(replace(row, action_num=number))
        else:
            self.outbox.committed(row.id, number)
        return number

    def _outgoing(self, prepared: Prepared, row: OutboxRow, now: float) -> Commit:
        after = prepared.after
        return Commit(
            insert=after if prepared.before is None else None,
            update=after if prepared.before is not None else None,
            action=_action(after.key, prepared.envelope, after.key.identity, now),
            outbox=NewOutbox(
                id=row.id,
                key=after.key,
                peer=row.peer,
                command=row.command,
                envelope=row.envelope,
                content=row.content,
                delivery=row.delivery,
                created_at=now,
            ),
        )

    def _row(self, prepared: Prepared, now: float) -> OutboxRow:
        """The outbox row of an action that is not committed yet; its action number is not known."""
        self._last_row += 1
        return OutboxRow(
            id=self._last_row,
            key=prepared.after.key,
            action_num=None,
            peer=prepared.after.peer,
            command=prepared.envelope.command,
            envelope=prepared.envelope.pack(),
            content=prepared.fallback,
            delivery=prepared.delivery,
            state=OutboxState.QUEUED,
            reason="",
            attempts=0,
            created_at=now,
            updated_at=now,
            next_attempt_at=None,
        )

    # The transport's listener

    def received(self, message: Received) -> None:
        if not self._stopping:
            count_received(self._counters, message)
            self._spawn(self._judge(message))

    def progress(self, ref: int, progress: Progress, reason: str) -> None:
        count_progress(self._counters, progress)
        if ref:
            self.outbox.progress(ref, progress, reason)

    def signed(self, ref: int, message_hash: bytes, message: bytes) -> None:
        self._deliveries.signed(self.outbox, ref, message_hash, message)

    def heard(self, peer: Heard) -> None:
        if self._stopping:
            return
        self._counters.add(metrics.PEERS_HEARD)
        self._counters.did("heard")
        self._news.heard(peer)
        self._spawn(self._remember(peer))
        if peer.announced:
            self.outbox.heard(peer.peer)

    async def _remember(self, heard: Heard) -> None:
        peer = Peer(
            peer=heard.peer,
            name=heard.name,
            public_key=heard.public_key,
            hops=heard.hops,
            interface=heard.interface,
            heard_at=heard.at,
            games=heard.games,
        )
        try:
            await self._writer.run(self._store.book.put_peers, [peer], keep=KNOWN_PEERS)
        except StorageError as error:
            log.warning("peer %s was heard but not stored: %s", heard.peer, error)

    # Inbound messages

    async def _judge(self, message: Received) -> None:
        async with self._lane(message.identity):
            try:
                await self._handle(message)
            except (Invalid, Conflict, Forbidden, NotFound) as error:
                # Not the database's state but what a game made of the action: it will never fit.
                log.error("message %s cannot be stored, ever: %s", message.message_hash.hex(), error)
                self._transport.done(message.entry)
            except StorageError as error:
                log.error("message %s waits for the database: %s", message.message_hash.hex(), error)
                if not self._stopping:
                    loop = asyncio.get_running_loop()
                    loop.call_later(COMMIT_RETRY_SECONDS, self.received, message)

    async def _handle(self, message: Received, admitted_at: float | None = None) -> None:
        """``admitted_at``: when a message came in that a person has let in."""
        envelope = self._wanted(message)
        if envelope is None or (admitted_at is None and not await self.admission.admits(message, envelope)):
            self._transport.done(message.entry)
            return
        now = self._clock.wall() if admitted_at is None else admitted_at
        try:
            outcome = self.router.receive(message.identity, message.peer, envelope, now)
        except Corrupt as corrupt:
            log.error("session %s is damaged, its message is dropped: %s", envelope.session_id, corrupt)
            self._transport.done(message.entry)
            return
        number = await self._commit(message, outcome, now)
        self._tell(outcome, number)
        self._transport.done(message.entry)
        self._answer(outcome, now)

    def _wanted(self, message: Received) -> Envelope | None:
        """The envelope, unless the message needs no judgement: not LRGP, malformed, or handled before."""
        if message.envelope is None:
            log.debug("a message of %s is not LRGP", message.peer)
            return None
        try:
            envelope = Envelope.unpack(message.envelope)
        except InvalidEnvelope as error:
            self._counters.add(metrics.REFUSED, error.kind)
            log.debug("refused envelope peer=%s rule=%s", message.peer, error.rule)
            return None
        key = SessionKey(message.identity, envelope.session_id)
        handled = self._store.mail.handled(key, envelope.nonce, message.message_hash)
        if handled:
            self._counters.add(metrics.REFUSED, "handled_before")
            return None
        return envelope

    async def _commit(self, message: Received, outcome: Outcome, now: float) -> int | None:
        """Write what the outcome changed; its action number, if any. Frees the nonce on failure."""
        unit = self._incoming(message, outcome, now)
        if unit is None:
            return None
        try:
            committed: Committed = await self._writer.run(self._store.commit, unit)
        except StorageError:
            if outcome.recorded is not None:
                entry: ReplayEntry = outcome.recorded
                self.router.forget(entry.identity, entry.session_id, entry.nonce)
            raise
        if unit.settle is not None:
            self._deliveries.settled(unit.settle)
        return committed.action_num

    def _incoming(self, message: Received, outcome: Outcome, now: float) -> Commit | None:
        if outcome.recorded is None:
            return Commit(expired=outcome.expired) if outcome.expired else None
        replay = (outcome.recorded,)
        seen = (Seen(message_hash=message.message_hash, identity=message.identity, at=now),)
        if not isinstance(outcome, Applied):
            return Commit(expired=outcome.expired, replay=replay, seen=seen)
        after, envelope = outcome.after, outcome.envelope
        assert envelope is not None
        return Commit(
            expired=outcome.expired,
            insert=after if outcome.before is None else None,
            update=after if outcome.before is not None else None,
            action=_action(after.key, envelope, message.peer, now, message),
            settle=after.key if _settles(outcome) else None,
            signatures=self._deliveries.signatures(after.key),
            replay=replay,
            seen=seen,
        )

    def _tell(self, outcome: Outcome, number: int | None) -> None:
        self._expired(outcome.expired)
        match outcome:
            case Applied(before=before, after=after, envelope=envelope) if envelope is not None:
                if _settles(outcome):
                    self.outbox.confirm(after.key)
                self._tell_applied(before, after, envelope, after.peer, number or 0)
            case RemoteError():
                self._news.remote_error(outcome)
            case Rejected(code=code):
                self._counters.add(metrics.REFUSED, code)
                self._news.rejected(outcome)
            case Refused(kind=kind):
                self._counters.add(metrics.REFUSED, kind)
                log.debug("refused envelope kind=%s", kind)
            case Idempotent() | Duplicate():
                self._counters.add(metrics.REFUSED, "duplicate")
                log.debug("dropped a repeated envelope")

    def _tell_applied(
        self, before: Session | None, after: Session, envelope: Envelope, actor: str, number: int
    ) -> None:
        self._news.applied(before, after, envelope, actor, number)
        self._expiry.watch(after.key.identity)

    def _expired(self, sessions: tuple[Session, ...]) -> None:
        for session in sessions:
            self.outbox.confirm(session.key)
        self._news.expired(sessions)

    def _answer(self, outcome: Outcome, now: float) -> None:
        """Send the error action an outcome may be answered with; best effort, and not too often."""
        prepared = self.router.answer(outcome)
        if prepared is None or not self._answers.allow(prepared.after.peer, now):
            return
        self._transport.send(
            Outgoing(
                ref=0,
                identity=prepared.after.key.identity,
                peer=prepared.after.peer,
                envelope=prepared.envelope.pack(),
                content=prepared.fallback,
                delivery=prepared.delivery,
            )
        )

    # Delivery

    def _sent(self, row: OutboxRow) -> None:
        """The outbox reports a change of one row: store what must last, and tell."""
        self._news.delivery(row)
        self._deliveries.changed(row)

    # Sessions

    def session(self, key: SessionKey) -> Session:
        """The session with its TTL applied. Raises ``CallerError``."""
        try:
            session = self.router.get(key.identity, key.session_id, self._clock.wall())
        except Corrupt as corrupt:
            raise CallerError(
                Kind.VALIDATION, f"the stored session {key.session_id} is damaged: {corrupt}"
            ) from None
        if session is None:
            raise CallerError(Kind.SESSION_NOT_FOUND, f"there is no session {key.session_id}")
        return session


def _settles(outcome: Applied) -> bool:
    """Whether the opponent's action shows that all of ours arrived, or makes them pointless."""
    assert outcome.envelope is not None
    return outcome.envelope.command in PRESUPPOSING or outcome.after.status.ended


def _action(
    key: SessionKey, envelope: Envelope, sender: str, now: float, message: Received | None = None
) -> NewAction:
    """The journal row. A received envelope is kept as it was on the wire, with its signed message."""
    raw = message.envelope if message is not None else None
    return NewAction(
        key=key,
        command=envelope.command,
        payload=envelope.payload,
        sender=sender,
        timestamp=now,
        envelope=raw if raw is not None else envelope.pack(),
        nonce=envelope.nonce,
        message_hash=message.message_hash if message is not None else None,
        signed=message.signed if message is not None else None,
    )

"""The one place where a move is committed.

Theory of operation. Everything here runs on the loop's thread. Per local identity, one action at a
time is judged and committed: a lane is a lock that an inbound message (``inbound``) and a local intent
take alike, so the next one always sees the committed state. A commit runs on the writer thread; only
when it is on the disk are subscribers told, is the envelope handed to the outbox, and is the inbox
entry closed. If it fails, the stored value is the one before.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode import metrics
from lrgpnode.mesh.transport import Heard, Progress, Received, Transport
from lrgpnode.metrics import Counters
from lrgpnode.outbox import Airtime, Outbox
from lrgpnode.protocol.errors import CallerError, Corrupt, Kind
from lrgpnode.protocol.game import Coin, Command, Game
from lrgpnode.protocol.replay import NONCE_BYTES, ReplayCache
from lrgpnode.protocol.router import Prepared, Router
from lrgpnode.protocol.session import Session, SessionKey
from lrgpnode.protocol.value import Value
from storage.errors import StorageError
from storage.gateway_model import BridgeChange, NewBridge
from storage.model import (
    Commit,
    Committed,
    NewOutbox,
    OutboxRow,
    OutboxState,
    Peer,
    Policy,
    Request,
    Signature,
)
from storage.store import Store
from storage.writer import Writer

from .admission import Admission, received
from .clock import Clock
from .deliveries import Deliveries
from .news import News, Publish
from .parts import Parts, action
from .repair import Repair
from .running import Running
from .sending import commit_and_send, with_bridge
from .tally import count_progress, count_received
from .texts import Texts
from .time import Time

log = logging.getLogger(__name__)

COMMIT_RETRY_SECONDS: Final = 5.0
"""Pause before a message whose commit failed is judged again; it is safe in the inbox file."""

KNOWN_PEERS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Acted(Value):
    """A local action that is committed and on its way. ``bridge_id``: of a seat that began with it."""

    session: Session
    command: str
    action_num: int
    outbox_id: int
    bridge_id: int | None = None


class Node:
    """Implements ``lrgpnode.mesh.transport.Listener``. ``start`` before anything else, on the loop."""

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
        airtime: Airtime | None = None,
    ) -> None:
        self._store = store
        self._writer = writer
        self._transport = transport
        self._clock = clock or Clock()
        self._counters = counters or Counters()
        self.time = Time(self._clock, store.newest_time())
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
        self._last_row = store.outbox.last_id()
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = News(publish)
        self.admission = Admission(store, writer, games, self.time, publish, local=local, default=accept)
        self._introduce = introduce
        self._airtime = airtime
        self._parts = Parts(
            store=store,
            writer=writer,
            transport=transport,
            games=games,
            router=self.router,
            time=self.time,
            news=self._news,
            admission=self.admission,
            counters=self._counters,
            spawn=self._spawn,
        )
        self._deliveries = Deliveries(store, writer, self.time.now, self._news.delivery, self._spawn)
        self._running: Running | None = None
        self._stopping = False

    def _replay(self) -> ReplayCache:
        replay = ReplayCache(self._clock.boot)
        replay.restore(self._store.mail.load_replay(self._clock.boot()))
        return replay

    def _loaded(self, session: Session) -> Session:
        return self.router.normalised(session) if session.app_id in self.games else session

    # Life

    async def start(self, identities: Iterable[str], *, paused: Iterable[str] = ()) -> None:
        """Expire what is due, prune, and go on sending what was not delivered.

        For the ``paused`` of the identities, which are not on the mesh, see ``pause``.
        """
        running = self._running = Running(
            self._parts,
            self._deliveries,
            asyncio.get_running_loop(),
            ended=self._ended,
            again=self._judge_again,
            row_number=self._next_row,
            introduce=self._introduce,
            airtime=self._airtime,
        )
        now = self.time.now()
        running.sync.start(now)
        running.parking.start(now)
        await running.upkeep.start(tuple(identities))
        for address in (*paused, *(block.peer for block in self.admission.blocks())):
            running.outbox.pause(address)
        self.admission.on_block, self.admission.on_unblock = self._blocked, running.outbox.unpause
        running.upkeep.watch_blocks()
        outbox = self._store.outbox
        running.outbox.resume(outbox.waiting(), outbox.unconfirmed(), outbox.attempts(now - 86_400.0))

    def _blocked(self, peer: str) -> None:
        self._run.outbox.pause(peer)
        self._run.upkeep.watch_blocks()

    def pause(self, identity: str) -> None:
        """An identity leaves the mesh: what it has to send waits in the outbox."""
        self.outbox.pause(identity)

    def unpause(self, identity: str) -> None:
        """An identity is on the mesh again: what waited is sent."""
        self.outbox.unpause(identity)

    async def forget(self, identity: str) -> None:
        """Delete all games of an identity that is off the mesh for good. Raises ``StorageError``."""
        await self.repair.depart(identity)
        self.admission.forget(identity)

    async def stop(self) -> None:
        """Finish what is being committed; begin nothing new."""
        self._stopping = True
        if self._running is not None:
            self._running.outbox.stop()
            self._running.agenda.stop()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._deliveries.stop()

    @property
    def _run(self) -> Running:
        if self._running is None:
            raise RuntimeError("the node has not been started")
        return self._running

    @property
    def outbox(self) -> Outbox:
        return self._run.outbox

    @property
    def repair(self) -> Repair:
        """What a person does about games that do not go on."""
        return self._run.repair

    @property
    def texts(self) -> Texts:
        """What people write each other."""
        return self._run.texts

    def signatures(self, key: SessionKey) -> tuple[Signature, ...]:
        """The signed messages of own actions that are not stored yet."""
        return self._deliveries.signatures(key)

    def now(self) -> float:
        """Unix seconds of the node's clock."""
        return self.time.now()

    def clock_moved(self) -> None:
        """The clock was moved by hand: do what has become due."""
        self.time.now()
        self._run.agenda.wake()

    def airtime_freed(self) -> None:
        """Airtime that was held has been given back."""
        if self._running is not None and not self._stopping:
            self._running.outbox.airtime_freed()

    def reachable(self) -> None:
        """A propagation node can be used from now on."""
        self._run.outbox.reachable()

    def radio_back(self) -> None:
        """A radio of ours was away for longer than LXMF tries again by itself, and is back."""
        self._run.outbox.back()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Local actions

    async def challenge(
        self,
        identity: str,
        peer: str,
        app_id: str,
        intent: Mapping[str, Any],
        *,
        beside: NewBridge | BridgeChange | None = None,
    ) -> Acted:
        """Challenge ``peer``. Raises ``CallerError`` or ``StorageError``; then nothing has changed.

        ``beside``: what of the gateway is written in the same transaction.
        """
        if self._introduce is not None and not self._store.admission.has_session(identity, peer):
            self._introduce(identity, peer)
        return await self._act(identity, peer, app_id, Command.CHALLENGE, intent, "", beside)

    async def act(
        self,
        key: SessionKey,
        command: str,
        intent: Mapping[str, Any],
        *,
        beside: NewBridge | BridgeChange | None = None,
        coin: Coin | None = None,
    ) -> Acted:
        """Carry out a local action in an existing session. Raises, and takes ``beside``, as ``challenge``.

        ``coin``: how the lots have fallen, where somebody else has drawn them.
        """
        session = self.session(key)
        return await self._act(
            key.identity, session.peer, session.app_id, command, intent, key.session_id, beside, coin
        )

    async def admit(self, request: Request) -> Session:
        """Let a stranger's challenge through to the router. Raises ``CallerError`` or ``StorageError``."""
        if self.admission.expired(request):
            raise CallerError(Kind.SESSION_EXPIRED, "the challenge has expired")
        async with self._parts.lane(request.key.identity):
            await self._run.inbound.handle(received(request), request.received_at)
        await self.texts.release(request.key.identity, request.peer)
        await self._writer.run(self._store.admission.remove_request, request.key)
        return self.session(request.key)

    async def _act(
        self,
        identity: str,
        peer: str,
        app_id: str,
        command: str,
        intent: Mapping[str, Any],
        session_id: str,
        beside: NewBridge | BridgeChange | None = None,
        coin: Coin | None = None,
    ) -> Acted:
        async with self._parts.lane(identity):
            now = self.time.now()
            prepared = self.router.prepare(identity, peer, app_id, command, intent, session_id, now, coin)
            after, row = prepared.after, self._row(prepared, now)
            committed = await self._commit_and_send(prepared, row, now, beside)
            number = committed.action_num or 0
            self._news.applied(prepared.before, after, prepared.envelope, identity, number)
            self._run.expiry.watch(identity)
            await self._run.inbound.unpark(after.key)
        return Acted(
            session=after,
            command=str(command),
            action_num=number,
            outbox_id=row.id,
            bridge_id=committed.bridge_id,
        )

    async def _commit_and_send(
        self, prepared: Prepared, row: OutboxRow, now: float, beside: NewBridge | BridgeChange | None
    ) -> Committed:
        def unit(stored: NewOutbox) -> Commit:
            return with_bridge(self._unit(prepared, stored, now), beside)

        return await commit_and_send(self._parts, self.outbox, row, unit)

    def _unit(self, prepared: Prepared, stored: NewOutbox, now: float) -> Commit:
        after = prepared.after
        return Commit(
            insert=after if prepared.before is None else None,
            update=after if prepared.before is not None else None,
            action=action(after.key, prepared.envelope, after.key.identity, now),
            outbox=stored,
            flags=self._parts.unsure(after.key, now),
        )

    def _next_row(self) -> int:
        self._last_row += 1
        return self._last_row

    def _row(self, prepared: Prepared, now: float) -> OutboxRow:
        """The outbox row of an action that is not committed yet; its action number is not known."""
        return OutboxRow(
            id=self._next_row(),
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
            self._spawn(self._receive(message))

    async def _receive(self, message: Received) -> None:
        fresh = await self._run.inbound.judge(message)
        if fresh and not message.propagated and not self._stopping:
            # What it has just sent may have confirmed some of ours; the rest is worth a try now.
            self.outbox.heard(message.peer)

    def progress(self, ref: int, progress: Progress, reason: str) -> None:
        count_progress(self._counters, progress)
        if ref > 0:
            self.outbox.progress(ref, progress, reason)
        elif ref:
            self.outbox.noticed(ref, progress)

    def signed(self, ref: int, message_hash: bytes, message: bytes) -> None:
        if ref > 0:
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

    # Sessions

    def session(self, key: SessionKey) -> Session:
        """The session with its TTL applied. Raises ``CallerError``."""
        try:
            session = self.router.get(key.identity, key.session_id, self.time.now())
        except Corrupt as corrupt:
            raise CallerError(
                Kind.VALIDATION, f"the stored session {key.session_id} is damaged: {corrupt}"
            ) from None
        if session is None:
            raise CallerError(Kind.SESSION_NOT_FOUND, f"there is no session {key.session_id}")
        return session

    async def read(self, key: SessionKey) -> None:
        """A person has seen the session as it is now. Raises ``CallerError`` or ``StorageError``."""
        async with self._parts.lane(key.identity):
            if self.session(key).unread:
                await self._writer.run(self._store.sessions.update, key, {"unread": 0})

    def _ended(self, sessions: tuple[Session, ...]) -> None:
        """Sessions have ended by their time limit, or by hand; that is stored."""
        for session in sessions:
            self.outbox.confirm(session.key)
            self._run.sync.cleared(session.key)
        self._news.expired(sessions)

    def _judge_again(self, message: Received) -> None:
        if not self._stopping:
            self._run.agenda.after(COMMIT_RETRY_SECONDS, self.received, message)

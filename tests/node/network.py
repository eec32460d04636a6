"""An in-memory transport that loses, doubles, delays and reorders messages and proofs.

Each attempt has a fate: lost; arrived, but the proof is lost, so that it counts as failed; arrived
and proved; or nothing is ever heard of it. Whatever arrives may come again later under another LXMF
hash. What a propagation node keeps arrives hours later, in any order. Chances are ``Faults``.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import random
from dataclasses import dataclass, field

from lrgpnode.mesh.transport import Heard, Listener, Outgoing, Progress, Received

FAILS_AFTER = 55.0
"""What LXMF takes to give up (rns-lxmf facts §4), seconds."""


@dataclass(frozen=True, kw_only=True)
class Faults:
    """Chances from 0 to 1, and times in seconds."""

    lost: float = 0.0
    proof_lost: float = 0.0
    copied: float = 0.0
    reordered: float = 0.0
    silent: float = 0.0
    announce_lost: float = 0.0
    late_proof: float = 0.0
    delay: float = 0.5
    reordering: float = 600.0
    copy_within: float = 7200.0
    stored_for: float = 6 * 3600.0


CLEAN = Faults()
ROUGH = Faults(
    lost=0.25,
    proof_lost=0.25,
    copied=0.25,
    reordered=0.25,
    silent=0.02,
    announce_lost=0.25,
    late_proof=0.25,
)


@dataclass
class Air:
    """What all endpoints share."""

    seed: int
    faults: Faults = CLEAN
    propagation: bool = False
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    sent: list[Outgoing] = field(default_factory=list)
    announced: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self._hashes = itertools.count(1)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def new_hash(self) -> bytes:
        return hashlib.sha256(b"%d %d" % (self.seed, next(self._hashes))).digest()

    def hash_of(self, message: Outgoing) -> bytes:
        """A hash of its own for each attempt, unless it says that it is the same message as another."""
        if message.timestamp is None:
            return self.new_hash()
        said = f"{message.identity} {message.peer} {message.timestamp!r} {message.content}"
        return hashlib.sha256(said.encode()).digest()

    def announce(self, identity: str) -> None:
        """Everybody hears it, or not."""
        self.announced.append(identity)
        for name, endpoint in self.endpoints.items():
            if name != identity and not self.chance(self.faults.announce_lost):
                endpoint.hear(identity)

    def arrive(self, message: Outgoing, message_hash: bytes, *, propagated: bool = False) -> None:
        endpoint = self.endpoints.get(message.peer)
        if endpoint is not None:
            endpoint.take(message, message_hash, propagated=propagated)


class Endpoint:
    """The transport of one identity. What was received is kept until ``done``, also over a restart."""

    def __init__(self, air: Air, identity: str, loop: asyncio.AbstractEventLoop) -> None:
        self.air = air
        self.identity = identity
        self.up = False
        self.open: dict[int, Received] = {}
        self._loop = loop
        self._listener: Listener | None = None
        self._life = 0
        self._entries = itertools.count(1)
        self._known: set[bytes] = set()
        self._early: list[Outgoing] = []
        self.hurried: list[str] = []
        self.discarded: list[int] = []
        air.endpoints[identity] = self

    def attach(self, listener: Listener) -> None:
        """Begin a life: what an earlier one left in the inbox comes first."""
        self._listener, self.up = listener, True
        self._life += 1
        for message in self._early:
            self._loop.call_soon(self._attempt, self._life, message)
        self._early.clear()
        for message in list(self.open.values()):
            self._loop.call_soon(self._hand, self._life, message)

    def detach(self) -> None:
        """The process is gone: LXMF's memory and what it had to send with it."""
        self._listener, self.up = None, False
        self._life += 1
        self._known.clear()
        self._early.clear()

    # Transport

    def prepare(self, message: Outgoing) -> None:
        """Nothing to build."""

    def discard(self, ref: int) -> None:
        self.discarded.append(ref)

    def send(self, message: Outgoing) -> None:
        assert not message.via_propagation or self.air.propagation
        self.air.sent.append(message)
        if self.up:
            self._loop.call_soon(self._attempt, self._life, message)
        else:
            self._early.append(message)

    def done(self, entry: int) -> None:
        self.open.pop(entry, None)

    def wipe(self, entry: int) -> None:
        self.done(entry)

    def hurry(self, peer: str) -> None:
        self.hurried.append(peer)

    def announce(self, identity: str | None = None) -> None:
        self.air.announce(identity or self.identity)

    def propagation_available(self) -> bool:
        return self.air.propagation

    # The air

    def hear(self, peer: str) -> None:
        if self._listener is not None:
            heard = Heard(
                peer=peer,
                name=peer[:4],
                public_key=bytes(64),
                hops=1,
                interface="air",
                at=self._loop.time(),
            )
            self._listener.heard(heard)

    def take(self, message: Outgoing, message_hash: bytes, *, propagated: bool) -> bool:
        """A packet has arrived; whether it is proved. LXMF drops what it has seen in this life."""
        if not self.up:
            return False
        if message_hash in self._known:
            return True
        self._known.add(message_hash)
        received = Received(
            entry=next(self._entries),
            identity=self.identity,
            peer=message.identity,
            message_hash=message_hash,
            envelope=message.envelope or None,
            title="",
            content=message.content,
            signed=b"signed " + message.envelope,
            timestamp=self._loop.time(),
            propagated=propagated,
        )
        self.open[received.entry] = received
        self._loop.call_soon(self._hand, self._life, received)
        return True

    def _hand(self, life: int, message: Received) -> None:
        if life == self._life and self._listener is not None and message.entry in self.open:
            self._listener.received(message)

    def _attempt(self, life: int, message: Outgoing) -> None:
        air, faults, later = self.air, self.air.faults, self._loop.call_later
        message_hash = air.hash_of(message)
        self._tell(life, message.ref, Progress.SENDING)
        if life != self._life or air.chance(faults.silent):
            return
        if message.via_propagation:
            self._store(life, message, message_hash)
            return
        self._signed(life, message, message_hash)
        self._tell(life, message.ref, Progress.SENT)
        if air.chance(faults.lost):
            later(FAILS_AFTER, self._tell, life, message.ref, Progress.FAILED, "no proof")
            return
        wait = self._delay()
        later(wait, self._land, life, message, message_hash)
        if air.chance(faults.copied):
            again = wait + air.random.uniform(0, faults.copy_within)
            later(again, air.arrive, message, air.hash_of(message))

    def _delay(self) -> float:
        faults = self.air.faults
        if self.air.chance(faults.reordered):
            return self.air.random.uniform(0, faults.reordering)
        return faults.delay

    def _land(self, life: int, message: Outgoing, message_hash: bytes) -> None:
        peer = self.air.endpoints.get(message.peer)
        taken = peer is not None and peer.take(message, message_hash, propagated=False)
        later = self._loop.call_later
        if taken and not self.air.chance(self.air.faults.proof_lost):
            later(self.air.faults.delay, self._tell, life, message.ref, Progress.DELIVERED)
            return
        later(FAILS_AFTER, self._tell, life, message.ref, Progress.FAILED, "no proof")
        if taken and self.air.chance(self.air.faults.late_proof):
            later(FAILS_AFTER + 20, self._tell, life, message.ref, Progress.DELIVERED)

    def _store(self, life: int, message: Outgoing, message_hash: bytes) -> None:
        air, later = self.air, self._loop.call_later
        self._signed(life, message, message_hash)
        if air.chance(air.faults.lost):
            later(15.0, self._tell, life, message.ref, Progress.FAILED, "no path to the propagation node")
            return
        later(5.0, self._tell, life, message.ref, Progress.STORED)
        self._fetch(message, message_hash)

    def _fetch(self, message: Outgoing, message_hash: bytes) -> None:
        """The peer asks its propagation node now and then; it keeps what was not fetched."""
        wait = self.air.random.uniform(10.0, self.air.faults.stored_for)

        def fetch() -> None:
            peer = self.air.endpoints.get(message.peer)
            if peer is None or not peer.take(message, message_hash, propagated=True):
                self._fetch(message, message_hash)

        self._loop.call_later(wait, fetch)

    def _tell(self, life: int, ref: int, progress: Progress, reason: str = "") -> None:
        if life == self._life and self._listener is not None:
            self._listener.progress(ref, progress, reason)

    def _signed(self, life: int, message: Outgoing, message_hash: bytes) -> None:
        if life == self._life and self._listener is not None:
            self._listener.signed(message.ref, message_hash, b"signed " + message.envelope)

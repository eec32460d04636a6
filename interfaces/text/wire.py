"""LRGP for people without it: their side of sessions with our own identity, spoken inside this node.

Seats at tables of web platforms are games by LRGP between a player and the gateway's identity. For somebody
who has only texts the node is the LRGP client as well. What the identity sends him is taken out in front of
the mesh (`HeldTransport`) and judged by a router of his own; what he does is handed to the node as if it had
come by radio. Both are made sure of as on the mesh: an envelope of his is stored before it is handed over,
and handed over again after a start; one for him counts as delivered when it is committed; copies are known by
their nonces.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from lrgpnode.airtime.budget import Answer
from lrgpnode.mesh.transport import Outgoing, Received, Transport
from lrgpnode.outbox import Airtime
from lrgpnode.protocol.envelope import Envelope, InvalidEnvelope
from lrgpnode.protocol.errors import CallerError, ErrorCode, Rejection
from lrgpnode.protocol.game import Coin, Command, Game
from lrgpnode.protocol.replay import NONCE_BYTES, ReplayCache
from lrgpnode.protocol.router import Applied, Outcome, Router
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.value import Value
from storage.text import TextTable
from storage.text_model import Kind, Seat

from .seats import loaded

_FREE: Final = Answer(granted=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sent(Value):
    """An envelope of a player for our identity."""

    identity: str
    player: str
    envelope: bytes
    text: str


class _Seats:
    """Implements ``lrgpnode.protocol.session.Sessions`` on the seats of players."""

    def __init__(self, table: TextTable, games: Mapping[str, Game]) -> None:
        self._table = table
        self._games = games

    def get(self, key: SessionKey) -> Session | None:
        seat = self._table.seat(key.session_id, key.identity)
        if seat is None or seat.kind is not Kind.WIRE or seat.app_id not in self._games:
            return None
        return loaded(self._games[seat.app_id], seat)

    def pending_count(self, identity: str, peer: str | None, since: float) -> int:
        pending = [seat for seat in self._live(identity) if seat.status is Status.PENDING]
        return sum(peer in (None, seat.opponent) and seat.last_action_at >= since for seat in pending)

    def older(self, identity: str, status: Status, before: float) -> Sequence[Session]:
        held = self._live(identity)
        return [seat.session() for seat in held if seat.status is status and seat.last_action_at < before]

    def list(self, identity: str, app_id: str | None = None) -> Iterable[Session]:
        held = self._live(identity)
        return (seat.session() for seat in held if app_id in (None, seat.app_id))

    def _live(self, identity: str) -> tuple[Seat, ...]:
        live = self._table.live()
        return tuple(seat for seat in live if seat.player == identity and seat.kind is Kind.WIRE)


class Wire:
    """``boot``: a clock in seconds that does not jump. ``nonce``, ``new_id``, ``coin``: as for a router."""

    def __init__(
        self,
        table: TextTable,
        games: Mapping[str, Game],
        *,
        boot: Callable[[], float],
        nonce: Callable[[], bytes],
        new_id: Callable[[], str],
        coin: Coin,
    ) -> None:
        self._router = Router(
            games, _Seats(table, games), ReplayCache(boot), nonce=nonce, new_session_id=new_id, coin=coin
        )

    def challenge(self, player: str, identity: str, app_id: str, now: float) -> tuple[Session, Sent]:
        """Raises ``Rejection``."""
        return self._prepare(player, identity, app_id, Command.CHALLENGE, {}, "", now)

    def act(self, seat: Seat, command: str, intent: Mapping[str, Any], now: float) -> tuple[Seat, Sent]:
        """An action of a player: his seat after it, and what is to be handed over. Raises ``Rejection``."""
        after, sent = self._prepare(
            seat.player, seat.opponent, seat.app_id, command, intent, seat.game_id, now
        )
        return replace(followed(seat, after), unsent=sent.envelope), sent

    def _prepare(
        self,
        player: str,
        identity: str,
        app_id: str,
        command: str,
        intent: Mapping[str, Any],
        id: str,
        now: float,
    ) -> tuple[Session, Sent]:
        try:
            prepared = self._router.prepare(player, identity, app_id, command, intent, id, now)
        except CallerError as error:
            raise Rejection(ErrorCode.INVALID_MOVE, error.message) from None
        packed = prepared.envelope.pack()
        return prepared.after, Sent(identity=identity, player=player, envelope=packed, text=prepared.fallback)

    def receive(
        self, player: str, identity: str, packed: bytes, seat: Seat | None, now: float
    ) -> Outcome | None:
        """What came for a player; None where it has come before. ``seat``: his in that game."""
        envelope = Envelope.unpack(packed)
        if seat is not None and envelope.nonce in nonces(seat.heard):
            return None
        return self._router.receive(player, identity, envelope, now)

    def answer(self, player: str, identity: str, outcome: Outcome) -> Sent | None:
        """What the player's side says to something that it has refused."""
        prepared = self._router.answer(outcome)
        if prepared is None:
            return None
        return Sent(
            identity=identity, player=player, envelope=prepared.envelope.pack(), text=prepared.fallback
        )


def nonces(heard: bytes) -> set[bytes]:
    return {heard[place : place + NONCE_BYTES] for place in range(0, len(heard), NONCE_BYTES)}


def followed(seat: Seat, session: Session) -> Seat:
    """The seat of a session that has gone on."""
    return replace(
        seat, status=session.status, metadata=session.metadata, last_action_at=session.last_action_at
    )


def heard(seat: Seat, outcome: Applied) -> Seat:
    """The seat after an action of the other side."""
    assert outcome.envelope is not None
    return replace(followed(seat, outcome.after), heard=seat.heard + outcome.envelope.nonce)


def received(sent: Sent, now: float) -> Received:
    """What a player has done, as the node takes it. The same envelope is the same message."""
    return Received(
        entry=0,
        identity=sent.identity,
        peer=sent.player,
        message_hash=hashlib.sha256(sent.player.encode() + sent.envelope).digest(),
        envelope=sent.envelope,
        title="",
        content=sent.text,
        signed=b"",
        timestamp=now,
        propagated=True,  # it does not show that his radio is there
    )


def session_id(packed: bytes) -> str:
    """Of a packed envelope, "" if it is none."""
    try:
        return Envelope.unpack(packed).session_id
    except InvalidEnvelope:
        return ""


class Holder(Protocol):
    """Whoever speaks LRGP for players. Both may be called from any thread."""

    def holds(self, message: Outgoing) -> bool:
        """Whether the receiver of a message has no LRGP of his own, so that it stays in this node."""
        ...

    def take(self, message: Outgoing) -> None:
        """Such a message. What becomes of it is told to the node as ``progress``."""
        ...


class HeldTransport:
    """Implements ``lrgpnode.mesh.transport.Transport``: the mesh, without what stays in this node."""

    def __init__(self, mesh: Transport, holder: Holder) -> None:
        self._mesh = mesh
        self._holder = holder

    def prepare(self, message: Outgoing) -> None:
        if not self._holder.holds(message):
            self._mesh.prepare(message)

    def discard(self, ref: int) -> None:
        self._mesh.discard(ref)

    def send(self, message: Outgoing) -> None:
        (self._holder.take if self._holder.holds(message) else self._mesh.send)(message)

    def done(self, entry: int) -> None:
        if entry:
            self._mesh.done(entry)

    def wipe(self, entry: int) -> None:
        if entry:
            self._mesh.wipe(entry)

    def hurry(self, peer: str) -> None:
        self._mesh.hurry(peer)

    def announce(self, identity: str | None = None) -> None:
        self._mesh.announce(identity)

    def propagation_available(self) -> bool:
        return self._mesh.propagation_available()


class HeldAirtime:
    """Implements ``lrgpnode.outbox.Airtime``: what stays in this node needs none."""

    def __init__(self, airtime: Airtime, holder: Holder) -> None:
        self._airtime = airtime
        self._holder = holder

    def by(self, message: Outgoing) -> str:
        return "" if self._holder.holds(message) else self._airtime.by(message)

    def ask(self, message: Outgoing) -> Answer:
        return _FREE if self._holder.holds(message) else self._airtime.ask(message)

    def ended(self, ref: int) -> None:
        self._airtime.ended(ref)

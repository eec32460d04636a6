"""What the storage room takes and gives: frozen values, one for each kind of row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from lrgpnode.protocol.game import Delivery
from lrgpnode.protocol.replay import ReplayEntry
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.value import Value

from .gateway_model import BridgeChange, NewBridge


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewAction(Value):
    """An action to append; its number is allocated by the transaction.

    ``envelope`` is packed exactly as on the wire. ``message_hash`` and ``signed`` (the LXMF message)
    are None until they exist: an outgoing action is signed after it is committed.
    """

    key: SessionKey
    command: str
    payload: Mapping[str, Any]
    sender: str
    timestamp: float
    envelope: bytes
    nonce: bytes
    message_hash: bytes | None = None
    signed: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Action(Value):
    """A committed action. ``payload`` is for reading; ``envelope`` is what counts."""

    key: SessionKey
    action_num: int
    command: str
    payload: Mapping[str, Any]
    sender: str
    timestamp: float
    nonce: bytes | None
    envelope: bytes | None
    message_hash: bytes | None
    signed: bytes | None


class OutboxState(StrEnum):
    """What is known of an envelope of ours. The last two are final, the others are *open*.

    STORED: a propagation node has it. FAILED: the attempt failed; ``next_attempt_at`` says when to try
    again, if ever. CONFIRMED: an action of the opponent presupposes it, or nothing more is needed.
    DROPPED: given up, or of no use any more.
    """

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    STORED = "stored"
    DELIVERED = "delivered"
    FAILED = "failed"
    CONFIRMED = "confirmed"
    DROPPED = "dropped"

    @property
    def open(self) -> bool:
        return self not in (OutboxState.CONFIRMED, OutboxState.DROPPED)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewOutbox(Value):
    """An envelope to send. In a ``Commit`` it belongs to the action committed with it, if any.

    ``id``: larger than any given before (``OutboxTable.last_id``), or None to have one given.
    ``attempts`` is 1 where it goes out the moment it is committed.
    """

    key: SessionKey
    peer: str
    command: str
    envelope: bytes
    content: str
    delivery: Delivery
    created_at: float
    next_attempt_at: float | None = None
    id: int | None = None
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OutboxRow(Value):
    """``id`` is never used twice. ``action_num`` is None for what is no action (an error answer)."""

    id: int
    key: SessionKey
    action_num: int | None
    peer: str
    command: str
    envelope: bytes
    content: str
    delivery: Delivery
    state: OutboxState
    reason: str
    attempts: int
    created_at: float
    updated_at: float
    next_attempt_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Unconfirmed(Value):
    """An envelope that has left our hands: delivered, or stored at a propagation node."""

    key: SessionKey
    peer: str
    stored: bool
    next_attempt_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OutboxChange(Value):
    """A new state of one outbox row. ``attempted``: when attempts not counted yet were made, Unix seconds."""

    id: int
    state: OutboxState
    at: float
    reason: str = ""
    next_attempt_at: float | None = None
    attempted: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Seen(Value):
    """An LXMF message that was handled; ``at`` in Unix seconds."""

    message_hash: bytes
    identity: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KeptNonce(Value):
    """The nonce of a refused action that stays refused for the life of its session."""

    key: SessionKey
    nonce: bytes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewParked(Value):
    """A message that came too early. ``until``: when it goes to the router for its verdict."""

    key: SessionKey
    sender: str
    command: str
    nonce: bytes
    envelope: bytes
    timestamp: float
    parked_at: float
    until: float
    content: str = ""
    message_hash: bytes | None = None
    signed: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Parked(NewParked):
    id: int


ASSISTED: Final = "assisted"
"""A flag: moves of the session were not the player's own; which, says its reason."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Flag(Value):
    """A local remark about a session, e.g. ``out_of_sync`` with its reason."""

    key: SessionKey
    flag: str
    reason: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Signature(Value):
    """The signed LXMF message that carried an action of ours; the last attempt's replaces earlier ones."""

    key: SessionKey
    action_num: int
    message_hash: bytes
    signed: bytes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewMessage(Value):
    """A text of a peer, or of ours; that has the outbox row committed with it.

    ``at`` in Unix seconds of our clock, ``sent_at`` as the sender says. ``cut``: it was longer. ``held``: it
    waits with the challenge of a stranger.
    """

    identity: str
    peer: str
    own: bool
    text: str
    at: float
    sent_at: float
    cut: bool = False
    message_hash: bytes | None = None
    held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Message(NewMessage):
    """``state`` and ``reason`` are those of a text of ours when they were last stored, else None and ""."""

    id: int
    unread: bool
    outbox_id: int | None
    state: OutboxState | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Thread(Value):
    """What one identity and one peer have written each other: its last text, and how many."""

    last: Message
    texts: int
    unread: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Score(Value):
    """How the counted games of one app between an identity and a peer have ended for the identity."""

    app_id: str
    won: int
    drawn: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rival(Value):
    """A peer with whom games were counted, and how many of all apps together."""

    peer: str
    games: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Commit(Value):
    """What one transaction writes, in this order.

    ``expired`` and ``update`` must be stored already, with the same binding (peer, initiator, app,
    creation); ``insert`` must not be. What is open in the outbox of an expired session is closed.
    ``forget`` takes replay entries back, ``unpark`` deletes parked messages, ``outbox_changes`` are
    new states of single rows; ``settle`` confirms every open row of a session that was there before
    this commit, but drops an offer that has not arrived if ``withdraw`` says that it is of no use any more.
    ``bridge`` and ``bridge_change`` are what the gateway begins or changes together with the action.
    """

    expired: tuple[Session, ...] = ()
    insert: Session | None = None
    update: Session | None = None
    action: NewAction | None = None
    outbox: NewOutbox | None = None
    settle: SessionKey | None = None
    withdraw: bool = False
    outbox_changes: tuple[OutboxChange, ...] = ()
    signatures: tuple[Signature, ...] = ()
    replay: tuple[ReplayEntry, ...] = ()
    forget: tuple[ReplayEntry, ...] = ()
    keep: tuple[KeptNonce, ...] = ()
    seen: tuple[Seen, ...] = ()
    park: NewParked | None = None
    unpark: tuple[int, ...] = ()
    flags: tuple[Flag, ...] = ()
    unflag: tuple[tuple[SessionKey, str], ...] = ()
    message: NewMessage | None = None
    bridge: NewBridge | None = None
    bridge_change: BridgeChange | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Committed(Value):
    """The numbers a transaction allocated."""

    action_num: int | None = None
    outbox_id: int | None = None
    parked_id: int | None = None
    message_id: int | None = None
    bridge_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Cursor(Value):
    """Where a listing goes on: after the session with these values."""

    last_action_at: float
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Summary(Value):
    """A session without its metadata, for lists.

    ``winner``: of a completed game, "" for nobody; None where that is not known.
    """

    key: SessionKey
    app_id: str
    app_version: int
    peer: str
    initiator: str
    status: Status
    unread: int
    created_at: float
    updated_at: float
    last_action_at: float
    winner: str | None = None

    @property
    def cursor(self) -> Cursor:
        return Cursor(last_action_at=self.last_action_at, session_id=self.key.session_id)


class Trust(StrEnum):
    KNOWN = "known"
    TRUSTED = "trusted"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contact(Value):
    """An entry of the node's address book. ``public_key``: 64 bytes, or None if not known yet."""

    peer: str
    name: str
    added_at: float
    public_key: bytes | None = None
    trust: Trust = Trust.KNOWN
    note: str = ""


class Policy(StrEnum):
    """Whose challenges an identity takes. Sessions that exist go on in any case.

    OPEN: everybody's. EVERYONE: those of strangers as requests, which a person lets in or not. KNOWN:
    only of peers with whom there were dealings, and of contacts. CONTACTS, NOBODY: as they say.
    """

    OPEN = "open"
    EVERYONE = "everyone"
    KNOWN = "known"
    CONTACTS = "contacts"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Block(Value):
    """A peer that is not listened to, by no identity of the node; for ever if ``until`` is None."""

    peer: str
    blocked_at: float
    reason: str = ""
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Request(Value):
    """A stranger's challenge that nobody has let in yet. ``until``: when the challenge has expired."""

    key: SessionKey
    peer: str
    app_id: str
    envelope: bytes
    message_hash: bytes
    signed: bytes
    timestamp: float
    received_at: float
    until: float
    content: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Peer(Value):
    """The last announce heard of a peer. ``games`` is None where it does not say.

    ``played_at``: when a valid envelope of the peer was first received, or None.
    """

    peer: str
    name: str
    public_key: bytes
    hops: int
    interface: str
    heard_at: float
    games: bool | None = None
    played_at: float | None = None


class Role(StrEnum):
    """Who plays as a local identity. Where a command does not say which one, a person's is meant."""

    PERSON = "person"
    HOUSE = "house"
    GATEWAY = "gateway"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LocalIdentity(Value):
    """``hash`` is the LXMF delivery hash; the key itself is a file of its own."""

    hash: str
    name: str
    created_at: float
    enabled: bool = True
    role: Role = Role.PERSON

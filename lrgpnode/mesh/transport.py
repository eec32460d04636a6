"""What the node needs of a transport. ``lrgpnode.mesh.reticulum`` implements it; tests have another.

A transport carries messages; it knows nothing of sessions. It reports through ``Listener``, always
on the event loop's thread, in the order things happened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from lrgpnode.protocol.game import Delivery
from lrgpnode.protocol.value import Value


class Progress(StrEnum):
    """What is known of one attempt to send.

    DELIVERED means the peer's router proved the packet; STORED, that a propagation node keeps the
    message, of which nothing more will be heard. These and FAILED end an attempt, but DELIVERED may
    still follow FAILED.
    """

    SENDING = "sending"
    SENT = "sent"
    DELIVERED = "delivered"
    STORED = "stored"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outgoing(Value):
    """One attempt. ``ref`` is the caller's own number (the outbox row); ``envelope`` is packed, or empty for
    a plain text.

    ``via_propagation``: to a propagation node, whatever ``delivery`` prefers. ``timestamp``: what the message
    says of when it was sent, Unix seconds; None for the moment of the attempt. Attempts that say the same are
    one LXMF message with one hash, which every client shows once.
    """

    ref: int
    identity: str
    peer: str
    envelope: bytes
    content: str
    delivery: Delivery
    via_propagation: bool = False
    timestamp: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Received(Value):
    """One message whose signature was validated against a known source.

    ``envelope`` is the exact bytes of field 0xFD when field 0xFB marks the message as LRGP, else
    None. ``signed`` is the LXMF message as it was on the wire (destination, source, signature,
    payload). The receiver must call ``done(entry)`` once the message is committed or refused for
    good: until then it is replayed from the inbox file after a crash; an ``entry`` of 0 is of no file, as the
    message was made in this node. ``propagated``: it came from a
    propagation node, so its sender need not be there.
    """

    entry: int
    identity: str
    peer: str
    message_hash: bytes
    envelope: bytes | None
    title: str
    content: str
    signed: bytes
    timestamp: float
    propagated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Heard(Value):
    """A peer's announce. ``games`` is None when the announce does not say (lrgp-interop §17).

    ``announced`` is False for the answer to a path request: a third node may give it from memory,
    so it makes the peer known but does not show that it is there.
    """

    peer: str
    name: str
    public_key: bytes
    hops: int
    interface: str
    at: float
    games: bool | None = None
    announced: bool = True
    extras: dict[str, str] = field(default_factory=dict)


class Listener(Protocol):
    """Called on the loop's thread; must not block and must not raise."""

    def received(self, message: Received) -> None: ...
    def progress(self, ref: int, progress: Progress, reason: str) -> None: ...

    def signed(self, ref: int, message_hash: bytes, message: bytes) -> None:
        """The signed LXMF message of an attempt as it went out; just before its ``SENT``."""
        ...

    def heard(self, peer: Heard) -> None: ...


class Transport(Protocol):
    """Everything may be called from any thread and returns at once."""

    def prepare(self, message: Outgoing) -> None:
        """The message will probably be sent in a moment: build what can be built. Nothing leaves."""
        ...

    def discard(self, ref: int) -> None:
        """The message is not sent after all: forget what was prepared, and make it no stamp."""
        ...

    def send(self, message: Outgoing) -> None:
        """Hand one attempt over. Returns at once; what becomes of it arrives as ``progress``."""
        ...

    def done(self, entry: int) -> None:
        """The message of this inbox entry needs no replay any more."""
        ...

    def wipe(self, entry: int) -> None:
        """As ``done``, and nothing of the message stays in the inbox file. Waits for the disk."""
        ...

    def hurry(self, peer: str) -> None:
        """The peer is there: try again now whatever of ours waits to be tried again."""
        ...

    def announce(self, identity: str | None = None) -> None:
        """Make one identity, or all, known to the network, as soon as may be."""
        ...

    def propagation_available(self) -> bool:
        """Whether a message can be given to a propagation node at present."""
        ...

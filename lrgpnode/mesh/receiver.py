"""From a packet to a ``Received``: keep it, prove it, let LXMF judge it, hand it to the node.

Reticulum's inbound thread writes the packet to the inbox, passes it on to the parsing thread, waits
for the disk and only then proves it; parsing and the node's own commit run during the wait. The
parsing thread calls LXMF's own ``lxmf_delivery`` with all its checks, one message at a time, so that
messages reach the node in the order they arrived. Where LXMF drops a message without a word
(duplicates, ignored senders, what cannot be parsed) the entry is closed as soon as it returns.

A message from a sender whose key is not known cannot be believed yet. It waits, its entry open, and
the network is asked for the sender; otherwise the first message of somebody who has just heard our
announce would be lost, since it has been proved.
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from threading import local
from typing import Any, Final

import LXMF
import RNS

from lrgpnode.protocol.envelope import FIELD_CUSTOM_TYPE, MARKER
from lrgpnode.protocol.errors import PeerError
from lrgpnode.protocol.value import Value

from . import known
from .fields import HASH_BYTES, PAYLOAD_AT, envelope_bytes, signed_part
from .inbox import Entry, Inbox, InboxFull
from .lxmf import DIRECT, OPPORTUNISTIC, PROPAGATED, NodeRouter
from .transport import Received
from .worker import Worker

_SLOT_BITS: Final = 16
_QUIET: Final = 60.0
"""Seconds between two log lines about packets that could not be kept."""

MAX_HELD: Final = 64
MAX_HELD_PER_SENDER: Final = 4
"""Messages from senders not known yet. Anyone can make up senders: the oldest have to go."""

ASK_AGAIN: Final = (20.0, 60.0, 180.0, 600.0)
"""Seconds, about, until the network is asked again for a sender that is still not known."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class _Arrival(Value):
    """One message on its way to the node. ``again``: LXMF may have seen it before, let it through."""

    router: NodeRouter
    number: int
    raw: bytes
    method: int
    packet: Any = None
    again: bool = False

    @property
    def sender(self) -> bytes:
        return self.raw[HASH_BYTES : 2 * HASH_BYTES]


class Receiver:
    """An entry number given to the node is the entry id of one inbox and which inbox that is.

    ``unknown`` is called with the address of a sender whose key is needed.
    """

    def __init__(self, unknown: Callable[[str], None]) -> None:
        self._unknown = unknown
        self._inboxes: list[Inbox] = []
        self._slots: dict[bytes, int] = {}
        self._worker = Worker("mesh-receive")
        self._held: deque[_Arrival] = deque()
        self._current = local()
        self._deliver: Callable[[Received], bool] = lambda _: False
        self._warned = -math.inf
        self.last_packet: tuple[bytes, float] | None = None
        """Reticulum's hash of the last packet with a message for us, and when it came, Unix seconds."""

    def add(self, router: NodeRouter, inbox: Inbox) -> None:
        """Take a router's messages; what its inbox still holds comes first.

        An identity that comes back has the slot it had: entry ids go on in its file, so that what is
        done meanwhile with entries from before is done with the same entries.
        """
        slot = self._slots.setdefault(router.identity.hash, len(self._inboxes))
        self._inboxes[slot : slot + 1] = [inbox]
        router.register_delivery_callback(partial(self._delivered, router))
        for entry in inbox.left_over():
            _recover_key(entry)
            # A clean stop makes LXMF remember what it delivered, also what the node did not finish.
            number = entry.id << _SLOT_BITS | slot
            self._worker.call(self._handle, _Arrival(router, number, entry.raw, entry.method, again=True))

    def remove(self, router: NodeRouter) -> None:
        """Take no more of a router that has been closed; what is open stays in its file."""
        self._worker.call(self._forget, router)
        self._inboxes[self._slots[router.identity.hash]].close()

    def start(self, deliver: Callable[[Received], bool]) -> None:
        """Begin to hand over. ``deliver`` says whether the message was taken."""
        self._deliver = deliver
        self._worker.start()

    def packet(self, router: NodeRouter, data: bytes, packet: Any) -> None:
        """A data packet, in Reticulum's inbound thread. What cannot be kept is not proved."""
        self.last_packet = packet.packet_hash, time.time()
        over_link = packet.destination_type == RNS.Destination.LINK
        raw = data if over_link else router.hash + data
        if len(raw) > PAYLOAD_AT and self._keep(router, raw, DIRECT if over_link else OPPORTUNISTIC, packet):
            packet.prove()

    def handed_over(self, router: NodeRouter, packed: bytes, method: int) -> bool:
        """A message from another identity of this node; False where it could not be kept."""
        return self._keep(router, packed, method, None)

    def in_parts(self, router: NodeRouter, raw: bytes) -> bool:
        """A message too large for one packet; False where it must not be proved."""
        return len(raw) > PAYLOAD_AT and self._keep(router, raw, DIRECT, None)

    def mail(self, router: NodeRouter, sealed: Iterable[bytes]) -> int:
        """Messages from a propagation node, as it keeps them; how many of them are for us and whole.

        When this returns they are on the disk. Raises ``InboxFull`` or ``OSError``: then the node
        must keep them.
        """
        slot = self._slots[router.identity.hash]
        inbox = self._inboxes[slot]
        arrivals: list[_Arrival] = []
        try:
            for each in sealed:
                raw = router.unseal(each)
                if raw is None or len(raw) <= PAYLOAD_AT:
                    _log.info("a message from a propagation node was dropped: it cannot be decrypted")
                    continue
                entry = inbox.append(raw, PROPAGATED, known.public_key(raw[HASH_BYTES : 2 * HASH_BYTES]))
                arrivals.append(_Arrival(router, entry << _SLOT_BITS | slot, raw, PROPAGATED))
            if arrivals:
                inbox.sync()
        finally:
            # What has been appended is in the file, whatever came after it.
            for arrival in arrivals:
                self._worker.call(self._handle, arrival)
        return len(arrivals)

    def done(self, number: int) -> None:
        if number:
            slot = number & (1 << _SLOT_BITS) - 1
            self._inboxes[slot].close_entry(number >> _SLOT_BITS)

    def wipe(self, number: int) -> None:
        """As ``done``, and nothing of the packet stays in the file. Raises ``OSError``."""
        if number:
            slot = number & (1 << _SLOT_BITS) - 1
            self._inboxes[slot].wipe_entry(number >> _SLOT_BITS)

    def entries(self) -> int:
        """How many packets are kept that are not handled yet."""
        return sum(inbox.open_count() for inbox in self._inboxes)

    def ask(self, answer: Callable[[], object]) -> None:
        """Have ``answer`` called in the receiving thread, to see that it runs."""
        self._worker.call(answer)

    def stop(self) -> None:
        self._worker.stop(timeout=0.5)
        for inbox in self._inboxes:
            inbox.close()

    def _keep(self, router: NodeRouter, raw: bytes, method: int, packet: Any) -> bool:
        slot = self._slots[router.identity.hash]
        inbox = self._inboxes[slot]
        try:
            entry = inbox.append(raw, method, known.public_key(raw[HASH_BYTES : 2 * HASH_BYTES]))
            number = entry << _SLOT_BITS | slot
            self._worker.call(self._handle, _Arrival(router, number, raw, method, packet))
            inbox.sync()
        except (InboxFull, OSError) as error:
            now = time.monotonic()
            if now - self._warned > _QUIET:
                self._warned = now
                _log.error("messages are refused, because they cannot be kept: %s", error)
            return False
        return True

    def heard(self, sender: bytes) -> None:
        """A sender's key has become known."""
        self._worker.call(self._release, sender)

    # --- on the receiving thread

    def _handle(self, arrival: _Arrival) -> None:
        packet = arrival.packet
        self._current.arrival, self._current.taken = arrival, False
        arrival.router.lxmf_delivery(
            arrival.raw,
            RNS.Destination.LINK if arrival.method == DIRECT else RNS.Destination.SINGLE,
            phy_stats=packet and {"rssi": packet.rssi, "snr": packet.snr, "q": packet.q},
            ratchet_id=packet and packet.ratchet_id,
            method=arrival.method,
            allow_duplicate=arrival.again,
        )
        if not self._current.taken:
            self.done(arrival.number)

    def _delivered(self, router: NodeRouter, message: Any) -> None:
        """LXMF's delivery callback, on this thread."""
        arrival: _Arrival | None = getattr(self._current, "arrival", None)
        if message.unverified_reason == LXMF.LXMessage.SOURCE_UNKNOWN:
            if arrival is not None:
                self._current.taken = True
                self._hold(arrival)
            return
        received = _read(router, message, arrival.number if arrival is not None else 0)
        if received is not None:
            # Marked in any case: what the loop did not take stays open for the next start.
            self._current.taken = True
            self._deliver(received)

    def _hold(self, arrival: _Arrival) -> None:
        same = [held for held in self._held if held.sender == arrival.sender]
        if len(same) >= MAX_HELD_PER_SENDER or len(self._held) >= MAX_HELD:
            dropped = same[0] if len(same) >= MAX_HELD_PER_SENDER else self._held[0]
            self._held.remove(dropped)
            self.done(dropped.number)
            _log.debug("a message from %s was dropped: nobody knows its sender", dropped.sender.hex())
        self._held.append(replace(arrival, again=True))
        self._unknown(arrival.sender.hex())
        if not same:
            self._ask_later(arrival.sender, 0)

    def _ask_later(self, sender: bytes, number: int) -> None:
        """By radio the question or its answer may be lost, and whoever sent the message has its proof and
        will not repeat it."""
        if number < len(ASK_AGAIN):
            pause = ASK_AGAIN[number] * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
            self._worker.later(pause, self._ask_again, sender, number)

    def _ask_again(self, sender: bytes, number: int) -> None:
        if any(held.sender == sender for held in self._held):
            self._unknown(sender.hex())
            self._ask_later(sender, number + 1)

    def _forget(self, router: NodeRouter) -> None:
        self._held = deque(held for held in self._held if held.router is not router)

    def _release(self, sender: bytes) -> None:
        known_now = [held for held in self._held if held.sender == sender]
        for arrival in known_now:
            self._held.remove(arrival)
            self._handle(arrival)


def _read(router: NodeRouter, message: Any, number: int) -> Received | None:
    """The message as the node wants it, or None where nobody proved to have sent it."""
    packed: bytes = message.packed
    digest: bytes = message.hash
    if not message.signature_validated:
        if message.unverified_reason == LXMF.LXMessage.SOURCE_UNKNOWN:
            _log.debug(
                "a message was dropped: the key of its sender %s is not known", message.source_hash.hex()
            )
            return None
        checked = _check_original(message, packed)
        if checked is None:
            _log.debug("a message was dropped: its signature is not that of %s", message.source_hash.hex())
            return None
        digest = checked
    try:
        envelope = envelope_bytes(packed)
    except PeerError:
        # A chat message with odd fields is still a chat message; a marked one is no envelope.
        marked = message.fields.get(FIELD_CUSTOM_TYPE) == MARKER
        envelope = b"" if marked else None
    return Received(
        entry=number,
        identity=router.hash.hex(),
        peer=message.source_hash.hex(),
        message_hash=digest,
        envelope=envelope,
        title=_text(message.title),
        content=_text(message.content),
        signed=packed,
        timestamp=_seconds(message.timestamp),
        propagated=message.method == PROPAGATED,
    )


def _check_original(message: Any, packed: bytes) -> bytes | None:
    """The message hash if the signature is right over the original bytes of a stamped message.

    LXMF packs the payload of a stamped message again before it checks, which fails for senders that
    do not write the shortest forms.
    """
    if message.stamp is None or message.source is None:
        return None
    try:
        digest, signed, signature = signed_part(packed)
    except PeerError:
        return None
    return digest if message.source.identity.validate(signature, signed) else None


def _recover_key(entry: Entry) -> None:
    """Tell Reticulum the key of a left-over entry's sender, which a crash made it forget."""
    source = entry.raw[HASH_BYTES : 2 * HASH_BYTES]
    if entry.key and not known.public_key(source) and known.owner(entry.key) == source.hex():
        known.remember(source.hex(), entry.key)


def _text(value: Any) -> str:
    """LXMF passes on what the sender wrote, which need not be bytes."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if isinstance(value, str) else ""


def _seconds(value: Any) -> float:
    if isinstance(value, (int, float)) and math.isfinite(value):
        return float(value)
    return 0.0

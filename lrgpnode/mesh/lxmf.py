"""LXMF's router and message, with what this node needs done differently (rns-lxmf facts).

Only what is public in LXMF 1.2 is overridden, and one lock is replaced. Importing this module
loads Reticulum and LXMF.
"""

from __future__ import annotations

import atexit
import logging
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Event, Lock
from types import TracebackType
from typing import Any, Final

import LXMF
import RNS
from LXMF import LXStamper

from . import announce, stamps
from .floor import is_slow_way
from .parts import prove_after

DIRECT: Final[int] = LXMF.LXMessage.DIRECT
OPPORTUNISTIC: Final[int] = LXMF.LXMessage.OPPORTUNISTIC
PROPAGATED: Final[int] = LXMF.LXMessage.PROPAGATED

MAX_STAMP_COST: Final = 22
"""Four million hashes, seconds on a small computer. A hostile announce could ask for 2^254."""

INLINE_STAMP_COST: Final = 16
"""Cheaper stamps are made at once: LXMF's own way takes two of its cycles, eight seconds."""

RETAINED_RATCHETS: Final = 256
"""A packet of junk costs one decryption for each; 256 announces at three hours are 32 days, the
time a peer may go on using an old one."""

LINK_PROOF_WAIT: Final = 3.0
"""Seconds that a proof over a link may take at least. Reticulum's least is 5 ms, checked once a second:
a peer that writes to its disk before it proves would lose the link, and the message come again."""

RETRY_SPREAD: Final = 12.0
"""Seconds, three of LXMF's cycles."""

STAMP_SAVE_INTERVAL: Final = 86_400.0

_log = logging.getLogger(__name__)
_stopping = Event()


class PatientLock:
    """A lock for LXMF's outbound queue that makes callers wait instead of giving up.

    LXMF asks ``locked()`` first: its sender sleeps in steps of 50 ms while it is true, and its queue
    runner leaves, so that a message queued at that moment waits for the next cycle four seconds
    later. Told that the lock is free, both simply take their turn.
    """

    def __init__(self) -> None:
        self._lock = Lock()

    def locked(self) -> bool:
        return False

    def __enter__(self) -> bool:
        return self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


class NodeRouter(LXMF.LXMRouter):  # type: ignore[misc]  # LXMF has no types
    """One router for one identity. ``packet`` gets every data packet, unproved; ``in_parts`` every
    message too large for one, and says whether it may be proved. ``limit_kb``: the largest of these."""

    def __init__(
        self,
        key: bytes,
        storage: Path,
        packet: Callable[[NodeRouter, bytes, Any], None],
        in_parts: Callable[[NodeRouter, bytes], bool],
        limit_kb: int,
    ) -> None:
        self._on_packet = packet
        self._in_parts = in_parts
        super().__init__(
            identity=RNS.Identity.from_bytes(key),
            storagepath=str(storage),
            autopeer=False,
            delivery_limit=limit_kb,
            static_peers=[],
        )
        self.outbound_processing_lock = PatientLock()
        self.hash: bytes = RNS.Destination.hash_from_name_and_identity("lxmf.delivery", self.identity)

    def open(self, display_name: str) -> None:
        """Register the delivery destination; from now on messages can arrive."""
        try:
            destination = self._register(display_name)
        except OSError:
            # The ratchet file is damaged, e.g. by a power cut. Peers learn new ones from the announce.
            for half_open in [item for item in RNS.Transport.destinations if item.hash == self.hash]:
                RNS.Transport.deregister_destination(half_open)
            damaged = Path(self.ratchetpath) / f"{self.hash.hex()}.ratchets"
            damaged.rename(damaged.with_suffix(".damaged"))
            _log.warning("%s was damaged and has been set aside", damaged)
            destination = self._register(display_name)
        destination.set_retained_ratchets(RETAINED_RATCHETS)
        self.destination = destination

    def close(self) -> None:
        """Take the identity off the mesh and let go of all that Reticulum holds of it.

        What LXMF had still to send is forgotten without a word: the caller sends it again.
        """
        for message in self.pending_outbound:
            if isinstance(message, NodeMessage):
                message.forget()
        links = [*self.direct_links.values(), *self.backchannel_links.values()]
        self.exit_handler()
        atexit.unregister(self.exit_handler)
        for link in links:
            link.teardown()
        for handler in list(RNS.Transport.announce_handlers):
            if getattr(handler, "lxmrouter", None) is self:
                RNS.Transport.deregister_announce_handler(handler)
        for destination in list(RNS.Transport.destinations):
            if destination.identity is self.identity:
                RNS.Transport.deregister_destination(destination)

    def jobs(self) -> None:
        """LXMF's cycle, every four seconds; its thread would go on for ever after the end."""
        if self.exit_handler_running:
            raise SystemExit
        super().jobs()

    def rename(self, display_name: str) -> None:
        """Another name for the announces to come."""
        self.destination.display_name = display_name

    def _register(self, display_name: str) -> Any:
        return self.register_delivery_identity(self.identity, display_name=display_name)

    def delivery_packet(self, data: bytes, packet: Any) -> None:
        """A packet for us, alone or over a link. LXMF would prove it now, before it is safe."""
        self._on_packet(self, data, packet)

    def delivery_resource_transfer_began(self, resource: Any) -> None:
        super().delivery_resource_transfer_began(resource)
        prove_after(resource, partial(self._in_parts, self))

    def delivery_resource_concluded(self, resource: Any) -> None:
        """What there was to do has been done before the proof."""

    def unseal(self, sealed: bytes) -> bytes | None:
        """A message as a propagation node keeps it, decrypted; None where it is none for us.

        Raises ``OSError`` where the ratchets could not be read.
        """
        if sealed[: len(self.hash)] != self.hash:
            return None
        try:
            opened: bytes | None = self.destination.decrypt(sealed[len(self.hash) :])
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - Reticulum raises what it likes about bytes of strangers
            _log.debug("decryption failed: %s", error)
            return None
        return self.hash + opened if opened else None

    def has_fetched(self, transient_id: bytes) -> bool:
        """Whether a message of a propagation node is on our disk already."""
        return bool(self.has_message(transient_id))

    def note_fetched(self, transient_id: bytes) -> None:
        with self.delivered_transient_ids_lock:
            self.locally_delivered_transient_ids[transient_id] = time.time()

    def submit(self, message: NodeMessage) -> None:
        """Send a message. May block; not from LXMF's callbacks.

        The usual case, a known path and no stamp to make, is done here and now: ``handle_outbound``
        comes to the same by starting a thread, which costs as much as all the cryptography.
        """
        if self.plain(message.destination_hash):
            message.state = LXMF.LXMessage.OUTBOUND
            message.concluded_callback = self.outbound_concluded
            message.defer_stamp = False
            if not message.packed:
                message.pack()
            message.determine_transport_encryption()
            self.pending_outbound.append(message)
            self.process_outbound()
        else:
            cost = self.get_outbound_stamp_cost(message.destination_hash)
            message.defer_stamp = cost is not None and cost > INLINE_STAMP_COST
            self.handle_outbound(message)

    def plain(self, hashed: bytes) -> bool:
        """Whether a message to this destination needs no path request, no stamp and no ticket."""
        return (
            self.get_outbound_stamp_cost(hashed) is None
            and RNS.Transport.has_path(hashed)
            and not self.get_outbound_ticket(hashed)
        )

    def schedule_attempt(self, lxmessage: Any, destination_hash: bytes, path_request: bool = False) -> None:
        """LXMF repeats after ten seconds and looks every four: on a slow medium two senders that cannot hear
        each other, once they have met, would meet at every repetition."""
        super().schedule_attempt(lxmessage, destination_hash, path_request)
        bitrate = RNS.Transport.next_hop_interface_bitrate(destination_hash)
        if is_slow_way(bitrate, self.path_airtime()):
            lxmessage.next_delivery_attempt += random.uniform(0.0, RETRY_SPREAD)  # noqa: S311 - no secret

    def hurry(self, hashed: bytes) -> None:
        """Try messages to this destination again now, but for those that have just been sent."""
        recent = time.monotonic() - self.DELIVERY_RETRY_WAIT
        waiting = [
            message
            for message in self.pending_outbound.copy()
            if message.destination_hash == hashed and message.last_sent < recent
        ]
        for message in waiting:
            message.next_delivery_attempt = 0.0
        if waiting:
            self.process_outbound()

    def path_airtime(self) -> float:
        """Seconds that a packet and its answer take on the slowest medium."""
        whole: float = self.medium_path_timeout() - RNS.Reticulum.DEFAULT_PER_HOP_TIMEOUT
        return max(0.0, whole)

    def announce_on(self, interfaces: Sequence[Any] | None) -> None:
        announce_on(self.destination, self.get_announce_app_data(self.hash), interfaces)

    def get_announce_app_data(self, destination_hash: bytes) -> bytes:
        return announce.with_capabilities(super().get_announce_app_data(destination_hash))

    def update_stamp_cost(self, destination_hash: bytes, stamp_cost: int | None) -> None:
        """LXMF rewrites a file at every announce heard; here only when it says something new."""
        known = self.outbound_stamp_costs.get(destination_hash)
        if known is None and stamp_cost is None:
            return
        if known and known[1] == stamp_cost and time.time() - known[0] < STAMP_SAVE_INTERVAL:
            return
        super().update_stamp_cost(destination_hash, stamp_cost)


class PeerDestination(RNS.Destination):  # type: ignore[misc]  # Reticulum has no types
    """The delivery destination of a peer, for one message."""

    def __init__(self, identity: Any) -> None:
        super().__init__(identity, RNS.Destination.OUT, RNS.Destination.SINGLE, "lxmf", "delivery")
        self._ahead: tuple[bytes, bytes] | None = None

    def encrypt_ahead(self, plaintext: bytes) -> None:
        """Do now what ``encrypt`` would do for the next packet with this content."""
        self._ahead = (plaintext, super().encrypt(plaintext))

    def encrypt(self, plaintext: bytes) -> bytes:
        """Used once: a second packet of the same content is encrypted anew, so that its hash is another."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == plaintext:
            return ahead[1]
        encrypted: bytes = super().encrypt(plaintext)
        return encrypted


class NodeMessage(LXMF.LXMessage):  # type: ignore[misc]
    """One attempt to send. ``sending``, ``sent`` and ``ended`` are told in this order, from any thread.

    They are called while LXMF holds its locks and must do nothing but hand over. ``may_send`` is asked each
    time before a single packet leaves; where it says no, LXMF goes on as if that were lost.
    """

    def __init__(
        self,
        destination: Any,
        source: Any,
        *,
        content: str,
        fields: dict[int, Any],
        method: int,
        sending: Callable[[], None],
        sent: Callable[[bytes, bytes], None],
        ended: Callable[[bool, str], None],
        may_send: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(destination, source, content, "", fields=fields, desired_method=method)
        self._order = Lock()
        self._told_sending = self._told_sent = False
        self.last_sent = -math.inf
        self._on_sending = sending
        self._on_sent = sent
        self._on_ended = ended
        self._may_send = may_send
        self.register_delivery_callback(NodeMessage.tell_delivered)
        self.register_failed_callback(NodeMessage._tell_failed)

    def encrypt_ahead(self) -> None:
        """Encrypt a packed message before it is sent, for its first attempt as a single packet."""
        destination = self.get_destination()
        if isinstance(destination, PeerDestination):
            destination.encrypt_ahead(self.packed[self.DESTINATION_LENGTH :])

    def forget(self) -> None:
        """Tell nobody any more what becomes of this attempt."""
        with self._order:
            self._told_sending = self._told_sent = True
            self._on_ended = _nothing

    def send(self) -> None:
        self.last_sent = time.monotonic()
        if self._may_send is not None and self.method == OPPORTUNISTIC and not self._may_send():
            return
        super().send()
        if self.state in (LXMF.LXMessage.SENDING, LXMF.LXMessage.SENT, LXMF.LXMessage.DELIVERED):
            with self._order:
                self._tell_sent()

    def tell_delivered(self) -> None:
        with self._order:
            # The proof can be back before `send` has returned.
            self._tell_sent()
            self._on_ended(True, "")

    def tell_sending(self) -> None:
        """It is with LXMF, or with a propagation node's queue, and has not left yet."""
        with self._order:
            self._tell_sending()

    def tell_sent(self) -> None:
        """For what goes to a propagation node, which LXMF does not send itself."""
        with self._order:
            self._tell_sent()

    def _tell_sending(self) -> None:
        if not self._told_sending:
            self._told_sending = True
            self._on_sending()

    def _tell_sent(self) -> None:
        self._tell_sending()
        if not self._told_sent:
            self._told_sent = True
            self._on_sent(self.hash, self.packed)

    def _tell_failed(self) -> None:
        if self.state == LXMF.LXMessage.REJECTED:
            reason = "the peer's router refused the message"
        elif self.state == LXMF.LXMessage.CANCELLED:
            reason = "cancelled"
        elif not RNS.Transport.has_path(self.destination_hash):
            reason = "no path to the peer"
        else:
            reason = "the peer did not prove the message"
        with self._order:
            self._tell_sending()
            self._on_ended(False, reason)


def announce_on(destination: Any, data: bytes, interfaces: Sequence[Any] | None) -> None:
    """Announce on these interfaces with one and the same packet, or on all that Reticulum chooses."""
    if interfaces is None:
        destination.announce(app_data=data)
        return
    packet = destination.announce(app_data=data, send=False)
    packet.pack()
    for interface in interfaces:
        packet.attached_interface = interface
        RNS.Transport.outbound(packet)


def _nothing(delivered: bool, reason: str) -> None:
    """Nobody waits for the end of a forgotten message."""


def fast_stamp(cost: int, workblock: bytes, message_id: bytes) -> tuple[bytes | None, int]:
    """A stamp in this thread, in place of LXMF's forked workers."""
    return stamps.search(cost, workblock, lambda _: not _stopping.is_set())


def prepare() -> None:
    """Put the changes to LXMF's and Reticulum's modules in place."""
    _stopping.clear()
    RNS.Link.TRAFFIC_TIMEOUT_MIN_MS = LINK_PROOF_WAIT * 1000
    # LXMF would check large transfers in processes of their own, which outlive a killed node.
    LXStamper.PN_VALIDATION_POOL_MIN_SIZE = sys.maxsize
    LXStamper.job_linux = LXStamper.job_linux_managed = fast_stamp


def cancel_stamps() -> None:
    _stopping.set()

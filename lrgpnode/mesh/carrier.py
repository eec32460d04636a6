"""Building LXMF messages and giving them to LXMF; runs on the worker thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgpack
import RNS

from lrgpnode.protocol.envelope import FIELD_CUSTOM_META, FIELD_CUSTOM_TYPE, MARKER
from lrgpnode.protocol.game import Delivery

from .lxmf import DIRECT, MAX_STAMP_COST, OPPORTUNISTIC, PROPAGATED, NodeMessage, NodeRouter, PeerDestination
from .propagation.parcel import MailParcel
from .receiver import Receiver
from .sender import CannotCarry
from .transport import Outgoing

_METHODS: Mapping[Delivery, int] = {Delivery.OPPORTUNISTIC: OPPORTUNISTIC, Delivery.DIRECT: DIRECT}


MAX_BUILT: Final = 64


class LxmfCarrier:
    """``sending(ref)``, ``sent(ref, hash, packed)`` and ``ended(ref, delivered, reason)`` are called in this
    order, from any thread; ``store`` gets what goes to a propagation node; ``may_send(ref)`` is asked before
    each packet, where somebody counts them; ``by_radio(message)``: whether it goes out by one."""

    def __init__(
        self,
        routers: Mapping[str, NodeRouter],
        receiver: Receiver,
        sending: Callable[[int], None],
        sent: Callable[[int, bytes, bytes], None],
        ended: Callable[[int, bool, str], None],
        store: Callable[[MailParcel], None],
        may_send: Callable[[int], bool] | None = None,
        by_radio: Callable[[Outgoing], bool] = lambda message: False,
    ) -> None:
        self._routers = routers
        self._receiver = receiver
        self._sending = sending
        self._sent = sent
        self._ended = ended
        self._store = store
        self._may_send = may_send
        self._by_radio = by_radio
        self._built: dict[int, NodeMessage] = {}

    def known(self, peer: str) -> bool:
        return peer in self._routers or _hashed(peer) in RNS.Identity.known_destinations

    def request_path(self, identity: str, peer: str) -> None:
        router = self._routers.get(identity)
        if router is not None:
            router.request_path(_hashed(peer))

    def build(self, message: Outgoing) -> None:
        """Pack and sign a message that may be carried in a moment, while its action is being committed."""
        router = self._routers.get(message.identity)
        if message.via_propagation:
            return
        if router is None or message.peer in self._routers or not router.plain(_hashed(message.peer)):
            return
        lxm = self._message(router, message)
        lxm.defer_stamp = False
        lxm.pack()
        if lxm.method == OPPORTUNISTIC:
            lxm.encrypt_ahead()
        self._built[message.ref] = lxm
        if len(self._built) > MAX_BUILT:  # one whose sending came to nothing
            del self._built[next(iter(self._built))]

    def discard(self, ref: int) -> None:
        """A message that was built is not carried."""
        self._built.pop(ref, None)

    def carry(self, message: Outgoing) -> None:
        router = self._routers.get(message.identity)
        if router is None:
            raise CannotCarry(f"{message.identity} is not an identity of this node")
        neighbour = self._routers.get(message.peer)
        lxm = self._built.pop(message.ref, None)
        if lxm is None or not router.plain(lxm.destination_hash):
            lxm = self._message(router, message)
        if neighbour is not None:
            self._hand_over(neighbour, lxm, _METHODS.get(message.delivery, DIRECT))
            return
        cost = router.get_outbound_stamp_cost(lxm.destination_hash) or 0
        if cost > MAX_STAMP_COST and not router.get_outbound_ticket(lxm.destination_hash):
            raise CannotCarry(f"the peer asks for a stamp of cost {cost}; {MAX_STAMP_COST} is the most")
        if message.via_propagation:
            lxm.tell_sending()
            self._store(MailParcel(message, router, lxm))
        else:
            router.submit(lxm)
            # Telling wakes the loop, which would hold up a message that leaves at once.
            lxm.tell_sending()

    def hurry(self, peer: str) -> None:
        """The peer is there: LXMF need not wait for its next try."""
        hashed = _hashed(peer)
        for router in self._routers.values():
            router.hurry(hashed)

    def _message(self, router: NodeRouter, message: Outgoing) -> NodeMessage:
        method = PROPAGATED if message.via_propagation else _METHODS.get(message.delivery)
        if method == DIRECT and self._by_radio(message):
            # A link costs as much as the message again, more of it can get lost, and a packet is proved, too.
            method = OPPORTUNISTIC
        if method is None:
            raise CannotCarry(f"delivery {message.delivery} is not available")
        neighbour = self._routers.get(message.peer)
        lxm = NodeMessage(
            neighbour.destination if neighbour else _destination(message.peer),
            router.destination,
            content=message.content,
            fields=_fields(message.envelope),
            method=method,
            sending=partial(self._sending, message.ref),
            sent=partial(self._sent, message.ref),
            ended=partial(self._ended, message.ref),
            may_send=None if self._may_send is None else partial(self._may_send, message.ref),
        )
        if message.timestamp is not None:
            lxm.timestamp = message.timestamp
        return lxm

    def _hand_over(self, neighbour: NodeRouter, lxm: NodeMessage, method: int) -> None:
        """To another identity of this node: Reticulum has no path from a process to itself."""
        lxm.pack()
        if not self._receiver.handed_over(neighbour, lxm.packed, method):
            raise CannotCarry("the inbox of that identity is full")
        lxm.tell_delivered()


def _hashed(peer: str) -> bytes:
    try:
        return bytes.fromhex(peer)
    except ValueError:
        raise CannotCarry(f"{peer} is not an address") from None


def _destination(peer: str) -> Any:
    hashed = _hashed(peer)
    # Noting the use would be a call to the shared instance for each message.
    identity = RNS.Identity.recall(hashed, _no_use=True)
    if identity is None:
        raise CannotCarry("the peer's key has been forgotten")
    destination = PeerDestination(identity)
    if destination.hash != hashed:
        raise CannotCarry("this address is not one for LXMF messages")
    return destination


def _fields(envelope: bytes) -> dict[int, Any]:
    """The LXMF fields of an envelope. Its bytes go out exactly as given, or not at all."""
    if not envelope:
        return {}
    try:
        native = msgpack.unpackb(envelope, strict_map_key=False)
        unchanged = msgpack.packb(native) == envelope
    except (ValueError, TypeError) as error:
        raise CannotCarry("the envelope is not MessagePack that LXMF can carry") from error
    if not unchanged:  # LXMF's own packer writes the shortest forms, as this one does
        raise CannotCarry("LXMF would write the envelope differently")
    return {FIELD_CUSTOM_TYPE: MARKER, FIELD_CUSTOM_META: native}

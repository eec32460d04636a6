"""A message on its way to a propagation node: encrypted to its receiver, with a stamp for the node."""

from __future__ import annotations

import time

from RNS.vendor import umsgpack

from ..lxmf import NodeMessage, NodeRouter
from ..transport import Outgoing


class MailParcel:
    """Implements ``upload.Parcel``."""

    def __init__(self, outgoing: Outgoing, router: NodeRouter, message: NodeMessage) -> None:
        self.ref = outgoing.ref
        self.identity = outgoing.identity
        self.peer = outgoing.peer
        self._router = router
        self._message = message
        self._sealed = b""

    @property
    def packed(self) -> bool:
        return bool(self._sealed)

    def pack(self) -> None:
        message = self._message
        message.stamp_cost = self._router.get_outbound_stamp_cost(message.destination_hash)
        message.outbound_ticket = self._router.get_outbound_ticket(message.destination_hash)
        message.defer_stamp = False
        message.pack()
        self._sealed = umsgpack.unpackb(message.propagation_packed)[1][0]

    def transient_id(self) -> bytes:
        transient_id: bytes = self._message.transient_id
        return transient_id

    def stamped(self, stamp: bytes) -> bytes:
        packed: bytes = umsgpack.packb([time.time(), [self._sealed + stamp]])
        return packed

    def tell_sent(self) -> None:
        self._message.tell_sent()

"""Counting every packet that Reticulum hands to a radio of ours, and holding back what has no airtime left.

An RNode's interface has one door, ``process_outgoing``. It is entered from any of Reticulum's threads, with
the bytes as they go to the RNode: behind an access code the header is masked, so what kind of packet it is
was noted a moment before, in Reticulum's ``transmit``, on the same thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import RNS

from lrgpnode.airtime.budget import Budget, Purpose, Use
from lrgpnode.airtime.modem import Modem
from lrgpnode.airtime.packets import Kind, Sight, look
from lrgpnode.airtime.report import Sent

_OF_KIND = {
    Kind.PATH_REQUEST: Use(Purpose.PATHS),
    Kind.PATH_ANSWER: Use(Purpose.PATHS),
    Kind.PROOF: Use(Purpose.PROOFS),
    Kind.LINK: Use(Purpose.OTHER),
    Kind.DATA: Use(Purpose.OTHER),
    Kind.OTHER: Use(Purpose.OTHER),
}
_RELAYED = Use(Purpose.RELAY)
_ANNOUNCED = Use(Purpose.ANNOUNCES)

AVR: Final = 0x90
"""A board's platform, as the driver has it; all of them have an SX1276 or SX1278."""

_here = threading.local()


class Meter:
    """Of one interface. ``modem`` gives its parameters now, ``own`` tells the hashes of this process's
    destinations."""

    def __init__(
        self, budget: Budget, modem: Callable[[], Modem | None], own: Callable[[bytes], bool]
    ) -> None:
        self._budget = budget
        self._modem = modem
        self._own = own
        self._lock = threading.Lock()
        self._sent = {kind: Sent() for kind in Kind}

    @property
    def sent(self) -> dict[Kind, Sent]:
        with self._lock:
            return dict(self._sent)

    def attach(self, interface: Any) -> None:
        """Stand in the interface's door."""
        hand_over = interface.process_outgoing

        def process_outgoing(data: bytes) -> None:
            # What it drops or keeps for later is not on the air; later it comes here again.
            waits = not getattr(interface, "online", False) or not getattr(interface, "interface_ready", True)
            if waits or self.allow(data):
                hand_over(data)

        interface.process_outgoing = process_outgoing

    def allow(self, data: bytes) -> bool:
        """Whether these bytes may go on the air now; if so, they are counted."""
        modem = self._modem()
        if modem is None:
            return True
        sight = look(getattr(_here, "packet", None) or data)
        seconds = modem.packet_seconds(len(data))
        if not self._budget.spend(seconds, self._use(sight), destination=self._goes_to(sight)):
            return False
        if sight.link:
            self._budget.link(sight.link, sight.destination)
        with self._lock:
            so_far = self._sent[sight.kind]
            self._sent[sight.kind] = Sent(
                so_far.packets + 1, so_far.bytes + len(data), so_far.seconds + seconds
            )
        return True

    def _use(self, sight: Sight) -> Use:
        if sight.kind is Kind.ANNOUNCE and self._own(bytes.fromhex(sight.destination)):
            return _ANNOUNCED
        if sight.kind is Kind.ANNOUNCE or sight.hops:
            return _RELAYED
        return _OF_KIND[sight.kind]

    def _goes_to(self, sight: Sight) -> str:
        """Where what is asked for goes; what is not ours is not paid out of that."""
        asked = sight.kind in (Kind.PATH_REQUEST, Kind.LINK, Kind.DATA)
        return sight.destination if asked and not sight.hops else ""


def note_packets() -> None:
    """Let the meters know the packet behind an access code. Once, after Reticulum has started."""
    transmit = RNS.Transport.transmit

    def noting(interface: Any, raw: bytes) -> None:
        _here.packet = raw
        try:
            transmit(interface, raw)
        finally:
            _here.packet = None

    RNS.Transport.transmit = staticmethod(noting)


def modem_of(interface: Any) -> Modem | None:
    """The parameters that an RNode's interface is configured with; None where it has none that are valid.

    Of the chips only that of AVR boards is certain. On an ESP32 the one that is longer on the air is assumed.
    """
    try:
        old_chip = getattr(interface, "platform", None) == AVR
        return Modem(int(interface.bandwidth), int(interface.sf), int(interface.cr), sx127x=old_chip)
    except (AttributeError, TypeError, ValueError):
        return None

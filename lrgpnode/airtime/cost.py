"""What it costs at most, in seconds of airtime, to send something: before it is sent, and on the safe side.

``Cost.most`` has all that LXMF may repeat by itself; ``Cost.least`` is what it makes sense to begin with, and
``Cost.once`` what cannot be done without.
The sizes are measured (rns-lxmf facts §5); they are those of packets, without an access code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .modem import Modem
from .packets import HASH_BYTES

PATH_REQUEST: Final = 51 + HASH_BYTES
ANNOUNCE: Final = 240
"""With a name of 32 characters."""

LINK_REQUEST: Final = 86
ROUND_TRIP: Final = 83
IDENTIFY: Final = 211
CLOSE: Final = 99
PROOF: Final = 115
ADVERTISEMENT: Final = 195
PART_CONTENT: Final = 431
PART: Final = 451

SENDS: Final = 5
"""How often LXMF sends a message at most that is one packet: the path can be lost and found in between."""

FIRST_SENDS: Final = 2
"""And if the peer does not answer at all: then it asks for the path and gives up."""

AMPLE: Final = 8

ONE_PACKET: Final = 399
"""The largest LXMF message that goes out as one packet, in bytes as it is packed."""

ONE_LINK_PACKET: Final = 415
STAMP: Final = 34
LXMF_FRAME: Final = 123
"""What LXMF and the fields add to an envelope and a text: addresses, signature, time, keys."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds; in this order none is more than the one before."""

    most: float
    least: float
    once: float

    def within(self, room: float) -> tuple[float, float]:
        """(what to ask for, the least that will do) of what may be used in an hour: half of that at most, and
        where an hour has not much more than a message, no repetition is waited for."""
        least = self.least if room >= AMPLE * self.least else self.once
        return min(self.most, max(least, room / 2)), least


@dataclass(frozen=True, slots=True)
class Hop:
    """The way to the first hop: ``extra`` bytes on every packet (access code), ``far``: it goes further."""

    modem: Modem
    extra: int = 0
    far: bool = True

    def packet(self, size: int) -> float:
        return self.modem.packet_seconds(size + self.extra)

    def addressed(self, size: int) -> float:
        """A packet that names the next hop, too, if it is not for that."""
        return self.packet(size + (HASH_BYTES if self.far else 0))


def message_bytes(envelope: int, text: int, *, stamped: bool = False) -> int:
    """The size of a packed LXMF message with an envelope and a text of so many bytes."""
    fields = envelope + 13 if envelope else 1
    header = 2 if text < 256 else 3
    return 80 + 16 + 10 + 2 + header + text + fields + (STAMP if stamped else 0)


def single_packet(packed: int) -> int:
    """The size of the Reticulum packet of a packed message of one packet."""
    return 99 + 16 * ((packed - HASH_BYTES) // 16 + 1)


def packed_of(packet: int) -> int:
    """The largest packed message whose Reticulum packet has so many bytes, the other way round."""
    return HASH_BYTES + packet - 99 - 1


def opportunistic(hop: Hop, packed: int) -> Cost:
    """A message of one packet, and the path requests for it."""
    once, path = hop.addressed(single_packet(packed)), hop.packet(PATH_REQUEST)
    return Cost(SENDS * once + 2 * path, FIRST_SENDS * once + path, once)


def over_link(hop: Hop, packed: int) -> Cost:
    """A message over a link that must be opened for it."""
    body = hop.packet(83 + 16 * (packed // 16)) if packed <= ONE_LINK_PACKET else resource(hop, packed)
    once = _link(hop) + hop.packet(IDENTIFY) + body
    return Cost(2 * once + SENDS * hop.addressed(LINK_REQUEST), once, once)


def upload(hop: Hop, packed: int) -> Cost:
    """A message to a propagation node."""
    once = _link(hop) + resource(hop, packed + 150)
    return Cost(2 * once, once, once)


def sync(hop: Hop) -> Cost:
    """Asking a propagation node for mail, and proving some of it."""
    once = _link(hop) + hop.packet(IDENTIFY) + 2 * hop.packet(PART) + 6 * hop.packet(PROOF)
    return Cost(2 * once, once, once)


def announce(hop: Hop) -> float:
    return hop.packet(ANNOUNCE)


def resource(hop: Hop, size: int) -> float:
    """What needs more than a packet over a link, with one part in four sent twice."""
    parts = -(-(size + 64) // PART_CONTENT)
    return hop.packet(ADVERTISEMENT) + (parts + -(-parts // 4)) * hop.packet(PART)


def _link(hop: Hop) -> float:
    return hop.packet(PATH_REQUEST) + hop.addressed(LINK_REQUEST) + hop.packet(ROUND_TRIP) + hop.packet(CLOSE)

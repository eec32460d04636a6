"""What a Reticulum packet is, as far as its header says; and how large those are that LXMF makes.

Sizes are those of Reticulum 1.5 and LXMF 1.2, measured (docs/airtime.md).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from lrgpnode.protocol.value import Value

HASH_BYTES: Final = 16
HEADER_2: Final = 0b0100_0000
TYPE_BITS: Final = 0b0000_0011
TYPE_OF_DESTINATION: Final = 0b0000_1100
PLAIN: Final = 0b0000_1000
LINK: Final = 0b0000_1100
KEY_BYTES: Final = 64
"""Of a link request; what follows them does not count for the link's id."""

PATH_REQUEST: Final = bytes.fromhex("6b9f66014d9853faab220fba47d02761")
"""The destination of path requests (``rnstransport.path.request``), the same everywhere."""


class _Type(IntEnum):
    DATA = 0
    ANNOUNCE = 1
    LINK_REQUEST = 2
    PROOF = 3


_PATH_RESPONSE: Final = 0x0B
_RESOURCE: Final = frozenset(range(0x01, 0x08))


class Kind(StrEnum):
    """What is counted apart."""

    ANNOUNCE = "announce"
    PATH_REQUEST = "path_request"
    PATH_ANSWER = "path_answer"
    PROOF = "proof"
    LINK = "link"
    DATA = "data"
    OTHER = "other"


@dataclass(frozen=True, slots=True, repr=False)
class Sight(Value):
    """``destination``: hash of where it goes, hex; of a path request, of whom it asks for. ``link``: the id
    of the link that it asks for, or "". ``hops``: how far it has come; 0 where it begins here."""

    kind: Kind
    destination: str
    hops: int
    link: str = ""


def look(raw: bytes) -> Sight:
    """A packet as it is before an access code is put over it; anything else is of kind OTHER."""
    second = HASH_BYTES if raw and raw[0] & HEADER_2 else 0
    body = 2 + second + HASH_BYTES + 1
    if len(raw) < body:
        return Sight(Kind.OTHER, "", 0)
    flags, hops = raw[0], raw[1]
    destination, context = raw[body - 1 - HASH_BYTES : body - 1], raw[body - 1]
    kind, link = Kind.DATA, ""
    match flags & TYPE_BITS:
        case _Type.ANNOUNCE:
            kind = Kind.PATH_ANSWER if context == _PATH_RESPONSE else Kind.ANNOUNCE
        case _Type.PROOF:
            kind = Kind.PROOF
        case _Type.LINK_REQUEST:
            kind = Kind.LINK
            counted = bytes((flags & 0b1111,)) + raw[2 + second : body + KEY_BYTES]
            link = hashlib.sha256(counted).digest()[:HASH_BYTES].hex()
        case _ if flags & TYPE_OF_DESTINATION == LINK:
            kind = Kind.LINK
        case _ if destination == PATH_REQUEST:
            kind, destination = Kind.PATH_REQUEST, raw[body : body + HASH_BYTES]
    return Sight(kind, destination.hex(), hops, link)

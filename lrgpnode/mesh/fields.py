"""What a packed LXMF message says about LRGP, read from its bytes and not from decoded values.

A packed message is destination (16), source (16), signature (64) and the payload, an array of
[timestamp, title, content, fields] and perhaps a stamp. LXMF decodes the fields and forgets how they
were written; the canonical form of an envelope (spec §3) is partly about that.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from lrgpnode.protocol.envelope import FIELD_CUSTOM_META, FIELD_CUSTOM_TYPE, MARKER
from lrgpnode.protocol.wire import WireError, fields, header, skip, text

HASH_BYTES: Final = 16
SIGNATURE_BYTES: Final = 64
PAYLOAD_AT: Final = 2 * HASH_BYTES + SIGNATURE_BYTES


def envelope_bytes(packed: bytes) -> bytes | None:
    """The exact bytes of field 0xFD where field 0xFB marks the message as LRGP, else None.

    The marker counts only as the native string ``lrgp.v1`` (spec §2); a message that carries it as
    binary is some other program's. Raises ``WireError`` (a ``PeerError``) for a message that is
    malformed or gives a field twice. A marked message without field 0xFD yields empty bytes, which
    are no envelope either.
    """
    payload = packed[PAYLOAD_AT:]
    found = fields(payload)
    marker = found.get(FIELD_CUSTOM_TYPE)
    if marker is None or text(payload, *marker) != MARKER:
        return None
    start, end = found.get(FIELD_CUSTOM_META, (0, 0))
    return payload[start:end]


def hashed_part(packed: bytes) -> bytes:
    """What the message hash is made of: destination, source and the payload without its stamp.

    The stamp (element 5) is cut from the original bytes. LXMF decodes and packs the payload again,
    which gives other bytes where the sender does not write the shortest forms.
    """
    payload = packed[PAYLOAD_AT:]
    index, _, elements = header(payload, 0)
    if payload[0] not in (0x94, 0x95, 0xDC, 0xDD) or elements not in (4, 5):
        raise WireError("an LXMF payload is an array of 4 or 5")
    width = index
    for _ in range(4):
        index = skip(payload, index)
    # The count is in the header's last four bits, whatever its width: 5 becomes 4 there.
    head = payload[: width - 1] + bytes([payload[width - 1] & 0xF0 | 4])
    if elements == 4:
        index = len(payload)
    return packed[: 2 * HASH_BYTES] + head + payload[width:index]


def signed_part(packed: bytes) -> tuple[bytes, bytes, bytes]:
    """(message hash, what was signed, signature) of a packed message. Raises ``WireError``."""
    hashed = hashed_part(packed)
    digest = sha256(hashed).digest()
    return digest, hashed + digest, packed[2 * HASH_BYTES : PAYLOAD_AT]

"""Who signed what: the cryptography of LXMF without Reticulum.

An address is the hash of a public key, so a record that carries the key needs to trust nobody for it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from lrgpnode.mesh.fields import HASH_BYTES, PAYLOAD_AT, envelope_bytes, signed_part
from lrgpnode.protocol.envelope import Envelope, InvalidEnvelope
from lrgpnode.protocol.errors import PeerError
from lrgpnode.protocol.wire import header

from .errors import Refusal, Refused
from .format import MAX_MESSAGE

PUBLIC_KEY_BYTES: Final = 64
"""X25519, for encryption, and Ed25519, for signatures; 32 bytes each."""

_NAME_HASH: Final = sha256(b"lxmf.delivery").digest()[:10]

Check = Callable[[bytes, bytes], bool]
"""(signature, data) -> whether it is right."""


def address(public_key: bytes) -> str:
    """The LXMF delivery address of a public key, 32 hex."""
    identity = sha256(public_key).digest()[:HASH_BYTES]
    return sha256(_NAME_HASH + identity).digest()[:HASH_BYTES].hex()


def checker(public_key: bytes) -> Check:
    """What checks signatures of the owner of a public key. Raises ``ValueError`` where it is none."""
    if len(public_key) != PUBLIC_KEY_BYTES:
        raise ValueError("a public key has 64 bytes")
    key = Ed25519PublicKey.from_public_bytes(public_key[PUBLIC_KEY_BYTES // 2 :])

    def check(signature: bytes, data: bytes) -> bool:
        try:
            key.verify(signature, data)
        except InvalidSignature:
            return False
        return True

    return check


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A signed LXMF message that carries an envelope.

    ``timestamp``: when its author says it was written, in Unix seconds; 0 where it says nothing usable.
    """

    hash: bytes
    addressee: str
    author: str
    envelope: Envelope
    timestamp: float
    signature: bytes
    signed: bytes


def message(packed: bytes, action: int) -> Message:
    """Read a message; its signature has still to be checked. Raises ``Refused``."""
    if not PAYLOAD_AT < len(packed) <= MAX_MESSAGE:
        raise Refused(Refusal.MESSAGE, "The message has an impossible length.", action)
    try:
        digest, signed, signature = signed_part(packed)
        raw = envelope_bytes(packed)
    except PeerError as error:
        raise Refused(Refusal.MESSAGE, f"The message cannot be read: {error.message}.", action) from None
    if raw is None:
        raise Refused(Refusal.MESSAGE, "The message carries no LRGP action.", action)
    return Message(
        hash=digest,
        addressee=packed[:HASH_BYTES].hex(),
        author=packed[HASH_BYTES : 2 * HASH_BYTES].hex(),
        envelope=envelope(raw, action),
        timestamp=_timestamp(packed[PAYLOAD_AT:]),
        signature=signature,
        signed=signed,
    )


def envelope(raw: bytes, action: int) -> Envelope:
    """Raises ``Refused``."""
    try:
        return Envelope.unpack(raw)
    except InvalidEnvelope as error:
        raise Refused(Refusal.ENVELOPE, f"It is no LRGP envelope: {error.message}.", action) from None


def _timestamp(payload: bytes) -> float:
    """The first element of a payload that has been walked over; other numbers than a double are rare."""
    at = header(payload, 0)[0]
    if payload[at] != 0xCB:
        return 0.0
    (seconds,) = struct.unpack(">d", payload[at + 1 : at + 9])
    return float(seconds) if math.isfinite(seconds) else 0.0

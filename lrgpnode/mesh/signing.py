"""Signing for a local identity outside Reticulum: records, and messages for them.

Does not load Reticulum; the keys do not leave this room.
"""

from __future__ import annotations

from hashlib import sha256

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lrgpnode.protocol.envelope import FIELD_CUSTOM_META, FIELD_CUSTOM_TYPE, MARKER

from .identity import KEY_BYTES, LocalIdentity, public_key


class Signer:
    """What a record needs of the identity that exports it."""

    def __init__(self, identity: LocalIdentity) -> None:
        self.address = identity.hash
        self.public_key = public_key(identity)
        self._key = Ed25519PrivateKey.from_private_bytes(identity.key[KEY_BYTES // 2 :])

    def sign(self, data: bytes) -> bytes:
        """A signature of 64 bytes."""
        return self._key.sign(data)

    def message(self, peer: str, envelope: bytes, timestamp: float) -> bytes:
        """A signed LXMF message to ``peer`` with this envelope and no text, as it would go out.

        For an action of ours whose message was never sent, or was lost in a crash.
        """
        addresses = bytes.fromhex(peer) + bytes.fromhex(self.address)
        fields = (
            b"\x82"
            + msgpack.packb(FIELD_CUSTOM_TYPE)
            + msgpack.packb(MARKER)
            + msgpack.packb(FIELD_CUSTOM_META)
            + envelope
        )
        payload: bytes = b"\x94" + msgpack.packb(timestamp) + 2 * msgpack.packb(b"") + fields
        hashed = addresses + payload
        signature = self.sign(hashed + sha256(hashed).digest())
        return b"".join((addresses, signature, payload))

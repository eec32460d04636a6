"""Public keys of known peers, given to Reticulum at start (rns-lxmf facts §8).

Reticulum forgets a peer's key after a crash, and that of a peer never written to within minutes of
a restart. Without the key a peer can neither be written to nor believed, so the node stores it with
the contact and hands it over here. ``RNS`` must be running.
"""

from __future__ import annotations

from hashlib import sha256

import RNS

from .identity import delivery_hash


class KeyMismatch(ValueError):
    """The public key does not belong to the peer."""


def remember(peer: str, public_key: bytes) -> None:
    """Make ``peer``'s key known to Reticulum and keep it there. Raises ``KeyMismatch``."""
    destination = bytes.fromhex(peer)
    if owner(public_key) != peer:
        raise KeyMismatch(f"the public key is not that of {peer}")
    if destination not in RNS.Identity.known_destinations:
        # An entry that exists is left alone: it may hold the peer's announce data.
        RNS.Identity.remember(sha256(public_key).digest(), destination, public_key, None)
    RNS.Identity._retain_destination_data(destination)


def owner(public_key: bytes) -> str:
    """The delivery hash of the peer whose public key this is, or "" where it is no key."""
    if len(public_key) != 64:
        return ""
    identity = RNS.Identity(create_keys=False)
    identity.load_public_key(public_key)
    return delivery_hash(identity)


def public_key(peer: bytes) -> bytes:
    """The peer's public key where Reticulum knows it, else empty."""
    entry = RNS.Identity.known_destinations.get(peer)
    return bytes(entry[2]) if entry else b""

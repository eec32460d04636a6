"""The node's own identities: Reticulum's raw private keys, one file each.

A file ``<data>/identities/<hash>`` holds the 64 bytes that ``RNS.Identity.to_file`` would write, so
any Reticulum program can use it. Its name is the identity's LXMF delivery destination hash. The
keys never appear in a ``repr`` or in the log.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lrgpnode.logs.redact import register_secret
from lrgpnode.protocol.value import Value

KEY_BYTES: Final = 64
"""X25519 and Ed25519 private key, 32 bytes each (``RNS.Identity.KEYSIZE``)."""

_NAME = re.compile(r"[0-9a-f]{32}")
_log = logging.getLogger(__name__)


class IdentityError(Exception):
    """An identity file cannot be used, and why, in one sentence for a person."""


@dataclass(frozen=True, slots=True, repr=False)
class LocalIdentity(Value):
    """One identity of this node: its LXMF delivery hash (32 hex) and its private key."""

    hash: str
    key: bytes = field(repr=False)


def from_key(key: bytes) -> LocalIdentity:
    """The identity of a raw private key. Raises ``IdentityError``."""
    if len(key) != KEY_BYTES:
        raise IdentityError(f"a private key has {KEY_BYTES} bytes, not {len(key)}")
    register_secret(key)
    return LocalIdentity(delivery_hash(_rns_identity(key)), bytes(key))


def generate() -> LocalIdentity:
    """A new identity, not stored anywhere yet."""
    return from_key(secrets.token_bytes(KEY_BYTES))


def create(directory: Path) -> LocalIdentity:
    """A new identity, stored in ``directory``."""
    identity = generate()
    save(directory, identity)
    return identity


def save(directory: Path, identity: LocalIdentity) -> Path:
    """Store an identity. When this returns, the file survives a power cut."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / identity.hash
    partial = directory / f".{identity.hash}.{os.getpid()}"
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.fchmod(handle, 0o600)
            if os.write(handle, identity.key) != KEY_BYTES:
                raise IdentityError(f"{path} could not be written: the disk is full")
            os.fsync(handle)
        finally:
            os.close(handle)
        partial.replace(path)
        sync_directory(directory)
    except OSError as error:
        raise IdentityError(f"{path} could not be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return path


def erase(directory: Path, hash: str) -> None:
    """Delete a key file for good; no error if it is gone already."""
    (directory / hash).unlink(missing_ok=True)
    sync_directory(directory)


def load(path: Path) -> LocalIdentity:
    """Read one identity file. Raises ``IdentityError``.

    A file that others may read or write is put right with a warning rather than refused: a copy
    from a backup or a USB stick should not keep the node from starting.
    """
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            if os.fstat(handle).st_mode & 0o077:
                os.fchmod(handle, 0o600)
                _log.warning("%s was open to other users; its mode is now 0600", path)
            key = os.read(handle, KEY_BYTES + 1)
        finally:
            os.close(handle)
    except OSError as error:
        raise IdentityError(f"{path} cannot be read: {error.strerror}") from error
    if len(key) != KEY_BYTES:
        raise IdentityError(f"{path} is not an identity: it should have exactly {KEY_BYTES} bytes")
    identity = from_key(key)
    if identity.hash != path.name:
        raise IdentityError(f"{path} holds the key of {identity.hash}; rename the file to that")
    return identity


def public_key(identity: LocalIdentity) -> bytes:
    """The 64 bytes of the public key; does not need the mesh to run."""
    public: bytes = _rns_identity(identity.key).get_public_key()
    return public


def names(directory: Path) -> tuple[str, ...]:
    """The hashes of the stored identities, oldest first; does not load Reticulum."""
    if not directory.is_dir():
        return ()
    files = [path for path in directory.iterdir() if _NAME.fullmatch(path.name) and path.is_file()]
    return tuple(path.name for path in sorted(files, key=lambda path: (path.stat().st_mtime, path.name)))


def load_all(directory: Path) -> tuple[LocalIdentity, ...]:
    """Every stored identity, oldest first. Raises ``IdentityError`` for the first bad file."""
    return tuple(load(directory / name) for name in names(directory))


def delivery_hash(identity: Any) -> str:
    """The LXMF delivery destination hash of an ``RNS.Identity``, 32 hex."""
    import RNS  # noqa: PLC0415 - costs 0.2 s; a CLI command that lists names must not pay it

    hashed: bytes = RNS.Destination.hash_from_name_and_identity("lxmf.delivery", identity)
    return hashed.hex()


def sync_directory(directory: Path) -> None:
    """Make a created or renamed file's name durable."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _rns_identity(key: bytes) -> Any:
    import RNS  # noqa: PLC0415 - as above

    identity = RNS.Identity.from_bytes(key)
    if identity is None:
        raise IdentityError("these bytes are not a private key")
    return identity

"""Which files of a data directory make the node, and which it makes again by itself.

Two tables of patterns: what belongs into a backup, and what is left out and why. Whoever gives the
node a new file adds it to one of them; a test looks at a real data directory and finds the rest.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lrgpnode.config import DATABASE_NAME

from .errors import BackupError

DATABASE: Final = DATABASE_NAME
ARCADE: Final = "arcade.db"
"""Accounts and results of the arcade, which may be writing it; ``make.py`` takes a copy as of one moment."""

SETTINGS: Final = "lrgpnode.toml"
IDENTITIES: Final = "identities"
INBOX: Final = "inbox"

MAX_FILE: Final = 16 << 20
"""Every file but the database is small: an inbox has at most 4 MiB."""

_HASH: Final = "[0-9a-f]{32}"
_LXMF: Final = f"(lxmf/{_HASH}|propagation)/lxmf"
_KEY: Final = re.compile(f"({IDENTITIES}|propagation)/({_HASH})")

AIRTIME: Final = re.compile("airtime-[A-Za-z0-9-]{1,64}\\.json")
"""What a radio was on the air, a file for each."""

USED_UP: Final = b'{"restored":true}'
"""In place of such a file: nobody knows what was sent, so the hour counts as used up."""

INCLUDED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        re.escape(DATABASE),
        re.escape(ARCADE),
        # By which programs that play over SSH know the arcade again.
        "arcade_ssh_host_key",
        re.escape(SETTINGS),
        _KEY.pattern,
        f"{INBOX}/{_HASH}\\.log",
        # What decrypts mail that is under way, what has been delivered, what peers ask for and granted.
        f"{_LXMF}/ratchets/{_HASH}\\.ratchets",
        f"{_LXMF}/(local_deliveries|locally_processed|outbound_stamp_costs|available_tickets)",
        # As a propagation node: whom it keeps in step with, and what it has done.
        f"{_LXMF}/(peers|node_stats)",
        # When which identity was announced, so that a restore is no way round the pause; which
        # propagation node served last.
        "announced\\.json|propagation\\.json",
        # Which radios there are; restore.py says what becomes of the content.
        AIRTIME.pattern,
        # Of a private Reticulum configuration (--listen, --connect).
        "reticulum/storage/(transport_identity|known_destinations)",
    )
)

LEFT_OUT: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # Of the running process.
        "lock|control\\.sock|log|.*/\\..*|\\..*",
        # Tokens at platforms: whoever has the backup is not to play in the players' names.
        "gateway-tokens/.*",
        # Where docs/backup.md has the service put them.
        "backups/.*",
        # The databases' logs: their content is in the copies of the databases.
        f"({re.escape(DATABASE)}|{re.escape(ARCADE)})-(wal|shm|journal)",
        # Mail of others that a propagation node keeps: large, and other nodes have it too.
        f"{_LXMF}/messagestore/.*",
        # Written anew at every start, or learned again from the mesh.
        "reticulum/(config|config\\.new)",
        "reticulum/(interfaces|storage)/.*",
        # Partial files, and damaged ones that the node has moved away.
        ".*\\.(new|damaged|tmp|out)",
    )
)


def belongs(name: str) -> bool:
    """Whether a path in the data directory, with ``/``, is one that a backup may hold."""
    return any(pattern.fullmatch(name) for pattern in INCLUDED)


def key_of(name: str) -> str | None:
    """The hash of the identity whose private key a file holds; None if it holds none."""
    found = _KEY.fullmatch(name)
    return found[2] if found else None


def left_out(name: str) -> bool:
    """Whether a file is known and not needed."""
    return not belongs(name) and any(pattern.fullmatch(name) for pattern in LEFT_OUT)


def files(data: Path) -> Iterator[str]:
    """Every path of a regular file under ``data``, sorted; links are not followed."""
    for folder, folders, names in os.walk(data, onerror=_unreadable):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if stat.S_ISREG(path.lstat().st_mode):
                yield path.relative_to(data).as_posix()


def steady_read(path: Path) -> tuple[bytes, int] | None:
    """Content and time of the last change (ns) of a small file, which another thread may be rewriting.

    None if it is gone.

    Most are replaced as a whole; Reticulum writes some in place. One that changes while it is read is
    read again.
    """
    for _ in range(5):
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            before = os.fstat(handle)
            if before.st_size > MAX_FILE:
                raise BackupError(f"{path} is too large for a backup: {before.st_size} bytes")
            content = _read(handle, before.st_size)
            after = os.fstat(handle)
        finally:
            os.close(handle)
        if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, len(content)):
            return content, before.st_mtime_ns
    raise BackupError(f"{path} keeps changing and cannot be copied", "Try again.")


def _read(handle: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := os.read(handle, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _unreadable(error: OSError) -> None:
    raise error

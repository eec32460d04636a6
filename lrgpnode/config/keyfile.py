"""Private keys as files of Reticulum, which must not end up where others see them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

KEY_BYTES: Final = 64


def read(path: Path) -> str:
    """The key in a file; hex. Raises ``OSError``, and ``ValueError`` for what is no key."""
    with path.open("rb") as file:
        return checked(file.read(KEY_BYTES + 1))


def checked(content: bytes) -> str:
    """The raw key as hex. Raises ``ValueError`` if it is none."""
    if len(content) != KEY_BYTES:
        raise ValueError(f"a key has exactly {KEY_BYTES} bytes")
    return content.hex()


def write(key: str, path: Path) -> None:
    """Write a new file that only its owner can read; durable when this returns. Raises ``OSError``, which is
    ``FileExistsError`` for a file that is there: it is left alone."""
    content = bytes.fromhex(key)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.fchmod(handle, 0o600)
        if os.write(handle, content) != len(content):
            raise OSError(None, "the disk is full")
        os.fsync(handle)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)

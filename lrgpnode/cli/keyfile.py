"""Reading and writing private keys, which must not end up where others see them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from lrgpnode.cli.exits import CliError, Exit

KEY_BYTES: Final = 64

STDIO: Final = "-"


def read_key(source: str) -> str:
    """The key in a file of Reticulum, or from standard input for ``-``; hex."""
    try:
        if source == STDIO:
            content = sys.stdin.buffer.read(KEY_BYTES + 1)
        else:
            with Path(source).expanduser().open("rb") as file:
                content = file.read(KEY_BYTES + 1)
    except OSError as error:
        raise CliError(Exit.FAILED, "file", f"Cannot read {source}: {error.strerror}.") from None
    if len(content) != KEY_BYTES:
        raise CliError(
            Exit.FAILED,
            "file",
            f"{source} is no identity of Reticulum.",
            f"Such a file has exactly {KEY_BYTES} bytes.",
        )
    return content.hex()


def write_key(key: str, path: Path) -> None:
    """Write a new file that only its owner can read; durable when this returns."""
    content = bytes.fromhex(key)
    try:
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
    except FileExistsError:
        raise CliError(
            Exit.FAILED, "file", f"{path} exists and is left alone.", "Choose another file."
        ) from None
    except OSError as error:
        raise CliError(Exit.FAILED, "file", f"Cannot write {path}: {error.strerror}.") from None


def print_key(key: str, *, show: bool) -> None:
    """Write the raw key to standard output, to a terminal only if told to, and there as hex."""
    if sys.stdout.isatty():
        if not show:
            raise CliError(
                Exit.USAGE,
                "terminal",
                "A private key is not shown on a terminal.",
                "Name a file, or use --show if nobody looks over your shoulder.",
            )
        sys.stdout.write(key + "\n")
        sys.stdout.flush()
        return
    sys.stdout.buffer.write(bytes.fromhex(key))
    sys.stdout.buffer.flush()

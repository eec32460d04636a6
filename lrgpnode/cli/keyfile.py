"""Reading and writing private keys, which must not end up where others see them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.config import keyfile

STDIO: Final = "-"


def read_key(source: str) -> str:
    """The key in a file of Reticulum, or from standard input for ``-``; hex."""
    try:
        if source == STDIO:
            return keyfile.checked(sys.stdin.buffer.read(keyfile.KEY_BYTES + 1))
        return keyfile.read(Path(source).expanduser())
    except OSError as error:
        raise CliError(Exit.FAILED, "file", f"Cannot read {source}: {error.strerror}.") from None
    except ValueError:
        raise CliError(
            Exit.FAILED,
            "file",
            f"{source} is no identity of Reticulum.",
            f"Such a file has exactly {keyfile.KEY_BYTES} bytes.",
        ) from None


def write_key(key: str, path: Path) -> None:
    """Write a new file that only its owner can read; durable when this returns."""
    try:
        keyfile.write(key, path)
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

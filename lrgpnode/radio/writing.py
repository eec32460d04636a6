"""A new text for Reticulum's configuration file, put in its place whole, with the old one kept."""

from __future__ import annotations

import os
import time
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from .law import RadioError

_LARGEST: Final = 1 << 20


def read(file: Path) -> bytes | None:
    """The file as it is; None where there is none. Raises ``OSError``, and ``RadioError`` for a huge one."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    if len(content) > _LARGEST:
        raise RadioError(f"{file} is too large to be a configuration of Reticulum.")
    return content


def replace(file: Path, before: bytes | None, after: bytes) -> Path | None:
    """Put ``after`` in the place of ``before``; where the old text is kept, if there was one.

    Durable when it returns. Owner and mode stay; a new file is as its directory. Raises ``OSError``, and
    ``RadioError`` where somebody else has changed the file meanwhile.
    """
    file = Path(os.path.realpath(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    if read(file) != before:
        raise RadioError(f"{file} has been changed meanwhile.", "Run the command again.")
    backup = None if before is None else _backup(file, before)
    handle, name = mkstemp(prefix=f".{file.name}.", dir=file.parent)
    partial = Path(name)
    try:
        _fill(handle, after, file)
        partial.replace(file)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    directory = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
    return backup


def _backup(file: Path, content: bytes) -> Path:
    """A copy beside the file, under a name that none has yet."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1000):
        copy = file.with_name(f"{file.name}.{stamp}" + (f"-{number}" if number else "") + ".bak")
        try:
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
        _fill(handle, content, file)
        return copy
    raise RadioError(f"There are too many backups of {file} of this second.")


def _fill(handle: int, content: bytes, file: Path) -> None:
    """Write it all, with the mode and owner of ``file``, or what its directory gives a new one."""
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        try:
            old = file.stat()
            mode = old.st_mode & 0o777
        except FileNotFoundError:
            old = file.parent.stat()
            mode = 0o660 if old.st_mode & 0o020 else 0o600  # a passphrase may be in it
        os.fchmod(stream.fileno(), mode)
        if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()) and os.geteuid() == 0:
            os.fchown(stream.fileno(), old.st_uid, old.st_gid)
        os.fsync(stream.fileno())

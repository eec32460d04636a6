"""What can go wrong with the database, in words that name the file and the remedy.

Every module of this room lets ``sqlite3`` exceptions pass through exactly one place, ``translate``;
nothing outside the room ever sees one.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StorageError(Exception):
    """Something the database could not do. ``str()`` is a sentence for a person."""


class Damaged(StorageError):
    """The file is not a whole SQLite database, or a stored value cannot be read."""


class Foreign(StorageError):
    """A sound SQLite database, but of another program."""


class NewerVersion(StorageError):
    """Written by a newer lrgpnode; it was not touched."""


class ReadOnly(StorageError):
    """The file or its directory cannot be written."""


class CannotOpen(StorageError):
    """The file or its directory cannot be reached at all."""


class DiskFull(StorageError):
    """No space left, or a quota or file size limit reached. Nothing of the transaction was kept."""


class DiskError(StorageError):
    """The system reported an input/output error. Nothing of the transaction was kept."""


class Busy(StorageError):
    """Another program holds the database's write lock."""


class Closed(StorageError):
    """The database or its writer was closed."""


class Conflict(StorageError):
    """A key that exists already: a second insert of a session, of an action number or of a nonce."""


class Forbidden(StorageError):
    """A change of something that must never change (spec §16)."""


class NotFound(StorageError):
    """There is no such row."""


class Invalid(StorageError):
    """A value that the schema does not allow."""


_RESTORE = (
    "Stop the node, keep a copy of the file, look at it with `lrgpnode db check`, "
    "and put back the newest backup made with `lrgpnode db backup`."
)


def damaged(path: str, detail: str) -> Damaged:
    return Damaged(f"{path}: the database is damaged ({detail}). {_RESTORE}")


def newer(path: str, found: int, known: int) -> NewerVersion:
    return NewerVersion(
        f"{path}: the database has version {found}, this lrgpnode knows versions up to {known}. "
        "Nothing was changed. Install the newer lrgpnode again, or put back a backup from before it."
    )


def foreign(path: str) -> Foreign:
    return Foreign(
        f"{path}: this is the database of another program. Nothing was changed. "
        "Name another file or another data directory with --data."
    )


def read_only(path: str) -> ReadOnly:
    return ReadOnly(
        f"{path}: the database cannot be written. Give the user of the node write permission for the file "
        "and its directory, and check that the disk is not mounted read-only."
    )


def disk_full(path: str) -> DiskFull:
    return DiskFull(
        f"{path}: there is no space left to write (disk full, quota or file size limit). "
        "Nothing was saved of this change. Free some space, then try again."
    )


def busy(path: str) -> Busy:
    return Busy(
        f"{path}: another program holds the database's lock. Nothing was saved of this change. "
        "End the other program (`fuser` shows it), then try again."
    )


def closed(path: str) -> Closed:
    return Closed(
        f"{path}: the database was closed; nothing can be read or saved until the node starts again."
    )


def may(path: str | Path, mode: int) -> bool:
    """Whether this process has the permissions ``mode`` (``os.R_OK`` ...) on a file or directory."""
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def cannot_open(path: str, detail: str) -> StorageError:
    directory = Path(path).parent
    if not directory.is_dir():
        return CannotOpen(
            f"{path}: the directory {directory} does not exist. Create it, or name another one."
        )
    if Path(path).is_dir():
        return CannotOpen(f"{path}: this is a directory. Name a file.")
    if not may(directory, os.W_OK | os.X_OK):
        return read_only(path)
    if not Path(path).exists():
        return CannotOpen(f"{path}: there is no such file. Check the path, or the data directory (--data).")
    if not may(path, os.R_OK | os.W_OK):
        return read_only(path)
    return CannotOpen(
        f"{path}: the database cannot be opened ({detail}). Check the path, its permissions and the disk."
    )


def _disk_error(path: str, code: int, detail: str) -> StorageError:
    if code == sqlite3.SQLITE_IOERR_WRITE and not _has_room(path):
        return disk_full(path)
    if code in (sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS):
        return damaged(path, detail)
    return DiskError(
        f"{path}: the disk reported an error ({detail}). Nothing was saved of this change. "
        "Look into the system log (`journalctl -k`), check the disk or card, then run `lrgpnode db check`."
    )


def _has_room(path: str) -> bool:
    """Whether the database could grow now.

    SQLite reports "disk full" for ENOSPC alone; a quota or file size limit arrives as a failed
    write. So the limit is looked up, and a nameless file of its own finds out about the rest.
    """
    import resource  # noqa: PLC0415 - needed in this rare case only
    import tempfile  # noqa: PLC0415

    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    sizes = [file.stat().st_size for file in (Path(path), Path(path + "-wal")) if file.exists()]
    if limit != resource.RLIM_INFINITY and max(sizes, default=0) + _PROBE > limit:
        return False
    try:
        with tempfile.TemporaryFile(dir=Path(path).parent) as file:
            file.write(bytes(_PROBE))
            file.flush()
    except OSError:
        return False
    return True


_PROBE = 64 * 1024
"""Bytes; more than one commit of a game needs."""

_CONFLICTS = frozenset(
    (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID)
)


def translate(path: str, error: BaseException) -> StorageError:
    """The ``StorageError`` for an exception that came out of ``sqlite3`` while working on ``path``."""
    if isinstance(error, StorageError):
        return error
    detail = str(error)
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return _without_code(path, error, detail)
    match code & 0xFF:
        case sqlite3.SQLITE_CONSTRAINT if code in _CONFLICTS:
            return Conflict(f"{path}: this exists already and is never replaced ({detail}).")
        case (
            sqlite3.SQLITE_CONSTRAINT | sqlite3.SQLITE_TOOBIG | sqlite3.SQLITE_MISMATCH | sqlite3.SQLITE_RANGE
        ):
            return Invalid(f"{path}: a value is not allowed here ({detail}).")
        case sqlite3.SQLITE_FULL:
            return disk_full(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return read_only(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_FORMAT:
            return damaged(path, detail)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return busy(path)
        case sqlite3.SQLITE_CANTOPEN:
            return cannot_open(path, detail)
        case sqlite3.SQLITE_IOERR:
            return _disk_error(path, code, detail)
    return StorageError(f"{path}: {detail}. This is a mistake in lrgpnode; please report it.")


def _without_code(path: str, error: BaseException, detail: str) -> StorageError:
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in detail:
        return closed(path)
    if isinstance(error, OSError):
        return _system(path, error)
    if isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in detail:
        return damaged(path, detail)
    if isinstance(
        error, (sqlite3.InterfaceError, sqlite3.ProgrammingError, ValueError, TypeError, OverflowError)
    ):
        return Invalid(f"{path}: a value cannot be stored ({detail}).")
    return StorageError(f"{path}: {detail}")


def _system(path: str, error: OSError) -> StorageError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return disk_full(path)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return read_only(path)
    if error.errno == errno.EIO:
        return _disk_error(path, sqlite3.SQLITE_IOERR, str(error))
    return cannot_open(path, error.strerror or str(error))


STORAGE_FAULTS = (sqlite3.Error, OSError, ValueError, TypeError, OverflowError)
"""What a call into ``sqlite3`` may raise for its arguments or its file."""


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn whatever ``sqlite3`` raises inside into a ``StorageError``."""
    try:
        yield
    except STORAGE_FAULTS as error:
        raise translate(path, error) from error

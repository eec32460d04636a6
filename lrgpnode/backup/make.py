"""Make a backup of a data directory, whether its node runs or not.

Everything is only read, so it may run in a thread of the node or in a process of its own. The order
makes it consistent: the inboxes are read before the database. A message that came before is then in
the database, or in an inbox, or in both, where its hash tells; after the restore none is lost that the
node had proved when the backup began.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from storage import maintenance

from . import contents
from .archive import CHUNK, MANIFEST, SECOND, Manifest, Member, Writer
from .errors import BackupError, CannotWrite, Refused
from .workplace import workplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A backup that is on the disk. ``size`` in bytes, ``sessions`` is the number of games in it."""

    file: Path
    size: int
    created_at: float
    identities: tuple[str, ...]
    members: int
    sessions: int


def make(data: Path, config: Path, target: Path, *, now: float, program: str) -> Made:
    """Write the node in ``data``, with the settings in ``config``, to the file ``target``.

    The file has mode 0600 and appears when it is whole. An older backup of that name is replaced;
    anything else there is not. Raises ``BackupError`` and ``StorageError``.
    """
    _check_target(target)
    if not (data / contents.DATABASE).is_file():
        raise Refused(f"there is no node in {data}: it has no database", "Name its directory with --data.")
    with _replacing(target) as (out, folder):
        small = dict(_small_files(data, config))
        identities = tuple(
            name.partition("/")[2] for name in small if name.startswith(f"{contents.IDENTITIES}/")
        )
        if not identities:
            raise Refused(f"there is no identity in {data / contents.IDENTITIES}", "Start the node once.")
        _check_room(target, data / contents.DATABASE, sum(len(content) for content, _ in small.values()))
        report = maintenance.backup(data / contents.DATABASE, folder / contents.DATABASE)
        with (folder / contents.DATABASE).open("rb") as copy:
            members = (
                *(
                    member(name, io.BytesIO(content), len(content), mtime)
                    for name, (content, mtime) in small.items()
                ),
                member(contents.DATABASE, copy, report.size, int(now) * SECOND),
            )
            manifest = Manifest(
                created_at=now,
                program=program,
                schema=report.version,
                identities=identities,
                members=members,
            )
            writer = Writer(out, manifest)
            for one in members[:-1]:
                writer.add(one, io.BytesIO(small[one.name][0]))
            copy.seek(0)
            writer.add(members[-1], copy)
            writer.finish()
        size = out.tell()
    return Made(
        file=target,
        size=size,
        created_at=now,
        identities=identities,
        members=len(members),
        sessions=report.rows.get("game_sessions", 0),
    )


def _small_files(data: Path, config: Path) -> Iterator[tuple[str, tuple[bytes, int]]]:
    """Name, content and time of every file but the database, the inboxes first."""
    names = [name for name in contents.files(data) if contents.belongs(name)]
    names.sort(key=lambda name: not name.startswith(f"{contents.INBOX}/"))
    for name in names:
        if name not in (contents.DATABASE, contents.SETTINGS):
            read = _arcade if name == contents.ARCADE else contents.steady_read
            found = read(data / name)
            if found is not None:
                yield name, found
    # It may be elsewhere (--config); in the restored node it is in the data directory.
    found = contents.steady_read(config.resolve())
    if found is not None:
        yield contents.SETTINGS, found


def _arcade(path: Path) -> tuple[bytes, int]:
    """The arcade's database as of one moment, whoever is writing it, and the time of its last change (ns)."""
    try:
        with closing(sqlite3.connect(path, timeout=10.0)) as database:
            content = database.serialize()
    except sqlite3.Error as error:
        raise BackupError(f"the arcade's database {path} cannot be copied: {error}") from error
    if len(content) > contents.MAX_FILE:
        raise BackupError(f"{path} is too large for a backup: {len(content)} bytes")
    return content, path.stat().st_mtime_ns


def member(name: str, content: IO[bytes], size: int, mtime_ns: int) -> Member:
    """The entry of the manifest for a file with this content, which is read."""
    digest = hashlib.sha256()
    left = size
    while left and (chunk := content.read(min(left, CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    return Member(name=name, size=size, sha256=digest.hexdigest(), mtime_ns=max(0, mtime_ns))


def _check_room(target: Path, database: Path, others: int) -> None:
    """Room for a copy of the database and the backup with it. SQLite calls a full disk an I/O error."""
    log = database.with_name(f"{database.name}-wal")
    size = database.stat().st_size + (log.stat().st_size if log.exists() else 0)
    wanted, free = 2 * size + others + _MARGIN, shutil.disk_usage(target.parent).free
    if free < wanted:
        raise CannotWrite(
            f"the backup needs {wanted >> 10} kB beside {target}, and {free >> 10} kB are free",
            "Make room there, or name a file on another disk.",
        )


_MARGIN: Final = 256 << 10
"""For the headers and what the file system keeps for itself."""

_START: Final = MANIFEST.encode().ljust(100, b"\0")


def _check_target(target: Path) -> None:
    """Refuse to replace anything that is no backup. Raises ``Refused``."""
    try:
        status = target.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise CannotWrite(f"cannot write {target}: {error.strerror}", "Name another file.") from error
    if stat.S_ISREG(status.st_mode):
        try:
            with target.open("rb") as file:
                if file.read(len(_START)) == _START:
                    return
        except OSError:
            pass  # what cannot be read is not known to be a backup
    raise Refused(f"{target} exists and is no backup of lrgpnode", "Name another file.")


@contextmanager
def _replacing(target: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A file that becomes ``target`` when it is whole, and a private directory beside it."""
    try:
        with workplace(target, ".part") as folder:
            partial = folder / "backup"
            handle = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as out:
                yield out, folder
                out.flush()
                os.fsync(out.fileno())
            partial.replace(target)
            _sync(target.parent)
    except OSError as error:
        raise _unwritable(target, error) from error


def _unwritable(target: Path, error: OSError) -> BackupError:
    about = f" ({error.filename})" if error.filename and str(error.filename) != str(target) else ""
    return CannotWrite(
        f"cannot make the backup {target}: {error.strerror or error}{about}",
        "Name a file where the user of the node may write and has room.",
    )


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

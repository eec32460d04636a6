"""Put a backup back: all of it is checked beside the data directory, then renamed into its place.

Nothing that is there already is touched before the new directory is whole and on the disk. A file
from elsewhere is hostile: only names of ``contents.INCLUDED`` are written, only plain files, no more
bytes than the file itself has.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from storage import maintenance, schema
from storage.errors import StorageError
from storage.store import Store

from . import contents
from .archive import Manifest, Member, Reader
from .errors import BackupError, BadBackup, CannotWrite, Refused
from .workplace import workplace

Owner = Callable[[bytes], str]
"""The hash of the identity that a raw private key makes. Raises ``ValueError``."""

LOCK: Final = "lock"
_CODE: Final = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
_RESERVE: Final = 8 << 20
"""What stays free on the disk, for the node to start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A node that is back. ``moved`` is where the directory that was there is now; ``silent``: whether it
    has a radio whose hour counts as used up."""

    data: Path
    created_at: float
    program: str
    identities: tuple[str, ...]
    sessions: int
    moved: Path | None
    silent: bool


def restore(
    file: Path,
    data: Path,
    owner: Owner,
    *,
    move_aside: bool = False,
    account: tuple[int, int] | None = None,
) -> Restored:
    """Make the data directory ``data`` from the backup ``file``.

    With ``move_aside`` a node that is there is renamed, else that is refused. ``account`` is the user
    and group that are to own the files, for a restore by root where the directory does not say it.
    Raises ``BackupError``; then all is as before.
    """
    with _not_running(data):
        occupied = _occupied(data)
        if occupied and not move_aside:
            raise Refused(
                f"{data} is not empty: it holds {occupied}",
                "Restore into another directory with --data, or move that one aside with --move-aside.",
            )
        try:
            with workplace(_in_parent(data), ".restore") as temporary:
                manifest, sessions = _unpack(file, temporary, owner)
                silent = _settle_airtime(temporary, data)
                _give(temporary, data, account)
                _sync_all(temporary)
                moved = _swap(temporary, data, aside=bool(occupied))
        except OSError as error:
            raise _unwritable(data, error) from error
    return Restored(
        data=data,
        created_at=manifest.created_at,
        program=manifest.program,
        identities=manifest.identities,
        sessions=sessions,
        moved=moved,
        silent=silent,
    )


def _unpack(file: Path, folder: Path, owner: Owner) -> tuple[Manifest, int]:
    """Write the members under ``folder`` and check everything; the manifest and the number of games."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise BadBackup(f"{file} is no backup of lrgpnode: it is no file")
        source = file.open("rb")
    except OSError as error:
        raise BadBackup(f"cannot read the backup {file}: {error.strerror}") from error
    with source:
        reader = Reader(source, str(file))
        _check_names(reader.manifest, file)
        _check_sizes(reader.manifest, status.st_size, folder, file)
        for member, pieces in reader.members():
            path = folder / member.name
            for parent in reversed(Path(member.name).parents):
                (folder / parent).mkdir(mode=0o700, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "wb") as out:
                for piece in pieces:
                    out.write(piece)
                out.flush()
                os.utime(handle, ns=(member.mtime_ns, member.mtime_ns))
    _check_identities(reader.manifest, folder, owner, file)
    return reader.manifest, _check_database(reader.manifest, folder / contents.DATABASE, file)


def _settle_airtime(folder: Path, data: Path) -> bool:
    """Have the restored node know what its radios have sent: a backup is no way round the law.

    What the node that is replaced has written down is right and is taken over. Where there is none, for all
    that is known a radio has used its hour since the backup; whether there is one such.
    """
    silent = False
    restored = {path.name for path in folder.iterdir() if contents.AIRTIME.fullmatch(path.name)}
    there = set[str]()
    if data.is_dir():
        there = {path.name for path in data.iterdir() if contents.AIRTIME.fullmatch(path.name)}
    for name in sorted(restored | there):
        content = None
        if name in there:
            read = contents.steady_read(data / name)
            content = None if read is None else read[0]
        silent |= content is None
        target = folder / name
        target.write_bytes(contents.USED_UP if content is None else content)
        target.chmod(0o600)
    return silent


def _check_names(manifest: Manifest, file: Path) -> None:
    names = {member.name for member in manifest.members}
    for name in sorted(names):
        if not contents.belongs(name):
            raise BadBackup(f"{file} is refused: {name!r} does not belong into a backup")
    keys = {f"{contents.IDENTITIES}/{hash}" for hash in manifest.identities}
    held = {name for name in names if name.startswith(f"{contents.IDENTITIES}/")}
    if contents.DATABASE not in names or not keys or keys != held:
        raise BadBackup(f"{file} is refused: its database or an identity is missing")


def _check_sizes(manifest: Manifest, size: int, folder: Path, file: Path) -> None:
    def limit(member: Member) -> int:
        return size if member.name == contents.DATABASE else contents.MAX_FILE

    total = sum(member.size for member in manifest.members)
    if total > size or any(member.size > limit(member) for member in manifest.members):
        raise BadBackup(f"the backup {file} is damaged: it is shorter than what it lists")
    free = shutil.disk_usage(folder).free
    if total + _RESERVE > free:
        raise CannotWrite(
            f"the restore needs {(total + _RESERVE) >> 20} MB in {folder.parent}; {free >> 20} MB are free",
            "Make room there first.",
        )


def _check_identities(manifest: Manifest, folder: Path, owner: Owner, file: Path) -> None:
    for member in manifest.members:
        hash = contents.key_of(member.name)
        if hash is None:
            continue
        try:
            found = owner((folder / member.name).read_bytes())
        except ValueError:
            found = ""
        if found != hash:
            raise BadBackup(f"{file} is refused: {member.name} in it is not the key of that name")


def _check_database(manifest: Manifest, database: Path, file: Path) -> int:
    if manifest.schema > schema.VERSION:
        raise BadBackup(
            f"the database in {file} has version {manifest.schema}; "
            f"this lrgpnode reads up to {schema.VERSION}",
            "Update lrgpnode first.",
        )
    try:
        report = maintenance.check(database)
        _check_no_code(database, file)
        if report.version < schema.VERSION:
            # Only a migrated database can be checked against what this program expects.
            Store(database).close()
            report = maintenance.check(database)
    except StorageError as error:
        raise BadBackup(f"the database in {file} cannot be used: {error}") from error
    if not report.ok:
        raise BadBackup(f"the database in {file} is damaged: {report.problems[0]}", "Use another backup.")
    for left in ("-wal", "-shm", "-journal"):
        database.with_name(database.name + left).unlink(missing_ok=True)
    return report.rows.get("game_sessions", 0)


def _check_no_code(database: Path, file: Path) -> None:
    """Refuse triggers and views that are not ours: SQLite would run them at the node's own statements."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        schema.migrate(fresh, ":memory:")
        expected = set(fresh.execute(_CODE))
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        strange = set(connection.execute(_CODE)) - expected
    if strange:
        raise BadBackup(f"{file} is refused: its database holds code that is not lrgpnode's")


def _occupied(data: Path) -> str:
    """Something that is in the way, by name; empty where nothing is."""
    try:
        names = sorted(entry.name for entry in data.iterdir())
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Refused(f"{data} cannot be used: {error.strerror}", "Name a directory with --data.") from error
    others = [name for name in names if name != LOCK]
    return others[0] if others else ""


def _in_parent(data: Path) -> Path:
    data.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return data


@contextmanager
def _not_running(data: Path) -> Iterator[None]:
    """Hold the lock of the directory that is there, so that no node starts in it meanwhile."""
    try:
        handle = os.open(data / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield
        return
    except OSError as error:
        raise Refused(f"{data} cannot be used: {error.strerror}", "Run this as the node's user.") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(
                f"a node is running on {data}", f"Stop it first with `lrgpnode --data {data} stop`."
            ) from None
        yield
    finally:
        os.close(handle)


def _give(temporary: Path, data: Path, account: tuple[int, int] | None) -> None:
    """Owner and mode: those of the directory that is there, else of ``account``, else as they are."""
    try:
        status = data.stat()
        uid, gid, mode = status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)
    except FileNotFoundError:
        uid, gid = account or (os.geteuid(), os.getegid())
        mode = 0o700
    if os.geteuid() == 0:
        for folder, folders, names in os.walk(temporary):
            for name in (*folders, *names):
                os.chown(Path(folder, name), uid, gid, follow_symlinks=False)
        os.chown(temporary, uid, gid)
    temporary.chmod(mode & 0o750 | 0o700)


def _sync_all(folder: Path) -> None:
    for parent, _, names in os.walk(folder):
        for name in names:
            _sync(Path(parent, name))
        _sync(Path(parent))


def _swap(temporary: Path, data: Path, *, aside: bool) -> Path | None:
    """Rename the new directory into place, the old one out of it; where that was moved to."""
    moved = None
    if aside:
        moved = _free_name(data)
        data.rename(moved)
    elif (data / LOCK).exists():
        # Nothing but a lock that we hold; a directory can only be renamed over an empty one.
        (data / LOCK).unlink()
    try:
        temporary.rename(data)
    except OSError:
        if moved is not None:
            moved.rename(data)
        raise
    _sync(data.parent)
    return moved


def _free_name(data: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    name = data.with_name(f"{data.name}.before-{stamp}")
    number = 1
    while name.exists():
        number += 1
        name = data.with_name(f"{data.name}.before-{stamp}-{number}")
    return name


def _unwritable(data: Path, error: OSError) -> BackupError:
    return CannotWrite(
        f"cannot restore to {data}: {error.strerror or error}",
        f"Its parent {data.parent} must be writable; for the service use sudo.",
    )


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The data directory: on a file system that can carry it, owned by the node, closed to others."""

from __future__ import annotations

import fcntl
import os
import pwd
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lrgpnode.config import DATABASE_NAME, TOKENS_NAME
from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.machine import Machine
from lrgpnode.doctor.patient import Patient

KEY_BYTES: Final = 64
_HASH: Final = re.compile("[0-9a-f]{32}")
_PRIVATE: Final = (
    DATABASE_NAME,
    f"{DATABASE_NAME}-wal",
    f"{DATABASE_NAME}-shm",
    "inbox",
    "identities",
    "lxmf",
    "lock",
)


def settings(patient: Patient) -> Iterator[Finding]:
    """the settings"""
    if patient.settings_error:
        yield faults.SETTINGS_INVALID(reason=patient.settings_error)


def directory(patient: Patient) -> Iterator[Finding]:
    """the data directory"""
    if not patient.data.is_dir():
        yield faults.DATA_MISSING(data=patient.data, start=patient.start)
        return
    mode = stat.S_IMODE(patient.data.stat().st_mode)
    if mode & 0o027:
        yield faults.DATA_MODE(path=patient.data, mode=f"{mode:04o}", wanted="700")
    database = patient.data / DATABASE_NAME
    if database.exists() and (mode := stat.S_IMODE(database.stat().st_mode)) & 0o077:
        yield faults.DATA_MODE(path=database, mode=f"{mode:04o}", wanted="600")


def owners(patient: Patient) -> Iterator[Finding]:
    """the owners of the node's files"""
    account = patient.account
    if not patient.data.is_dir() or account.uid == 0:
        return
    for path in (patient.data, *_existing(patient.data)):
        status = path.stat()
        if status.st_uid != account.uid:
            yield faults.DATA_OWNER(
                path=path, owner=_user(status.st_uid), user=account.name, data=patient.data
            )
            return  # the fix is the same for all
        folder = stat.S_ISDIR(status.st_mode)
        if not account.may(status, 7 if folder else 6):
            yield faults.DATA_CLOSED(
                user=account.name,
                path=path,
                mode=f"{stat.S_IMODE(status.st_mode):04o}",
                x="x" if folder else "",
            )


def identities(patient: Patient) -> Iterator[Finding]:
    """the private keys"""
    for path in _keys(patient.data):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            yield faults.KEY_OPEN(path=path, mode=f"{mode:04o}")
        reason = _wrong_with(patient, path)
        if reason:
            yield faults.KEY_DAMAGED(path=path, reason=reason)


def tokens(patient: Patient) -> Iterator[Finding]:
    """the tokens of the gateway"""
    for path in sorted((patient.data / TOKENS_NAME).glob("*/*")):
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and (mode := stat.S_IMODE(status.st_mode)) & 0o077:
            yield faults.TOKEN_OPEN(path=path, mode=f"{mode:04o}")


def _wrong_with(patient: Patient, path: Path) -> str:
    with path.open("rb") as file:
        key = file.read(KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        return f"it should have exactly {KEY_BYTES} bytes."
    try:
        hash = patient.probe.identity(key)
    except ValueError as error:
        return f"{error}."
    return "" if hash == path.name else f"it holds the key of {hash}."


def file_system(patient: Patient) -> Iterator[Finding]:
    """the file system of the data directory"""
    data = patient.data
    if not data.is_dir():
        return
    mount = _mount(patient.machine, data)
    if os.statvfs(data).f_flag & os.ST_RDONLY:
        yield faults.DATA_READ_ONLY(data=data, mount=mount.point)
        return
    with _scratch(data) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            yield faults.DATA_NO_LOCKS(data=data, kind=mount.kind, reason=error.strerror)
        if not _keeps_modes(handle):
            yield faults.DATA_NO_MODES(data=data, kind=mount.kind)


def _keeps_modes(handle: int) -> bool:
    for mode in (0o600, 0o640):
        try:
            os.fchmod(handle, mode)
        except OSError:
            return False
        if stat.S_IMODE(os.fstat(handle).st_mode) != mode:
            return False
    return True


@contextmanager
def _scratch(folder: Path) -> Iterator[int]:
    """A file on the same file system that has no name, or none for longer than a moment."""
    handle, name = tempfile.mkstemp(prefix=".doctor", dir=folder)
    try:
        Path(name).unlink()
        yield handle
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class _Mount:
    point: Path
    kind: str


def _mount(machine: Machine, path: Path) -> _Mount:
    """The mount that a path is on: the longest that it begins with, of these the last."""
    best = _Mount(Path("/"), "unknown")
    path = path.resolve()
    for line in (machine.proc / "self/mounts").read_text(errors="replace").splitlines():
        _, point, kind, *_ = line.split(" ")
        mounted = Path(point.encode().decode("unicode_escape"))
        if path.is_relative_to(mounted) and len(mounted.parts) >= len(best.point.parts):
            best = _Mount(mounted, kind)
    return best


def _existing(data: Path) -> list[Path]:
    return [data / name for name in _PRIVATE if (data / name).exists()] + _keys(data)


def _keys(data: Path) -> list[Path]:
    """The private keys: of the identities, and of a propagation node of its own."""
    found = []
    for name in ("identities", "propagation"):
        with suppress(FileNotFoundError):
            found += [path for path in (data / name).iterdir() if _HASH.fullmatch(path.name)]
    return sorted(found)


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"the user {uid}"


CHECKS = (settings, directory, owners, identities, tokens, file_system)

"""The service: whether it is installed, and its user can start what it is told to."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.machine import Account
from lrgpnode.doctor.patient import Patient
from lrgpnode.doctor.unit import USER, service_account

_BANG = b"#!"
_LONGEST = 256


def installed(patient: Patient) -> Iterator[Finding]:
    """the service"""
    if not patient.service:
        return
    if patient.unit is None:
        yield faults.UNIT_MISSING()
    user = patient.unit.user if patient.unit is not None else USER
    account = service_account(patient.unit)
    if account is None:
        yield faults.UNIT_USER(user=user)
    elif patient.unit is not None and patient.unit.program is not None:
        yield from _can_start(account, patient.unit.program)


def _can_start(account: Account, program: Path) -> Iterator[Finding]:
    """The program, and the interpreter that its first line names, which links may lead elsewhere."""
    for path in (program, _interpreter(program)):
        if path is None:
            return
        try:
            closed = _closed(account, path)
        except FileNotFoundError:
            yield faults.UNIT_PROGRAM_MISSING(program=program, missing=path)
            return
        if closed is not None:
            yield faults.UNIT_PROGRAM(user=account.name, program=program, closed=closed)
            return


def _closed(account: Account, path: Path) -> Path | None:
    """What keeps an account from running a program: itself, or a directory on the way to it."""
    real = path.resolve(strict=True)
    for part in (*reversed(path.parents), *reversed(real.parents), real):
        status = part.stat()
        if not account.may(status, 1 if stat.S_ISDIR(status.st_mode) else 5):
            return part
    return None


def _interpreter(program: Path) -> Path | None:
    try:
        with program.open("rb") as file:
            first = file.readline(_LONGEST)
    except OSError:
        return None
    if not first.startswith(_BANG):
        return None
    words = first[len(_BANG) :].split()
    return Path(words[0].decode(errors="replace")) if words else None


CHECKS = (installed,)

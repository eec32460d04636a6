"""The systemd unit of the service, as far as it decides what the node may do."""

from __future__ import annotations

import grp
import os
import pwd
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lrgpnode.config.paths import UNIT_FILES

from .machine import Account, Machine, account

NAME = "lrgpnode.service"
USER = "lrgpnode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """``program`` is what it starts; ``groups`` are those that it gives besides the user's own."""

    file: Path
    user: str
    groups: tuple[str, ...]
    program: Path | None


def read_unit(machine: Machine) -> Unit | None:
    """The installed unit with its drop-ins; None where there is none."""
    places = (machine.etc / "systemd/system" / NAME, *UNIT_FILES)
    file = next((place for place in places if os.path.isfile(place)), None)  # noqa: PTH113 - never raises
    if file is None:
        return None
    drop_ins = sorted((machine.etc / "systemd/system" / f"{NAME}.d").glob("*.conf"))
    user, program = USER, None
    groups: tuple[str, ...] = ()
    for name, value in (pair for path in (file, *drop_ins) for pair in _pairs(path)):
        if name == "User":
            user = value or "root"
        elif name == "SupplementaryGroups":
            groups = (*groups, *value.split()) if value else ()
        elif name == "ExecStart":
            words = _words(value)
            program = Path(words[0]) if words else None
    return Unit(file=file, user=user, groups=groups, program=program)


def service_account(unit: Unit | None) -> Account | None:
    """The account of the service's processes; None where its user does not exist."""
    try:
        found = account(pwd.getpwnam(unit.user if unit else USER).pw_uid)
    except KeyError:
        return None
    more = set()
    for name in unit.groups if unit else ():
        with suppress(KeyError):
            more.add(grp.getgrnam(name).gr_gid)
    return replace(found, groups=found.groups | more)


def _pairs(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(errors="replace").replace("\\\n", " ").splitlines()
    pairs = (line.split("=", 1) for line in map(str.strip, lines) if "=" in line and line[0] not in "#;")
    return [(name.strip(), value.strip()) for name, value in pairs]


def _words(value: str) -> Sequence[str]:
    try:
        return shlex.split(value.lstrip("@-:+!"))
    except ValueError:
        return ()

"""Who has a serial port: programs, the login console, a user and a group."""

from __future__ import annotations

import grp
import pwd
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from .machine import Machine, Process

RADIO_PROGRAMS: Final = re.compile(
    "^(rnsd|rnodeconf|lxmd|nomadnet|lrgpnode)$|reticulum|meshchat|sideband|meshtastic", re.IGNORECASE
)
"""What may have a radio open, where another user runs it and only root could see that."""
_UARTS: Final = re.compile(r"(serial|ttyAMA|ttyS)\d+")
_CONSOLE: Final = re.compile(r"(?:^|\s)console=(\w+)")


def consoles(machine: Machine) -> Iterator[tuple[Path, str]]:
    """Devices that the kernel or a login uses, and where that is said."""
    for file in (*(folder / "cmdline.txt" for folder in machine.boot), machine.proc / "cmdline"):
        with suppress(OSError):
            for name in _CONSOLE.findall(file.read_text(errors="replace")):
                if _UARTS.fullmatch(name):
                    yield (machine.dev / name).resolve(), f"console={name} in {file}"
    for unit in (machine.etc / "systemd/system").glob("*.wants/serial-getty@*.service"):
        name = unit.name.removeprefix("serial-getty@").removesuffix(".service")
        yield (machine.dev / name).resolve(), f"the unit {unit.name} is enabled"


def holders(machine: Machine, device: Path) -> list[Process]:
    """Who else has a port open, as far as that can be seen. ``device``: its true path.

    Not the radio in software that is behind the port.
    """
    found = machine.holders(lambda target: target == str(device))
    return [process for process in found if not machine.plays(process.pid, device)]


def group_name(gid: int) -> str:
    """The name of a group, or its number where it has none."""
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def user_name(uid: int) -> str:
    """The name of a user, or its number where it has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)

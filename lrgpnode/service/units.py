"""The files that make this very installation a service: its unit, its user, a rule for its radio."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

USER: Final = "lrgpnode"

UNIT: Final = Path("/etc/systemd/system/lrgpnode.service")
SYSUSERS: Final = Path("/etc/sysusers.d/lrgpnode.conf")
UDEV: Final = Path("/etc/udev/rules.d/70-lrgpnode.rules")

_HOMES: Final = (Path("/home"), Path("/root"), Path("/run/user"))


class ServiceError(Exception):
    """The service cannot be installed; ``str()`` is a sentence for a person, ``hint`` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class ServiceFile:
    """A file to be written, readable by all."""

    path: Path
    content: str


def this_program() -> Path:
    """The command of this very installation."""
    script = Path(sys.executable).with_name("lrgpnode")
    if not (script.is_file() and os.access(script, os.X_OK)):
        raise ServiceError(
            f"this installation has no command {script}",
            "Install lrgpnode into an environment of its own, with pip or pipx.",
        )
    return script


def service_files(program: Path) -> tuple[ServiceFile, ...]:
    """The files for a command ``lrgpnode`` at ``program``, which must be absolute."""
    if not program.is_absolute() or not str(program).isprintable():
        raise ServiceError(f"{str(program)!r} cannot be the program of a service: give its absolute path")
    unit = _resource("systemd/lrgpnode.service")
    unit = unit.replace("@EXEC_START@", _quoted(str(program)))
    unit = unit.replace("@PROTECT_HOME@", "read-only" if _in_a_home(program) else "yes")
    return (
        ServiceFile(UNIT, unit),
        ServiceFile(SYSUSERS, _resource("systemd/lrgpnode.sysusers")),
        ServiceFile(UDEV, _resource("udev/70-lrgpnode.rules")),
    )


def check_reachable(paths: Sequence[Path]) -> None:
    """Refuse an installation that the user of the service could not read."""
    for path in paths:
        for part in (path, *path.parents):
            mode = part.stat().st_mode
            wanted = stat.S_IROTH | stat.S_IXOTH if part == path and stat.S_ISDIR(mode) else stat.S_IXOTH
            if mode & wanted != wanted:
                raise ServiceError(
                    f"this installation cannot be a service: others than its owner cannot read {part}",
                    "Install it where all can read it: `sudo python3 -m venv /opt/lrgpnode && "
                    "sudo /opt/lrgpnode/bin/pip install lrgpnode`, and then "
                    "`sudo /opt/lrgpnode/bin/lrgpnode service install`.",
                )


def needed() -> tuple[Path, ...]:
    """What a start of this installation reads: the interpreter, the environment, the code."""
    here = Path(__file__).resolve().parent
    found = {Path(sys.executable).resolve(), Path(sys.prefix), Path(sys.base_prefix), here}
    return tuple(sorted(found))


def _resource(name: str) -> str:
    return files("firmware_configs").joinpath(name).read_text()


def _quoted(word: str) -> str:
    """A word for ``ExecStart=``, where quotes, backslashes, ``%`` and ``$`` have a meaning."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{word}"' if any(char.isspace() or char in "\"'\\;" for char in word) else word


def _in_a_home(program: Path) -> bool:
    return any(place.is_relative_to(home) for place in (program, *needed()) for home in _HOMES)

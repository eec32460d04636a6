"""The machine that is looked at: where its files are, and whose eyes count.

The roots are values so that a test can point them at directories of its own; what is read there are
files of the real kind in any case. Nothing here changes anything.
"""

from __future__ import annotations

import os
import pwd
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Final

ROOT_UID: Final = 0


@dataclass(frozen=True, slots=True)
class Account:
    """The user that the node runs as, or would. ``groups`` includes its own."""

    name: str
    uid: int
    groups: frozenset[int]
    home: Path

    def may(self, status: os.stat_result, wanted: int) -> bool:
        """Whether the mode bits grant ``wanted``, of 4 (read), 2 (write) and 1 (execute)."""
        if self.uid == ROOT_UID:
            return True
        shift = 6 if status.st_uid == self.uid else 3 if status.st_gid in self.groups else 0
        return (stat.S_IMODE(status.st_mode) >> shift) & wanted == wanted


@dataclass(frozen=True, slots=True)
class Process:
    """A running process, as far as it may be seen; ``pid`` 0 where only its user is known."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})" if self.pid else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Roots of the files that are read, and the system calls that a test cannot lead elsewhere."""

    dev: Path = Path("/dev")
    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    boot: tuple[Path, ...] = (Path("/boot/firmware"), Path("/boot"))
    etc: Path = Path("/etc")
    runtime: Path = Path("/run")
    free_bytes: int = 100 << 20
    """Below this much room on the disk the node will soon be unable to save a move."""
    radio_seconds: float = 4.0
    """How long a board is given to answer: many restart when their port is opened, and take two seconds."""
    ask_seconds: float = 3.0
    """How long the shared instance is given to answer."""
    own_pid: int = field(default_factory=os.getpid)

    def process(self, pid: int) -> Process | None:
        """What runs under a process id; None if nothing does."""
        try:
            name = (self.proc / str(pid) / "comm").read_text(errors="replace").strip()
        except OSError:
            return None
        return Process(pid, _program(self.arguments(pid)) or name)

    def arguments(self, pid: int) -> list[str]:
        """The command line of a process; empty where there is none."""
        try:
            words = (self.proc / str(pid) / "cmdline").read_bytes().split(b"\0")
        except OSError:
            return []
        return [word.decode(errors="replace") for word in words if word]

    def directory(self, pid: int) -> Path:
        """Where a process works, or the root where that may not be seen."""
        try:
            return (self.proc / str(pid) / "cwd").readlink()
        except OSError:
            return Path("/")

    def processes(self) -> list[int]:
        return [int(entry.name) for entry in self.proc.iterdir() if entry.name.isdecimal()]

    def holders(self, wanted: Callable[[str], bool]) -> list[Process]:
        """Processes, but the doctor's own, with an open file whose ``/proc/PID/fd`` link is ``wanted``."""
        found = []
        for pid in self.processes():
            if pid == self.own_pid:
                continue
            with suppress(OSError):  # it has ended, or belongs to another user
                links = (self.proc / str(pid) / "fd").iterdir()
                if any(wanted(link) for link in _targets(links)):
                    process = self.process(pid)
                    if process is not None:
                        found.append(process)
        return found

    def plays(self, pid: int, device: Path) -> bool:
        """Whether a process has the other end of a pseudo-terminal, as a radio in software has."""
        if device.parent.name != "pts":
            return False
        folder = self.proc / str(pid)
        try:
            for handle in (folder / "fd").iterdir():
                with suppress(OSError):  # closed meanwhile
                    if handle.readlink().name == "ptmx":
                        text = (folder / "fdinfo" / handle.name).read_text()
                        if re.search(rf"^tty-index:\s*{device.name}$", text, re.MULTILINE):
                            return True
        except OSError:
            pass  # it has ended, or belongs to another user
        return False

    def hidden(self, names: re.Pattern[str]) -> Process | None:
        """A process whose open files may not be seen, and whose command line has one of these names."""
        for pid in self.processes():
            words = self.arguments(pid)
            if any(names.search(Path(word).name) for word in words) and not self._is_open(pid):
                return Process(pid, _program(words))
        return None

    def _is_open(self, pid: int) -> bool:
        try:
            os.listdir(self.proc / str(pid) / "fd")  # noqa: PTH208 - iterdir would not look yet
        except PermissionError:
            return False
        except OSError:
            pass  # it has ended
        return True

    def service_of(self, pid: int) -> tuple[str, bool] | None:
        """The systemd service that a process belongs to, and whether it is one of a user's own."""
        try:
            text = (self.proc / str(pid) / "cgroup").read_text(errors="replace")
        except OSError:
            return None
        found = re.search(r"([\w@.\\:-]+)\.service$", text, re.MULTILINE)
        if found is None or found[1].startswith("user@"):
            return None
        return found[1], "/user@" in text

    def account_of(self, pid: int) -> Account | None:
        """The account that a process runs under, with the groups it has, not those it would get now."""
        try:
            text = (self.proc / str(pid) / "status").read_text()
        except OSError:
            return None
        fields = dict(re.findall(r"^(\w+):\t(.*)$", text, re.MULTILINE))
        uid = int(fields["Uid"].split()[1])
        groups = {int(fields["Gid"].split()[1]), *map(int, fields["Groups"].split())}
        known = account(uid)
        return Account(known.name, uid, frozenset(groups), known.home)


def _targets(links: Iterable[Path]) -> Iterator[str]:
    for link in links:
        with suppress(OSError):  # closed meanwhile
            yield str(link.readlink())


def _program(words: list[str]) -> str:
    """A name that a person knows: of a script, not of the interpreter that runs it."""
    if not words:
        return ""
    program = Path(words[0]).name
    if program.startswith(("python", "pypy")):
        options = list(takewhile(lambda word: word.startswith("-") and word not in ("-m", "-c"), words[1:]))
        kind, *rest = words[1 + len(options) :] or ["-c"]
        if kind == "-m" and rest:
            return rest[0][:64]
        return program if kind == "-c" else Path(kind).name[:64]
    return program[:64]


def account(uid: int) -> Account:
    """A user with all its groups, as a new login would have them."""
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return Account(f"user {uid}", uid, frozenset(), Path("/"))
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
    return Account(entry.pw_name, uid, frozenset(groups), Path(entry.pw_dir))


def current_account() -> Account:
    """The account that this process runs under."""
    known = account(os.geteuid())
    return Account(known.name, known.uid, frozenset({os.getegid(), *os.getgroups()}), Path.home())

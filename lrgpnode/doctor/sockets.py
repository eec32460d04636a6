"""Who listens where, from /proc/net: nothing is connected to, nothing is bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .machine import Machine, Process, account

_LISTEN: Final = "0A"
"""State of a TCP socket that listens, in /proc/net/tcp."""
_ACCEPTS: Final = 0x10000
"""The same in the flags of /proc/net/unix."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that is taken: who has it, and the user, where that is known."""

    inode: str
    uid: int | None


def on_port(machine: Machine, port: int, kind: str = "tcp") -> Listener | None:
    """What listens on a port, at any address; ``kind`` is ``tcp`` or ``udp``."""
    for table in (kind, f"{kind}6"):
        for fields in _rows(machine, table):
            taken = int(fields[1].rpartition(":")[2], 16) == port
            if taken and (kind == "udp" or fields[3] == _LISTEN):
                return Listener(inode=fields[9], uid=int(fields[7]))
    return None


def on_path(machine: Machine, path: str) -> Listener | None:
    """What listens on a Unix socket; an abstract one begins with ``@``."""
    for fields in _rows(machine, "unix"):
        if len(fields) > 7 and fields[7] == path and int(fields[3], 16) & _ACCEPTS:
            return Listener(inode=fields[6], uid=None)
    return None


def owner(machine: Machine, listener: Listener) -> Process:
    """The process behind a listener; its user, or "another program", where it cannot be seen."""
    link = f"socket:[{listener.inode}]"
    found = machine.holders(lambda target: target == link)
    if found:
        return found[0]
    if listener.uid is None:
        return Process(0, "another user's program")
    return Process(0, f"a program of the user {account(listener.uid).name}")


def _rows(machine: Machine, table: str) -> Iterator[list[str]]:
    try:
        lines = (machine.proc / "net" / table).read_text(errors="replace").splitlines()
    except FileNotFoundError:  # a kernel without IPv6
        return
    for line in lines[1:]:
        yield line.split()

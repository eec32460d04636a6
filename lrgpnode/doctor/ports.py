"""The serial ports as somebody finds them who wants to use one: whose they are, who has them, who may."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lrgpnode.protocol.value import Value
from lrgpnode.rnode.ports import Kind, SerialPort, serial_ports

from .machine import Account, Machine, Process
from .owners import consoles, group_name, holders, user_name


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PortState(Value):
    """``allowed``: whether the account may open it. ``holder``: who has it open, as far as that is seen.

    ``console``: where it is said that the system's login or kernel is on it, "" if nowhere.
    """

    port: SerialPort
    user: str
    group: str
    allowed: bool
    holder: Process | None
    console: str


def survey(machine: Machine, account: Account) -> list[PortState]:
    """Every port of the machine, the likeliest radio first."""
    taken = dict(consoles(machine))
    ports = serial_ports(machine.dev, machine.sys)
    return [_state(port, machine, account, taken.get(port.device, "")) for port in ports]


def _state(port: SerialPort, machine: Machine, account: Account, console: str) -> PortState:
    status = port.device.stat()
    return PortState(
        port=port,
        user=user_name(status.st_uid),
        group=group_name(status.st_gid),
        allowed=account.may(status, 6),
        holder=next(iter(holders(machine, port.device)), None),
        console=console,
    )


def other_port(name: str, device: Path, machine: Machine, account: Account) -> PortState:
    """A terminal device that is none of the machine's ports, as a simulated radio has."""
    port = SerialPort(
        name=name, lasting="", device=device, kind=Kind.UART, usb=None, title="", serial="", boards=()
    )
    return _state(port, machine, account, "")

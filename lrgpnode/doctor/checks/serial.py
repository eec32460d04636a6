"""Serial ports of the interfaces: there, under a lasting name, ours to open, free, without a console."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.machine import Machine
from lrgpnode.doctor.owners import consoles, group_name, holders, user_name
from lrgpnode.doctor.patient import Patient

from .reticulum import sharer

KINDS: Final = frozenset(
    {"RNodeInterface", "RNodeMultiInterface", "SerialInterface", "KISSInterface", "AX25KISSInterface"}
)
_MOVING: Final = re.compile(r"tty(ACM|USB)\d+")


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port of an enabled interface. ``device`` is where its name leads, if it is there."""

    interface: str
    kind: str
    name: str
    path: Path
    device: Path | None


def ports(patient: Patient) -> Iterator[Port]:
    """Local ports; not radios over TCP or Bluetooth."""
    for interface in patient.interfaces:
        name = interface.options.get("port", "").strip()
        if interface.kind in KINDS and name and "://" not in name:
            in_dev = name.removeprefix("/dev/")
            path = Path(name) if in_dev == name else patient.machine.dev / in_dev
            device = path.resolve() if path.exists() else None
            yield Port(interface.name, interface.kind, name, path, device)


def present(patient: Patient) -> Iterator[Finding]:
    """the serial ports"""
    file = patient.rns_dir / "config"
    for port in ports(patient):
        links = lasting(patient.machine)
        if port.device is None:
            taken = {other.device for other in ports(patient)}
            free = [f"`port = {name}`" for name, device in links.items() if device not in taken]
            yield faults.SERIAL_ABSENT(
                port=port.name,
                interface=port.interface,
                file=file,
                choices=" or ".join(free) or "none is plugged in",
            )
        elif _MOVING.fullmatch(port.path.name):
            same = (name for name, device in links.items() if device == port.device)
            yield faults.SERIAL_NAME(
                interface=port.interface,
                port=port.name,
                lasting=next(same, "/dev/serial/by-id/..."),
                file=file,
            )


def lasting(machine: Machine) -> dict[str, Path]:
    """Names that udev gives a device wherever it is plugged in, and where they lead."""
    with suppress(FileNotFoundError):
        links = sorted((machine.dev / "serial/by-id").iterdir())
        return {f"/dev/serial/by-id/{link.name}": link.resolve() for link in links}
    return {}


def allowed(patient: Patient) -> Iterator[Finding]:
    """the owners of the serial ports"""
    if _opened_by_another(patient):
        return
    account = patient.account
    for port in ports(patient):
        if port.device is None:
            continue
        status = port.device.stat()
        if account.may(status, 6):
            continue
        names = {"user": account.name, "port": port.name, "interface": port.interface}
        group_may = stat.S_IMODE(status.st_mode) >> 3 & 6 == 6
        if group_may and status.st_gid != 0 and status.st_uid != account.uid:
            yield faults.SERIAL_GROUP(group=group_name(status.st_gid), **names)
        else:
            yield faults.SERIAL_MODE(
                owner=user_name(status.st_uid),
                group=group_name(status.st_gid),
                mode=f"{stat.S_IMODE(status.st_mode):04o}",
                kernel=re.sub(r"\d+$", "*", port.device.name),
                **names,
            )


def free(patient: Patient) -> Iterator[Finding]:
    """programs that use the serial ports"""
    if _opened_by_another(patient):
        return
    ours = patient.running.pid if patient.running is not None else 0
    for port in ports(patient):
        for process in holders(patient.machine, port.device) if port.device is not None else ():
            if process.pid != ours:
                yield faults.SERIAL_BUSY(process=process, port=port.name, interface=port.interface)
                break


def console(patient: Patient) -> Iterator[Finding]:
    """the login console"""
    taken = dict(consoles(patient.machine))
    for port in ports(patient):
        if port.device is None:
            continue
        where = next((where for device, where in taken.items() if device == port.device), "")
        if where:
            yield faults.SERIAL_CONSOLE(port=port.name, interface=port.interface, where=where)


def _opened_by_another(patient: Patient) -> bool:
    """Whether another program's Reticulum opens the ports: then they are not the node's to open."""
    config = patient.config
    if config is None or not config.shares:
        return False
    holder = sharer(patient, config)
    return holder is not None and (patient.running is None or holder.pid != patient.running.pid)


CHECKS = (present, allowed, free, console)

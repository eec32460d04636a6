"""The serial ports of a Linux machine, those that look like a radio first. Nothing is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from firmware_configs.catalogue import boards
from lrgpnode.protocol.value import Value

_LONGEST: Final = 80
_HEX4: Final = re.compile(r"[0-9a-fA-F]{4}")
_FOLDERS: Final = ("serial/by-id", "serial/by-path")
"""Where udev names ports in a way that lasts: by what the device is, or by where it is plugged in."""


class Kind(IntEnum):
    """In the order in which they are shown."""

    RADIO = 0
    BOOTLOADER = 1
    USB = 2
    UART = 3


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SerialPort(Value):
    """``name``: the kernel's, like /dev/ttyACM0, which may be another's after a restart. ``lasting``: one
    that stays, "" without. ``device``: the true path. ``usb``: vendor and product id.

    ``title`` and ``serial`` are what the device says of itself. ``boards``: those with such ids.
    """

    name: str
    lasting: str
    device: Path
    kind: Kind
    usb: tuple[int, int] | None
    title: str
    serial: str
    boards: tuple[str, ...]

    @property
    def best(self) -> str:
        """The name to write into a configuration."""
        return self.lasting or self.name


def serial_ports(dev: Path = Path("/dev"), sys: Path = Path("/sys")) -> list[SerialPort]:
    """All ports that have a device behind them, the likeliest radio first."""
    lasting = dict(_lasting(dev))
    found = []
    with suppress(FileNotFoundError):
        for entry in sorted((sys / "class/tty").iterdir()):
            node = dev / entry.name
            if _is_port(entry) and node.exists():
                found.append(_port(entry, node, lasting))
    return sorted(found, key=lambda port: (port.kind, not port.lasting, port.name))


def _is_port(entry: Path) -> bool:
    """Not a terminal of the screen, and not one of the many UARTs of a PC that are not there."""
    if not (entry / "device").exists():
        return False
    if re.fullmatch(r"ttyS\d+", entry.name):
        with suppress(OSError):
            return (entry / "type").read_text().strip() != "0"
    return True


def _port(entry: Path, node: Path, lasting: dict[Path, str]) -> SerialPort:
    device = node.resolve()
    usb_folder = _usb_folder(entry / "device")
    usb = None if usb_folder is None else _ids(usb_folder)
    waiting = sorted({board.name for board in boards() if usb in board.bootloader})
    known = sorted({board.name for board in boards() if usb in board.usb}) or waiting
    if usb is None:
        kind = Kind.UART
    elif waiting:
        kind = Kind.BOOTLOADER
    else:
        kind = Kind.RADIO if known else Kind.USB
    return SerialPort(
        name=f"/dev/{entry.name}",
        lasting=lasting.get(device, ""),
        device=device,
        kind=kind,
        usb=usb,
        title=" ".join(filter(None, (_text(usb_folder, "manufacturer"), _text(usb_folder, "product")))),
        serial=_text(usb_folder, "serial"),
        boards=tuple(known),
    )


def _lasting(dev: Path) -> Iterator[tuple[Path, str]]:
    for folder in reversed(_FOLDERS):  # the better one wins
        with suppress(FileNotFoundError):
            for link in sorted((dev / folder).iterdir(), reverse=True):
                yield link.resolve(), f"/dev/{folder}/{link.name}"


def _usb_folder(device: Path) -> Path | None:
    """The USB device that an interface of it belongs to."""
    place = device.resolve()
    return next((folder for folder in (place, *place.parents) if (folder / "idVendor").exists()), None)


def _ids(folder: Path) -> tuple[int, int] | None:
    vendor, product = _text(folder, "idVendor"), _text(folder, "idProduct")
    if not (_HEX4.fullmatch(vendor) and _HEX4.fullmatch(product)):
        return None
    return int(vendor, 16), int(product, 16)


def _text(folder: Path | None, name: str) -> str:
    """A text that a device says of itself; "" without."""
    if folder is None:
        return ""
    try:
        return (folder / name).read_bytes()[:_LONGEST].decode(errors="replace").strip()
    except OSError:
        return ""

"""RNode's protocol as a host sees it, written from the description of the device and not from our code.

Everything here is literal bytes; it imports nothing of ours, so that a mistake in our constants shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

# Seconds of a host's patience for an answer.
PATIENCE = 0.2

DETECT = "c00873c05000c04800c04900c0"
"""What Reticulum's driver writes first, in one piece."""


def words(*parts: str | bytes) -> bytes:
    return b"".join(bytes.fromhex(part) if isinstance(part, str) else part for part in parts)


def escaped(payload: bytes) -> bytes:
    out = bytearray()
    for byte in payload:
        out += {0xC0: b"\xdb\xdc", 0xDB: b"\xdb\xdd"}.get(byte, bytes([byte]))
    return bytes(out)


def packet(payload: bytes) -> bytes:
    return b"\xc0\x00" + escaped(payload) + b"\xc0"


@dataclass
class Host:
    """A reader that is as simple as the driver's: a frame is what is between two C0."""

    frames: list[tuple[int, bytes]] = field(default_factory=list)
    _inside: bytearray | None = None

    def take(self, data: bytes) -> None:
        for byte in data:
            if byte != 0xC0:
                assert self._inside is not None, f"{byte:02x} outside of a frame"
                self._inside.append(byte)
            elif self._inside:
                self.frames.append((self._inside[0], self._plain(bytes(self._inside[1:]))))
                self._inside = None
            else:
                self._inside = bytearray()

    @staticmethod
    def _plain(data: bytes) -> bytes:
        out, rest = bytearray(), iter(data)
        for byte in rest:
            out.append({0xDC: 0xC0, 0xDD: 0xDB}[next(rest)] if byte == 0xDB else byte)
        return bytes(out)

    def all(self, command: int) -> list[bytes]:
        return [payload for kind, payload in self.frames if kind == command]

    def clear(self) -> None:
        self.frames.clear()


class Wire:
    """A device: ``write`` gives it bytes, ``wait`` lets seconds pass for it, ``host`` has its answers."""

    def __init__(self, write: Callable[[bytes], None], wait: Callable[[float], None], host: Host) -> None:
        self.write, self.wait, self.host = write, wait, host

    def ask(self, *parts: str | bytes) -> list[tuple[int, bytes]]:
        """What it says within a driver's patience."""
        self.host.clear()
        self.write(words(*parts))
        self.wait(PATIENCE)
        return list(self.host.frames)


def settings(
    frequency: int = 868_100_000, bandwidth: int = 125_000, power: int = 14, sf: int = 8, cr: int = 5
) -> bytes:
    """What the driver sends to set a radio up, without switching it on."""
    return b"".join(
        b"\xc0" + bytes([command]) + escaped(value) + b"\xc0"
        for command, value in (
            (0x01, frequency.to_bytes(4, "big")),
            (0x02, bandwidth.to_bytes(4, "big")),
            (0x03, bytes([power])),
            (0x04, bytes([sf])),
            (0x05, bytes([cr])),
        )
    )


ON = bytes.fromhex("c00601c0")
OFF = bytes.fromhex("c00600c0")


def check_detection(wire: Wire, firmware: str = "0156", platform: str = "80", mcu: str = "81") -> None:
    assert wire.ask(DETECT) == [
        (0x08, b"\x46"),
        (0x50, bytes.fromhex(firmware)),
        (0x48, bytes.fromhex(platform)),
        (0x49, bytes.fromhex(mcu)),
    ]
    assert wire.ask("c00874c0") == []  # not the question


def check_settings(wire: Wire, most_power: int = 22) -> None:
    """Echoes of what is set, in order; questions change nothing."""
    said = wire.ask(settings())
    expected = [
        (0x01, bytes.fromhex("33be27a0")),
        (0x02, (125_000).to_bytes(4, "big")),
        (0x03, b"\x0e"),
        (0x04, b"\x08"),
        (0x05, b"\x05"),
    ]
    assert said == expected
    assert wire.ask("c00100000000c0", "c00200000000c0", "c003ffc0", "c004ffc0", "c005ffc0") == expected
    assert wire.ask("c00325c0") == [(0x03, bytes([most_power]))]
    assert wire.ask("c0030ec0") == [(0x03, b"\x0e")]
    assert wire.ask("c00404c0", "c0040dc0", "c00408c0") == [(0x04, b"\x05"), (0x04, b"\x0c"), (0x04, b"\x08")]
    assert wire.ask("c00504c0", "c00509c0", "c00505c0") == [(0x05, b"\x05"), (0x05, b"\x08"), (0x05, b"\x05")]
    assert wire.ask("c00b01f4c0", "c00c0064c0") == [(0x0B, b"\x01\xf4"), (0x0C, b"\x00\x64")]
    assert wire.ask("c00b0000c0", "c00c0000c0") == [(0x0B, b"\x00\x00"), (0x0C, b"\x00\x00")]


def check_switching(wire: Wire) -> None:
    """Without settings it stays off; with them it says so twice, and three times what its signal is like."""
    assert wire.ask("c006ffc0") == [(0x06, b"\x00")]
    assert wire.ask("c00600c0") == [(0x06, b"\x00")]
    wire.ask(settings())
    said = wire.ask(ON)
    assert [payload for command, payload in said if command == 0x06] == [b"\x01", b"\x01"]
    # SF8 at 125 kHz: 2048 us, 488 a second; 18 symbols, 37 ms; slot 25 ms, DIFS 49 ms.
    assert [payload for command, payload in said if command == 0x26] == [
        bytes.fromhex("080001e80012002500190031")
    ] * 3
    assert {command for command, _ in said} == {0x06, 0x26}
    # While its lamp blinks it does not read.
    assert wire.ask("c00873c0") == []
    wire.wait(0.5)
    assert (0x08, b"\x46") in wire.host.frames
    assert (0x06, b"\x01") in wire.ask("c006ffc0")


def check_extras(wire: Wire) -> None:
    assert wire.ask("c00f00c0") == [(0x0F, b"\x01")]
    assert wire.ask("c02100c0", "c02200c0") == [(0x21, bytes(4)), (0x22, bytes(4))]
    ((command, random),) = wire.ask("c04000c0")
    assert (command, len(random)) == (0x40, 1)
    assert wire.ask("c04101c0", "c04100c0") == [(0x41, b"\x01"), (0x41, b"\x00")]
    assert wire.ask("c00affc0") == []
    assert [len(payload) for _, payload in wire.ask("c04200c0", "c06600c0")] == [512, 1024]
    assert wire.ask("c0ee01c0") == []  # no command


def check_memory(wire: Wire) -> None:
    """As rnodeconf reads it: who made it, its checksum, its lock, its hashes."""
    from hashlib import md5

    ((_, rom),) = wire.ask("c05100c0")
    assert len(rom) == 200
    assert md5(rom[:0x0B], usedforsecurity=False).digest() == rom[0x0B:0x1B]
    assert rom[0x9B] == 0x73
    assert rom[0xA7] != 0x73  # no settings of its own
    ((_, config),) = wire.ask("c06d00c0")
    assert len(config) == 256
    ((_, own),) = wire.ask("c05601c0")
    assert len(own) == 32
    hashes = wire.ask("c06001c0", "c06002c0")
    assert [(len(payload), payload[0]) for _, payload in hashes] == [(33, 1), (33, 2)]
    assert wire.ask("c0520000c0") == [(0x90, b"\x03")]
    assert [command for command, _ in wire.ask("c04700c0")] == [0x47]


def check_parsing(wire: Wire) -> None:
    """A command acts without its last C0, one C0 may stand for two, noise is nothing."""
    assert wire.ask("00ff73c0c0c00873") == [(0x08, b"\x46")]
    assert wire.ask("c0") == []
    wire.write(bytes.fromhex("c0"))
    wire.write(bytes.fromhex("48"))
    assert wire.ask("00") == [(0x48, b"\x80")]
    # 192,000,000 + 192 Hz has the bytes of FEND in it and must be escaped both ways.
    tricky = (0x0B71B0C0).to_bytes(4, "big")
    assert wire.ask(b"\xc0\x01" + escaped(tricky) + b"\xc0") == [(0x01, tricky)]


def check_reset(wire: Wire) -> None:
    wire.ask(settings(), ON)
    wire.wait(1.0)
    wire.host.clear()
    wire.write(bytes.fromhex("c055f8c0"))
    wire.wait(2.0)
    assert wire.host.all(0x55) == [b"\xf8"]
    assert wire.ask("c006ffc0") == [(0x06, b"\x00")]
    assert wire.ask("c00100000000c0") == [(0x01, bytes(4))]


ALL = (
    check_detection,
    check_settings,
    check_switching,
    check_extras,
    check_memory,
    check_parsing,
    check_reset,
)

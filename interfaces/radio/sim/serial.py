"""The device's side of KISS: bytes from the host become commands.

As in the firmware a command acts as soon as as many bytes as it takes have come; only packets wait for the
end of their frame. Bytes after the end of a packet's frame belong to nothing until the next FEND.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lrgpnode.rnode.kiss import FEND, FESC, TFEND, TFESC, Command

LONGEST_PACKET: Final = 1024
"""What is kept of a packet; longer than a device sends, so that it is known to be too long."""

_LENGTHS: Final[dict[int, int]] = {
    Command.FREQUENCY: 4,
    Command.BANDWIDTH: 4,
    Command.ST_ALOCK: 2,
    Command.LT_ALOCK: 2,
    Command.ROM_WRITE: 2,
}


class SerialInput:
    def __init__(self) -> None:
        self._inside = False
        self._command: int | None = None
        self._payload = bytearray()
        self._escaped = False

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Commands with their payload, in order."""
        for byte in data:
            if byte == FEND:
                if self._inside and self._command == Command.DATA:
                    self._inside = False
                    yield Command.DATA, bytes(self._payload)
                else:
                    self._inside = True
                self._command, self._escaped = None, False
                self._payload.clear()
            elif self._inside:
                yield from self._inner(byte)

    def _inner(self, byte: int) -> Iterator[tuple[int, bytes]]:
        if self._command is None:
            self._command = byte
            return
        if byte == FESC:
            self._escaped = True
            return
        if self._escaped:
            byte = {TFEND: FEND, TFESC: FESC}.get(byte, byte)
            self._escaped = False
        if len(self._payload) < LONGEST_PACKET:
            self._payload.append(byte)
        if self._command != Command.DATA and len(self._payload) == _LENGTHS.get(self._command, 1):
            yield self._command, bytes(self._payload)

"""One packet as LoRa frames and back: the RNode's byte before each frame, and packets in two frames.

The byte has a random sequence number in its upper half and in its lowest bit whether the packet was split.
"""

from __future__ import annotations

from typing import Final

from lrgpnode.airtime.modem import FRAME_BYTES, HEADER_BYTES, frames

SPLIT: Final = 0x01
_CONTENT: Final = FRAME_BYTES - HEADER_BYTES


def to_frames(packet: bytes, sequence: int) -> tuple[bytes, ...]:
    """The frames of a packet, none for one that is empty or too long. ``sequence``: 0 to 15."""
    sizes = frames(len(packet))
    header = bytes([sequence << 4 | (SPLIT if len(sizes) > 1 else 0)])
    return tuple(
        header + packet[number * _CONTENT : number * _CONTENT + size - HEADER_BYTES]
        for number, size in enumerate(sizes)
    )


class Joiner:
    """Puts frames together as the firmware does, which believes the first half of anything.

    A frame that was not split throws away a half that waits; a half of another sequence number takes its
    place; there is no time limit. The bare third frame of the longest packet counts as a first half.
    """

    def __init__(self) -> None:
        self._half: tuple[int, bytes] | None = None

    def join(self, frame: bytes) -> bytes | None:
        """The packet that ``frame`` completes, if it does."""
        if not frame:
            return None
        header, content = frame[0], frame[HEADER_BYTES:]
        if not header & SPLIT:
            self._half = None
            return content or None
        sequence, half = header >> 4, self._half
        if half is None or half[0] != sequence:
            self._half = (sequence, content)
            return None
        self._half = None
        return half[1] + content or None

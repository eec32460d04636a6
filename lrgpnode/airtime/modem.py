"""How long an RNode is on the air for a packet (Semtech's formula, RNode firmware's preamble and framing).

The RNode puts one byte before each LoRa frame and sends a packet of more than 254 bytes as two frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FRAME_BYTES: Final = 255
"""The largest LoRa payload, with the RNode's own byte."""

HEADER_BYTES: Final = 1
PACKET_BYTES: Final = 508
"""The largest packet that the firmware sends; longer ones it drops."""

MINIMAL_PREAMBLE: Final = 18
PREAMBLE_SECONDS: Final = 0.024
FAST_PREAMBLE_SECONDS: Final = 0.006
FAST_BITRATE: Final = 30_000.0


@dataclass(frozen=True, slots=True)
class Modem:
    """``bandwidth`` in Hz, ``spreading_factor`` 5 to 12, ``coding_rate`` 5 to 8 (4/5 to 4/8).

    ``sx127x``: an older chip, whose preamble has four symbols less on the air. Raises ``ValueError``.
    """

    bandwidth: int
    spreading_factor: int
    coding_rate: int
    sx127x: bool = False

    def __post_init__(self) -> None:
        if not 7_800 <= self.bandwidth <= 1_625_000:
            raise ValueError(f"a bandwidth of {self.bandwidth} Hz is not possible")
        if not 5 <= self.spreading_factor <= 12:
            raise ValueError(f"a spreading factor of {self.spreading_factor} is not possible")
        if not 5 <= self.coding_rate <= 8:
            raise ValueError(f"a coding rate of {self.coding_rate} is not possible")

    @property
    def symbol_seconds(self) -> float:
        return float((1 << self.spreading_factor) / self.bandwidth)

    @property
    def bitrate(self) -> float:
        """Bits a second, as Reticulum counts them."""
        return self.spreading_factor * (4 / self.coding_rate) / self.symbol_seconds

    @property
    def preamble_symbols(self) -> int:
        """As the firmware sets it: long enough in time, and never fewer than 18."""
        seconds = FAST_PREAMBLE_SECONDS if self.bitrate > FAST_BITRATE else PREAMBLE_SECONDS
        symbols = -int(-seconds // self.symbol_seconds)
        return max(MINIMAL_PREAMBLE, symbols)

    @property
    def low_data_rate(self) -> bool:
        """Whether the firmware switches the low data rate optimisation on."""
        return (1 << self.spreading_factor) // (self.bandwidth // 1000) > 16

    def frame_seconds(self, size: int) -> float:
        """Of one LoRa frame with ``size`` bytes, the RNode's own byte among them."""
        if not 0 <= size <= FRAME_BYTES:
            raise ValueError(f"a LoRa frame of {size} bytes is not possible")
        factor = self.spreading_factor
        small = factor < 7
        on_air = self.preamble_symbols + (0.25 if self.sx127x else 4.25) + (2 if small else 0)
        bits = max(8 * size + 16 - 4 * factor + (20 if small else 28), 0)
        per_block = 4 * (factor - (2 if self.low_data_rate else 0))
        blocks = -(-bits // per_block)
        return (on_air + 8 + blocks * self.coding_rate) * self.symbol_seconds

    def packet_seconds(self, size: int) -> float:
        """Of a packet of ``size`` bytes as it is handed to the RNode; 0 for one that it drops."""
        return sum(self.frame_seconds(frame) for frame in frames(size))


def frames(size: int) -> tuple[int, ...]:
    """The sizes of the LoRa frames, each with the RNode's byte, that a packet of ``size`` bytes becomes.

    The largest packet leaves a third frame with nothing in it, as the firmware sends it.
    """
    if not 0 < size <= PACKET_BYTES:
        return ()
    content = FRAME_BYTES - HEADER_BYTES
    if size <= content:
        return (size + HEADER_BYTES,)
    rest = (FRAME_BYTES, size - content + HEADER_BYTES)
    return (*rest, HEADER_BYTES) if size == PACKET_BYTES else rest

"""Who hears whom, how well, and the fate of each frame on its way."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Final

from lrgpnode.protocol.value import Value

NOISE_FIGURE: Final = 6.0
"""In dB, of a common LoRa receiver (Semtech's calculator)."""

SNR_LIMITS: Final = {5: -2.5, 6: -5.0, 7: -7.5, 8: -10.0, 9: -12.5, 10: -15.0, 11: -17.5, 12: -20.0}
"""The lowest SNR in dB at which each spreading factor is demodulated (Semtech, SX1262 data sheet)."""


@dataclass(frozen=True, slots=True, repr=False)
class Link(Value):
    """One direction. ``rssi`` in dBm; ``snr`` in dB, from the thermal noise where it is None.

    ``loss``: the share of LoRa frames that do not arrive, 0 to 1.
    """

    rssi: float = -80.0
    snr: float | None = None
    loss: float = 0.0
    up: bool = True

    def __post_init__(self) -> None:
        if not -157 <= self.rssi <= 0:
            raise ValueError(f"an rssi of {self.rssi:g} dBm is not possible; it is between -157 and 0")
        if self.snr is not None and not -32 <= self.snr <= 31.75:
            raise ValueError(f"an snr of {self.snr:g} dB is not possible; it is between -32 and 31.75")
        if not 0 <= self.loss <= 1:
            raise ValueError(f"a loss of {self.loss:g} is not possible; it is a share between 0 and 1")

    def snr_at(self, bandwidth: int) -> float:
        """SNR in dB; a radio reports no more than some ten dB however strong a signal is."""
        if self.snr is not None:
            return self.snr
        return max(-32.0, min(self.rssi - noise_floor(bandwidth), 12.0))


def noise_floor(bandwidth: int) -> float:
    """Thermal noise in dBm in ``bandwidth`` Hz, as a receiver sees it."""
    return -174.0 + 10 * math.log10(bandwidth) + NOISE_FIGURE


def fate(seed: int, sender: str, receiver: str, number: int) -> float:
    """A number from 0 to below 1 for the ``number``-th frame on a directed link: the same in each run."""
    digest = hashlib.blake2b(f"{seed}:{sender}>{receiver}:{number}".encode(), digest_size=7).digest()
    return int.from_bytes(digest) / (1 << 56)

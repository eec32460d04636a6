"""How the firmware shares the medium: slots, waiting times and contention windows. Pure."""

from __future__ import annotations

from typing import Final

from lrgpnode.airtime.modem import FAST_BITRATE, Modem

SLOT_SYMBOLS: Final = 12
LONGEST_SLOT: Final = 0.100
SHORTEST_SLOT: Final = 0.024
SHORTEST_FAST_SLOT: Final = 0.006

DIFS_SLOTS: Final = 2

FLUSH_BITRATE: Final = 14_000.0
"""Up to this speed in bit/s a device that has won the medium sends all that it has."""

BANDS: Final = ((0, 14), (15, 28), (30, 43), (45, 58))
"""The contention windows in slots; the more a device has sent of late, the later it tries."""

FIRST_BAND_AIRTIME: Final = 0.07
LAST_BAND_AIRTIME: Final = 0.85


def slot_seconds(modem: Modem) -> float:
    shortest = SHORTEST_FAST_SLOT if modem.bitrate > FAST_BITRATE else SHORTEST_SLOT
    return max(shortest, min(SLOT_SYMBOLS * modem.symbol_seconds, LONGEST_SLOT))


def difs_seconds(modem: Modem) -> float:
    """How long the medium must have been free before the window counts."""
    return DIFS_SLOTS * slot_seconds(modem)


def band(airtime: float) -> int:
    """The contention band, 1 to 4, for the share of time sent in the last 15 s, 0 to 1."""
    if airtime <= FIRST_BAND_AIRTIME:
        return 1
    span = LAST_BAND_AIRTIME - FIRST_BAND_AIRTIME
    return min(len(BANDS), 2 + int((airtime - FIRST_BAND_AIRTIME) / span * (len(BANDS) - 2)))

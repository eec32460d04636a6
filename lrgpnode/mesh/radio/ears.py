"""What a radio has heard: packets, how loud they were, and what was on the air that was no packet. Pure.

Counts only grow, so whoever listens for a while takes the difference of two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lrgpnode.protocol.value import Value

LOUD_DB: Final = 10
"""Above the noise floor: this much is a transmission, not noise."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(Value):
    """One statistics report of the board: percent, percent, dBm, dBm; ``interference`` dBm or None.

    ``airtime`` is our own share of the last 15 s, ``load`` that of everybody in the last 7.5 s.
    """

    airtime: float
    load: float
    rssi: int
    noise_floor: int
    interference: int | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Heard(Value):
    """``reports`` of the board, ``loud`` of which showed a transmission that is not ours, at most
    ``loudest`` dBm; ``packets`` that could be read, the last ``at`` (Unix seconds) with ``rssi`` (dBm) and
    ``snr`` (dB).
    """

    reports: int = 0
    loud: int = 0
    loudest: int | None = None
    packets: int = 0
    rssi: int | None = None
    snr: float | None = None
    at: float | None = None

    def packet(self, rssi: int | None, snr: float | None, at: float) -> Heard:
        return replace(self, packets=self.packets + 1, rssi=rssi, snr=snr, at=at)

    def report(self, report: Report) -> Heard:
        if not is_loud(report):
            return replace(self, reports=self.reports + 1)
        levels = (self.loudest, report.rssi, report.interference)
        loudest = max(level for level in levels if level is not None)
        return replace(self, reports=self.reports + 1, loud=self.loud + 1, loudest=loudest)


def is_loud(report: Report) -> bool:
    """Whether somebody else was sending.

    Our own airtime is part of the load. A board that sends measures nothing: while it has airtime of its
    own within the last seconds only what it calls interference counts, which it looks for between packets.
    """
    if report.interference is not None:
        return True
    if report.airtime > 0:
        return False
    return report.load > 0 or report.rssi >= report.noise_floor + LOUD_DB

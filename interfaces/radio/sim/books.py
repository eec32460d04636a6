"""What the firmware knows of its own airtime and of the channel's load: bins of 7.5 s for an hour."""

from __future__ import annotations

from typing import Final

from lrgpnode.airtime.modem import Modem

BIN_SECONDS: Final = 7.5
HOUR_BINS: Final = 480
HOUR: Final = BIN_SECONDS * HOUR_BINS


def booked_seconds(modem: Modem, size: int) -> float:
    """What the firmware books for a LoRa frame of ``size`` bytes: some percent less than it is on the air."""
    factor = modem.spreading_factor
    bits = max(8 * size + 16 - 4 * factor + (20 if factor < 7 else 28), 0)
    per_block = 4 * (factor - (2 if modem.low_data_rate else 0))
    symbols = modem.preamble_symbols + 0.25 + 8 + bits / per_block * modem.coding_rate
    return symbols * modem.symbol_seconds


class Books:
    """Seconds in bins. Shares are from 0 to 1."""

    def __init__(self) -> None:
        self._bins: dict[int, float] = {}

    def add(self, start: float, seconds: float) -> None:
        """``seconds`` that began at ``start``; whole into the bin they began in, as the firmware does."""
        number = int(start // BIN_SECONDS)
        self._bins[number] = self._bins.get(number, 0.0) + seconds
        for old in [old for old in self._bins if old <= number - HOUR_BINS]:
            del self._bins[old]

    def add_spread(self, start: float, end: float) -> None:
        """A time that is spread over the bins it lies in."""
        while start < end:
            border = min(end, (start // BIN_SECONDS + 1) * BIN_SECONDS)
            self.add(start, border - start)
            start = border

    def short(self, now: float) -> float:
        """The share of the last two bins: 15 s."""
        number = int(now // BIN_SECONDS)
        return (self._bins.get(number, 0.0) + self._bins.get(number - 1, 0.0)) / (2 * BIN_SECONDS)

    def last_bin(self, now: float) -> float:
        """The share of 7.5 s: this bin, and of the one before the part that is not older."""
        number, into = divmod(now, BIN_SECONDS)
        before = self._bins.get(int(number) - 1, 0.0) * (1 - into / BIN_SECONDS)
        return min(1.0, (self._bins.get(int(number), 0.0) + before) / BIN_SECONDS)

    def hour(self, now: float) -> float:
        oldest = int(now // BIN_SECONDS) - HOUR_BINS
        return sum(seconds for number, seconds in self._bins.items() if number > oldest) / HOUR


class Load:
    """How long the medium was busy with what others sent."""

    def __init__(self) -> None:
        self._books = Books()
        self._since: float | None = None

    def busy(self, now: float, busy: bool) -> None:
        """What carrier sense says from now on."""
        if self._since is not None:
            self._books.add_spread(self._since, now)
        self._since = now if busy else None

    def shares(self, now: float, own: Books) -> tuple[float, float]:
        """Of the last 7.5 s and of the hour, with what the device itself has sent."""
        if self._since is not None:
            self.busy(now, busy=True)
        heard = self._books
        return min(1.0, heard.last_bin(now) + own.last_bin(now)), min(1.0, heard.hour(now) + own.hour(now))


def next_bin(now: float) -> float:
    """When the next bin begins."""
    return (now // BIN_SECONDS + 1) * BIN_SECONDS

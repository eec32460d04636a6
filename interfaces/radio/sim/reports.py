"""What a device tells its host without being asked, as KISS frames."""

from __future__ import annotations

from typing import Final

from interfaces.radio.sim import csma
from lrgpnode.airtime.modem import Modem
from lrgpnode.rnode.kiss import Command, frame

RSSI_OFFSET: Final = 157
NO_INTERFERENCE: Final = 0xFF


def _word(value: float) -> bytes:
    return max(0, min(round(value), 0xFFFF)).to_bytes(2)


def share(value: float) -> bytes:
    """A share from 0 to 1 in hundredths of a percent."""
    return _word(value * 10_000)


def rssi_byte(rssi: float) -> int:
    """RSSI in dBm as the protocol has it."""
    return max(0, min(round(rssi) + RSSI_OFFSET, 0xFE))


def snr_byte(snr: float) -> int:
    """SNR in dB, in quarters, signed."""
    return round(snr * 4) & 0xFF


def packet(content: bytes, rssi: float, snr: float) -> bytes:
    """A received packet. In one piece, because the host forgets a packet that comes with a gap in it."""
    return (
        frame(Command.STAT_RSSI, bytes([rssi_byte(rssi)]))
        + frame(Command.STAT_SNR, bytes([snr_byte(snr)]))
        + frame(Command.DATA, content)
    )


def channel_times(
    airtime: tuple[float, float], load: tuple[float, float], rssi: float, noise_floor: float
) -> bytes:
    """Shares of own airtime and of channel load, each for the short time and for an hour; dBm."""
    shares = b"".join(share(value) for value in (*airtime, *load))
    levels = bytes([rssi_byte(rssi), rssi_byte(noise_floor), NO_INTERFERENCE])
    return frame(Command.STAT_CHTM, shares + levels)


def physical(modem: Modem) -> bytes:
    """Symbol time in µs, symbols a second, preamble in symbols and ms, slot and DIFS in ms."""
    symbol = modem.symbol_seconds
    values = (
        symbol * 1e6,
        1 / symbol,
        modem.preamble_symbols,
        modem.preamble_symbols * symbol * 1e3,
        csma.slot_seconds(modem) * 1e3,
        csma.difs_seconds(modem) * 1e3,
    )
    return frame(Command.STAT_PHYPRM, b"".join(map(_word, values)))


def contention(number: int) -> bytes:
    first, last = csma.BANDS[number - 1]
    return frame(Command.STAT_CSMA, bytes([number, first, last]))

"""Whether a radio may send with certain numbers in a region, and what its firmware must hold it to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_configs.catalogue import Band, Region, band_at
from lrgpnode.airtime.modem import FRAME_BYTES, Modem

LARGEST_PACKET: Final = 500
"""Reticulum's MTU."""

SHORT_PERCENT: Final = 33.0
"""Of 15 seconds, where the law only counts hours: a burst of ours leaves the others two thirds of the air."""


class RadioError(Exception):
    """Why a radio cannot be set up so, in a sentence; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Unlawful(RadioError):
    """The region's law does not allow it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Airtime in percent of an hour and of 15 seconds, as an RNode is told; None where there is no law."""

    long: float | None
    short: float | None


def lawful_band(region: Region, frequency: int, modem: Modem, antenna_dbi: float, txpower: int) -> Band:
    """The band of the region that allows all of it. Raises ``Unlawful``."""
    band = band_for(region, frequency, modem.bandwidth)
    check_dwell(region, band, modem)
    most = band.port_dbm(antenna_dbi)
    if txpower > most:
        raise Unlawful(
            f"{region.name} allows {band.max_power_dbm:g} dBm {band.power} at {mhz(frequency)} MHz: with an "
            f"antenna of {antenna_dbi:g} dBi the radio may be set to {most} dBm, not {txpower}.",
            f"Use --txpower {most}, or tell the gain of the antenna with --antenna-gain.",
        )
    return band


def band_for(region: Region, frequency: int, bandwidth: int) -> Band:
    """The band that the whole channel lies in. Raises ``Unlawful``."""
    band = band_at(region, frequency, bandwidth)
    if band is not None:
        return band
    wide = next((item for item in region.bands if item.low_hz <= frequency <= item.high_hz), None)
    if wide is None:
        places = ", ".join(f"{mhz(item.low_hz)} to {mhz(item.high_hz)}" for item in _distinct(region))
        raise Unlawful(f"{mhz(frequency)} MHz is not open in {region.name}.", f"Open are {places} MHz.")
    raise Unlawful(
        f"A channel {khz(bandwidth)} kHz wide at {mhz(frequency)} MHz does not fit into any band of "
        f"{region.name}; this one ends at {mhz(wide.low_hz)} and {mhz(wide.high_hz)} MHz"
        + (f" and allows {_widths(region, frequency)} kHz." if _widths(region, frequency) else "."),
        "Choose another frequency or a narrower preset.",
    )


def check_dwell(region: Region, band: Band, modem: Modem) -> None:
    """Refuse a modem whose longest transmission is longer than the band allows. Raises ``Unlawful``.

    Where the rule counts all that is sent within some seconds, that is a whole packet with its two frames.
    """
    if band.dwell_seconds is None:
        return
    longest = longest_seconds(band, modem)
    if longest > band.dwell_seconds:
        what = "packet" if band.hopping else "frame"
        raise Unlawful(
            f"The largest {what} takes {longest:.2f} s with SF{modem.spreading_factor} and "
            f"{khz(modem.bandwidth)} kHz; {region.name} allows {band.dwell_seconds:g} s.",
            "Choose a faster preset, with a smaller spreading factor or more bandwidth.",
        )


def longest_seconds(band: Band, modem: Modem) -> float:
    """What the dwell time of a band is compared with."""
    return modem.packet_seconds(LARGEST_PACKET) if band.hopping else modem.frame_seconds(FRAME_BYTES)


def limits(band: Band) -> Limits:
    """What the firmware of the radio must be told to keep the duty cycle of a band."""
    percent = band.airtime_percent
    if percent is None:
        return Limits(None, None)
    return Limits(percent, percent if band.hopping else SHORT_PERCENT)


def mhz(hertz: int) -> str:
    """A frequency in MHz with as many digits as it needs."""
    return f"{hertz / 1e6:.6f}".rstrip("0").rstrip(".")


def khz(hertz: int) -> str:
    """A bandwidth in kHz with as many digits as it needs."""
    return f"{hertz / 1e3:.3f}".rstrip("0").rstrip(".")


def _distinct(region: Region) -> list[Band]:
    seen: dict[tuple[int, int], Band] = {}
    for band in region.bands:
        seen.setdefault((band.low_hz, band.high_hz), band)
    return sorted(seen.values(), key=lambda band: band.low_hz)


def _widths(region: Region, frequency: int) -> str:
    """The bandwidths that are named by the bands around a frequency; none where any will do."""
    near = [band for band in region.bands if band.low_hz <= frequency <= band.high_hz]
    if any(not band.bandwidths_hz for band in near):
        return ""
    return ", ".join(khz(width) for width in sorted({w for band in near for w in band.bandwidths_hz}))

"""Radio law, boards and modem presets as data, with the functions that look things up in them.

A region is a list of bands, and a band is one permission of its law: between which frequencies, how strong,
for how long. Where two permissions cover the same channel the region names the one to use first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

DIPOLE_GAIN_DB: Final = 2.15
"""Of a half-wave dipole over an isotropic antenna: what lies between ERP and EIRP."""


class PowerKind(StrEnum):
    """What a limit of power is measured at: the antenna's port, or the field of a dipole or a point."""

    CONDUCTED = "conducted"
    ERP = "ERP"
    EIRP = "EIRP"


class Chip(StrEnum):
    """The family of the LoRa transceiver; the older one has a shorter preamble on the air."""

    SX126X = "sx126x"
    SX127X = "sx127x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """One permission: frequencies in Hz that the whole occupied channel must lie in.

    ``max_power_dbm`` is counted as ``power`` says. ``duty_cycle``: the fraction of an hour that one radio
    may be on the air, None without such a limit. ``dwell_seconds``: the longest single transmission.
    ``bandwidths_hz``: the bandwidths that are allowed, empty for any that fits. ``hopping``: the rule is
    written for radios that change their channel, which an RNode does not. ``listening``: the rule asks for
    a certified listen-before-talk, which the carrier sense of an RNode is not. ``source``: where the numbers
    are from. ``notes``: what is not certain, in sentences.
    """

    low_hz: int
    high_hz: int
    max_power_dbm: float
    power: PowerKind
    duty_cycle: float | None
    dwell_seconds: float | None
    bandwidths_hz: tuple[int, ...]
    source: str
    notes: str
    hopping: bool
    listening: bool

    def contains(self, centre_hz: int, bandwidth_hz: int) -> bool:
        """Whether a channel lies wholly in this band and has a bandwidth that it allows."""
        if self.bandwidths_hz and bandwidth_hz not in self.bandwidths_hz:
            return False
        return 2 * self.low_hz <= 2 * centre_hz - bandwidth_hz and (
            2 * centre_hz + bandwidth_hz <= 2 * self.high_hz
        )

    def port_dbm(self, antenna_gain_dbi: float = DIPOLE_GAIN_DB) -> int:
        """The highest whole number of dBm that the radio may be set to with such an antenna.

        A conducted limit falls with what an antenna has over 6 dBi, as the rules that know it say.
        """
        if self.power is PowerKind.CONDUCTED:
            limit = self.max_power_dbm - max(0.0, antenna_gain_dbi - 6.0)
        elif self.power is PowerKind.ERP:
            limit = self.max_power_dbm - (antenna_gain_dbi - DIPOLE_GAIN_DB)
        else:
            limit = self.max_power_dbm - antenna_gain_dbi
        return int((limit + 1e-9) // 1)

    @property
    def airtime_percent(self) -> float | None:
        """The duty cycle as Reticulum's ``airtime_limit_long`` has it."""
        return None if self.duty_cycle is None else round(self.duty_cycle * 100, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Where a law is in force. ``frequency_hz`` and ``preset``: what is set up if nobody says otherwise."""

    name: str
    title: str
    frequency_hz: int
    preset: str
    bands: tuple[Band, ...]
    sources: tuple[str, ...]
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board that RNode firmware runs on, in one of its variants.

    ``product`` and ``model``: the codes in its EEPROM. ``usb``: pairs of vendor and product id of its serial
    port, which are often those of a common converter chip and prove nothing; ``bootloader``: those it has
    while it waits for a firmware. ``platform``: "esp32", "nrf52" or "avr". ``low_hz`` to ``high_hz``: what
    its radio is built for. ``max_tx_dbm``: what its firmware can be set to.
    """

    product: int
    model: int
    name: str
    usb: tuple[tuple[int, int], ...]
    bootloader: tuple[tuple[int, int], ...]
    platform: str
    chip: Chip
    max_tx_dbm: int
    low_hz: int
    high_hz: int
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Settings of the modem that nodes name to each other. ``bandwidth`` in Hz, ``coding_rate`` 5 to 8."""

    name: str
    title: str
    bandwidth: int
    spreading_factor: int
    coding_rate: int
    notes: str


class UnknownName(ValueError):
    """There is no region or preset of that name; the sentence names those that there are."""


def band_at(region: Region, centre_hz: int, bandwidth_hz: int) -> Band | None:
    """The band that contains the whole occupied channel; the first of them where several do."""
    return next((band for band in region.bands if band.contains(centre_hz, bandwidth_hz)), None)


@cache
def regions() -> tuple[Region, ...]:
    """All regions, by name."""
    from . import _loading  # noqa: PLC0415 - it needs the types of this module

    return _loading.load_regions()


@cache
def boards() -> tuple[Board, ...]:
    """All boards, by product and model."""
    from . import _loading  # noqa: PLC0415 - as above

    return _loading.load_boards()


@cache
def presets() -> tuple[Preset, ...]:
    """All presets, in the order of the file."""
    from . import _loading  # noqa: PLC0415 - as above

    return _loading.load_presets()


def region(name: str) -> Region:
    """A region by its name in any case. Raises ``UnknownName``."""
    for found in regions():
        if found.name.lower() == name.lower():
            return found
    known = ", ".join(item.name for item in regions())
    raise UnknownName(f"There is no region {name!r}; there are {known}.")


def preset(name: str) -> Preset:
    """A preset by its name in any case, with ``-``, ``_`` or a space. Raises ``UnknownName``."""
    wanted = name.lower().replace("_", "-").replace(" ", "-")
    for found in presets():
        if found.name == wanted:
            return found
    known = ", ".join(item.name for item in presets())
    raise UnknownName(f"There is no preset {name!r}; there are {known}.")

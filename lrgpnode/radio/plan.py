"""What a radio is to be set to: wishes, completed by region and board, and checked. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from firmware_configs.catalogue import (
    DIPOLE_GAIN_DB,
    Band,
    Board,
    Region,
    UnknownName,
    band_at,
    preset,
    region as find_region,
)
from lrgpnode.airtime.modem import Modem

from .law import Limits, RadioError, Unlawful, band_for, check_dwell, lawful_band, limits, mhz

UNKNOWN_BOARD_DBM: Final = 14
"""What every board can be set to. One that is told more than it can stays offline for ever."""

_PORT: Final = re.compile(r"/[!-~]{1,200}")
_DISTANT: Final = re.compile(r"tcp://[A-Za-z0-9.-]{1,253}|ble://[A-Za-z0-9 :._-]{0,64}")
"""Radios that Reticulum reaches without a serial port; it knows no other port than 7633."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,31}")
_HIGHEST_DBM: Final = 37
_ANTENNA_DBI: Final = (-10.0, 30.0)


class Role(StrEnum):
    """What the node is on this radio's channel; the names of the templates."""

    NODE = "node"
    ACCESS_POINT = "access-point"
    GATEWAY = "gateway"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What somebody asks for; None is left to the region, the preset and the board.

    Frequency and bandwidth are in Hz. ``board`` is None where it is not known.
    """

    region: str
    port: str
    name: str = "LoRa"
    preset: str | None = None
    frequency: int | None = None
    bandwidth: int | None = None
    spreading_factor: int | None = None
    coding_rate: int | None = None
    txpower: int | None = None
    antenna_dbi: float = DIPOLE_GAIN_DB
    role: Role = Role.NODE
    board: Board | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Numbers that are lawful in the region and possible on the board."""

    name: str
    port: str
    region: Region
    band: Band
    modem: Modem
    frequency: int
    txpower: int
    limits: Limits
    role: Role


def make_plan(wishes: Wishes) -> Plan:
    """Complete and check. Raises ``RadioError``, of which ``Unlawful`` is one."""
    if not _NAME.fullmatch(wishes.name):
        raise RadioError(
            f"{wishes.name!r} cannot be the name of an interface.",
            "Use up to 32 letters, digits, spaces, dots, dashes and underscores.",
        )
    if not is_distant(wishes.port) and (
        not _PORT.fullmatch(wishes.port) or any(mark in wishes.port for mark in "#,'\"[]")
    ):
        raise RadioError(
            f"{wishes.port!r} is not the path of a serial port, nor tcp://HOST or ble://NAME.",
            "See `lrgpnode radio list`.",
        )
    if not _ANTENNA_DBI[0] <= wishes.antenna_dbi <= _ANTENNA_DBI[1]:
        raise RadioError(f"An antenna of {wishes.antenna_dbi:g} dBi is not plausible.")
    try:
        region = find_region(wishes.region)
        modem = _modem(wishes, region)
    except UnknownName as error:
        raise RadioError(str(error)) from None
    frequency = wishes.frequency
    if frequency is None:
        frequency = usual_frequency(region, modem.bandwidth)
    _check_board(wishes.board, frequency, wishes.txpower)
    txpower = wishes.txpower
    if txpower is None:
        # The band is looked up with the least power first: how much is allowed depends on it.
        band = lawful_band(region, frequency, modem, wishes.antenna_dbi, -1000)
        able = UNKNOWN_BOARD_DBM if wishes.board is None else wishes.board.max_tx_dbm
        txpower = min(able, band.port_dbm(wishes.antenna_dbi))
        if txpower < 0:
            raise RadioError(
                f"{region.name} allows less than 0 dBm there with such an antenna; an RNode cannot do that.",
                "Choose another frequency or preset, or an antenna with less gain.",
            )
    elif not 0 <= txpower <= _HIGHEST_DBM:
        raise RadioError(f"{txpower} dBm is not a power that Reticulum takes: 0 to {_HIGHEST_DBM}.")
    band = lawful_band(region, frequency, modem, wishes.antenna_dbi, txpower)
    return Plan(
        name=wishes.name,
        port=wishes.port,
        region=region,
        band=band,
        modem=modem,
        frequency=frequency,
        txpower=txpower,
        limits=limits(band),
        role=wishes.role,
    )


def is_distant(port: str) -> bool:
    """Whether a radio is reached by TCP or Bluetooth."""
    return _DISTANT.fullmatch(port) is not None


def usual_frequency(region: Region, bandwidth: int) -> int:
    """Where everybody meets who says nothing else: the region's frequency, or else, where a channel is
    too wide for that, the middle of the first band that it fits into."""
    middles = ((band.low_hz + band.high_hz) // 2 for band in region.bands)
    places = (region.frequency_hz, *middles)
    return next((hz for hz in places if band_at(region, hz, bandwidth) is not None), region.frequency_hz)


def is_lawful(region: Region, modem: Modem, frequency: int | None = None) -> bool:
    """Whether such a modem may be used at a frequency, or else at the usual one."""
    place = frequency if frequency is not None else usual_frequency(region, modem.bandwidth)
    try:
        check_dwell(region, band_for(region, place, modem.bandwidth), modem)
    except Unlawful:
        return False
    return True


def _modem(wishes: Wishes, region: Region) -> Modem:
    """A preset, of which numbers may be replaced; without one bandwidth and spreading factor together."""
    base = preset(wishes.preset or region.preset)
    if wishes.preset is None and (wishes.bandwidth is None) != (wishes.spreading_factor is None):
        raise RadioError(
            "A modem without a preset needs --bandwidth and --sf.", "Give both, or a preset with --preset."
        )
    try:
        return Modem(
            wishes.bandwidth if wishes.bandwidth is not None else base.bandwidth,
            wishes.spreading_factor if wishes.spreading_factor is not None else base.spreading_factor,
            wishes.coding_rate if wishes.coding_rate is not None else base.coding_rate,
        )
    except ValueError as error:
        text = str(error)
        raise RadioError(
            f"{text[:1].upper()}{text[1:]}.", "Spreading factors are 5 to 12, coding rates 5 to 8."
        ) from None


def _check_board(board: Board | None, frequency: int, txpower: int | None) -> None:
    if board is None:
        return
    if not board.low_hz <= frequency <= board.high_hz:
        raise RadioError(
            f"This {board.name} is built for {mhz(board.low_hz)} to {mhz(board.high_hz)} MHz, "
            f"not for {mhz(frequency)} MHz.",
            "Another frequency is of no use: its filters and antenna would let nothing through.",
        )
    if txpower is not None and txpower > board.max_tx_dbm:
        raise RadioError(
            f"This {board.name} can send with {board.max_tx_dbm} dBm at most; told {txpower}, it would stay "
            "offline for ever.",
            f"Use --txpower {board.max_tx_dbm}.",
        )

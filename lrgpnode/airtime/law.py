"""How long a radio may be on the air in an hour, by its frequency and the law of its region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_configs.catalogue import Band, Region, UnknownName, band_at, region, regions
from lrgpnode.protocol.value import Value

from .window import HOUR

CAUTIOUS: Final = 0.01
"""Part of the hour where the law is not known: what most of those that limit it allow."""


@dataclass(frozen=True, slots=True, repr=False)
class Law(Value):
    """``seconds`` in an hour, None for no limit. ``words`` say whose law that is; ``problem``, "" or a
    sentence, why it is only a guess and what to do."""

    seconds: float | None
    words: str
    problem: str = ""


def law(
    frequency: int | None,
    bandwidth: int | None,
    *,
    region_name: str = "",
    percent: float = 0.0,
    board_percent: float = 0.0,
) -> Law:
    """For a channel around ``frequency``, both in Hz; None where that is not known.

    ``percent`` of the hour, if it is not 0, is what the operator says, and ``board_percent`` what the board
    itself is set to keep. Who has named neither that nor a region has no limit: frequencies are free in one
    country and not in another, so the ``problem`` names those where this one is not.
    """
    if percent:
        return _limited(percent / 100, f"{percent:g} % by airtime.limit_percent")
    if not region_name:
        if board_percent:
            return _limited(board_percent / 100, f"{board_percent:g} % by airtime_limit_long of the board")
        return Law(None, "no limit is set", _unset(frequency, bandwidth))
    try:
        chosen = region(region_name)
    except UnknownName as error:
        return _cautious("", f"{error} Set airtime.region right.")
    found = _of_region(chosen, frequency, bandwidth)
    if board_percent and (found.seconds is None or board_percent / 100 * HOUR < found.seconds):
        return _limited(board_percent / 100, f"{board_percent:g} % by airtime_limit_long of the board")
    return found


def _of_region(chosen: Region, frequency: int | None, bandwidth: int | None) -> Law:
    if frequency is None or bandwidth is None:
        return _strictest(chosen)
    band = band_at(chosen, frequency, bandwidth)
    if band is None:
        return _cautious(
            f"{frequency / 1e6:g} MHz",
            f"{frequency / 1e6:g} MHz with {bandwidth / 1e3:g} kHz is in no band of {chosen.name}; "
            "set airtime.region or airtime.limit_percent.",
        )
    return _limited(_part(band), f"{_percent(band)} of {chosen.name} at {frequency / 1e6:g} MHz")


def _unset(frequency: int | None, bandwidth: int | None) -> str:
    """What the law would be in some regions."""
    if frequency is None or bandwidth is None:
        return "The frequency is not known here; set airtime.region or airtime.limit_percent."
    bands = [(where.name, band_at(where, frequency, bandwidth)) for where in regions()]
    limited = [
        f"{_percent(band)} in {name}" for name, band in bands if band is not None and _part(band) < 1.0
    ]
    if not limited:
        return ""
    return f"The law allows {', '.join(limited)} at {frequency / 1e6:g} MHz; set airtime.region to yours."


def _strictest(where: Region) -> Law:
    band = min(where.bands, key=_part)
    return _limited(_part(band), f"{_percent(band)}, the strictest of {where.name}")


def _part(band: Band) -> float:
    return 1.0 if band.duty_cycle is None else band.duty_cycle


def _percent(band: Band) -> str:
    return "no limit" if band.duty_cycle is None else f"{band.duty_cycle * 100:g} %"


def _limited(part: float, words: str) -> Law:
    return Law(None if part >= 1.0 else part * HOUR, words)


def _cautious(where: str, problem: str) -> Law:
    return Law(CAUTIOUS * HOUR, f"{CAUTIOUS * 100:g} %, to be safe{f' at {where}' if where else ''}", problem)

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


def law(frequency: int | None, bandwidth: int | None, *, region_name: str = "", percent: float = 0.0) -> Law:
    """For a channel around ``frequency``, both in Hz; None where that is not known.

    ``percent`` of the hour, if it is not 0, is what the operator says. Without the name of a region the
    strictest of those counts in which the channel lies in a band.
    """
    if percent:
        return _limited(percent / 100, f"{percent:g} % by airtime.limit_percent")
    if region_name:
        try:
            chosen: tuple[Region, ...] = (region(region_name),)
        except UnknownName as error:
            return _cautious("", f"{error} Set airtime.region right.")
    else:
        chosen = regions()
    if frequency is None or bandwidth is None:
        if region_name:
            return _strictest(chosen[0])
        return _cautious("", "The frequency is not known here; set airtime.region or airtime.limit_percent.")
    found = [(where, band) for where in chosen if (band := band_at(where, frequency, bandwidth)) is not None]
    if not found:
        asked = f" of {chosen[0].name}" if region_name else ""
        return _cautious(
            f"{frequency / 1e6:g} MHz",
            f"{frequency / 1e6:g} MHz with {bandwidth / 1e3:g} kHz is in no band{asked} that is known; "
            "set airtime.region or airtime.limit_percent.",
        )
    where, band = min(found, key=lambda pair: _part(pair[1]))
    return _limited(_part(band), f"{_percent(band)} of {where.name} at {frequency / 1e6:g} MHz")


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

"""The page of all regions, presets and boards, made from the catalogue.

``python -m lrgpnode.radio.reference > docs/radio-law.md``
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from firmware_configs.catalogue import Band, Board, Region, boards, presets, regions
from lrgpnode.airtime.modem import Modem
from lrgpnode.airtime.roundtrip import MOVE_BYTES, PROOF_BYTES

from .law import khz, mhz
from .plan import is_lawful

_INTRODUCTION: Final = """\
# Regions, presets and boards

<!-- Made by `python -m lrgpnode.radio.reference > docs/radio-law.md` from firmware_configs. -->

What `lrgpnode radio setup` knows; [the radio](radio.md) says how it is used. This is no legal advice: laws
change, and yours counts. Where a number was not certain the stricter one is here, and the notes say so.
Power is counted at the antenna's port (conducted), against a dipole (ERP) or against a point (EIRP); an
RNode's `txpower` is what goes into the antenna.

## Regions
"""


def page() -> str:
    """The whole page."""
    lines = [_INTRODUCTION]
    for region in regions():
        lines += _region(region)
    lines += ["## Presets", ""]
    lines += [
        f"A move is a packet of {MOVE_BYTES} bytes, its proof one of {PROOF_BYTES}. Moves an hour: own "
        "moves, with the proofs of as many of the opponent's, in 1 % of an hour.",
        "",
        "| preset | bandwidth | SF | CR | bit/s | move | proof | moves an hour at 1 % | regions |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *_presets(),
        "",
    ]
    lines += ["## Boards", "", "| board | platform | chip | radio | most power | USB | notes |"]
    lines += ["| --- | --- | --- | --- | --- | --- | --- |", *_boards()]
    return "\n".join(lines) + "\n"


def _region(region: Region) -> Iterator[str]:
    usual = f"Without a word: {mhz(region.frequency_hz)} MHz, `{region.preset}`."
    yield from (f"### {region.name}", "", f"{region.title}. {usual}", "")
    yield "| MHz | power | hour | one transmission | bandwidths in kHz | source |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield from map(_band, region.bands)
    notes = [region.notes, *dict.fromkeys(band.notes for band in region.bands)]
    yield from ("", " ".join(filter(None, notes)), "", f"Sources: {'; '.join(region.sources)}.", "")


def _band(band: Band) -> str:
    cells = (
        f"{mhz(band.low_hz)} to {mhz(band.high_hz)}",
        f"{band.max_power_dbm:g} dBm {band.power}",
        "any" if band.airtime_percent is None else f"{band.airtime_percent:g} %",
        "any" if band.dwell_seconds is None else f"{band.dwell_seconds:g} s",
        ", ".join(map(khz, band.bandwidths_hz)) or "any that fits",
        band.source,
    )
    return f"| {' | '.join(cells)} |"


def _presets() -> Iterator[str]:
    for item in presets():
        modem = Modem(item.bandwidth, item.spreading_factor, item.coding_rate)
        move, proof = modem.packet_seconds(MOVE_BYTES), modem.packet_seconds(PROOF_BYTES)
        where = ", ".join(region.name for region in regions() if is_lawful(region, modem))
        yield (
            f"| `{item.name}` | {khz(item.bandwidth)} kHz | {item.spreading_factor} | 4/{item.coding_rate} "
            f"| {modem.bitrate:.0f} | {move:.2f} s | {proof:.2f} s | {36 / (move + proof):.0f} | {where} |"
        )


def _kind(board: Board) -> tuple[str, str]:
    return board.name, board.platform


def _boards() -> Iterator[str]:
    """A line for each board, with all its variants."""
    for (name, platform), group in groupby(sorted(boards(), key=_kind), _kind):
        variants = list(group)
        ranges = sorted({(item.low_hz, item.high_hz) for item in variants})
        cells = (
            name,
            platform,
            ", ".join(sorted({item.chip.value for item in variants})),
            ", ".join(f"{mhz(low)} to {mhz(high)} MHz" for low, high in ranges),
            " or ".join(f"{dbm} dBm" for dbm in sorted({item.max_tx_dbm for item in variants})),
            ", ".join(f"{vendor:04x}:{product:04x}" for vendor, product in variants[0].usb),
            variants[0].notes,
        )
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())

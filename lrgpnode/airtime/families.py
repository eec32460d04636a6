"""Airtime in numbers for ``lrgpnode metrics``. A node without a radio has the families and no samples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from lrgpnode.metrics import OTHER, Family, Sample, gauge

from .budget import Figures
from .packets import Kind
from .report import AirtimeReport, RadioReport

Looked = Iterator[tuple[dict[str, str], float | None]]


def families(report: AirtimeReport, games: Collection[str], waiting: int | None) -> Iterator[Family]:
    """``games`` are those of this node: others share a label. ``waiting``: actions without airtime."""

    def each(look: Callable[[Figures], float | None]) -> Looked:
        for radio in report.radios:
            if radio.figures is not None:
                yield {"radio": radio.name}, look(radio.figures)

    yield _family(
        "lrgpnode_airtime_limit_seconds",
        "gauge",
        "Airtime that a radio may use in an hour; absent without a limit.",
        each(lambda figures: figures.limit),
    )
    yield _family(
        "lrgpnode_airtime_held_seconds",
        "gauge",
        "Airtime that is set aside for what is under way, by radio.",
        each(lambda figures: figures.held),
    )
    yield _family(
        "lrgpnode_airtime_left_seconds",
        "gauge",
        "Airtime that can be asked for now, by radio; absent without a limit.",
        each(lambda figures: figures.left),
    )
    yield _family(
        "lrgpnode_airtime_used_seconds",
        "gauge",
        "Airtime used within the hour, by radio and purpose.",
        _purposes(report),
    )
    yield _family(
        "lrgpnode_airtime_game_seconds",
        "gauge",
        "Airtime used within the hour for the actions of a game, by radio and game.",
        _games(report, games),
    )
    yield _family(
        "lrgpnode_airtime_refused_total",
        "counter",
        "Packets held back because they would have exceeded the limit, by radio.",
        each(lambda figures: float(figures.refused)),
    )
    yield _family(
        "lrgpnode_radio_packets_total",
        "counter",
        "Packets handed to a radio of this node, by radio and kind.",
        _sent(report, lambda radio, kind: float(radio.sent[kind].packets)),
    )
    yield _family(
        "lrgpnode_radio_airtime_seconds_total",
        "counter",
        "Airtime of these packets, by radio and kind.",
        _sent(report, lambda radio, kind: radio.sent[kind].seconds),
    )
    waits = float(waiting) if waiting is not None and report.radios else None
    yield gauge("lrgpnode_outbox_waiting_for_airtime", "Actions that wait for airtime.", waits)


def _purposes(report: AirtimeReport) -> Looked:
    for radio in report.radios:
        if radio.figures is not None:
            for purpose, seconds in radio.figures.purposes.items():
                yield {"radio": radio.name, "purpose": str(purpose)}, seconds


def _games(report: AirtimeReport, games: Collection[str]) -> Looked:
    for radio in report.radios:
        sums: dict[str, float] = {}
        for app, seconds in radio.figures.apps.items() if radio.figures is not None else ():
            name = app if app in games else OTHER
            sums[name] = sums.get(name, 0.0) + seconds
        for name, seconds in sums.items():
            yield {"radio": radio.name, "game": name}, seconds


def _sent(report: AirtimeReport, look: Callable[[RadioReport, Kind], float]) -> Looked:
    for radio in report.radios:
        for kind in radio.sent:
            yield {"radio": radio.name, "kind": str(kind)}, look(radio, kind)


def _family(name: str, type: str, help: str, found: Looked) -> Family:
    samples = (Sample(name, value, labels) for labels, value in found if value is not None)
    return Family(name, type, help, tuple(samples))

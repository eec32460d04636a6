"""``radio.airtime``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.airtime.report import AirtimeReport, RadioReport
from lrgpnode.control import models


class AirtimeMethods:
    """``waiting`` gives how many actions wait for airtime, and until when."""

    def __init__(
        self, report: Callable[[], AirtimeReport], waiting: Callable[[], tuple[int, float | None]]
    ) -> None:
        self._report = report
        self._waiting = waiting

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"radio.airtime": self._airtime}

    async def _airtime(self, _: models.Nothing) -> models.Airtime:
        report = self._report()
        waiting, next_at = self._waiting()
        return models.Airtime(
            radios=tuple(map(_radio, report.radios)), why=report.why, waiting=waiting, next_at=next_at
        )


def _radio(radio: RadioReport) -> models.RadioAirtime:
    modem, figures = radio.modem, radio.figures
    known = models.RadioAirtime(
        name=radio.name,
        metered=radio.metered,
        law=radio.law,
        problem=radio.problem,
        bandwidth=modem.bandwidth if modem else None,
        spreading_factor=modem.spreading_factor if modem else None,
        coding_rate=modem.coding_rate if modem else None,
    )
    if figures is None:
        return known
    return models.RadioAirtime(
        **{name: getattr(known, name) for name in _FIXED},
        limit=figures.limit,
        reserve=figures.reserve,
        used=figures.used,
        held=figures.held,
        left=figures.left,
        refused=figures.refused,
        purposes=tuple(
            models.AirtimeUse(purpose=purpose, seconds=seconds, most=figures.shares.get(purpose))
            for purpose, seconds in figures.purposes.items()
        ),
        games=tuple(
            models.AirtimeOfGame(app=app, seconds=seconds) for app, seconds in sorted(figures.apps.items())
        ),
        packets=tuple(
            models.PacketCount(kind=kind, packets=sent.packets, bytes=sent.bytes, seconds=sent.seconds)
            for kind, sent in radio.sent.items()
        ),
    )


_FIXED = ("name", "metered", "law", "problem", "bandwidth", "spreading_factor", "coding_rate")

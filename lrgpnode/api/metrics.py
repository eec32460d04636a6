"""``node.metrics``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from lrgpnode.control import models
from lrgpnode.metrics import Family


class MetricsMethods:
    """``families`` looks everything up."""

    def __init__(self, families: Callable[[], Iterable[Family]]) -> None:
        self._families = families

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"node.metrics": self._metrics}

    async def _metrics(self, _: models.Nothing) -> models.Metrics:
        return models.Metrics(families=tuple(map(_family, self._families())))


def _family(family: Family) -> models.MetricFamily:
    samples = (
        models.MetricSample(name=one.name, value=float(one.value), labels=dict(one.labels))
        for one in family.samples
    )
    return models.MetricFamily(
        name=family.name, type=cast("Any", family.type), help=family.help, samples=tuple(samples)
    )

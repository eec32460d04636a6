"""Numbers about the node, for monitoring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import field

from .base import Method, Model, Nothing


class MetricSample(Model, frozen=True, kw_only=True):
    """One number. ``name`` is that of its family, for a histogram with an ending."""

    name: str
    value: float
    labels: dict[str, str] = field(default_factory=dict)


class MetricFamily(Model, frozen=True, kw_only=True):
    """Numbers of one meaning. A counter only grows, from the start of the node on."""

    name: str
    type: Literal["counter", "gauge", "histogram"]
    help: str
    samples: tuple[MetricSample, ...] = ()


class Metrics(Model, frozen=True, kw_only=True):
    """A snapshot; `lrgpnode metrics` prints it in the text format of Prometheus."""

    families: tuple[MetricFamily, ...]


METHODS: Final = (Method("node.metrics", Nothing, Metrics, "Numbers about the node, for monitoring."),)

EVENTS: Final[Mapping[str, type[Model]]] = {}

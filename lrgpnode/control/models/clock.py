"""The clock of a node under test. Its method exists only with the setting `test.clock`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .base import Method, Model


class ClockParams(Model, frozen=True, kw_only=True):
    """Let ``advance`` seconds pass at once, set the wall clock by ``jump`` seconds, and say whether the
    system vouches for it (``synchronised``; null leaves that to the system)."""

    advance: float = 0.0
    jump: float = 0.0
    synchronised: bool | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.advance <= 1e9 or not -1e9 <= self.jump <= 1e9:
            raise ValueError("`advance` is 0 to 1e9 seconds, `jump` -1e9 to 1e9")


class ClockResult(Model, frozen=True, kw_only=True):
    """What the node's clock says now."""

    now: float
    trusted: bool
    reason: str = ""


METHODS: Final = (
    Method("test.clock", ClockParams, ClockResult, "Move the node's clock, if `test.clock` is set."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}

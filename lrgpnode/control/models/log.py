"""The log of the node, over its socket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from .base import Method, Model

LogLevel = Literal["debug", "info", "warning", "error"]

LINES: Final = 500
"""Most lines of one answer."""

WAIT: Final = 20.0
"""Longest wait for a line, in seconds."""


class LogParams(Model, frozen=True, kw_only=True):
    """The last ``limit`` lines of ``level`` or above, all later than number ``after``. Where there are
    none yet, the answer waits for one for up to ``wait`` seconds."""

    level: LogLevel = "debug"
    limit: Annotated[int, Meta(ge=1, le=LINES)] = 50
    after: Annotated[int, Meta(ge=0)] = 0
    wait: Annotated[float, Meta(ge=0, le=WAIT)] = 0.0


class LogLine(Model, frozen=True, kw_only=True):
    """A line without secrets. Further lines of ``text`` are indented: a traceback."""

    number: int
    at: float
    level: LogLevel
    logger: str
    text: str


class LogPage(Model, frozen=True, kw_only=True):
    """``number`` of the last line so far, to ask for what comes after it. ``level``: less is not logged."""

    level: LogLevel
    number: int
    lines: tuple[LogLine, ...]


class LogLevelParams(Model, frozen=True, kw_only=True):
    """How much is logged from now on, until the node stops."""

    level: LogLevel


class LogLevelSet(Model, frozen=True, kw_only=True):
    """The level from now on, and the one before."""

    level: LogLevel
    previous: LogLevel


METHODS: Final = (
    Method("node.log", LogParams, LogPage, "The last lines of the log, which are kept in memory."),
    Method("node.log_level", LogLevelParams, LogLevelSet, "Log more or less, until the node stops."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}

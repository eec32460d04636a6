"""``node.log`` and ``node.log_level``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from lrgpnode.config.configuration import Configuration
from lrgpnode.control import models
from lrgpnode.logs.lines import level_number
from lrgpnode.logs.ring import Kept, Ring


class LogOfNode(Protocol):
    """The log of the process; ``lrgpnode.logs.system.Log`` is one."""

    level: str

    @property
    def ring(self) -> Ring: ...


class LogMethods:
    def __init__(self, log: LogOfNode, configuration: Configuration) -> None:
        self._log = log
        self._configuration = configuration

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"node.log": self._lines, "node.log_level": self._set_level}

    async def _lines(self, params: models.LogParams) -> models.LogPage:
        ring, least = self._log.ring, level_number(params.level)
        if params.wait:
            await ring.changed(params.after, least, params.wait)
        number = ring.number
        kept = ring.after(params.after, least, params.limit)
        # Other threads log as well, even between these two lines.
        number = max(number, kept[-1].number) if kept else number
        return models.LogPage(
            level=cast("Any", self._log.level), number=number, lines=tuple(map(_line, kept))
        )

    async def _set_level(self, params: models.LogLevelParams) -> models.LogLevelSet:
        previous = self._log.level
        self._configuration.change_until_stop("node.log_level", params.level)
        return models.LogLevelSet(level=params.level, previous=cast("Any", previous))


def _line(kept: Kept) -> models.LogLine:
    line = kept.line
    return models.LogLine(
        number=kept.number,
        at=line.at,
        level=cast("Any", line.level_name),
        logger=line.logger,
        text=line.text,
    )

"""``test.clock``: moves the clock of a node under test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.control import models
from lrgpnode.node import Node
from lrgpnode.node.clock import MovableClock


class ClockMethods:
    def __init__(self, node: Node, clock: MovableClock) -> None:
        self._node = node
        self._clock = clock

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"test.clock": self._move}

    async def _move(self, params: models.ClockParams) -> models.ClockResult:
        self._clock.move(advance=params.advance, jump=params.jump, synchronised=params.synchronised)
        self._node.clock_moved()
        time = self._node.time
        return models.ClockResult(now=time.now(), trusted=time.trusted, reason=time.reason)

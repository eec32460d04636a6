"""Whether what goes to a peer goes out by radio, and by which.

With a Reticulum of our own its tables say that at once. Another program's must be asked over its socket,
which blocks: so the mesh's worker asks, and what it has said counts for a while. Where nothing is known, it
is by radio, to be on the safe side.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import RNS

from lrgpnode.protocol.value import Value

from ..worker import Worker

KEEP_SECONDS: Final = 60.0
MAX_KNOWN: Final = 512
_HOPS: Final = 2
_INTERFACE: Final = 5
"""The places of an entry of Reticulum's path table."""


@dataclass(frozen=True, slots=True, repr=False)
class Route(Value):
    """``interface`` is None where it is not known; ``hops`` 0 then."""

    interface: Any
    hops: int


UNKNOWN: Final = Route(None, 0)


def own_route(destination: str) -> Route:
    """By the tables of this process."""
    entry = RNS.Transport.path_table.get(bytes.fromhex(destination))
    return UNKNOWN if entry is None else Route(entry[_INTERFACE], int(entry[_HOPS]))


class SharedRoutes:
    """Of another program's Reticulum. ``ask`` gives the name of the next interface, and blocks."""

    def __init__(
        self, worker: Worker, ask: Callable[[bytes], str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._worker = worker
        self._ask = ask
        self._clock = clock
        self._known: OrderedDict[str, tuple[bool, float]] = OrderedDict()
        self._asked: set[str] = set()

    def by_radio(self, destination: str) -> bool:
        """From any thread; does not block."""
        known = self._known.get(destination)
        if known is None or self._clock() - known[1] >= KEEP_SECONDS:
            if destination not in self._asked:
                self._asked.add(destination)
                self._worker.call(self._look, destination)
            return True if known is None else known[0]
        return known[0]

    def _look(self, destination: str) -> None:
        try:
            name = str(self._ask(bytes.fromhex(destination)))
            # "None": no path is known, so it goes out everywhere.
            radio = name.startswith(("RNode", "None"))
            self._known[destination] = (radio, self._clock())
            while len(self._known) > MAX_KNOWN:
                self._known.popitem(last=False)
        finally:
            self._asked.discard(destination)

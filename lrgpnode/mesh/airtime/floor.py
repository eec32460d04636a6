"""How often an identity may be announced, and whether there is airtime for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ..floor import Floor, Medium, Moment


class Airtime(Protocol):
    """What is asked of those who count airtime."""

    def announce_wait(self, interface: Any) -> float: ...
    def announced(self, interface: Any) -> None: ...


class AirtimeFloor(Floor):
    """Holds an announce back where its medium has no airtime left for announces, too. ``airtime`` gives
    nobody on a node without a radio."""

    def __init__(
        self, path: Path | None, now: Callable[[], Moment], airtime: Callable[[], Airtime | None]
    ) -> None:
        super().__init__(path, now)
        self._airtime = airtime

    def wait(self, identity: str, medium: Medium, *, extra: bool = False, repeated: bool = False) -> float:
        floor = super().wait(identity, medium, extra=extra, repeated=repeated)
        airtime = self._airtime()
        return floor if airtime is None else max(floor, airtime.announce_wait(medium.interface))

    def announced(
        self, identity: str, media: list[Medium], *, extra: bool = False, repeated: bool = False
    ) -> None:
        super().announced(identity, media, extra=extra, repeated=repeated)
        airtime = self._airtime()
        if airtime is not None:
            for medium in media:
                airtime.announced(medium.interface)

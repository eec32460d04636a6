"""``node.*``: the node itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lrgpnode.airtime.report import AirtimeReport
from lrgpnode.config.configuration import Configuration
from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.mesh.announcer import Announcement
from lrgpnode.metrics import Family
from lrgpnode.protocol.value import Value

from .log import LogOfNode
from .lookup import Lookup
from .propagation import Propagation
from .radio import Radios

if TYPE_CHECKING:
    from lrgpnode.backup.make import Made
    from lrgpnode.node.clock import MovableClock


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Surroundings(Value):
    """What the composition root knows and the node does not."""

    status: Callable[[], models.NodeStatus]
    stop: Callable[[], None]
    announce: Callable[[str | None], Future[tuple[Announcement, ...]]]
    announced_at: Callable[[str], float | None]
    request_path: Callable[[str], None]
    remember: Callable[[str, bytes], None]
    known: Callable[[str], None]
    """Told that a peer is in the address book."""
    propagation: Propagation
    radios: Radios
    publish: Callable[[str, Mapping[str, Any]], None]
    mesh_load: Callable[[], int]
    """Messages given to Reticulum, or waiting for that."""
    unsent: Callable[[], int]
    airtime: Callable[[], AirtimeReport]
    configuration: Configuration
    backup: Callable[[Path], Made]
    """Blocks while it reads and writes; for a thread."""
    log: LogOfNode
    metrics: Callable[[], Iterable[Family]]
    clock: MovableClock | None = None
    """Where the clock can be moved."""


class NodeMethods:
    def __init__(self, lookup: Lookup, around: Surroundings) -> None:
        self._lookup = lookup
        self._around = around

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "node.status": self._status,
            "node.stop": self._stop,
            "node.announce": self._announce,
        }

    async def _status(self, _: models.Nothing) -> models.NodeStatus:
        return self._around.status()

    async def _stop(self, _: models.Nothing) -> models.Nothing:
        self._around.stop()
        return models.Nothing()

    async def _announce(self, params: models.AnnounceParams) -> models.AnnounceResult:
        identity = None if params.identity is None else self._lookup.identity(params.identity)
        if identity is not None and not self._lookup.identities[identity].enabled:
            raise ControlError(
                "announce", "That identity is off the mesh.", "`lrgpnode identity enable` brings it back."
            )
        announcements = await asyncio.wrap_future(self._around.announce(identity))
        now = time.time()
        return models.AnnounceResult(
            identities=tuple(one.identity for one in announcements if one.media or not one.held),
            held=tuple(
                models.HeldAnnounce(identity=one.identity, interface=interface, until=now + wait)
                for one in announcements
                for interface, wait in one.held
            ),
        )

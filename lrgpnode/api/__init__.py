"""The control API of a running node: what its methods do (models in ``lrgpnode.control.models``).

An area of methods is a module here. Handlers run on the loop's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from lrgpnode.control import models
from lrgpnode.control.methods import Methods
from lrgpnode.house.host import House
from lrgpnode.node import Identities, Node
from storage.store import Store
from storage.writer import Writer

from .airtime import AirtimeMethods
from .clock import ClockMethods
from .contacts import ContactMethods, RequestMethods
from .exports import ExportMethods, Recording
from .games import GameMethods
from .gateway import Desk, GatewayMethods
from .house import HouseMethods
from .ladder import LadderMethods, Ladders
from .log import LogMethods
from .lookup import Lookup, translate
from .messages import MessageMethods
from .metrics import MetricsMethods
from .outbox import OutboxMethods
from .people import IdentityMethods, PeerMethods
from .propagation import PropagationMethods
from .radio import RadioMethods
from .running import NodeMethods, Surroundings
from .scores import ScoreMethods
from .settings import SettingsMethods
from .upkeep import UpkeepMethods

__all__ = ["Api", "Desk", "Ladders", "Recording", "Surroundings"]


class _Area(Protocol):
    def handlers(self) -> dict[str, Callable[[Any], Any]]: ...


class Api:
    """``methods`` are all but ``events.subscribe``, which the server has built in."""

    def __init__(
        self,
        node: Node,
        store: Store,
        writer: Writer,
        identities: Identities,
        around: Surroundings,
        recording: Recording,
        house: House,
        desk: Desk | None = None,
        ladders: Callable[[], Ladders | None] = lambda: None,
    ) -> None:
        self._lookup = Lookup(node, store, identities)
        self._areas: list[_Area] = [
            NodeMethods(self._lookup, around),
            SettingsMethods(around.configuration),
            MetricsMethods(around.metrics),
            LogMethods(around.log, around.configuration),
            IdentityMethods(self._lookup, node, store, identities, around),
            PeerMethods(node, store),
            ContactMethods(self._lookup, node, store, writer, around),
            RequestMethods(self._lookup, node),
            ScoreMethods(self._lookup, store.scores),
            PropagationMethods(self._lookup, around.propagation),
            RadioMethods(around.radios, store, around.publish, around.mesh_load, around.unsent),
            AirtimeMethods(around.airtime, lambda: node.outbox.dry),
            GameMethods(self._lookup, node, store, house),
            HouseMethods(house, node),
            GatewayMethods(self._lookup, desk),
            LadderMethods(ladders),
            OutboxMethods(self._lookup, node, store),
            MessageMethods(self._lookup, node, store),
            ExportMethods(self._lookup, node, store, recording),
            UpkeepMethods(around),
        ]
        if around.clock is not None:
            self._areas.append(ClockMethods(node, around.clock))

    def methods(self) -> Methods:
        methods = Methods(translate)
        for area in self._areas:
            for name, handler in area.handlers().items():
                method = models.METHODS[name]
                methods.add(name, method.params, method.result, handler)
        return methods

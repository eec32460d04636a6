"""The modules of the node that need the loop, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lrgpnode.agenda import Agenda
from lrgpnode.mesh.transport import Received
from lrgpnode.outbox import Airtime, Outbox
from lrgpnode.protocol.session import Session, SessionKey

from .deliveries import Deliveries
from .expiry import Expiry
from .inbound import Inbound
from .parking import Parking
from .parts import Parts
from .repair import Repair
from .sync import Sync
from .texts import Texts
from .upkeep import Upkeep


class Running:
    """What runs between a start and a stop.

    ``ended`` is told of sessions that have expired, ``again`` gets messages whose commit failed. For
    ``row_number`` and ``introduce`` see ``Texts``.
    """

    def __init__(
        self,
        parts: Parts,
        deliveries: Deliveries,
        loop: asyncio.AbstractEventLoop,
        *,
        ended: Callable[[tuple[Session, ...]], None],
        again: Callable[[Received], None],
        row_number: Callable[[], int],
        introduce: Callable[[str, str], None] | None = None,
        airtime: Airtime | None = None,
    ) -> None:
        self.agenda = agenda = Agenda(parts.time.clock.boot, loop)
        self.outbox = Outbox(parts.transport, deliveries, agenda, parts.time.now, airtime)
        self.expiry = Expiry(parts, agenda, ended=ended)
        self.sync = Sync(parts.store, parts.games, agenda, attempts=self._attempts, certain=self._certain)
        self.parking = Parking(parts.store, parts.router, parts.games, agenda, self._unpark)
        self.texts = Texts(parts, self.outbox, row_number=row_number, introduce=introduce)
        self.inbound = Inbound(
            parts,
            deliveries,
            self.parking,
            self.sync,
            self.texts,
            outbox=lambda: self.outbox,
            applied=lambda session: self.expiry.watch(session.key.identity),
            ended=ended,
            again=again,
        )
        self.repair = Repair(parts, self.outbox, deliveries, self.sync, self.parking, ended=ended)
        self.upkeep = Upkeep(parts, agenda, self.expiry)
        self._parts = parts
        self._began = parts.time.now()

    def _attempts(self, key: SessionKey, command: str) -> int:
        """How often our last action of this kind was sent. One sent by an earlier life of the node may
        have gone out once more than it knew."""
        rows = [row for row in self._parts.store.outbox.of(key) if row.command == command]
        if not rows:
            return 0
        row = self.outbox.state(rows[-1].id) or rows[-1]
        return row.attempts + (row.created_at < self._began)

    def _certain(self, key: SessionKey) -> None:
        self._parts.spawn(self.repair.certain(key))

    def _unpark(self, key: SessionKey) -> None:
        self._parts.spawn(self._unpark_in_lane(key))

    async def _unpark_in_lane(self, key: SessionKey) -> None:
        async with self._parts.lane(key.identity):
            await self.inbound.unpark(key)

"""A radio in virtual time: a budget of airtime, and an air that each packet is counted on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from lrgpnode.airtime import cost
from lrgpnode.airtime.budget import Answer, Budget, Limits, Purpose, Use
from lrgpnode.airtime.modem import Modem
from lrgpnode.mesh.transport import Outgoing, Progress
from tests.node.network import Air, Endpoint
from tests.node.players import Player
from tests.node.virtual import VirtualLoop

REPEATS = (11.5, 31.0, 43.0)
"""When LXMF sends a single packet again that is not proved, in seconds."""


class VirtualRadio:
    """Implements ``lrgpnode.outbox.Airtime`` as the mesh does, for one radio that everybody is reached by."""

    def __init__(
        self, limits: Limits, clock: Callable[[], float], modem: Modem, on_wire: frozenset[str] = frozenset()
    ) -> None:
        self.budget = Budget(limits, clock)
        self.hop = cost.Hop(modem, far=False)
        self.on_wire = on_wire
        self.sent: list[tuple[float, float]] = []
        self._clock = clock

    def by(self, message: Outgoing) -> str:
        return "" if message.peer in self.on_wire else "radio"

    def ask(self, message: Outgoing) -> Answer:
        needed = cost.opportunistic(self.hop, self._packed(message))
        use = Use(Purpose.MOVES, message.peer, "game")
        most, least = needed.within(self.budget.room)
        return self.budget.ask(message.ref, use, most, least=least, destination=message.peer)

    def ended(self, ref: int) -> None:
        self.budget.release(ref)

    def transmit(self, message: Outgoing) -> bool:
        """One packet; False if the meter holds it back."""
        seconds = self.hop.addressed(cost.single_packet(self._packed(message)))
        return self.spend(seconds, Use(Purpose.OTHER), message.peer)

    def spend(self, seconds: float, use: Use, destination: str = "") -> bool:
        granted = self.budget.spend(seconds, use, destination=destination)
        if granted:
            self.sent.append((self._clock(), seconds))
        return granted

    def fullest_hour(self) -> float:
        """The most that any 3600 s have."""
        most, hour, first = 0.0, 0.0, 0
        for at, seconds in self.sent:
            hour += seconds
            while self.sent[first][0] < at - 3600.0:
                hour -= self.sent[first][1]
                first += 1
            most = max(most, hour)
        return most

    @staticmethod
    def _packed(message: Outgoing) -> int:
        return cost.message_bytes(len(message.envelope), len(message.content.encode()))


class RadioEndpoint(Endpoint):
    """LXMF over this radio: it repeats what is not proved, and proves what it gets."""

    def __init__(self, air: Air, identity: str, loop: asyncio.AbstractEventLoop, radio: VirtualRadio) -> None:
        super().__init__(air, identity, loop)
        self.radio = radio
        self.taken: set[bytes] = set()
        self._settled: set[tuple[int, int]] = set()

    def _attempt(self, life: int, message: Outgoing) -> None:
        if message.peer in self.radio.on_wire:
            super()._attempt(life, message)
            return
        self._settled.discard((life, message.ref))
        for pause in REPEATS:
            self._loop.call_later(pause, self._repeat, life, message)
        if self.radio.transmit(message):
            super()._attempt(life, message)
        else:
            self._tell(life, message.ref, Progress.SENDING)
            self._tell(life, message.ref, Progress.SENT)
            self._loop.call_later(55.0, self._tell, life, message.ref, Progress.FAILED, "no proof")

    def _repeat(self, life: int, message: Outgoing) -> None:
        if life == self._life and (life, message.ref) not in self._settled:
            self.radio.transmit(message)

    def _tell(self, life: int, ref: int, progress: Progress, reason: str = "") -> None:
        if progress not in (Progress.SENDING, Progress.SENT):
            self._settled.add((life, ref))
        super()._tell(life, ref, progress, reason)

    def take(self, message: Outgoing, message_hash: bytes, *, propagated: bool) -> bool:
        taken = super().take(message, message_hash, propagated=propagated)
        if taken:
            self.taken.add(message.envelope)
        return taken and self.radio.spend(self.radio.hop.packet(83), Use(Purpose.PROOFS))


class RadioPlayer(Player):
    """A node with a radio."""

    def __init__(
        self,
        name: str,
        air: Air,
        loop: VirtualLoop,
        path: str = ":memory:",
        *,
        limits: Limits,
        modem: Modem,
        on_wire: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(name, air, loop, path)
        self.radio = VirtualRadio(limits, loop.time, modem, on_wire)
        self.endpoint: RadioEndpoint = RadioEndpoint(air, name, loop, self.radio)
        self.node_parts = partial(dict, airtime=self.radio)

"""The airtime of the node's radios: a budget for each, and what goes out by which.

With a Reticulum of our own every RNode has a budget, by its own frequency and parameters, and a meter in its
door. As a client of another program's Reticulum there is one budget for its radio, whose parameters come from
the settings, and it counts what this node submits. Without a radio there is nothing at all: ``active`` is
False and nobody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import RNS

from lrgpnode.airtime import cost, roundtrip
from lrgpnode.airtime.budget import Answer, Purpose, Use
from lrgpnode.airtime.report import AirtimeReport, RadioReport
from lrgpnode.airtime.roundtrip import Way
from lrgpnode.protocol.envelope import Envelope, InvalidEnvelope

from ..floor import Moment
from ..instance import Instance
from ..transport import Outgoing
from ..worker import Worker
from .attached import Attached, Radio
from .routes import Route, SharedRoutes, own_route
from .settings import AirtimeSettings

SHARED: Final = "shared instance"
NO_RADIO: Final = "This node has no RNode, so no airtime is counted."
NOT_VISIBLE: Final = (
    "The radio belongs to another program and is not visible here; "
    "set airtime.preset (or airtime.bandwidth, spreading_factor and coding_rate) to have it counted."
)
FREE: Final = Answer(granted=True)


@dataclass(frozen=True, slots=True)
class _Owed:
    """What is counted as a whole at the end of an attempt, whose packets nobody sees here."""

    radio: Radio
    seconds: float
    use: Use


class Radios:
    """``clock`` in seconds since the boot; ``local``: the node's own identities, whose mail needs no radio;
    ``stamped``: whether a peer asks for a stamp; ``mail_node``: the propagation node in use."""

    def __init__(
        self,
        settings: AirtimeSettings,
        data: Path,
        worker: Worker,
        moment: Callable[[], Moment],
        clock: Callable[[], float],
        *,
        local: Collection[str],
        stamped: Callable[[str], bool],
        mail_node: Callable[[], str],
        house: Callable[[str], bool] = lambda identity: False,
    ) -> None:
        self._settings = settings
        self._worker = worker
        self._clock = clock
        self._local = local
        self._stamped = stamped
        self._mail_node = mail_node
        self._house = house
        self._attached = Attached(settings, data, moment, clock, self._given_back)
        self._shared: SharedRoutes | None = None
        self._owed: dict[Hashable, _Owed] = {}
        self._single: dict[Hashable, float] = {}
        self._why = NO_RADIO
        self._released: Callable[[], None] = lambda: None

    @property
    def _radios(self) -> tuple[Radio, ...]:
        return self._attached.all

    @property
    def active(self) -> bool:
        return bool(self._radios)

    @property
    def metered(self) -> bool:
        return self._shared is None

    # Life

    def start(self, instance: Instance) -> None:
        """Find the radios and stand in their doors. Once Reticulum has started."""
        if instance.kind == "client":
            self._start_shared()
            return
        self._attached.start()

    def _start_shared(self) -> None:
        modem = self._settings.modem
        if modem is None:
            self._why = NOT_VISIBLE
            return
        reticulum = RNS.Reticulum.get_instance()
        self._shared = SharedRoutes(self._worker, reticulum.get_next_hop_if_name)
        self._attached.start_shared(SHARED, modem)

    def on_released(self, released: Callable[[], None]) -> None:
        """Be told, from any thread, when airtime that was held has been given back."""
        self._released = released

    def _given_back(self) -> None:
        self._released()

    def stop(self) -> None:
        """Write down what was used."""
        self._attached.stop()

    # Messages; implements ``lrgpnode.outbox.Airtime``

    def ask(self, message: Outgoing) -> Answer:
        """Whether an attempt may be made now; if so, airtime is held for it until ``ended``."""
        destination = self._mail_node() if message.via_propagation else message.peer
        if destination in self._local:
            return FREE
        route, radios = self._route(destination)
        if not radios:
            return FREE
        purpose = Purpose.MOVES if message.envelope else Purpose.TEXTS
        if self._house(message.identity):
            purpose = Purpose.GATEWAY
        use = Use(purpose, message.peer, _app(message.envelope))
        packed = cost.message_bytes(
            len(message.envelope), len(message.content.encode()), stamped=self._stamped(message.peer)
        )
        single = packed <= cost.ONE_PACKET  # by radio nothing goes over a link that can do without
        if message.via_propagation:
            needed = partial(cost.upload, packed=packed)
        elif single:
            needed = partial(cost.opportunistic, packed=packed)
        else:
            needed = partial(cost.over_link, packed=packed)
        answer = self._ask(message.ref, use, destination, radios, needed, route.hops)
        if answer.granted and self._shared is not None and single and not message.via_propagation:
            # Its packets are counted one by one as LXMF sends them.
            del self._owed[message.ref]
            hop = radios[0].hop(route.hops)
            self._single[message.ref] = hop.addressed(cost.single_packet(packed)) if hop else 0.0
        return answer

    def by(self, message: Outgoing) -> str:
        """The radio that an attempt goes out by, "" for none: it costs no airtime."""
        destination = self._mail_node() if message.via_propagation else message.peer
        if destination in self._local:
            return ""
        return "+".join(radio.name for radio in self._route(destination)[1])

    def ended(self, ref: int) -> None:
        """An attempt is over: give back what it did not need. From any thread."""
        self._release(ref)

    def may_send(self, ref: int) -> bool:
        """LXMF is about to send a message of one packet. Only where no meter sees it."""
        seconds = self._single.get(ref)
        if seconds is None:
            return True
        return self._radios[0].budget.spend(seconds, Use(Purpose.MOVES), token=ref)

    # How long it takes

    def way(self, peer: str) -> Way:
        """How long a move takes to a peer, by what is known of the way, and when it could go out.

        Nothing is held for it. Where the way is not known it is the slowest that it may be.
        """
        if peer in self._local:
            return Way(move=0.0)
        route, radios = self._route(peer)
        if not radios:
            route = own_route(peer) if self._shared is None else route
            bitrate = float(getattr(route.interface, "bitrate", 0) or 0)
            return Way(move=roundtrip.by_wire(bitrate, route.hops) if bitrate > 0 else None)
        ways = [self._by(radio, hop, peer, route.hops) for radio in radios if (hop := radio.hop(route.hops))]
        moves = [way.move for way in ways if way.move is not None]
        return Way(move=max(moves, default=None), wait=max((way.wait for way in ways), default=0.0))

    def _by(self, radio: Radio, hop: cost.Hop, peer: str, hops: int) -> Way:
        needed = cost.opportunistic(hop, cost.packed_of(roundtrip.MOVE_BYTES))
        most, least = needed.within(radio.budget.room)
        answer = radio.budget.ask(None, Use(Purpose.GATEWAY, peer), most, least=least)
        wait = 0.0 if answer.granted or answer.at is None else max(0.0, answer.at - self._clock())
        return Way(move=roundtrip.by_radio(hop, hops), wait=wait)

    # Announces

    def announce_wait(self, interface: Any) -> float:
        """Seconds until an announce has airtime on this interface; 0 for now."""
        radio = self._of(interface)
        hop = radio.hop(1) if radio is not None else None
        if radio is None or hop is None:
            return 0.0
        answer = radio.budget.ask(None, Use(Purpose.ANNOUNCES), cost.announce(hop))
        if answer.granted:
            return 0.0
        return max(1.0, answer.at - self._clock()) if answer.at is not None else 60.0

    def announced(self, interface: Any) -> None:
        """An announce went out. Only where no meter sees it."""
        radio = self._of(interface)
        hop = radio.hop(1) if radio is not None else None
        if radio is not None and hop is not None and radio.meter is None:
            radio.budget.spend(cost.announce(hop), Use(Purpose.ANNOUNCES))

    def _of(self, interface: Any) -> Radio | None:
        if self._shared is not None:
            return self._radios[0]
        return self._attached.of(interface)

    # Fetching mail

    def may_sync(self, identity: str, node: str) -> bool:
        """Whether an identity may fetch its mail now; then airtime is held until ``synced``."""
        route, radios = self._route(node)
        if not radios:
            return True
        token = ("sync", identity)
        return self._ask(token, Use(Purpose.SYNC), node, radios, cost.sync, route.hops).granted

    def synced(self, identity: str) -> None:
        self._release(("sync", identity))

    # Both

    def _route(self, destination: str) -> tuple[Route, tuple[Radio, ...]]:
        """The way to a destination, and the radios that what goes there is sent by."""
        if not self._radios or not destination:
            return Route(None, 0), ()
        if self._shared is not None:
            return Route(None, 0), self._radios if self._shared.by_radio(destination) else ()
        route = own_route(destination)
        if route.interface is None:
            return route, self._radios
        radio = self._attached.of(route.interface)
        return route, (radio,) if radio is not None else ()

    def _ask(
        self,
        token: Hashable,
        use: Use,
        destination: str,
        radios: tuple[Radio, ...],
        costs: Callable[[cost.Hop], cost.Cost],
        hops: int,
    ) -> Answer:
        for radio in radios:
            hop = radio.hop(hops)
            if hop is None:
                continue
            needed = costs(hop)
            most, least = needed.within(radio.budget.room)
            answer = radio.budget.ask(token, use, most, least=least, destination=destination)
            if not answer.granted:
                self._owed.pop(token, None)
                self._release(token)
                return answer
            if radio.meter is None:
                self._owed[token] = _Owed(radio, needed.least, use)
        return FREE

    def _release(self, token: Hashable) -> None:
        owed = self._owed.pop(token, None)
        if owed is not None:
            owed.radio.budget.spend(owed.seconds, owed.use, token=token)
        self._single.pop(token, None)
        for radio in self._radios:
            radio.budget.release(token)

    # What is known

    def report(self) -> AirtimeReport:
        return AirtimeReport(
            radios=tuple(
                RadioReport(
                    name=radio.name,
                    metered=radio.meter is not None,
                    modem=radio.modem,
                    law=radio.law.words if self._settings.enabled else "not limited: airtime.enabled is off",
                    problem=radio.law.problem,
                    figures=radio.budget.figures(),
                    sent=radio.meter.sent if radio.meter is not None else {},
                )
                for radio in self._radios
            ),
            why="" if self._radios else self._why,
        )


def _app(envelope: bytes) -> str:
    try:
        return Envelope.unpack(envelope).app_id if envelope else ""
    except InvalidEnvelope:
        return ""

"""How long a move takes to a peer and its answer back, thinking left out: computed, and as it was measured.

Computed from the first hop's modem or bitrate: a move and its proof there, a move and its proof back, over
every hop as over the first. Measured: the time from handing a message over until its proof is here, which has
in it whatever a formula does not know (repetitions, busy channels, slow neighbours).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lrgpnode.protocol.value import Value

from .cost import Hop

MOVE_BYTES: Final = 339
"""Of a usual move with its text on the air."""

PROOF_BYTES: Final = 83
HANDLING: Final = 0.3
"""Seconds each way for what is no airtime: to check, to store, to wait for a free channel."""

KEPT: Final = 9
"""Measurements of one peer."""

ENOUGH: Final = 3
"""So many measurements are believed also where they are better than what was computed."""

FRESH_SECONDS: Final = 6 * 3600.0
MOST_PEERS: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RoundTrip(Value):
    """``travel``: seconds there and back. ``wait``: seconds until there is airtime again, 0 if there is now.

    ``measured``: how many of the last messages it follows from; 0 where it is computed only.
    """

    travel: float
    wait: float = 0.0
    measured: int = 0

    @property
    def seconds(self) -> float:
        return self.travel + self.wait


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Way(Value):
    """What is known of the way to a peer. ``move``: seconds for a move and its proof, one way, None if
    unknown; ``wait`` as in `RoundTrip`."""

    move: float | None
    wait: float = 0.0


def by_radio(hop: Hop, hops: int) -> float:
    """Seconds for a move and its proof over ``hops`` hops like the first."""
    return max(1, hops) * (hop.addressed(MOVE_BYTES) + hop.packet(PROOF_BYTES)) + HANDLING


def by_wire(bitrate: float, hops: int) -> float:
    """The same where the first interface has ``bitrate`` bits a second."""
    return max(1, hops) * 8 * (MOVE_BYTES + PROOF_BYTES) / bitrate + HANDLING


class Paces:
    """The last measurements of each peer; few of them, and of few peers. ``clock`` in seconds.

    One thread measures, any may ask.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._peers: OrderedDict[str, deque[tuple[float, float]]] = OrderedDict()

    def took(self, peer: str, seconds: float) -> None:
        """A message to ``peer`` was proved ``seconds`` after it was handed over."""
        kept = self._peers.setdefault(peer, deque(maxlen=KEPT))
        kept.append((self._clock(), max(0.0, seconds)))
        self._peers.move_to_end(peer)
        if len(self._peers) > MOST_PEERS:
            self._peers.popitem(last=False)

    def of(self, peer: str) -> tuple[float, ...]:
        """What is still fresh, oldest first."""
        since = self._clock() - FRESH_SECONDS
        kept = tuple(self._peers.get(peer, ()))  # at once: another thread measures
        return tuple(seconds for at, seconds in kept if at >= since)


def estimate(way: Way, measured: tuple[float, ...]) -> RoundTrip | None:
    """The round trip; None where nothing is known.

    A median: one message that was lost and sent again, or one short text, says little about the next.
    """
    from statistics import median  # noqa: PLC0415 - half a megabyte, which only a gateway needs

    usual = median(measured) if measured else None
    if usual is None:
        one_way = way.move
    elif way.move is None or len(measured) >= ENOUGH:
        one_way = usual
    else:
        one_way = max(usual, way.move)
    if one_way is None:
        return None
    return RoundTrip(travel=2 * one_way, wait=way.wait, measured=len(measured))

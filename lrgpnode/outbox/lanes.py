"""What the outbox keeps in memory: the rows of a session in order, and who waits or is under way."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lrgpnode.agenda import Agenda, Entry
from lrgpnode.protocol.session import SessionKey
from storage.model import OutboxRow

from . import policy
from .airtime import Waiting
from .lane import Lane

_THERE, _UNKNOWN, _AWAY = range(3)


class PeerIndex:
    """Sessions by peer."""

    def __init__(self) -> None:
        self._peer: dict[SessionKey, str] = {}
        self._keys: dict[str, set[SessionKey]] = {}

    def add(self, key: SessionKey, peer: str) -> None:
        self._peer[key] = peer
        self._keys.setdefault(peer, set()).add(key)

    def discard(self, key: SessionKey) -> None:
        peer = self._peer.pop(key, None)
        if peer is not None:
            keys = self._keys[peer]
            keys.discard(key)
            if not keys:
                del self._keys[peer]

    def of(self, peer: str) -> tuple[SessionKey, ...]:
        return tuple(self._keys.get(peer, ()))

    def __contains__(self, peer: str) -> bool:
        return peer in self._keys


class Presence:
    """Which peers are there, as far as we know; of most nothing is known."""

    def __init__(self) -> None:
        self._there: OrderedDict[str, None] = OrderedDict()
        self._away: set[str] = set()

    def there(self, peer: str) -> None:
        """It was heard, or has proved something."""
        self._away.discard(peer)
        self._there[peer] = None
        self._there.move_to_end(peer)
        if len(self._there) > policy.KNOWN_PRESENT:
            self._there.popitem(last=False)

    def gone(self, peer: str) -> None:
        """It did not answer."""
        self._there.pop(peer, None)
        self._away.add(peer)

    def is_there(self, peer: str) -> bool:
        return peer in self._there

    def is_away(self, peer: str) -> bool:
        return peer in self._away


@dataclass(slots=True)
class Flight:
    """One attempt. ``began`` and ``news`` (the last of it) in seconds of the agenda's clock."""

    lane: Lane
    began: float
    news: float
    via: bool


class Traffic:
    """Which lanes wait for a place, and which attempts are under way.

    Peers that are there have places of their own; those that are away few. ``silent`` is told of attempts
    without news for long, ``landed`` of the end of each.
    """

    def __init__(
        self,
        agenda: Agenda,
        presence: Presence,
        silent: Callable[[int], None],
        landed: Callable[[int], None] | None = None,
    ) -> None:
        self._agenda = agenda
        self._presence = presence
        self._silent = silent
        self._landed = landed
        self.dry = Waiting()
        self._flights: dict[int, Flight] = {}  # the one without news for longest first
        self._queues: tuple[OrderedDict[SessionKey, Lane], ...] = tuple(OrderedDict() for _ in range(3))
        self._paused: dict[str, dict[SessionKey, Lane]] = {}
        self._watch: Entry | None = None
        self._place: Entry | None = None

    def __contains__(self, id: int) -> bool:
        return id in self._flights

    def line_up(self, lane: Lane) -> None:
        """The first row of the lane goes out as soon as there is a place."""
        self.leave(lane)
        paused = self._paused.get(lane.key.identity, self._paused.get(lane.peer))
        if paused is not None:
            paused[lane.key] = lane
            return
        queue = self._queues[self._rank(lane.peer)]
        queue[lane.key] = lane
        if not lane.head.attempts:
            # Somebody has just acted; who waits already is most likely not answered soon.
            queue.move_to_end(lane.key, last=False)

    def leave(self, lane: Lane) -> None:
        self._agenda.cancel(lane.timer)
        lane.timer = None
        for queue in (*self._queues, *self._paused.values()):
            queue.pop(lane.key, None)
        if self.dry:
            self.dry.discard(lane)

    def lacks_airtime(self, lane: Lane, radio: str) -> None:
        """The lane has no place in the queues, but among those that wait for airtime on this radio."""
        self.leave(lane)
        lane.radio, lane.dry_until = radio, None
        self.dry.add(lane)

    def pause(self, address: str) -> None:
        """What this identity, or to this peer, is to be sent waits. Of what is under way the news count no
        more."""
        waiting = [lane for queue in self._queues for lane in queue.values()] + self.dry.lanes
        waiting += [flight.lane for flight in self._flights.values()]
        self._paused.setdefault(address, {})
        for lane in waiting:
            if address in (lane.key.identity, lane.peer):
                self.land(lane.head.id)
                self.line_up(lane)

    def unpause(self, address: str) -> None:
        """What waited for the identity or the peer goes on, unless it waits for the other one, too."""
        for lane in self._paused.pop(address, {}).values():
            self.line_up(lane)

    def holds(self, address: str) -> bool:
        """Whether what this identity, or to this peer, is to be sent waits until ``unpause``."""
        return address in self._paused

    def is_paused(self, row: OutboxRow) -> bool:
        return self.holds(row.key.identity) or self.holds(row.peer)

    def departing(self) -> Iterator[Lane]:
        """Lanes that have a place now."""
        for queue in self._queues:
            while queue and self.room(next(iter(queue.values())).peer):
                yield queue.popitem(last=False)[1]

    def wait(self, fill: Callable[[], None], *, crowded: bool) -> None:
        """If anybody waits for a place, call ``fill`` when one becomes free by itself. ``crowded``: so does
        one of those that lack airtime."""
        if (crowded or any(self._queues)) and self._place is None and self._flights:

            def free() -> None:
                self._place = None
                fill()

            when = min(flight.began for flight in self._flights.values()) + policy.SLOT_SECONDS
            self._place = self._agenda.at(max(when, self._agenda.clock() + 1.0), free)

    def room(self, peer: str) -> bool:
        """Whether an attempt to this peer has a place now."""
        if len(self._flights) < policy.MAX_TO_AWAY:
            return True
        rank = self._rank(peer)
        flights = [flight for flight in self._flights.values() if self._rank(flight.lane.peer) == rank]
        if rank == _AWAY:
            return len(flights) < policy.MAX_TO_AWAY
        fresh = self._agenda.clock() - policy.SLOT_SECONDS
        holding = sum(flight.began > fresh for flight in flights)
        return holding < policy.MAX_IN_FLIGHT and len(flights) < policy.MAX_OUTSTANDING

    def _rank(self, peer: str) -> int:
        if self._presence.is_there(peer):
            return _THERE
        return _AWAY if self._presence.is_away(peer) else _UNKNOWN

    def depart(self, lane: Lane, *, via: bool) -> None:
        now = self._agenda.clock()
        self._flights[lane.head.id] = Flight(lane=lane, began=now, news=now, via=via)
        if self._watch is None:
            self._watch = self._agenda.at(now + policy.NO_NEWS_SECONDS, self._look_after)

    def news(self, id: int) -> bool:
        """The attempt goes on; False if there is none."""
        flight = self._flights.pop(id, None)
        if flight is None:
            return False
        flight.news = self._agenda.clock()
        self._flights[id] = flight
        return True

    def land(self, id: int) -> Flight | None:
        flight = self._flights.pop(id, None)
        if flight is not None and self._landed is not None:
            self._landed(id)
        return flight

    def _look_after(self) -> None:
        self._watch = None
        while self._flights:
            id, flight = next(iter(self._flights.items()))
            until = flight.news + policy.NO_NEWS_SECONDS
            if until > self._agenda.clock():
                self._watch = self._agenda.at(until, self._look_after)
                return
            self._silent(id)
            self.land(id)

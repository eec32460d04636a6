"""Sessions with envelopes that have left our hands and are not confirmed: when to look after them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lrgpnode.agenda import Agenda, Entry
from lrgpnode.protocol.session import SessionKey

from . import policy
from .lanes import PeerIndex


class Healing:
    """``rested`` is called with a session of which a propagation node has had something for a day."""

    def __init__(self, agenda: Agenda, rested: Callable[[SessionKey], None]) -> None:
        self._agenda = agenda
        self._rested = rested
        self._sessions = PeerIndex()
        self._look_at: dict[SessionKey, float] = {}
        self._resting: dict[SessionKey, Entry] = {}

    def delivered(self, key: SessionKey, peer: str, attempts: int) -> None:
        self._sessions.add(key, peer)
        soonest = self._agenda.clock() + policy.heal_pause(attempts)
        self._look_at[key] = min(soonest, self._look_at.get(key, soonest))

    def stored(self, key: SessionKey, peer: str, rest: float = policy.STORED_SECONDS) -> None:
        """``rest``: how many seconds the propagation node is trusted with it."""
        self._sessions.add(key, peer)
        self._look_at[key] = 0.0
        self.again_later(key, rest)

    def again_later(self, key: SessionKey, rest: float = policy.STORED_SECONDS) -> None:
        self._agenda.cancel(self._resting.get(key))
        self._resting[key] = self._agenda.after(rest, self._wake, key)

    def resumed(self, key: SessionKey, peer: str) -> None:
        """Something was delivered before a restart."""
        self._sessions.add(key, peer)

    def heard(self, peer: str) -> Iterator[SessionKey]:
        """The sessions to look after, now that this peer is there."""
        now = self._agenda.clock()
        for key in self._sessions.of(peer):
            if self._look_at.get(key, 0.0) <= now:
                yield key

    def healed(self, key: SessionKey) -> None:
        """It is sent again."""
        self._look_at.pop(key, None)
        self._agenda.cancel(self._resting.pop(key, None))

    def nothing_to_do(self, key: SessionKey, until: float) -> None:
        """The database need not be asked again before ``until``, however often the peer is heard."""
        self._look_at[key] = max(until, self._agenda.clock() + policy.SOONEST_LOOK)

    def settled(self, key: SessionKey) -> None:
        """Everything of the session is confirmed, or of no use any more."""
        self._sessions.discard(key)
        self.healed(key)

    def _wake(self, key: SessionKey) -> None:
        del self._resting[key]
        self._rested(key)

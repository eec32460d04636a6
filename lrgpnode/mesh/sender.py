"""Which message goes to LXMF when: few at a time, and none to a peer whose key is not known.

LXMF checks every proof that comes in against every message still unproved, and on slow media it
sends one at a time anyway; so only a few are given to it and the rest wait here, in order for each
peer. A message to a peer that was never heard waits for the answer to a path request.

Everything here runs on the worker thread.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Final, Protocol

from .transport import Outgoing, Progress

MAX_IN_FLIGHT: Final = 64
MAX_PER_PEER: Final = 3
"""A message to a peer that is out of reach stays with LXMF for about a minute; it must not hold up
the others, so the whole may be larger than the ten proofs that are cheap to check at once. The outbox
sees to it that few are on their way; this is for what does not come from there."""

UNHEARD: Final = "peer never heard; path requested"

_log = logging.getLogger(__name__)


class CannotCarry(Exception):
    """This message will never go out; why, in a few words."""


class Carrier(Protocol):
    """What the sender needs of Reticulum and LXMF."""

    def known(self, peer: str) -> bool:
        """Is the peer's public key known? Raises ``CannotCarry`` where this is no address."""
        ...

    def request_path(self, identity: str, peer: str) -> None: ...

    def carry(self, message: Outgoing) -> None:
        """Give the message to LXMF and report that; ``Sender.ended`` is called later. Raises
        ``CannotCarry``."""
        ...


class Sender:
    """``took(peer, seconds)`` is told how long each message was under way that has arrived."""

    def __init__(
        self,
        carrier: Carrier,
        progress: Callable[[int, Progress, str], None],
        later: Callable[[float, Callable[[str], None], str], None],
        path_wait: Callable[[], float],
        took: Callable[[str, float], None] = lambda peer, seconds: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._carrier = carrier
        self._progress = progress
        self._later = later
        self._path_wait = path_wait
        self._took = took
        self._clock = clock
        self._unheard: dict[str, deque[Outgoing]] = {}
        self._queued: deque[Outgoing] = deque()
        self._flying: dict[int, tuple[Outgoing, float]] = {}
        self._per_peer: Counter[str] = Counter()

    @property
    def in_flight(self) -> int:
        return len(self._flying)

    @property
    def waiting(self) -> int:
        return len(self._queued) + sum(map(len, self._unheard.values()))

    def leave(self, identity: str) -> None:
        """The identity leaves the mesh: forget, without a word, what it has to send and had under way."""
        self._queued = deque(message for message in self._queued if message.identity != identity)
        for peer, messages in self._unheard.items():
            self._unheard[peer] = deque(m for m in messages if m.identity != identity)
        for message in [one for one, _ in self._flying.values() if one.identity == identity]:
            self.ended(message.ref)

    def submit(self, message: Outgoing) -> None:
        peer = message.peer
        if peer in self._unheard:
            self._unheard[peer].append(message)
            return
        try:
            known = self._carrier.known(peer)
        except CannotCarry as error:
            self._progress(message.ref, Progress.FAILED, str(error))
            return
        if known and message.via_propagation:
            self._hand_on(message)
        elif known:
            self._queued.append(message)
            self._pump()
        else:
            self._unheard[peer] = deque([message])
            self._later(self._path_wait(), self._give_up, peer)
            self._carrier.request_path(message.identity, peer)

    def heard(self, peer: str) -> None:
        """The peer's key has become known."""
        waiting = self._unheard.pop(peer, None)
        for message in waiting or ():
            if message.via_propagation:
                self._hand_on(message)
            else:
                self._queued.append(message)
        if waiting is not None:
            self._pump()

    def ended(self, ref: int, *, delivered: bool = False) -> None:
        """LXMF is done with the attempt, one way or the other. May be said twice."""
        flown = self._flying.pop(ref, None)
        if flown is not None:
            message, began = flown
            if delivered:
                self._took(message.peer, self._clock() - began)
            self._per_peer[message.peer] -= 1
            if not self._per_peer[message.peer]:
                del self._per_peer[message.peer]
            self._pump()

    def _give_up(self, peer: str) -> None:
        for message in self._unheard.pop(peer, ()):
            self._progress(message.ref, Progress.FAILED, UNHEARD)

    def _pump(self) -> None:
        held: deque[Outgoing] = deque()
        while self._queued and len(self._flying) < MAX_IN_FLIGHT:
            message = self._queued.popleft()
            if self._per_peer[message.peer] >= MAX_PER_PEER:
                held.append(message)
                continue
            self._fly(message)
        self._queued.extendleft(reversed(held))

    def _fly(self, message: Outgoing) -> None:
        self._flying[message.ref] = message, self._clock()
        self._per_peer[message.peer] += 1
        self._hand_on(message)

    def _hand_on(self, message: Outgoing) -> None:
        """What goes to a propagation node waits there for its turn: it is not in flight to the peer."""
        try:
            self._carrier.carry(message)
        except CannotCarry as error:
            self._failed(message, str(error))
        except Exception as error:  # noqa: BLE001 - LXMF raises what it likes; the caller must hear of it
            _log.exception("LXMF did not take message %d", message.ref)
            self._failed(message, f"LXMF did not take the message: {error}")

    def _failed(self, message: Outgoing, reason: str) -> None:
        # `ended` would pump while `_pump` is at work: only the books are put right here.
        if self._flying.pop(message.ref, None) is not None:
            self._per_peer[message.peer] -= 1
        self._progress(message.ref, Progress.FAILED, reason)

"""How much of the hour a radio may still be on the air, and for what.

Theory of operation. Everything that goes on the air is *spent*, and counts for an hour. What the node
originates is *asked for* first: enough for what LXMF may send again is held for it, what is spent comes out
of that, and the rest is given back at its end. At any time

    what was spent in the hour + what is held <= limit

so no sequence of requests, failures and repetitions can exceed the limit: a packet that would is refused
here, before the radio gets it. Within the limit a reserve is left to what nobody asks for (proofs, answers
about paths, packets of others), so that a node that sends all the time still proves what it gets; what of
these exceeds the reserve is taken from the rest. Purposes and peers have shares, which they do not exceed
but for a single message, since the smallest limit must not forbid the largest message.

``cover`` is called before more is spent than was promised to the disk; see ``Ledger``. Everything may be
called from any thread.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from threading import RLock
from types import MappingProxyType
from typing import Final

from .window import SPAN, Window

MICRO: Final = 1_000_000
LEASE: Final = 1800.0
"""Nothing is held for longer, whatever becomes of it. LXMF is done with an attempt in minutes."""

MAX_KNOWN: Final = 256
"""Peers and games with a window of their own; those beyond share one."""

OTHERS: Final = "*"
COVERS: Final = 20
"""Into so many parts the limit is divided that are promised to the disk in advance."""

UNLIMITED_COVER: Final = 180 * MICRO


class Purpose(StrEnum):
    """What something is sent for. The first five are asked for, the others come out of the reserve."""

    MOVES = "moves"
    TEXTS = "texts"
    ANNOUNCES = "announces"
    SYNC = "sync"
    GATEWAY = "gateway"
    PROOFS = "proofs"
    PATHS = "paths"
    RELAY = "relay"
    OTHER = "other"


ASKED: Final = frozenset((Purpose.MOVES, Purpose.TEXTS, Purpose.ANNOUNCES, Purpose.SYNC, Purpose.GATEWAY))

SHARES: Final[Mapping[Purpose, float]] = MappingProxyType(
    {
        Purpose.MOVES: 1.0,
        Purpose.TEXTS: 0.15,
        Purpose.ANNOUNCES: 0.15,
        Purpose.SYNC: 0.25,
        Purpose.GATEWAY: 0.35,
    }
)
"""Of what is not reserved. Moves may use all of it, and a tenth of it nobody else can take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``seconds`` of airtime in an hour, None without a limit; ``reserve`` is the part of it that is left to
    what nobody asks for; ``shares`` and ``peer`` are parts of the rest. Raises ``ValueError``."""

    seconds: float | None
    reserve: float = 0.25
    shares: Mapping[Purpose, float] = field(default_factory=lambda: SHARES)
    peer: float = 0.5

    def __post_init__(self) -> None:
        parts = (self.reserve, self.peer, *self.shares.values())
        if (self.seconds is not None and not 0 < self.seconds <= 3600) or not all(0 <= n <= 1 for n in parts):
            raise ValueError("these limits of airtime are not possible")


@dataclass(frozen=True, slots=True)
class Use:
    """What airtime is for. ``peer`` is a hash or "", ``app`` a game or ""."""

    purpose: Purpose
    peer: str = ""
    app: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether something may go out now, in which case airtime is held for it.

    If not: ``at`` is when it may at the latest, if nobody else takes it, or None: when something that is
    under way has ended. ``share``: only this purpose or peer has had its share, others may go on.
    """

    granted: bool
    at: float | None = None
    share: bool = False


@dataclass(slots=True)
class _Held:
    use: Use
    destination: str
    left: int
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A snapshot, in seconds. ``limit`` and ``left`` are None without a limit; ``left`` is what can be asked
    for now. ``refused`` counts packets since the start that would have exceeded it."""

    limit: float | None
    reserve: float
    used: float
    held: float
    left: float | None
    purposes: Mapping[Purpose, float]
    shares: Mapping[Purpose, float]
    apps: Mapping[str, float]
    refused: int


@dataclass(slots=True)
class Record:
    """What is stored: (age, microseconds) of all windows, and ``promised``, which may be spent unrecorded."""

    promised: int = 0
    all: list[tuple[float, int]] = field(default_factory=list)
    own: list[tuple[float, int]] = field(default_factory=list)
    purposes: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    peers: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    apps: dict[str, list[tuple[float, int]]] = field(default_factory=dict)


class Budget:
    """``clock`` in seconds, one that never goes back. ``cover`` stores a record before more is spent than
    was promised; ``released`` is told when held airtime is given back."""

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float],
        *,
        cover: Callable[[Record], None] = lambda record: None,
        released: Callable[[], None] = lambda: None,
    ) -> None:
        self.limits = limits
        self._released = released
        self._clock = clock
        self._cover = cover
        self._limit = None if limits.seconds is None else int(limits.seconds * MICRO)
        self._reserve = 0 if self._limit is None else int(self._limit * limits.reserve)
        self._lock = RLock()
        self._all = Window()
        self._own = Window()
        self._purposes = {purpose: Window() for purpose in Purpose}
        self._peers: dict[str, Window] = {}
        self._apps: dict[str, Window] = {}
        self._held: OrderedDict[Hashable, _Held] = OrderedDict()
        self._held_sum = 0
        self._uses: OrderedDict[str, Use] = OrderedDict()
        self._links: OrderedDict[str, str] = OrderedDict()
        self._covered = 0
        self._refused = 0

    @property
    def room(self) -> float:
        """Seconds of an hour that can be asked for in all; infinite without a limit."""
        return math.inf if self._limit is None else (self._limit - self._reserve) / MICRO

    # What the node originates

    def ask(
        self, token: Hashable, use: Use, seconds: float, *, least: float | None = None, destination: str = ""
    ) -> Answer:
        """Hold ``seconds`` for something, or as many of them as there are but not fewer than ``least``.

        ``token`` names it until ``release``, or until it is asked for again; packets to ``destination`` are
        paid out of it. With None as the token nothing is held: it is only asked.
        """
        most = _up(seconds)
        amount = most if least is None else min(most, _up(least))
        with self._lock:
            now = self._clock()
            self._end_leases(now)
            if token is not None:
                self._end(token)
            answer, spare = self._judge(use, amount, now)
            if answer.granted and token is not None:
                held = _Held(use, destination, min(most, max(amount, spare)), now + LEASE)
                self._held[token] = held
                self._held_sum += held.left
                if destination:
                    self._remember(destination, use)
            return answer

    def release(self, token: Hashable) -> None:
        """It has ended: give back what is left of it. May be said twice."""
        with self._lock:
            given = self._end(token)
        if given:
            self._released()

    def _judge(self, use: Use, amount: int, now: float) -> tuple[Answer, int]:
        """The answer, and how much could be held for this at most."""
        if self._limit is None:
            return Answer(granted=True), amount if amount else 0
        if amount > self._limit:
            return Answer(granted=False, at=now + SPAN), 0  # never; there is no use in asking often
        room = self._limit - self._reserve
        held = self._held_sum
        used_all, used_own = self._all.total(now), self._own.total(now)
        spare = min(room - used_own, self._limit - used_all) - held
        if amount > spare:
            alone = not used_own and not held and used_all + amount <= self._limit
            if not alone:
                ways = (
                    _free(self._own, room, held, amount, now),
                    _free(self._all, self._limit, held, amount, now),
                )
                return Answer(granted=False, at=_latest(ways, now)), 0
        for window, part, taken in self._shares_of(use):
            cap = int(room * part)
            used = window.total(now) + taken
            if used and used + amount > cap:
                return Answer(
                    granted=False, at=_latest((_free(window, cap, taken, amount, now),), now), share=True
                ), 0
            if used:
                spare = min(spare, cap - used)
        return Answer(granted=True), spare

    def _shares_of(self, use: Use) -> list[tuple[Window, float, int]]:
        """(what was used, the share, what is held) of the purpose and of the peer."""
        found = []
        part = self.limits.shares.get(use.purpose, 1.0)
        if part < 1.0:
            taken = sum(held.left for held in self._held.values() if held.use.purpose is use.purpose)
            found.append((self._purposes[use.purpose], part, taken))
        if use.peer and self.limits.peer < 1.0:
            taken = sum(held.left for held in self._held.values() if held.use.peer == use.peer)
            found.append((self._peers.get(use.peer) or Window(), self.limits.peer, taken))
        return found

    # What goes on the air

    def spend(self, seconds: float, use: Use, *, token: Hashable = None, destination: str = "") -> bool:
        """Something goes on the air now, if the answer is True; else it must not.

        It is paid out of what is held under ``token``, or for ``destination``, and then counts as that is
        for; else ``use`` says what it is for.
        """
        amount = _up(seconds)
        with self._lock:
            now = self._clock()
            self._end_leases(now)
            destination = self._links.get(destination, destination)
            held = self._held.get(token) if token is not None else self._for(destination)
            if held is not None:
                use = held.use
            elif destination in self._uses:
                use = self._uses[destination]
            paid = 0 if held is None else min(held.left, amount)
            if (
                self._limit is not None
                and self._all.total(now) + self._held_sum - paid + amount > self._limit
            ):
                self._refused += 1
                return False
            if held is not None:
                held.left -= paid
                self._held_sum -= paid
            self._note(use, amount, now)
            return True

    def _for(self, destination: str) -> _Held | None:
        """What is held for a destination: the first of which something is left, or the last."""
        last = None
        if destination:
            for held in self._held.values():
                if held.destination == destination:
                    last = held
                    if held.left:
                        return held
        return last

    def link(self, link: str, destination: str) -> None:
        """What goes over this link goes to ``destination``."""
        with self._lock:
            self._links[link] = destination
            if len(self._links) > MAX_KNOWN:
                self._links.popitem(last=False)

    def _note(self, use: Use, amount: int, now: float) -> None:
        if amount > self._covered:
            part = UNLIMITED_COVER if self._limit is None else self._limit // COVERS
            promised = max(part, amount)
            self._cover(self._record(now, promised))
            self._covered = promised
        self._covered -= amount
        self._all.add(now, amount)
        self._purposes[use.purpose].add(now, amount)
        if use.purpose in ASKED:
            self._own.add(now, amount)
        if use.peer:
            _of(self._peers, use.peer, now).add(now, amount)
        if use.app:
            _of(self._apps, use.app, now).add(now, amount)

    # Over restarts

    def record(self) -> Record:
        """Everything as it is, for a node that stops in order."""
        with self._lock:
            self._covered = 0
            return self._record(self._clock(), 0)

    def _record(self, now: float, promised: int) -> Record:
        return Record(
            promised=promised,
            all=self._all.entries(now),
            own=self._own.entries(now),
            purposes=_entries({str(purpose): w for purpose, w in self._purposes.items()}, now),
            peers=_entries(self._peers, now),
            apps=_entries(self._apps, now),
        )

    def restore(self, record: Record, passed: float) -> None:
        """Go on after a restart; ``passed``: seconds since the record that have certainly passed.

        What was promised then may all have been spent, and in the last moment. Before anything else.
        """
        now = self._clock()

        def take(window: Window, entries: list[tuple[float, int]]) -> None:
            window.restore([(age + passed, amount) for age, amount in entries], now)

        with self._lock:
            take(self._all, record.all)
            take(self._own, record.own)
            for purpose in Purpose:
                take(self._purposes[purpose], record.purposes.get(purpose, []))
            for windows, stored in ((self._peers, record.peers), (self._apps, record.apps)):
                for name, entries in stored.items():
                    take(_of(windows, name, now), entries)
            if record.promised:
                self._all.add(now, record.promised)
                self._purposes[Purpose.OTHER].add(now, record.promised)

    # What is known

    def figures(self) -> Figures:
        with self._lock:
            now = self._clock()
            self._end_leases(now)
            used, own = self._all.total(now), self._own.total(now)
            limit, room = self._limit, self.room
            left = (
                None
                if limit is None
                else max(0, min(limit - self._reserve - own, limit - used) - self._held_sum) / MICRO
            )
            return Figures(
                limit=self.limits.seconds,
                reserve=self._reserve / MICRO,
                used=used / MICRO,
                held=self._held_sum / MICRO,
                left=left,
                purposes={one: window.total(now) / MICRO for one, window in self._purposes.items()},
                shares={} if limit is None else {one: room * n for one, n in self.limits.shares.items()},
                apps={app: n / MICRO for app, w in self._apps.items() if (n := w.total(now))},
                refused=self._refused,
            )

    def _remember(self, destination: str, use: Use) -> None:
        self._uses[destination] = use
        self._uses.move_to_end(destination)
        if len(self._uses) > MAX_KNOWN:
            self._uses.popitem(last=False)

    def _end(self, token: Hashable) -> int:
        held = self._held.pop(token, None)
        if held is None:
            return 0
        self._held_sum -= held.left
        return held.left

    def _end_leases(self, now: float) -> None:
        while self._held:
            token, held = next(iter(self._held.items()))
            if held.until > now:
                return
            self._end(token)


def _up(seconds: float) -> int:
    return math.ceil(seconds * MICRO)


def _free(window: Window, limit: int, held: int, amount: int, now: float) -> float | None:
    """When a window has room for ``amount``; None where only the end of what is held can tell."""
    if amount + held <= limit:
        return window.free_at(limit - held - amount, now)
    at = window.free_at(limit - amount, now)
    return at if at > now or not held else None


def _latest(ways: tuple[float | None, ...], now: float) -> float | None:
    """Both must be free. Never ``now``: then what is held is in the way."""
    if None in ways:
        return None
    at = max(way for way in ways if way is not None)
    return at if at > now else None


def _of(windows: dict[str, Window], name: str, now: float) -> Window:
    if name not in windows and len(windows) >= MAX_KNOWN:
        for empty in [known for known, window in windows.items() if not window.total(now)]:
            del windows[empty]
        if len(windows) >= MAX_KNOWN:
            name = OTHERS
    return windows.setdefault(name, Window())


def _entries(windows: Mapping[str, Window], now: float) -> dict[str, list[tuple[float, int]]]:
    found = {name: window.entries(now) for name, window in windows.items()}
    return {name: entries for name, entries in found.items() if entries}

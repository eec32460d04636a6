"""All sessions of one start of the server, their ids, and what has changed since somebody looked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from gateway.rcadia.server.table import Session

_PLAYERS_REMEMBERED: Final = 200
"""Player ids a series remembers of people who left."""


@dataclass(slots=True)
class Room:
    """``tag`` is the boot tag, ``token_hex(bytes)`` the source of randomness.

    ``changed`` and ``ended`` are emptied by whoever drives the engine. ``due`` is a heap of times at which a
    session may have something to do; a time may be too early, never too late. ``stored``: bytes that games
    have published, ``queued``: bytes of the actions that wait for hosts; both also by the accounts that host.
    ``skew``: seconds by which the times that are shown are later than those inside.
    """

    tag: str
    token_hex: Callable[[int], str]
    sessions: dict[str, Session] = field(default_factory=dict)
    changed: dict[Session, None] = field(default_factory=dict)
    ended: list[Session] = field(default_factory=list)
    due: list[tuple[float, int, Session]] = field(default_factory=list)
    stored: int = 0
    queued: int = 0
    stored_by: Counter[str] = field(default_factory=Counter)
    queued_by: Counter[str] = field(default_factory=Counter)
    skew: float = 0.0
    _counter: int = 0

    def new_session_id(self) -> str:
        while True:
            id = f"ses_{self.tag}{self.token_hex(4)}"
            if id not in self.sessions:
                return id

    def new_player_id(self, session: Session) -> str:
        taken = {seat.player_id for seat in session.seats} | set(session.series.players.values())
        while True:
            id = f"p_{self.token_hex(4)}"
            if id not in taken:
                return id

    def player_id(self, session: Session, account: str) -> str:
        """The id of an account in this series: the one it had before, if it was here before."""
        known = session.series.players
        if account not in known:
            known[account] = self.new_player_id(session)
            if len(known) > _PLAYERS_REMEMBERED:
                seated = {seat.account for seat in session.seats}
                del known[next(one for one in known if one not in seated and one != account)]
        return known[account]

    def new_action_id(self) -> str:
        return f"a_{self.token_hex(6)}"

    def add(self, session: Session) -> None:
        self.sessions[session.id] = session
        self.changed[session] = None

    def count_stored(self, session: Session, size: int) -> None:
        """The game of this session publishes so many bytes now."""
        more, session.stored = size - session.stored, size
        self.stored += more
        _add(self.stored_by, session.host.account, more)

    def count_queued(self, session: Session, size: int) -> None:
        """So many bytes of actions wait for the host of this session now."""
        more, session.queued = size - session.queued, size
        self.queued += more
        _add(self.queued_by, session.host.account, more)

    def schedule(self, session: Session, at: float | None) -> None:
        """Look at the session again at that time at the latest."""
        if at is None or (session.scheduled is not None and session.scheduled <= at):
            return
        session.scheduled = at
        self._counter += 1
        heappush(self.due, (at, self._counter, session))

    def next_due(self) -> float | None:
        """When something may be due; Unix seconds."""
        return self.due[0][0] if self.due else None

    def take_due(self, now: float) -> Iterator[Session]:
        """Sessions whose time has come; each must be scheduled again."""
        while self.due and self.due[0][0] <= now:
            at, _, session = heappop(self.due)
            if session.scheduled == at:
                session.scheduled = None
                yield session


def _add(counts: Counter[str], account: str, more: int) -> None:
    counts[account] += more
    if not counts[account]:
        del counts[account]

"""Waiting for airtime: who asks for it, and in which order those wait that have not got it.

What a player does goes out first, then what answers somebody, then what only says how things stand; of the
last only the newest is kept for each game. Within a rank, whoever came first goes first: who needs much
airtime is not overtaken for ever by those who need little.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol

from lrgpnode.airtime.budget import Answer
from lrgpnode.mesh.transport import Outgoing
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import SessionKey

from .lane import Lane

FALLBACK_SECONDS: Final = 600.0
"""What is under way is over by then, if nobody has said so."""

MAX_NOTICES: Final = 64


class Airtime(Protocol):
    """What the outbox needs of those who count airtime. Everything returns at once."""

    def by(self, message: Outgoing) -> str:
        """The radio an attempt would go out by, "" if it needs none and so no airtime."""
        ...

    def ask(self, message: Outgoing) -> Answer:
        """Whether it may go out now; if so, airtime is held for it until ``ended``."""
        ...

    def ended(self, ref: int) -> None:
        """The attempt is over."""
        ...


class Rank(IntEnum):
    """The first goes first; notices come after them."""

    MOVE = 0
    ANSWER = 1


_MOVES: Final = frozenset((Command.MOVE, Command.RESIGN))


def rank(command: str) -> Rank:
    return Rank.MOVE if command in _MOVES else Rank.ANSWER


@dataclass(slots=True, eq=False)
class Notice:
    """A message without a row, which nobody sends again: an error action about ``key``."""

    key: SessionKey
    message: Outgoing
    radio: str

    @property
    def peer(self) -> str:
        return self.message.peer


class Waiting:
    """What waits for airtime."""

    def __init__(self) -> None:
        self._lanes: dict[SessionKey, Lane] = {}
        self._notices: OrderedDict[SessionKey, Notice] = OrderedDict()
        self._order: list[Lane] | None = []
        self.until: float | None = None
        """When the first of them may go out, by the agenda's clock; None if nobody knows."""

    def __len__(self) -> int:
        return len(self._lanes) + len(self._notices)

    def __contains__(self, lane: Lane) -> bool:
        return self._lanes.get(lane.key) is lane

    def __iter__(self) -> Iterator[Lane | Notice]:
        """As they are now, the first first."""
        if self._order is None:
            self._order = sorted(
                self._lanes.values(), key=lambda lane: (rank(lane.head.command), lane.head.id)
            )
        lanes: tuple[Lane | Notice, ...] = tuple(self._order)
        return iter((*lanes, *self._notices.values()))

    @property
    def lanes(self) -> list[Lane]:
        return list(self._lanes.values())

    def add(self, lane: Lane) -> None:
        self._lanes[lane.key] = lane
        self._order = None

    def note(self, notice: Notice) -> None:
        """In the place of an older one about the same game."""
        self._notices[notice.key] = notice
        if len(self._notices) > MAX_NOTICES:
            self._notices.popitem(last=False)

    def discard(self, item: Lane | Notice) -> None:
        if isinstance(item, Notice):
            if self._notices.get(item.key) is item:
                del self._notices[item.key]
        elif item in self:
            del self._lanes[item.key]
            if self._order is not None:
                # Mostly it is one of the first.
                self._order.remove(item)

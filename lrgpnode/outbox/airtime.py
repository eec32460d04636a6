"""Waiting for airtime: who asks for it, and in which order those wait that have not got it.

What a player does goes out first, then what answers somebody, then what people write each other, then what
only says how things stand; of the last only the newest is kept for each game. Within a rank, whoever came
first goes first: who needs much airtime is not overtaken for ever by those who need little.
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
    """The first goes first."""

    MOVE = 0
    ANSWER = 1
    TEXT = 2
    STATE = 3


_MOVES: Final = frozenset((Command.MOVE, Command.RESIGN))


def rank(command: str, *, text: bool = False) -> Rank:
    if command in _MOVES:
        return Rank.MOVE
    return Rank.TEXT if text else Rank.ANSWER


@dataclass(frozen=True, slots=True)
class Notice:
    """A message without a row, which nobody sends again: an error action about ``key``, from ``peer``."""

    key: SessionKey
    message: Outgoing

    @property
    def peer(self) -> str:
        return self.message.peer


class Waiting:
    """What waits for airtime."""

    def __init__(self) -> None:
        self._ranks: tuple[OrderedDict[SessionKey, Lane | Notice], ...] = tuple(OrderedDict() for _ in Rank)
        self.until: float | None = None
        """When the first of them may go out, by the agenda's clock; None if nobody knows."""

    def __len__(self) -> int:
        return sum(map(len, self._ranks))

    def __contains__(self, lane: Lane) -> bool:
        return any(ranked.get(lane.key) is lane for ranked in self._ranks)

    def __iter__(self) -> Iterator[Lane | Notice]:
        """As they are now, the first first."""
        return iter([item for ranked in self._ranks for item in ranked.values()])

    @property
    def lanes(self) -> list[Lane]:
        return [item for item in self if isinstance(item, Lane)]

    def add(self, lane: Lane) -> None:
        self.discard(lane)
        self._ranks[rank(lane.head.command, text=not lane.head.envelope)][lane.key] = lane

    def note(self, notice: Notice) -> None:
        """In the place of an older one about the same game."""
        notices = self._ranks[Rank.STATE]
        notices[notice.key] = notice
        if len(notices) > MAX_NOTICES:
            notices.popitem(last=False)

    def discard(self, item: Lane | Notice) -> None:
        for ranked in self._ranks:
            if ranked.get(item.key) is item:
                del ranked[item.key]

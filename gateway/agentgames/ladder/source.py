"""Where a ladder comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lrgpnode.control import models
from lrgpnode.protocol.value import Value


class Unavailable(Exception):
    """What was asked for is not to be had; ``str()`` is a sentence for whoever asked."""


def no_match(number: int) -> Unavailable:
    return Unavailable(f"There is no match {number}.")


def goes_on(number: int) -> Unavailable:
    return Unavailable(f"Match {number} is still being played.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Activity(Value):
    """What goes on, and how long one has: seconds for a move, and in the queue."""

    games: tuple[models.LadderGame, ...]
    move_seconds: float
    queue_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Record(Value):
    """A match and its moves as they were sent."""

    match: models.LadderMatch
    moves: tuple[str, ...]


class Source(Protocol):
    """All raise ``Unavailable``. ``game`` is an id of ``rules.GAMES``."""

    @property
    def name(self) -> str:
        """The address of the arcade, "" for that of this node."""
        ...

    async def activity(self) -> Activity: ...

    async def rows(self, game: str, *, skip: int, limit: int) -> Sequence[models.LadderRow]:
        """At most ``limit``, from the best after ``skip`` of them."""
        ...

    async def matches(
        self, game: str | None, player: str | None, *, before: int | None, limit: int
    ) -> Sequence[models.LadderMatch]:
        """At most ``limit``, the newest first, none that goes on."""
        ...

    async def record(self, number: int) -> Record: ...

    async def close(self) -> None: ...

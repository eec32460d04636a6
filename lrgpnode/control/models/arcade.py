"""The ladder of the arcade of this node: standings, matches, and what is played now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from .base import PAGE, Limit, Method, Model, Nothing

LadderGame = Annotated[
    Literal["ttt", "c4", "chess"], Meta(description="A game of the ladder: `ttt`, `c4` or `chess`.")
]


class ArcadeGame(Model, frozen=True, kw_only=True):
    """``waiting``: the name of whoever waits for an opponent, or "". ``playing``: rated matches now."""

    game: str
    title: str
    waiting: str
    playing: int


class ArcadeArena(Model, frozen=True, kw_only=True):
    """What is played at the ladder, and the seconds for a move and in the queue."""

    games: tuple[ArcadeGame, ...]
    move_seconds: float
    queue_seconds: float


class ArcadeStanding(Model, frozen=True, kw_only=True):
    """``rating`` is not rounded."""

    rank: int
    name: str
    rating: float
    played: int
    won: int
    drawn: int
    lost: int


class ArcadeLadder(Model, frozen=True, kw_only=True):
    """From the best. ``total``: how many are on this ladder."""

    game: str
    total: int
    players: tuple[ArcadeStanding, ...]


class ArcadeMatch(Model, frozen=True, kw_only=True):
    """``state``: ``playing``, ``over``, or ``void``: the arcade was stopped, and it counts for nothing.

    ``players``: player 0, who moves first, and 1. ``winner``: 0, 1, -1 for a draw, null unless it is over.
    ``reason``: "" where the board says how it ended.
    """

    number: int
    game: str
    state: str
    players: tuple[str, ...]
    winner: int | None
    reason: str
    plies: int
    started_at: float
    ended_at: float | None
    ratings_before: tuple[float, ...] | None = None
    ratings_after: tuple[float, ...] | None = None


class ArcadeMatches(Model, frozen=True, kw_only=True):
    """The newest first. ``before``: asks for the next page; null on the last one."""

    matches: tuple[ArcadeMatch, ...]
    before: int | None = None


class ArcadeStep(Model, frozen=True, kw_only=True):
    """A move as it was sent, as people call it, and the board after it."""

    move: str
    label: str
    rows: tuple[str, ...]


class ArcadeReplay(Model, frozen=True, kw_only=True):
    """``rows``: the first board, from the top, a letter a cell: ``X`` and ``O`` for players 0 and 1, ``.``
    for none, in chess the letters of FEN. ``fen``: the last position of chess, or "".
    """

    match: ArcadeMatch
    rows: tuple[str, ...]
    steps: tuple[ArcadeStep, ...]
    fen: str = ""


class ArcadeLadderParams(Model, frozen=True, kw_only=True):
    """``skip``: how many not to show."""

    game: LadderGame
    limit: Limit = PAGE
    skip: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


class ArcadeMatchesParams(Model, frozen=True, kw_only=True):
    """``player``: the name of an account. ``before``: only lower numbers."""

    game: LadderGame | None = None
    player: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    before: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    limit: Limit = PAGE


class ArcadeMatchParams(Model, frozen=True, kw_only=True):
    """``number`` as ``arcade.matches`` shows it."""

    number: Annotated[int, Meta(ge=1, le=2**53)]


METHODS: Final = (
    Method("arcade.arena", Nothing, ArcadeArena, "What is played at the arcade's ladder now."),
    Method("arcade.ladder", ArcadeLadderParams, ArcadeLadder, "The ladder of a game."),
    Method("arcade.matches", ArcadeMatchesParams, ArcadeMatches, "Matches of the ladder that have ended."),
    Method("arcade.match", ArcadeMatchParams, ArcadeReplay, "A match of the ladder, move by move."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}

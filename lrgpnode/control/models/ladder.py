"""The ladder of AgentGames at an arcade: who stands where, and matches move by move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from .base import PAGE, Limit, Method, Model, Text

GameRef = Annotated[
    str, Meta(min_length=1, max_length=64, description="A game of the ladder, e.g. `c4`, by id or name.")
]
MatchNumber = Annotated[int, Meta(ge=1, le=2**53, description="Number of a match.")]


class LadderGame(Model, frozen=True, kw_only=True):
    """A game of the ladder, now. ``app``: its id among the games of this node, "" where it is not installed.

    ``waiting``: the name of whoever waits for an opponent, or "". ``playing``: matches that go on.
    """

    game: str
    name: str
    app: str = ""
    waiting: str = ""
    playing: int = 0


class LadderRow(Model, frozen=True, kw_only=True):
    """``rank`` counts from 1."""

    rank: int
    name: str
    rating: float
    won: int
    drawn: int
    lost: int


class LadderParams(Model, frozen=True, kw_only=True):
    """Without ``game`` the first one. ``skip``: how many of the best are left out."""

    game: GameRef | None = None
    skip: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    limit: Limit = PAGE


class Ladder(Model, frozen=True, kw_only=True):
    """``source``: address of the arcade, "" for that of this node. ``more``: there are others below.

    ``move_seconds``: for a move. ``queue_seconds``: how long somebody waits for an opponent.
    """

    source: str
    games: tuple[LadderGame, ...]
    game: str
    rows: tuple[LadderRow, ...]
    move_seconds: float
    queue_seconds: float
    more: bool = False


class LadderMatch(Model, frozen=True, kw_only=True):
    """A match that is over, or void: then it counts for nothing.

    ``players``: both names; the first moved first. ``winner``: 0, 1, -1 for a draw, null where it is void.
    ``reason``: "" where the board says how it ended. ``before``, ``after``: ratings of both, if it counted.
    """

    number: int
    game: str
    name: str
    players: tuple[str, ...]
    plies: int
    started_at: float
    void: bool = False
    winner: int | None = None
    reason: str = ""
    before: tuple[float, ...] | None = None
    after: tuple[float, ...] | None = None
    ended_at: float | None = None


class LadderMatchesParams(Model, frozen=True, kw_only=True):
    """``player``: a name. ``before``: only matches with smaller numbers."""

    game: GameRef | None = None
    player: Text | None = None
    before: MatchNumber | None = None
    limit: Limit = PAGE


class LadderMatches(Model, frozen=True, kw_only=True):
    """The newest first. ``more``: there are older ones; go on ``before`` the last number."""

    source: str
    matches: tuple[LadderMatch, ...]
    more: bool = False


class ReplayParams(Model, frozen=True, kw_only=True):
    """The positions after ``first`` moves and later ones; 0 is the first position."""

    number: MatchNumber
    first: Annotated[int, Meta(ge=0, le=100_000)] = 0
    limit: Limit = PAGE


class ReplayFrame(Model, frozen=True, kw_only=True):
    """The board after ``moves`` moves; fields as those of a view."""

    moves: int
    grid: tuple[tuple[str, ...], ...]
    last_cells: tuple[tuple[int, ...], ...] = ()
    extras: Mapping[str, Any] = msgspec.field(default_factory=dict)


class Replay(Model, frozen=True, kw_only=True):
    """``view``: the last position as player 0 sees it, with all moves in ``history``."""

    source: str
    match: LadderMatch
    view: Mapping[str, Any]
    frames: tuple[ReplayFrame, ...]
    more: bool = False


METHODS: Final = (
    Method("ladder.show", LadderParams, Ladder, "The ladder of a game, and what is going on."),
    Method("ladder.matches", LadderMatchesParams, LadderMatches, "Rated matches that were played."),
    Method("ladder.replay", ReplayParams, Replay, "A rated match, position by position."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}

"""The ladder of another arcade, over HTTP: bounded, timed, and believed only where it makes sense.

No account is needed to read it, so no token is ever sent. An answer is kept for some seconds, so that whoever
asks this node often does not make it ask the arcade as often.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from gateway.address import Address
from gateway.agentgames import wire
from gateway.agentgames.ladder.source import Activity, Record, Unavailable, goes_on, no_match
from gateway.agentgames.server.rules import GAMES
from gateway.rcadia.client.errors import RcadiaError, UnknownSession
from gateway.rcadia.client.transport import Connections, Limits, Query, Transport
from gateway.rcadia.wire import Answer, parse_time
from lrgpnode.control import models
from lrgpnode.control.text import clean

T = TypeVar("T")

CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 10.0
MOST_BYTES: Final = 2 << 20
"""Of an answer: the longest game of chess that the rules allow, with all its boards, is less."""

MOST_ROWS: Final = 50
MOST_NAME: Final = 64
FRESH_SECONDS: Final = 5.0
KEPT: Final = 64
_BASE: Final = ("api", "v1", "arcade")
_STATES: Final = ("over", "void")


class _Game(Answer, frozen=True, kw_only=True):
    game: str
    waiting: str | None = None
    playing: int = 0


class _Arena(Answer, frozen=True, kw_only=True):
    games: list[_Game]
    move_seconds: float
    queue_seconds: float


class _Row(Answer, frozen=True, kw_only=True):
    rank: int
    name: str
    rating: float
    won: int
    drawn: int
    lost: int


class _Ladder(Answer, frozen=True, kw_only=True):
    players: list[_Row]


class _Player(Answer, frozen=True, kw_only=True):
    name: str
    rating_before: float | None = None
    rating_after: float | None = None


class _Match(Answer, frozen=True, kw_only=True):
    number: int
    game: str
    state: str
    players: list[_Player]
    winner: int | None
    plies: int
    started_at: str
    reason: str | None = None
    ended_at: str | None = None


class _Matches(Answer, frozen=True, kw_only=True):
    matches: list[_Match]


class _Step(Answer, frozen=True, kw_only=True):
    move: str


class _Replay(Answer, frozen=True, kw_only=True):
    match: _Match
    steps: list[_Step]


class Remote:
    """Implements ``Source``. ``now`` is any clock in seconds."""

    def __init__(self, address: Address, *, now: Callable[[], float] = time.monotonic) -> None:
        limits = Limits(connect=CONNECT_SECONDS, total=ANSWER_SECONDS, answer=MOST_BYTES, connections=4)
        self._connections = Connections(address, limits=limits)
        self._transport = Transport(self._connections)
        self._now = now
        self._kept: OrderedDict[tuple[object, ...], tuple[float, msgspec.Struct]] = OrderedDict()
        self._one = asyncio.Lock()
        self.name = address.base

    async def activity(self) -> Activity:
        found = await self._ask(("arena",), _Arena)
        if not (math.isfinite(found.move_seconds) and math.isfinite(found.queue_seconds)):
            raise _nonsense()
        here = {one.game: one for one in found.games}
        return Activity(
            games=tuple(
                models.LadderGame(
                    game=game.id,
                    name=game.title,
                    app=game.app,
                    waiting=_name(here[game.id].waiting or ""),
                    playing=max(0, here[game.id].playing),
                )
                for game in GAMES.values()
                if game.id in here
            ),
            move_seconds=found.move_seconds,
            queue_seconds=found.queue_seconds,
        )

    async def rows(self, game: str, *, skip: int, limit: int) -> Sequence[models.LadderRow]:
        found = await self._ask(("ladder",), _Ladder, game=game, skip=skip, limit=limit)
        return [_row(one) for one in _page(found.players, limit)]

    async def matches(
        self, game: str | None, player: str | None, *, before: int | None, limit: int
    ) -> Sequence[models.LadderMatch]:
        wanted = {"game": game, "player": player, "before": before, "limit": limit}
        found = await self._ask(
            ("matches",), _Matches, **{name: value for name, value in wanted.items() if value is not None}
        )
        return [_match(one) for one in _page(found.matches, limit)]

    async def record(self, number: int) -> Record:
        try:
            found = await self._ask(("matches", str(number)), _Replay)
        except UnknownSession:
            raise no_match(number) from None
        if found.match.state == "playing":
            raise goes_on(number)
        match = _match(found.match)
        moves = tuple(one.move for one in found.steps)
        if match.number != number or (match.plies != len(moves) and not match.void):
            raise _nonsense()
        return Record(match=match, moves=moves)

    async def close(self) -> None:
        await self._connections.close()

    # Within

    async def _ask(self, path: tuple[str, ...], kind: type[T], **query: str | int) -> T:
        """Raises ``Unavailable``, and ``UnknownSession`` for what is not there."""
        key = (path, *sorted(query.items()))
        async with self._one:
            until, kept = self._kept.get(key, (0.0, None))
            if isinstance(kept, kind) and self._now() < until:
                return kept
            found = await self._fetch(path, query, kind)
            assert isinstance(found, msgspec.Struct)
            self._kept[key] = (self._now() + FRESH_SECONDS, found)
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found

    async def _fetch(self, path: tuple[str, ...], query: Query, kind: type[T]) -> T:
        try:
            return await self._transport.request("GET", (*_BASE, *path), kind, query=query)
        except UnknownSession:
            raise
        except RcadiaError as error:
            said = str(error).replace("The platform", f"The arcade at {self.name}")
            raise Unavailable(clean(f"{said.rstrip('.')}.")) from None


def _row(one: _Row) -> models.LadderRow:
    if not (math.isfinite(one.rating) and min(one.rank, one.won, one.drawn, one.lost) >= 0):
        raise _nonsense()
    return models.LadderRow(
        rank=one.rank,
        name=_name(one.name),
        rating=one.rating,
        won=one.won,
        drawn=one.drawn,
        lost=one.lost,
    )


def _match(one: _Match) -> models.LadderMatch:
    started, winner = parse_time(one.started_at), one.winner
    over = one.state == "over"
    sound = (
        one.game in GAMES
        and one.state in _STATES
        and len(one.players) == 2
        and one.plies >= 0
        and one.number >= 1
        and started is not None
        and (winner in (0, 1, wire.DRAW) if over else winner is None)
    )
    if not sound:
        raise _nonsense()
    assert started is not None
    first, second = one.players
    return models.LadderMatch(
        number=one.number,
        game=one.game,
        name=GAMES[one.game].title,
        players=(_name(first.name), _name(second.name)),
        plies=one.plies,
        started_at=started,
        void=not over,
        winner=winner,
        reason=clean(one.reason or "", MOST_NAME),
        before=_ratings(first.rating_before, second.rating_before),
        after=_ratings(first.rating_after, second.rating_after),
        ended_at=parse_time(one.ended_at),
    )


def _ratings(first: float | None, second: float | None) -> tuple[float, float] | None:
    if first is None or second is None or not (math.isfinite(first) and math.isfinite(second)):
        return None
    return first, second


def _page(found: list[T], limit: int) -> list[T]:
    return found[: min(limit, MOST_ROWS)]


def _name(name: str) -> str:
    return clean(name, MOST_NAME)


def _nonsense() -> Unavailable:
    return Unavailable("The arcade's answer makes no sense.")

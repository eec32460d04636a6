"""The ladder and its matches as JSON, for pages and programs. Everybody may read it."""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import web

from gateway.agentgames.server import rules
from gateway.agentgames.server.arena import Arena
from gateway.agentgames.server.records import MAX_NUMBER, PAGE, Played, Standing
from gateway.agentgames.server.replay import Replay, replayed
from gateway.rcadia import wire
from gateway.rcadia.server.refusal import Refusal, bad
from gateway.rcadia.server.web import answers, requests
from gateway.rcadia.server.web.service import Service
from lrgpnode.house.levels import LEVELS

BASE: Final = "/api/v1/arcade"
ARENA: Final = f"{BASE}/arena"
LADDER: Final = f"{BASE}/ladder"
MATCHES: Final = f"{BASE}/matches"
MATCH: Final = f"{MATCHES}/{{number}}"

MAX_SKIPPED: Final = 1_000_000


class ArenaGame(wire.Answer, frozen=True, kw_only=True):
    """A game of the ladder. ``waiting``: who waits for an opponent. ``playing``: rated matches now.

    ``levels``: names of the levels of practice, the easiest first; the first is level 1.
    """

    game: str
    title: str
    waiting: str | None
    playing: int
    levels: list[str]


class ArenaAnswer(wire.Answer, frozen=True, kw_only=True):
    """What is played, and how long one has: seconds for a move, in practice too, and in the queue."""

    games: list[ArenaGame]
    move_seconds: float
    practice_seconds: float
    queue_seconds: float


class LadderRow(wire.Answer, frozen=True, kw_only=True):
    """``rating`` is not rounded."""

    rank: int
    name: str
    rating: float
    played: int
    won: int
    drawn: int
    lost: int


class LadderAnswer(wire.Answer, frozen=True, kw_only=True):
    """From the best. ``total``: how many are on this ladder."""

    game: str
    total: int
    players: list[LadderRow]


class MatchPlayer(wire.Answer, frozen=True, kw_only=True):
    """Player 0, who moves first, or 1. The ratings are null where the match is not over."""

    name: str
    rating_before: float | None
    rating_after: float | None


class MatchAnswer(wire.Answer, frozen=True, kw_only=True):
    """``state``: ``playing``, ``over``, or ``void`` for one that counts for nothing: the server was stopped.

    ``winner``: 0, 1, -1 for a draw, null unless it is over. ``reason``: null where
    the board says how it ended.
    """

    number: int
    game: str
    state: str
    players: list[MatchPlayer]
    winner: int | None
    reason: str | None
    plies: int
    started_at: str
    ended_at: str | None


class MatchesAnswer(wire.Answer, frozen=True, kw_only=True):
    """The newest first. ``before``: asks for the next page; null on the last one."""

    matches: list[MatchAnswer]
    before: int | None


class MatchStep(wire.Answer, frozen=True, kw_only=True):
    """A move: as it was sent, as people call it, and the board after it."""

    move: str
    label: str
    rows: list[str]


class ReplayAnswer(wire.Answer, frozen=True, kw_only=True):
    """A match with every position. A board is a list of rows from the top, each a text with a letter a cell.

    Letters: ``X`` is player 0, ``O`` player 1; in chess those of FEN, of which capitals are player 0. ``.``
    is an empty cell. ``fen``: the last position of chess, else null.
    """

    match: MatchAnswer
    rows: list[str]
    steps: list[MatchStep]
    fen: str | None


class LadderRoutes:
    """``table()`` is what an application adds to its router."""

    def __init__(self, service: Service, arena: Arena) -> None:
        self._service = service
        self._arena = arena
        self._replays = asyncio.Semaphore(1)

    def table(self) -> list[web.RouteDef]:
        route = self._service.route
        return [
            web.get(ARENA, route(self.arena)),
            web.get(LADDER, route(self.ladder)),
            web.get(MATCHES, route(self.matches)),
            web.get(MATCH, route(self.match)),
        ]

    async def arena(self, request: web.Request) -> web.StreamResponse:
        self._service.gate.anybody(request)
        settings = self._arena.settings
        games = [
            ArenaGame(
                game=one.game,
                title=rules.GAMES[one.game].title,
                waiting=one.waiting or None,
                playing=one.playing,
                levels=[level.name for level in LEVELS[rules.GAMES[one.game].app]],
            )
            for one in self._arena.activity()
        ]
        return answers.json(
            ArenaAnswer(
                games=games,
                move_seconds=settings.move_seconds,
                practice_seconds=settings.practice_seconds,
                queue_seconds=settings.queue_seconds,
            )
        )

    async def ladder(self, request: web.Request) -> web.StreamResponse:
        self._service.gate.anybody(request)
        game = _game(request)
        if game is None:
            raise bad(f"game must be one of {', '.join(rules.GAMES)}.")
        most, skip = _bounded(request, "limit", 1, PAGE), _bounded(request, "skip", 0, MAX_SKIPPED)
        store = self._arena.store
        found = await asyncio.to_thread(store.ladder, game, most or PAGE, skip or 0)
        total = await asyncio.to_thread(store.rated, game)
        return answers.json(LadderAnswer(game=game, total=total, players=[ladder_row(one) for one in found]))

    async def matches(self, request: web.Request) -> web.StreamResponse:
        self._service.gate.anybody(request)
        game, player = _game(request), request.query.get("player") or None
        most = _bounded(request, "limit", 1, PAGE) or PAGE
        before = _bounded(request, "before", 1, MAX_NUMBER)
        found = await asyncio.to_thread(
            self._arena.store.matches, most, game=game, player=player, before=before
        )
        last = found[-1].number if len(found) == most else None
        return answers.json(MatchesAnswer(matches=[match_answer(one) for one in found], before=last))

    async def match(self, request: web.Request) -> web.StreamResponse:
        self._service.gate.anybody(request)
        text = request.match_info["number"]
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
        found = await asyncio.to_thread(self._arena.store.match, number)
        if found is None:
            raise Refusal(404, "unknown_match", "There is no such match.")
        played, moves = found
        async with self._replays:  # A long game of chess takes a processor for a while.
            shown = await asyncio.to_thread(replayed, played.game, moves)
        return answers.json(replay_answer(played, shown))


def ladder_row(one: Standing) -> LadderRow:
    return LadderRow(
        rank=one.rank,
        name=one.name,
        rating=one.rating,
        played=one.played,
        won=one.won,
        drawn=one.drawn,
        lost=one.lost,
    )


def match_answer(one: Played) -> MatchAnswer:
    players = [
        MatchPlayer(
            name=name,
            rating_before=None if one.before is None else one.before[seat],
            rating_after=None if one.after is None else one.after[seat],
        )
        for seat, name in enumerate(one.players)
    ]
    return MatchAnswer(
        number=one.number,
        game=one.game,
        state=one.state,
        players=players,
        winner=one.winner,
        reason=one.reason or None,
        plies=one.plies,
        started_at=wire.format_time(one.started_at),
        ended_at=None if one.ended_at is None else wire.format_time(one.ended_at),
    )


def replay_answer(played: Played, shown: Replay) -> ReplayAnswer:
    return ReplayAnswer(
        match=match_answer(played),
        rows=list(shown.rows),
        steps=[MatchStep(move=one.move, label=one.label, rows=list(one.rows)) for one in shown.steps],
        fen=shown.fen or None,
    )


def _game(request: web.Request) -> str | None:
    game = request.query.get("game") or None
    if game is not None and game not in rules.GAMES:
        raise bad(f"game must be one of {', '.join(rules.GAMES)}.")
    return game


def _bounded(request: web.Request, name: str, least: int, most: int) -> int | None:
    number = requests.whole(request, name)
    if number is not None and not least <= number <= most:
        raise bad(f"{name} must be a number from {least} to {most}.")
    return number

"""Results of games, written to the store and shown."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final, cast

import msgspec
from aiohttp import web

from gateway.arcade.store import ArcadeStore, Result, StoreError
from gateway.rcadia import wire
from gateway.rcadia.server.refusal import bad
from gateway.rcadia.server.table import Session
from gateway.rcadia.server.web import answers, requests
from gateway.rcadia.server.web.service import Service

PATH: Final = "/api/v1/arcade/results"
PAGE: Final = 50

MAX_RESULT: Final = 2048
"""Bytes of a result that are worth keeping; a larger one is kept as null."""

log = logging.getLogger("lrgpnode.arcade")


class ResultPlayer(wire.Answer, frozen=True, kw_only=True):
    """A seat of a game that is over."""

    player_id: str
    seat: int
    as_name: str | None = None


class ResultAnswer(wire.Answer, frozen=True, kw_only=True):
    """A game that is over. ``result`` is what its game, or the platform, said."""

    session_id: str
    series_id: str
    round: int
    game_slug: str
    game_title: str | None
    host: str
    reason: str | None
    players: list[ResultPlayer]
    result: Any
    started_at: str
    ended_at: str


class ResultsAnswer(wire.Answer, frozen=True, kw_only=True):
    """The newest first."""

    results: list[ResultAnswer]


class ResultKeeper:
    """Writes what has ended, in order, in a thread; ``close`` waits for the rest."""

    def __init__(self, store: ArcadeStore) -> None:
        self._store = store
        self._waiting: list[Result] = []
        self._task: asyncio.Task[None] | None = None

    def ended(self, session: Session) -> None:
        """To be called in the event loop. A game that never started has no result."""
        if session.started_at is None:
            return
        self._waiting.append(_result(session))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())

    async def close(self) -> None:
        if self._task is not None:
            await self._task

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._store.add_results, batch)
            except StoreError as error:
                log.error("results of %d games are lost: %s", len(batch), error)


class ResultRoutes:
    """``table()`` is what an application adds to its router."""

    def __init__(self, service: Service, store: ArcadeStore) -> None:
        self._service = service
        self._store = store

    def table(self) -> list[web.RouteDef]:
        return [web.get(PATH, self._service.route(self.show))]

    async def show(self, request: web.Request) -> web.StreamResponse:
        self._service.gate.anybody(request)
        most = requests.whole(request, "limit")
        if most is not None and not 1 <= most <= PAGE:
            raise bad(f"limit must be a number from 1 to {PAGE}.")
        game = request.query.get("game")
        found = await asyncio.to_thread(self._store.results, most or PAGE, game)
        return answers.json(ResultsAnswer(results=[_answer(one) for one in found]))


def _result(session: Session) -> Result:
    players = [
        ResultPlayer(player_id=seat.player_id, seat=number, as_name=seat.as_name)
        for number, seat in enumerate(session.seats)
    ]
    skew = session.room.skew
    return Result(
        session=session.id,
        series=session.series.id,
        round=session.round,
        game=session.game.slug,
        title=session.game.title,
        host=session.host.kind,
        reason=session.reason,
        players=answers.encode(players).decode(),
        result=bytes(session.result).decode() if len(session.result) <= MAX_RESULT else "null",
        started_at=(session.started_at or 0.0) + skew,
        ended_at=(session.ended_at or 0.0) + skew,
    )


def _answer(one: Result) -> ResultAnswer:
    return ResultAnswer(
        session_id=one.session,
        series_id=one.series,
        round=one.round,
        game_slug=one.game,
        game_title=one.title,
        host=one.host,
        reason=one.reason,
        players=cast("list[ResultPlayer]", msgspec.Raw(one.players.encode())),
        result=msgspec.Raw(one.result.encode()),
        started_at=wire.format_time(one.started_at),
        ended_at=wire.format_time(one.ended_at),
    )

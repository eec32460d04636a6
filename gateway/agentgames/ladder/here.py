"""The ladder of the arcade that runs in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from gateway.agentgames.ladder.source import Activity, Record, Unavailable, goes_on, no_match
from gateway.agentgames.server.arena import Arena
from gateway.agentgames.server.records import Played, Standing
from gateway.agentgames.server.rules import GAMES
from gateway.arcade.database import StoreError
from lrgpnode.control import models

NOT_READ: Final = "The arcade's database cannot be read now."


class Here:
    """Implements ``Source``."""

    name = ""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._store = arena.store

    async def activity(self) -> Activity:
        settings = self._arena.settings
        return Activity(
            games=tuple(
                models.LadderGame(
                    game=one.game,
                    name=GAMES[one.game].title,
                    app=GAMES[one.game].app,
                    waiting=one.waiting,
                    playing=one.playing,
                )
                for one in self._arena.activity()
            ),
            move_seconds=settings.move_seconds,
            queue_seconds=settings.queue_seconds,
        )

    async def rows(self, game: str, *, skip: int, limit: int) -> Sequence[models.LadderRow]:
        try:
            found = await asyncio.to_thread(self._store.ladder, game, limit, skip)
        except StoreError as error:
            raise Unavailable(NOT_READ) from error
        return [row(one) for one in found]

    async def matches(
        self, game: str | None, player: str | None, *, before: int | None, limit: int
    ) -> Sequence[models.LadderMatch]:
        try:
            found = await asyncio.to_thread(
                self._store.matches, limit, game=game, player=player, before=before
            )
        except StoreError as error:
            raise Unavailable(NOT_READ) from error
        return [match(one) for one in found]

    async def record(self, number: int) -> Record:
        try:
            found = await asyncio.to_thread(self._store.match, number)
        except StoreError as error:
            raise Unavailable(NOT_READ) from error
        if found is None:
            raise no_match(number)
        played, moves = found
        if played.state == "playing":
            raise goes_on(number)
        return Record(match=match(played), moves=moves)

    async def close(self) -> None:
        """The arena belongs to the arcade."""


def row(one: Standing) -> models.LadderRow:
    return models.LadderRow(
        rank=one.rank,
        name=one.name,
        rating=one.rating,
        won=one.won,
        drawn=one.drawn,
        lost=one.lost,
    )


def match(one: Played) -> models.LadderMatch:
    """A match that does not go on any more."""
    return models.LadderMatch(
        number=one.number,
        game=one.game,
        name=GAMES[one.game].title,
        players=one.players,
        plies=one.plies,
        started_at=one.started_at,
        void=one.state == "void",
        winner=one.winner,
        reason=one.reason,
        before=one.before,
        after=one.after,
        ended_at=one.ended_at,
    )

"""The ladder as the node's control API has it (``lrgpnode.api.arcade.Desk``)."""

from __future__ import annotations

import asyncio

from gateway.agentgames.server import rules
from gateway.agentgames.server.arena import Arena
from gateway.agentgames.server.records import Played, Standing
from gateway.agentgames.server.replay import Replay, replayed
from gateway.arcade.database import StoreError
from lrgpnode.control import models
from lrgpnode.protocol.errors import CallerError, Kind


class LadderDesk:
    """Implements ``Desk`` over the arena of an arcade that is open."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._store = arena.store

    async def arena(self) -> models.ArcadeArena:
        settings = self._arena.settings
        return models.ArcadeArena(
            games=tuple(
                models.ArcadeGame(
                    game=one.game,
                    title=rules.GAMES[one.game].title,
                    waiting=one.waiting,
                    playing=one.playing,
                )
                for one in self._arena.activity()
            ),
            move_seconds=settings.move_seconds,
            queue_seconds=settings.queue_seconds,
        )

    async def ladder(self, game: str, limit: int, skip: int) -> models.ArcadeLadder:
        try:
            found = await asyncio.to_thread(self._store.ladder, game, limit, skip)
            total = await asyncio.to_thread(self._store.rated, game)
        except StoreError as error:
            raise CallerError(Kind.VALIDATION, str(error)) from error
        return models.ArcadeLadder(game=game, total=total, players=tuple(standing(one) for one in found))

    async def matches(
        self, limit: int, game: str | None, player: str | None, before: int | None
    ) -> models.ArcadeMatches:
        try:
            found = await asyncio.to_thread(
                self._store.matches, limit, game=game, player=player, before=before
            )
        except StoreError as error:
            raise CallerError(Kind.VALIDATION, str(error)) from error
        last = found[-1].number if len(found) == limit else None
        return models.ArcadeMatches(matches=tuple(match(one) for one in found), before=last)

    async def match(self, number: int) -> models.ArcadeReplay:
        try:
            found = await asyncio.to_thread(self._store.match, number)
        except StoreError as error:
            raise CallerError(Kind.VALIDATION, str(error)) from error
        if found is None:
            raise CallerError(Kind.VALIDATION, f"there is no match {number}")
        played, moves = found
        return replay(played, await asyncio.to_thread(replayed, played.game, moves))


def standing(one: Standing) -> models.ArcadeStanding:
    return models.ArcadeStanding(
        rank=one.rank,
        name=one.name,
        rating=one.rating,
        played=one.played,
        won=one.won,
        drawn=one.drawn,
        lost=one.lost,
    )


def match(one: Played) -> models.ArcadeMatch:
    return models.ArcadeMatch(
        number=one.number,
        game=one.game,
        state=one.state,
        players=one.players,
        ratings_before=one.before,
        ratings_after=one.after,
        winner=one.winner,
        reason=one.reason,
        plies=one.plies,
        started_at=one.started_at,
        ended_at=one.ended_at,
    )


def replay(played: Played, shown: Replay) -> models.ArcadeReplay:
    return models.ArcadeReplay(
        match=match(played),
        rows=shown.rows,
        steps=tuple(models.ArcadeStep(move=one.move, label=one.label, rows=one.rows) for one in shown.steps),
        fen=shown.fen,
    )

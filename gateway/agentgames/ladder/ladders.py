"""What the control API and texts ask about the ladder (``lrgpnode.api.ladder.Ladders``)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from gateway.agentgames.ladder.source import Record, Source, Unavailable
from gateway.agentgames.ladder.views import Film
from gateway.agentgames.server.rules import GAMES, IllegalMove
from lrgpnode.api.ladder import Replayed
from lrgpnode.control import models
from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.game import GameView

FILMS: Final = 4
"""Matches that are kept, played again: whoever steps through one asks for page after page."""


MOST_MOVES: Final = 1500
"""Of a match that is played again here: chess may last for thousands, with memory by their square."""


class ArcadeLadders:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._films: OrderedDict[int, tuple[Record, Film]] = OrderedDict()
        # A long game of chess takes a processor for a while.
        self._one = asyncio.Lock()

    async def show(self, game: str | None, *, skip: int, limit: int) -> models.Ladder:
        try:
            now = await self._source.activity()
            wanted = _known(game, now.games)
            rows = tuple(await self._source.rows(wanted, skip=skip, limit=limit))
            # A page is full at most; whether there are more says the next one.
            more = len(rows) == limit and bool(await self._source.rows(wanted, skip=skip + limit, limit=1))
        except Unavailable as error:
            raise _refused(str(error)) from None
        return models.Ladder(
            source=self._source.name,
            games=now.games,
            game=wanted,
            rows=rows,
            move_seconds=now.move_seconds,
            queue_seconds=now.queue_seconds,
            more=more,
        )

    async def matches(
        self, game: str | None, player: str | None, *, before: int | None, limit: int
    ) -> models.LadderMatches:
        wanted = None if game is None else _known(game)
        try:
            found = tuple(await self._source.matches(wanted, player, before=before, limit=limit))
            more = len(found) == limit and bool(
                await self._source.matches(wanted, player, before=found[-1].number, limit=1)
            )
        except Unavailable as error:
            raise _refused(str(error)) from None
        return models.LadderMatches(source=self._source.name, matches=found, more=more)

    async def replay(self, number: int, *, first: int, limit: int) -> Replayed:
        async with self._one:
            record, film = await self._film(number)
            behind = min(first + limit, film.last + 1)
            views, last = await asyncio.to_thread(_views, film, range(first, behind))
        return Replayed(
            source=self._source.name,
            match=record.match,
            last=last,
            views=views,
            more=behind <= film.last,
        )

    async def close(self) -> None:
        await self._source.close()

    async def _film(self, number: int) -> tuple[Record, Film]:
        found = self._films.get(number)
        if found is None:
            try:
                record = await self._source.record(number)
                if len(record.moves) > MOST_MOVES:
                    raise Unavailable(
                        f"Match {number} has more than {MOST_MOVES} moves; the arcade's pages show it."
                    )
                # What is void has no moves, whatever was played.
                film = await asyncio.to_thread(Film, record.match.game, record.moves)
            except Unavailable as error:
                raise _refused(str(error)) from None
            except IllegalMove:
                raise _refused(f"Match {number} cannot be played again: a move in it is illegal.") from None
            found = record, film
        self._films[number] = found
        self._films.move_to_end(number)
        while len(self._films) > FILMS:
            self._films.popitem(last=False)
        return found


def _views(film: Film, wanted: range) -> tuple[tuple[GameView, ...], GameView]:
    return tuple(film.view(moves) for moves in wanted), film.view(film.last)


def _known(game: str | None, games: Sequence[models.LadderGame] = ()) -> str:
    """The id of a game by its id, app or title. Raises ``CallerError``."""
    if game is None:
        return games[0].game if games else next(iter(GAMES))
    folded = game.casefold()
    for one in GAMES.values():
        if folded in (one.id, one.app, one.title.casefold()):
            return one.id
    raise _refused(f"There is no ladder for that game, only for {', '.join(GAMES)}.")


def _refused(message: str) -> CallerError:
    return CallerError(Kind.VALIDATION, message)

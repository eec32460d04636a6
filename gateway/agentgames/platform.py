"""AgentGames as a platform of the gateway (``gateway.seat.Platform``): one table a game, which is its queue.

An account waits in the queue of a game once at most: a second connection would take the first one's place
there, and nobody would ever tell that one.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Sequence
from typing import Final

from gateway.seat import (
    Account,
    AccountBusy,
    CannotPlay,
    NoTable,
    Note,
    PlatformError,
    RemoteTable,
    ResumeKey,
    SeatLost,
    Unreachable,
)

from .client.connection import PROBE, Dialer
from .client.errors import AgentGamesError, UnknownGame
from .client.match import Match
from .games import APPS, GAMES, TITLES, Unreadable
from .place import FORFEITED, Place, Stage, Timing
from .seat import AgentGamesSeat, read_key, seat_key
from .translate import platform_error
from .wire import C4, CHESS, TTT

MOST_ENDED: Final = 64
"""Matches that are over and can still be asked how they ended."""

Slot = tuple[bytes, str]
"""Account and game."""


class AgentGamesPlatform:
    """``name``: of the platform in the settings. ``dialer`` is closed with it."""

    def __init__(
        self,
        name: str,
        dialer: Dialer,
        *,
        timing: Timing | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._name = name
        self._dialer = dialer
        self._timing = timing or Timing()
        self._clock = clock
        self._games = {TTT, C4}
        self._places: OrderedDict[str, Place] = OrderedDict()
        self._waiting: dict[Slot, Place] = {}
        self._never: deque[str] = deque(maxlen=MOST_ENDED)
        """Ids of places that the platform has not given us."""

    @property
    def name(self) -> str:
        return self._name

    @property
    def games(self) -> Collection[str]:
        """As ``Platform.games``; chess only where the server has said that it has it."""
        return tuple(APPS[game] for game in (TTT, C4, CHESS) if game in self._games)

    @property
    def move_seconds(self) -> float:
        """As ``Platform.move_seconds``."""
        return self._timing.move

    @property
    def queue_seconds(self) -> float:
        """As ``Platform.queue_seconds``."""
        return self._timing.queue

    async def tables(self, app: str | None = None) -> Sequence[RemoteTable]:
        """As ``Platform.tables``: nobody says how many wait there."""
        return [
            RemoteTable(
                id=GAMES[each],
                app=each,
                title=f"{TITLES[GAMES[each]]}, rated",
                players=0,
                seats=2,
                move_seconds=self._timing.move,
            )
            for each in self.games
            if app in (None, each)
        ]

    async def open_seat(
        self,
        app: str,
        table: str | None,
        account: Account,
        player: str,
        note: Note,
        avoid: Collection[str] = (),
    ) -> AgentGamesSeat:
        """As ``Platform.open_seat``. The platform shows the account's name, whatever the player's is.

        Raises ``AccountBusy`` where this account waits in that queue already.
        """
        game = GAMES.get(app, "")
        if table is not None and table not in GAMES.values():
            raise NoTable("There is no such table")
        if table not in (None, game):
            raise CannotPlay("Another game is played at that table")
        if game not in self._games:
            raise NoTable("The platform does not have that game")
        slot = self._slot(account, game)
        waiting = self._waiting.get(slot)
        if waiting is not None and not waiting.left:
            raise AccountBusy("The account waits for an opponent in that game already")
        if waiting is not None:
            # Its player is gone, but the queue keeps it: here is somebody who wants it.
            waiting.left = False
            try:
                await note(seat_key(waiting.id, app, begun=False))
            except BaseException:
                await waiting.leave()
                raise
            return AgentGamesSeat(waiting, app)
        place = self._place(slot, account)
        try:
            await note(seat_key(place.id, app, begun=False))
        except BaseException:
            self._gone(slot, place)
            raise
        try:
            await self._open(slot, place)
        except PlatformError:
            # Its key is noted already; whoever comes with it is not to be queued once more.
            self._never.append(place.id)
            raise
        return AgentGamesSeat(place, app)

    async def resume(self, key: ResumeKey, account: Account) -> AgentGamesSeat:
        """As ``Platform.resume``: the match of this process, else a place in the queue again."""
        id, app, begun = read_key(key)
        place = self._places.get(id)
        if place is not None and not place.left:
            return AgentGamesSeat(place, app)
        if id in self._never:
            raise SeatLost("the place in the queue was not taken")
        if begun or place is not None:
            raise SeatLost("the match is over" if place is not None else FORFEITED)
        game = GAMES.get(app, "")
        slot = self._slot(account, game)
        if game not in self._games or slot in self._waiting:
            raise SeatLost("the place in the queue is gone")
        place = self._place(slot, account, id)
        await self._open(slot, place)
        return AgentGamesSeat(place, app)

    async def check(self, account: Account | None) -> None:
        """As ``Platform.check``. Learns which games there are by asking for one that there is not."""
        try:
            if account is None:
                await self._dialer.reach()
                return
            match = Match(await self._dialer.dial(PROBE, account.token))
            try:
                await match.next(self._timing.answer)
            finally:
                await match.close()
        except UnknownGame as known:
            self._learn(known)
        except AgentGamesError as error:
            raise platform_error(error) from None
        else:
            raise Unreachable("The platform does not speak this protocol")

    async def close(self) -> None:
        """As ``Platform.close``. A match that goes on is forfeited by it: none can be reached anew."""
        await asyncio.gather(*(place.close() for place in tuple(self._places.values())))
        await self._dialer.close()

    # Inside

    def _slot(self, account: Account, game: str) -> Slot:
        # Two names may have one token; it is not kept as it is.
        return hashlib.sha256(account.token.reveal().encode()).digest(), game

    def _place(self, slot: Slot, account: Account, id: str | None = None) -> Place:
        game = slot[1]

        async def dial() -> Match:
            return Match(await self._dialer.dial(game, account.token))

        place = Place(
            id or secrets.token_hex(6),
            game,
            dial,
            self._timing,
            clock=self._clock,
            begun=lambda place: self._free(slot, place),
            gone=lambda place: self._gone(slot, place),
        )
        self._places[place.id] = self._waiting[slot] = place
        return place

    async def _open(self, slot: Slot, place: Place) -> None:
        """Raises as ``Platform.open_seat``; then there is no place, but where it is cancelled."""
        try:
            await place.open()
        except Exception as error:
            self._free(slot, place)
            del self._places[place.id]
            if isinstance(error, UnknownGame):
                self._learn(error)
            if isinstance(error, AgentGamesError):
                raise platform_error(error) from None
            if isinstance(error, Unreadable):
                raise Unreachable(str(error)) from None
            raise

    def _learn(self, unknown: UnknownGame) -> None:
        if games := unknown.games & APPS.keys():
            self._games = set(games)

    def _free(self, slot: Slot, place: Place) -> None:
        if self._waiting.get(slot) is place:
            del self._waiting[slot]

    def _gone(self, slot: Slot, place: Place) -> None:
        self._free(slot, place)
        if place.left or place.course.ended is None:
            self._places.pop(place.id, None)
            return
        ended = [id for id, each in self._places.items() if each.stage is Stage.OVER]
        for id in ended[:-MOST_ENDED]:
            del self._places[id]

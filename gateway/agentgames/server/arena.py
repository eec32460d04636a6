"""Everybody who plays or waits at the ladder, by whichever transport, in one event loop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from gateway.agentgames import wire
from gateway.agentgames.server import messages, practice
from gateway.agentgames.server.matchmaker import Matchmaker
from gateway.agentgames.server.recorder import Recorder
from gateway.agentgames.server.records import MatchStore
from gateway.agentgames.server.rules import GAMES
from gateway.agentgames.server.seat import Player, Seat
from gateway.agentgames.server.table import Table
from gateway.arcade.database import StoreError
from gateway.arcade.limits import Limiter, Rate
from lrgpnode.house.worker import Thinker, ThinkingProcess
from lrgpnode.protocol.value import Value

log = logging.getLogger("lrgpnode.arcade")

JOIN_SECONDS: Final = 30.0
"""How long the message that names the game may take."""

MAX_SEATS: Final = 2000
MAX_SEATS_OF_ACCOUNT: Final = 64
MAX_PRACTICE: Final = 32
MAX_PRACTICE_OF_ACCOUNT: Final = 8
MATCHES: Final = Rate(per_second=5, burst=1000)
"""How often one account may take a seat: whatever is rated is kept for good."""

MOVE_SECONDS: Final = 15.0
QUEUE_SECONDS: Final = 120.0


class TooMany(Exception):
    """There is no seat; ``str()`` is a sentence for whoever wanted it.

    ``retry_after``: seconds until it is worth another attempt.
    """

    def __init__(self, message: str, retry_after: float = 10.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ArenaSettings(Value):
    """Seconds for a move and to wait for an opponent; ``level`` of practice where none is asked for."""

    move_seconds: float = MOVE_SECONDS
    queue_seconds: float = QUEUE_SECONDS
    join_seconds: float = JOIN_SECONDS
    practice_seconds: float = practice.MOVE_SECONDS
    level: int = 2


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Activity(Value):
    """Of one game, now. ``waiting``: the name of whoever waits, or ""."""

    game: str
    waiting: str
    playing: int


class Arena:
    """``start`` and ``stop`` belong to the loop in which it is used."""

    def __init__(
        self,
        store: MatchStore,
        settings: ArenaSettings | None = None,
        *,
        thinker: Thinker | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.settings = settings or ArenaSettings()
        self.store = store
        self.recorder = Recorder(store)
        self.now = now
        self._house = practice.House(thinker or ThinkingProcess())
        self._matchmaker: Matchmaker[Seat] = Matchmaker()
        self._seats: dict[Seat, Callable[[], bool] | None] = {}
        self.arrived: Callable[[], None] = lambda: None
        """Called whenever somebody takes a seat."""
        self._counts: Counter[str] = Counter()
        self._limiter = Limiter(MATCHES)
        self._tables: set[Table] = set()
        self._bots: dict[Table, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False

    async def start(self) -> None:
        """What was being played when the last server was killed does not count. Raises ``StoreError``."""
        found = await asyncio.to_thread(self.store.void_all, self.now())
        if found:
            log.warning("matches that were being played when the arcade stopped, and are void: %d", found)

    async def stop(self) -> None:
        """Matches that are being played do not count; everybody is told so."""
        self._closing = True
        open_tables = [one for one in self._tables if not one.match.over]
        for table in open_tables:
            table.abandon(messages.CLOSING)
        for seat in list(self._seats):
            if not seat.over and seat.table is None:
                seat.close(wire.Error(error=messages.CLOSING))
        self._matchmaker.clear()
        # What has ended is still written.
        while self._tasks:
            await asyncio.wait(self._tasks)
        numbers = [one.number for one in open_tables if one.number is not None]
        try:
            await self.recorder.void(numbers, self.now())
        except StoreError as error:
            log.error("matches that are made void at the next start only: %d: %s", len(numbers), error)

    # For whoever plays

    def seat(self, player: Player, permit: Callable[[], bool] | None = None) -> Seat:
        """A place for one match; it ends by itself if no game is named. Raises ``TooMany``.

        ``permit`` says at any time whether the player may still be here, by what it has shown.
        """
        if self._closing:
            raise TooMany("the arcade is closing")
        if len(self._seats) >= MAX_SEATS:
            raise TooMany("too many connections")
        if self._counts[player.account] >= MAX_SEATS_OF_ACCOUNT:
            raise TooMany("too many connections of this account")
        seconds = self._limiter.take(player.account, asyncio.get_running_loop().time())
        if seconds:
            raise TooMany("too many matches of this account in a short time", seconds)
        made = Seat(self, player)
        self._seats[made] = permit
        self.arrived()
        self._counts[player.account] += 1
        made.set_timer(self.settings.join_seconds, wire.join_first(GAMES))
        return made

    @property
    def occupied(self) -> bool:
        """Whether anybody has a seat."""
        return bool(self._seats)

    def cut_off(self, accounts: Collection[str]) -> None:
        """These accounts may not be here any more, nor may whoever has no permit: as if they had left.

        Raises ``StoreError``.
        """
        for seat, permit in list(self._seats.items()):
            if seat.account in accounts:
                seat.cut_off(wire.ACCOUNT_UNAVAILABLE)
            elif permit is not None and not permit():
                seat.cut_off(messages.REVOKED)

    def activity(self) -> list[Activity]:
        playing = Counter(one.match.game for one in self._tables if one.rated)
        found = []
        for game in GAMES:
            waiting = self._matchmaker.waiting(game)
            name = waiting.player.name if waiting is not None else ""
            found.append(Activity(game=game, waiting=name, playing=playing[game]))
        return found

    # For seats and tables

    def join(self, seat: Seat, game: str) -> None:
        if not self._may_begin(seat, game):
            return
        seat.say(wire.Queued(game=game))
        other = self._matchmaker.enter(game, seat)
        if other is None or other.account == seat.account:
            seat.set_timer(self.settings.queue_seconds, wire.no_opponent())
            if other is not None:
                other.close(wire.Error(error=messages.REPLACED))
            return
        self._begin(Table(self, game, (other, seat), seconds=self.settings.move_seconds, rated=True))

    def practise(self, seat: Seat, game: str, level: int) -> None:
        if not self._may_begin(seat, game):
            return
        with_house = [one.seats[0].account for one in self._tables if not one.rated]
        if with_house.count(seat.account) >= MAX_PRACTICE_OF_ACCOUNT:
            seat.close(wire.Error(error=messages.MUCH_PRACTICE))
            return
        if len(with_house) >= MAX_PRACTICE:
            seat.close(wire.Error(error=messages.NO_THOUGHT))
            return
        seat.say(wire.Queued(game=game))
        bot = Seat(self, practice.HOUSE)
        bot.game = game
        table = Table(self, game, (seat, bot), seconds=self.settings.practice_seconds, rated=False)
        self._bots[table] = self.spawn(self._house.play(bot, table, level or self.settings.level))
        self._begin(table)

    def withdraw(self, seat: Seat) -> None:
        self._matchmaker.leave(seat.game, seat)

    def released(self, seat: Seat) -> None:
        if seat in self._seats:
            del self._seats[seat]
            self._counts[seat.account] -= 1
            if not self._counts[seat.account]:
                del self._counts[seat.account]

    def table_over(self, table: Table) -> None:
        self._tables.discard(table)
        bot = self._bots.pop(table, None)
        if bot is not None:
            # Whatever it thinks of now, nobody wants to know.
            bot.cancel()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a match failed because of a defect", exc_info=error)

    def _may_begin(self, seat: Seat, game: str) -> bool:
        if game not in GAMES:
            seat.close(wire.unknown_game(messages.shown(game), GAMES))
            return False
        seat.game = game
        seat.stop_timer()
        return True

    def _begin(self, table: Table) -> None:
        self._tables.add(table)
        self.spawn(table.begin())

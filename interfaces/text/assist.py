"""Assisted games: where a text player's time at a table is nearly up, the node's own search moves for him.

Only at tables on the web, only for whoever plays there by text, and only if he has asked for it. His LRGP
client is this node then (`wire`), so the move is made where he would have made it. A peer with a client of
its own has no seat of that kind, and this module has no other way to act. What was moved so is marked in the
record of the game before the move goes out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.house import question
from lrgpnode.house.levels import LEVELS
from lrgpnode.house.question import Question
from lrgpnode.house.think import answer as quick_answer
from lrgpnode.house.worker import Thinker, ThinkError
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import Session, Status
from storage.errors import StorageError
from storage.text_model import Kind, Seat

from . import seats
from .desk import Desk
from .draft import Draft, nobody
from .wishes import Wishes

LEAD_SECONDS: Final = 3.0
"""So much of the player's time is left when the node moves."""

THINK_SECONDS: Final = 5.0
"""Before that it begins to think: a small computer takes its time to start."""

LATEST_SECONDS: Final = 0.5
"""With less time than that no move is made: it would come too late."""

LEVEL: Final = 4
QUICK_LEVEL: Final = 1
"""For a move that is needed at once."""

MARKED: Final = "the node's search has chosen for the player by text: move"
LONGEST: Final = 200
log = logging.getLogger(__name__)

Mark = Callable[[Seat, int], Awaitable[None]]


@dataclass(slots=True, eq=False)
class _Watch:
    """A turn of a player: ``ply`` of the game, ``deadline`` in Unix seconds."""

    seat: Seat
    ply: int
    deadline: float
    task: asyncio.Task[None] | None = None
    acting: bool = False
    """It moves just now, which must not be cut off."""

    def is_as(self, other: _Watch | None) -> bool:
        return other is not None and (self.ply, self.deadline) == (other.ply, other.deadline)


def marked(reason: str, number: int) -> str:
    """The remark in the record of a game whose move ``number`` (from 1) is the node's, after ``reason``."""
    return f"{reason}, {number}"[:LONGEST] if reason else f"{MARKED} {number}"


class Assistance:
    """``commit`` writes a draft, with ``lock`` held; ``mark`` notes a ply as moved by the node, durably.

    ``speaks`` says whether something of a player was received and not handled yet.
    """

    def __init__(
        self,
        desk: Desk,
        wishes: Wishes,
        thinker: Thinker,
        lock: asyncio.Lock,
        commit: Callable[[Draft], Awaitable[None]],
        mark: Mark,
        *,
        speaks: Callable[[Seat], bool],
        seed: Callable[[], int],
    ) -> None:
        self.wishes = wishes
        self._desk = desk
        self._thinker = thinker
        self._lock = lock
        self._commit = commit
        self._mark = mark
        self._speaks = speaks
        self._seed = seed
        self._watched: dict[str, _Watch] = {}

    def start(self) -> None:
        """Look at the games that go on. On the loop."""
        for seat in self._desk.table.live():
            self.look(seat)

    async def stop(self) -> None:
        """Move no more; when this returns no process is left."""
        tasks = [watch.task for watch in self._watched.values() if watch.task is not None]
        self._watched.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def assists(self, seat: Seat) -> bool:
        """Whether the node is to move in this game where its player does not."""
        wanted = seat.kind is Kind.WIRE and self.wishes.wants(seat.player, seat.app_id)
        return wanted and seat.app_id in LEVELS

    def turn(self, game_id: str) -> None:
        """Something has changed at the table of a game, maybe its clock."""
        for seat in self._desk.table.at(game_id):
            self.look(seat)

    def look(self, seat: Seat) -> None:
        """See whether there is a turn to wait for. Returns at once; may be called any number of times."""
        if seat.kind is not Kind.WIRE:
            return
        if not seat.live:
            self.wishes.ended(seat)
        wanted = self._wanted(seat)
        watched = self._watched.get(seat.game_id)
        if watched is not None and watched.is_as(wanted):
            return
        if watched is not None:
            self._forget(watched)
        if wanted is not None:
            self._watched[seat.game_id] = wanted
            wanted.task = asyncio.get_running_loop().create_task(self._run(wanted))

    def _forget(self, watch: _Watch) -> None:
        if self._watched.get(watch.seat.game_id) is watch:
            del self._watched[watch.seat.game_id]
        if watch.task is not None and not watch.acting and watch.task is not asyncio.current_task():
            watch.task.cancel()

    def _wanted(self, seat: Seat) -> _Watch | None:
        """The turn of the player in which help may be needed."""
        if not self.assists(seat) or seat.status is not Status.ACTIVE:
            return None
        session = self._session(seat)
        deadline = self._desk.deadline(seat.player, seat.game_id)
        if session is None or session.metadata["turn"] != seat.player or deadline is None:
            return None
        return _Watch(seat=seat, ply=session.metadata["move_count"], deadline=deadline)

    def _session(self, seat: Seat) -> Session | None:
        try:
            return seats.loaded(self._desk.game(seat.app_id), seat)
        except Rejection as rejection:
            log.warning("game %s is not assisted: %s", seat.game_id, rejection.message)
            return None

    # One turn

    async def _run(self, watch: _Watch) -> None:
        try:
            await self._help(watch)
        except (Rejection, StorageError) as error:
            log.warning("game %s was not assisted: %s", watch.seat.game_id, error)
        except Exception:
            log.exception("game %s was not assisted", watch.seat.game_id)
        finally:
            watch.task = None
            self._forget(watch)

    async def _help(self, watch: _Watch) -> None:
        moving = watch.deadline - LEAD_SECONDS
        await self._until(moving - THINK_SECONDS)
        session = self._session(watch.seat)
        if session is None:
            return
        asked = question.of(session, level=LEVEL, seed=self._seed())
        move = await self._think(asked, watch.deadline)
        await self._until(moving)
        await self._act(watch, move)

    async def _until(self, at: float) -> None:
        await asyncio.sleep(max(0.0, at - self._desk.now()))

    async def _think(self, asked: Question, deadline: float) -> Any:
        """A move. A weak one is better than none."""
        try:
            async with asyncio.timeout(max(0.0, deadline - 2 * LATEST_SECONDS - self._desk.now())):
                return (await self._thinker.think(asked)).move
        except (ThinkError, TimeoutError) as error:
            log.warning("a game is assisted without much thought: %s", error or "there was no time")
        quick = Question(app=asked.app, state=asked.state, level=QUICK_LEVEL, seed=asked.seed)
        return quick_answer(quick).move

    async def _act(self, watch: _Watch, move: Any) -> None:
        async with self._lock:
            seat = self._desk.table.seat(watch.seat.game_id, watch.seat.player)
            if seat is None or self._speaks(seat):
                return  # what he has written comes first; then it is looked at again
            now = self._wanted(seat)
            if not watch.is_as(now):
                return
            if self._desk.now() > watch.deadline - LATEST_SECONDS:
                log.info("game %s: help would have come too late", seat.game_id)
                return
            watch.acting = True
            await self._mark(seat, watch.ply)
            draft = nobody(self._desk.now())
            after = await self._desk.act(draft, seat, Command.MOVE, question.intent(seat.app_id, move))
            draft.tell(after, asked=True)
            await self._commit(draft)

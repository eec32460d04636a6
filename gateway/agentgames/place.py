"""A place in the queue of one game, and the match that comes of it. It lives as long as its connection.

A match cannot be reached anew: whoever drops the connection forfeits. So a place belongs to the platform and
not to whoever listens to it, and goes on while nobody does. In the queue nothing is lost with a connection:
the place is taken again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from gateway.seat import ActionRefused, Away, Event, NotYourTurn, Outcome, SeatLost
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.value import Value

from .client.errors import (
    AgentGamesError,
    Ended,
    NoOpponent,
    Refused,
    Silent,
    Unauthorized,
    UnknownGame,
    Unreachable,
)
from .client.match import Match
from .course import Course
from .games import Unreadable
from .wire import Hello, Queued

log = logging.getLogger(__name__)

PAUSES: Final = (2.0, 5.0, 15.0, 60.0)
"""Seconds before the n-th attempt in a row to get back into the queue; then always the last."""

FORFEITED: Final = "the connection to the platform was lost in the match, which counts as a forfeit there"
ELSEWHERE: Final = "the platform has forgotten our place in the queue; does another program use the account?"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Timing(Value):
    """Seconds. ``move`` and ``queue`` are the server's limits, which no message says; the rest is ours.

    ``answer``: for what comes at once. ``grace``: beyond a limit of the server before it counts as silent.
    ``again``: between two stays in the queue.
    """

    move: float = 15.0
    queue: float = 120.0
    answer: float = 15.0
    grace: float = 60.0
    again: float = 1.0
    pauses: tuple[float, ...] = PAUSES


class Stage(StrEnum):
    QUEUED = "queued"
    PLAYING = "playing"
    OVER = "over"


class Place:
    """``dial`` asks for a place in the queue and raises as ``Dialer.dial``. ``clock``: Unix seconds.

    ``begun`` is called when an opponent is there, ``gone`` last. ``id`` tells places of this process apart.
    """

    def __init__(
        self,
        id: str,
        game: str,
        dial: Callable[[], Awaitable[Match]],
        timing: Timing,
        *,
        clock: Callable[[], float],
        begun: Callable[[Place], None],
        gone: Callable[[Place], None],
    ) -> None:
        self.id = id
        self.stage = Stage.QUEUED
        self.left = False
        """Whether nobody wants it any more. In a WebSocket queue it stays until the queue lets it go."""
        self.course = Course(game, move_seconds=timing.move)
        self._dial = dial
        self._timing = timing
        self._clock = clock
        self._begun = begun
        self._gone = gone
        self._match: Match | None = None
        self._listener: asyncio.Queue[Event] | None = None
        self._answered: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._until = 0.0
        self._away = ""
        self._forgotten = False
        self._entering = False
        self._lingers = False

    # Life

    async def open(self) -> None:
        """Get into the queue. Raises `AgentGamesError` and `Unreadable`; then there is no place.

        Cancelled, it is left, and goes on by itself: who breaks off meanwhile may be in the queue already.
        """
        loop = asyncio.get_running_loop()
        entering = loop.create_task(self._enter())
        try:
            await asyncio.shield(entering)
        except asyncio.CancelledError:
            self.left = True
            self._task = loop.create_task(self._run(entering))
            raise
        self._task = loop.create_task(self._run())

    async def leave(self) -> None:
        """Give it up: a match is forfeited, a place in the queue given back as far as that can be done."""
        self.left = True
        if self.stage is Stage.QUEUED and (self._entering or (self._lingers and self._match is not None)):
            return  # closing would leave a ghost there, which loses its match
        await self.close()

    async def close(self) -> None:
        """End the connection, whatever becomes of the match."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._finish()

    # Listening

    def listen(self) -> asyncio.Queue[Event]:
        """What happens from now on; there is one listener, the last."""
        self._listener = asyncio.Queue()
        return self._listener

    def unlisten(self, listener: asyncio.Queue[Event]) -> None:
        """As `listen`, for no one. Nothing where somebody else listens already."""
        if self._listener is listener:
            self._listener = None

    def so_far(self) -> list[Event]:
        """For a listener that knows nothing yet."""
        return [*self.course.again(), *([Away(reason=self._away)] if self._away else [])]

    # Acting

    async def act(self, intent: Mapping[str, Any], turn: int | None) -> Outcome:
        """As ``RemoteSeat.act``. A move is sent once; where no answer comes, the next message tells."""
        course, match = self.course, self._match
        if self.left or match is None or self.stage is not Stage.PLAYING:
            raise SeatLost("the match is over") if self.left else NotYourTurn("there is no match going on")
        if course.our_turn is None or turn not in (None, course.our_turn):
            raise NotYourTurn("it is not our turn in the match")
        try:
            move, token = course.choose(intent)
        except Rejection as rejection:
            raise ActionRefused(f"That move cannot be made in the match: {rejection.message}") from None
        except Unreadable as unreadable:
            raise ActionRefused(str(unreadable)) from None
        ply, course.sent = course.line.ply, move
        self._answered = answered = asyncio.get_running_loop().create_future()
        try:
            await match.move(token)
        except Ended:
            # Whoever reads the connection finds it ended, too, and says so.
            return Outcome.UNKNOWN
        try:
            async with asyncio.timeout(self._timing.answer):
                await answered
        except TimeoutError:
            return Outcome.UNKNOWN
        if course.line.ply > ply:
            return Outcome.APPLIED
        raise NotYourTurn("the match was over before the move arrived")

    # The task

    async def _run(self, entering: asyncio.Task[None] | None = None) -> None:
        """``entering``: what gets us into the queue, where that is not done."""
        try:
            if entering is None or await self._entered(entering):
                await self._follow()
        except Exception:
            log.exception("a match failed")
            self._tell(self.course.lose("the match has failed here"))
        finally:
            await self._finish()

    async def _entered(self, entering: asyncio.Task[None]) -> bool:
        """Whether there is something to follow, once that is done."""
        try:
            await entering
        except (AgentGamesError, Unreadable) as error:
            return not self.left and await self._queue_again(error)
        return not self._unwanted

    @property
    def _unwanted(self) -> bool:
        """Whether the place is to be given back, which can be done."""
        return self.left and not self._lingers

    async def _finish(self) -> None:
        """Let everything go; nothing where that was done."""
        if self.stage is not Stage.OVER:
            self.stage = Stage.OVER
            self._settle()
            self._gone(self)
        match, self._match = self._match, None
        if match is not None:
            await match.close()

    async def _follow(self) -> None:
        while self.course.ended is None:
            try:
                await self._read()
            except (AgentGamesError, Unreadable) as error:
                if self.course.begun:
                    log.warning("a match is lost: %s", error)
                    self._tell(self.course.lose(_lost(error)))
                elif self.left or not await self._queue_again(error):
                    return
            if self.left and self.course.begun:
                log.warning("a match had begun when its player was gone already; it is forfeited")
                return

    async def _read(self) -> None:
        """Take the next message."""
        match = self._match
        assert match is not None
        loop = asyncio.get_running_loop()
        answer = await match.next(max(0.0, self._until - loop.time()))
        before = self.course.begun
        events = self.course.take(answer, self._clock())
        if not events:
            match.useless()
            return
        if self.course.begun and not before:
            self.stage = Stage.PLAYING
            self._begun(self)
        self._forgotten = False
        # The server is silent while somebody thinks, and says at once who plays whom.
        limit = self._timing.answer if isinstance(answer, Hello) else self._timing.move + self._timing.grace
        self._until = loop.time() + limit
        self._tell(events)

    async def _enter(self) -> None:
        """Get into the queue, or back into it."""
        self._entering = True
        try:
            self._match, answer = await self._queued()
        finally:
            self._entering = False
        self._lingers = not self._match.leaves_queue
        self._until = asyncio.get_running_loop().time() + self._timing.queue + self._timing.grace
        if events := self.course.take(answer, self._clock()):
            self._tell(events)

    async def _queued(self) -> tuple[Match, Queued]:
        match = await self._dial()
        try:
            answer = await match.next(self._timing.answer)
            if not isinstance(answer, Queued):
                raise Unreadable("The platform does not say that we wait")
        except BaseException:
            await match.close()
            raise
        return match, answer

    async def _queue_again(self, error: Exception) -> bool:
        """After the queue has let us go; False where that is the end."""
        if isinstance(error, Silent | Refused):
            # Another program with our account would take the place again and again, as we would its.
            if self._forgotten:
                self._tell(self.course.lose(ELSEWHERE if isinstance(error, Silent) else str(error)))
                return False
            self._forgotten = True
        elif isinstance(error, NoOpponent):
            self._forgotten = False
        attempt = 0
        pause = self._timing.again if isinstance(error, NoOpponent | Silent) else self._pause(error, attempt)
        while True:
            match, self._match = self._match, None
            if match is not None:
                await match.close()
            if isinstance(error, Unauthorized | UnknownGame):
                self._tell(self.course.lose(str(error)))
                return False
            if not isinstance(error, NoOpponent | Silent):
                self._gone_away(str(error))
            await asyncio.sleep(pause)
            try:
                await self._enter()
            except (AgentGamesError, Unreadable) as trouble:
                if self.left:
                    return False
                attempt += 1
                error, pause = trouble, self._pause(trouble, attempt)
                continue
            if self._away:
                self._away = ""
                self._tell(self.course.again())
            return not self._unwanted

    def _pause(self, error: Exception, attempt: int) -> float:
        pause = self._timing.pauses[min(attempt, len(self._timing.pauses) - 1)]
        asked = error.retry_after if isinstance(error, Unreachable) else None
        return max(pause, asked or 0.0)

    def _gone_away(self, reason: str) -> None:
        if self._away != reason:
            self._away = reason
            self._tell([Away(reason=reason)])

    def _tell(self, events: list[Event]) -> None:
        if self.course.sent is None or self.course.ended is not None:
            self._settle()
        if self._listener is not None:
            for event in events:
                self._listener.put_nowait(event)

    def _settle(self) -> None:
        """Whoever has sent a move is answered."""
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(None)


def _lost(error: Exception) -> str:
    if isinstance(error, Ended):
        return FORFEITED
    return f"{str(error)[:1].lower()}{str(error)[1:]}; the match counts as forfeited there"

"""The player of the house: sees what happens at its games, thinks about one at a time, and acts.

It is told of every event of the node and keeps a queue of games to look at, each once. What is to be
done in a game is read from its session when its turn comes, never from the event: whatever came
twice, late or in another order ends in the same look. After a restart every game that goes on is looked
at. A game that ends, or whose position changes, while the house thinks about it ends the thought.

Nothing that fails here reaches the node: it is logged, and the game is looked at again later.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Protocol

from lrgpnode.protocol.errors import CallerError, Rejection
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.errors import StorageError

from . import question
from .levels import LEVELS
from .manners import Limits, Load, Verdict, agrees, judge
from .memory import Daily, Levels
from .question import Answer
from .worker import Thinker, ThinkError

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = (5.0, 60.0, 600.0)
"""Pause after the n-th failure in a game; after the last one it waits for something to happen there."""

_WATCHED: Final = frozenset(("game.applied", "game.expired"))


class Table(Protocol):
    """What the house needs of the node."""

    def session(self, key: SessionKey) -> Session:
        """Raises ``CallerError``."""
        ...

    def now(self) -> float:
        """Unix seconds."""
        ...

    async def act(self, key: SessionKey, command: str, intent: Mapping[str, Any]) -> Any:
        """Raises ``CallerError`` or ``StorageError``; then nothing has changed."""
        ...


class _Overtaken(Exception):
    """The position that was thought about is not there any more."""


class Player:
    """``live``: the games of the house that go on; ``local``: the identities of this node.

    ``seed`` is asked once for each thought: equal seeds make equal moves.
    """

    def __init__(
        self,
        identity: str,
        table: Table,
        thinker: Thinker,
        levels: Levels,
        daily: Daily,
        *,
        live: Callable[[], Collection[SessionKey]],
        local: Collection[str],
        limits: Limits,
        seed: Callable[[], int],
    ) -> None:
        self.identity = identity
        self.levels = levels
        self._table = table
        self._thinker = thinker
        self._live = live
        self._local = local
        self._limits = limits
        self._seed = seed
        self._queue: OrderedDict[SessionKey, None] = OrderedDict()
        self._ready = asyncio.Event()
        self._failures: dict[SessionKey, int] = {}
        self._timers: dict[SessionKey, asyncio.TimerHandle] = {}
        self._daily = daily
        self._refused: dict[SessionKey, int] = {}
        self._thought: tuple[Session, asyncio.Task[Answer]] | None = None
        self._running: asyncio.Task[None] | None = None
        self.gate = asyncio.Lock()
        """Held while a challenge of this node and its level are made: the house answers neither alone."""

    def start(self) -> None:
        """Begin with the games that go on. On the node's loop."""
        for key in self._live():
            self._look(key)
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Think no more; when this returns no process is left."""
        for timer in self._timers.values():
            timer.cancel()
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def told(self, type: str, fields: Mapping[str, Any]) -> None:
        """An event of the node, after what it tells is committed. Returns at once."""
        if type not in _WATCHED or fields.get("identity") != self.identity or fields.get("own"):
            return
        key = SessionKey(self.identity, str(fields["id"]))
        self._failures.pop(key, None)
        if self._thought is not None and self._thought[0].key == key and self._changed(self._thought[0]):
            self._thought[1].cancel()
        if fields.get("peer") in self._local:
            self._look(key)
        else:
            self._later(key, self._limits.pause)

    @property
    def thinking(self) -> str:
        """The id of the game that is thought about, or ""."""
        return self._thought[0].key.session_id if self._thought is not None else ""

    # The queue

    def _look(self, key: SessionKey) -> None:
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()
        self._queue.setdefault(key)
        self._ready.set()

    def _later(self, key: SessionKey, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        timer = self._timers.get(key)
        if timer is None or timer.when() > loop.time() + seconds:
            if timer is not None:
                timer.cancel()
            self._timers[key] = loop.call_later(seconds, self._look, key)

    async def _run(self) -> None:
        while True:
            await self._ready.wait()
            if not self._queue:
                self._ready.clear()
                continue
            key, _ = self._queue.popitem(last=False)
            await self._attend(key)

    async def _attend(self, key: SessionKey) -> None:
        try:
            await self._play(key)
        except _Overtaken:
            log.debug("game %s went on without the thought", key.session_id)
        except (CallerError, Rejection) as error:
            # Somebody was faster, or the session is damaged: what happens next brings us back.
            log.info("the house did nothing in game %s: %s", key.session_id, error)
        except (ThinkError, StorageError) as error:
            self._failed(key, error)
        except Exception as error:
            log.exception("the house failed in game %s", key.session_id)
            self._failed(key, error)
        else:
            self._failures.pop(key, None)

    def _failed(self, key: SessionKey, error: Exception) -> None:
        count = self._failures.get(key, 0)
        self._failures[key] = count + 1
        if count < len(RETRY_SECONDS):
            pause = RETRY_SECONDS[count]
            log.warning("the house tries again in game %s in %.0f s: %s", key.session_id, pause, error)
            self._later(key, pause)
        else:
            log.error("the house leaves game %s for now: %s", key.session_id, error)

    # One look at one game

    async def _play(self, key: SessionKey) -> None:
        session = self._table.session(key)
        if session.status is Status.PENDING and session.initiator != self.identity:
            await self._meet(session)
        elif session.status is Status.ACTIVE and session.app_id in LEVELS:
            await self._continue(session)
        elif session.status.ended:
            self._refused.pop(key, None)

    async def _meet(self, session: Session) -> None:
        """Accept a challenge, decline it, or leave it alone."""
        key, local = session.key, session.peer in self._local
        verdict = judge(session.app_id, local, self._limits, self._load(session.peer))
        if verdict is Verdict.ACCEPT and not local and not await self._daily.allow(self._table.now()):
            verdict = Verdict.IGNORE
        if verdict is Verdict.IGNORE:
            log.info("the house leaves a challenge of %s unanswered", session.peer)
        elif verdict is Verdict.DECLINE:
            await self._table.act(key, Command.DECLINE, {})
        else:
            async with self.gate:
                await self.levels.settle(key.session_id, session.app_id)
            await self._table.act(key, Command.ACCEPT, {})
            self._look(key)  # in chess it may have White

    def _load(self, peer: str) -> Load:
        peers = [
            session.peer
            for key in self._live()
            if (session := self._table.session(key)).status is Status.ACTIVE
            and session.peer not in self._local
        ]
        return Load(games=len(peers), peer_games=peers.count(peer))

    async def _continue(self, session: Session) -> None:
        """Answer a draw offer, or move, or both by moving."""
        if not self._awaited(session):
            return
        key, app = session.key, session.app_id
        began = time.monotonic()
        answer = await self._think(session)
        session = self._table.session(key)  # an offer may have come meanwhile
        mine, ply = session.metadata["turn"] == self.identity, session.metadata["move_count"]
        score = answer.score if mine else -answer.score
        log.debug(
            "game %s ply %d: %s, score %d, %d positions in %.1f s",
            key.session_id,
            ply,
            answer.move,
            score,
            answer.nodes,
            time.monotonic() - began,
        )
        self._refused.pop(key, None)
        if self._offered(session) and agrees(app, ply, score):
            await self._table.act(key, Command.DRAW_ACCEPT, {})
        elif mine and answer.claim and score <= 0:
            await self._table.act(key, Command.DRAW_OFFER, {"r": answer.claim})
        elif mine:
            await self._table.act(key, Command.MOVE, question.intent(app, answer.move))
        elif self._offered(session):
            self._refused[key] = ply
            await self._table.act(key, Command.DRAW_DECLINE, {})

    def _awaited(self, session: Session) -> bool:
        """Whether the other side waits for the house. An offer is answered once at each ply."""
        m = session.metadata
        if m["turn"] == self.identity:
            return True
        return self._offered(session) and self._refused.get(session.key) != m["move_count"]

    def _offered(self, session: Session) -> bool:
        return bool(session.metadata["draw_offered"]) and session.metadata["draw_offered_by"] == session.peer

    async def _think(self, session: Session) -> Answer:
        """Raises ``ThinkError``, and ``_Overtaken`` where the position has changed."""
        level = self.levels.of(session.key.session_id, session.app_id)
        asked = question.of(session, level=level, seed=self._seed())
        task = asyncio.get_running_loop().create_task(self._thinker.think(asked))
        self._thought = session, task
        try:
            # Not awaited itself: its cancellation must be told from our own.
            await asyncio.wait((task,))
        finally:
            self._thought = None
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        if task.cancelled() or self._changed(session):
            raise _Overtaken
        return task.result()

    def _changed(self, before: Session) -> bool:
        """Whether a thought about this position is of no use any more."""
        try:
            now = self._table.session(before.key)
        except CallerError:
            return True
        state = question.STATE[before.app_id]
        return now.status is not Status.ACTIVE or now.metadata[state] != before.metadata[state]

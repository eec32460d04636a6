"""One table of ours from its opening to the end of its series: a session after the other, as their host.

The table knows the platform's side only: entries, ops, who has sat down. Who is to sit down for us is the
house host's affair (``gateway.rcadia.host``), which is told of every change.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from gateway.rcadia.client.errors import (
    Conflict,
    Forbidden,
    RcadiaError,
    Refused,
    ServerRestarted,
    Unauthorized,
    UnknownSession,
    Unreachable,
    Unusable,
)
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.client.link import FINISHED, PACE_SECONDS, Ended, SessionLink, SessionLost
from gateway.rcadia.client.pauses import Pauses
from gateway.rcadia.wire import Entry, player_ids
from lrgpnode.protocol.value import Value

from .game import HostedGame, Ops, assign, position, said, step, stop, turn_about
from .plan import HostSettings
from .revive import NoGame, revived
from .words import Words

log = logging.getLogger(__name__)

SDK_VERSION: Final = "2.0.0"

HEARD_SECONDS: Final = 20.0
"""For which what one of our players says is waited for."""

HOST_LEFT: Final = {"winner": None, "reason": "host_left"}

NO_REMATCH: Final = frozenset(("host_disconnected", "host_left", "host_error", "wrong_players"))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableKey(Value):
    """What takes a table up after a restart of ours. ``hold``: somebody of the mesh is to sit there.

    ``before``: the session before this one in the series, "" for none.
    """

    session: str
    app: str
    hold: bool = False
    before: str = ""


def config(words: Words, settings: HostSettings) -> dict[str, Any]:
    """What the platform is told of the game (§2)."""
    return {
        "minPlayers": 2,
        "maxPlayers": 2,
        "turnBased": True,
        "simultaneous": False,
        "gameType": words.kind,
        "sdkVersion": SDK_VERSION,
        "turnTimeout": settings.turn_timeout,
        "maxTurnTimeouts": settings.strikes,
        "forfeitOnTimeout": True,
        "autoRematch": settings.rematch,
    }


class Table:
    """``run`` it as a task. ``changed``: told when anything below has changed, on the loop."""

    def __init__(
        self,
        api: HostApi,
        words: Words,
        settings: HostSettings,
        changed: Callable[[], None],
        *,
        key: TableKey | None = None,
        pauses: Callable[[], Pauses] = Pauses,
    ) -> None:
        self._api = api
        self._words = words
        self._settings = settings
        self._changed = changed
        self._pauses = pauses
        self._hold = False if key is None else key.hold
        self._taken_up = key is not None
        self._link: SessionLink | None = None
        self._watch: asyncio.Task[None] | None = None
        self._game = HostedGame(words=words, session_id="" if key is None else key.session, hold=self._hold)
        self._order: int | None = None
        self._automatic = True
        """Whether the platform opens the next round by itself; one that does not has to be asked."""
        self._leaving = False
        self._over = False
        self.known = False
        """Whether the platform has said which session it is, and who sits there."""
        self._moved = asyncio.Event()
        self.before = "" if key is None else key.before
        """The session before this one in the series, "" for none."""
        self.players: tuple[str, ...] = ()
        """Who sits at the table, in the order of the seats."""

    # Looking

    @property
    def id(self) -> str:
        """The session that goes on, "" while the table is being opened."""
        return self._game.session_id

    @property
    def key(self) -> TableKey:
        return TableKey(session=self.id, app=self.app, hold=self._hold, before=self.before)

    @property
    def app(self) -> str:
        return self._words.app

    @property
    def game(self) -> HostedGame:
        return self._game

    @property
    def waiting(self) -> bool:
        """Whether players may still come: no game has started in this round."""
        return self._game.phase == "waiting" and not self._game.players

    @property
    def trouble(self) -> str:
        """Why the platform cannot be reached just now, or ""."""
        return self._link.away if self._link is not None else ""

    async def moved_on(self, session: str) -> bool:
        """Wait until the series goes on after ``session``; False where it does not."""
        while self.id == session and not self._over:
            await self._moved.wait()
        return not self._over

    # Doing

    def hold(self, held: bool) -> None:
        """Whether the order of the next game is said by ``begin`` (True) or by the seats."""
        self._hold = held
        game = self._game
        if game.session is None:
            self._game = replace(game, hold=held)
            if not held and game.players:
                self._said(assign(game, turn_about(game)).game)
        self._changed()

    def begin(self, seat: int) -> None:
        """Start a held game: the player in ``seat`` has the first move. A second call changes nothing."""
        if self._order is None:
            self._order = seat
            self._begin()

    def _begin(self) -> None:
        """Say the order if it is known; where the start has not reached us yet, ``_handle`` does it."""
        self._said(self._ordered(self._game))

    def _ordered(self, game: HostedGame) -> HostedGame:
        order, players = self._order, game.players
        return game if order is None or order >= len(players) else assign(game, players[order]).game

    def _said(self, game: HostedGame) -> None:
        if game is not self._game and self._link is not None:
            self._game = game
            self._link.say(position(game))
            self._changed()

    async def speak(self, seat: int, kind: str) -> bool:
        """Our own player in ``seat`` resigns, or offers or answers a draw. Raises ``Rejection``.

        Whether the platform is known to have heard it.
        """
        players = self._game.players
        self._said(said(self._game, players[seat] if seat < len(players) else "", kind).game)
        return self._link is not None and await self._link.heard(HEARD_SECONDS)

    def stop(self, reason: str, winner: str = "") -> None:
        """End the game that goes on for a reason of ours."""
        self._said(stop(self._game, reason, winner).game)

    async def leave(self) -> None:
        """Close the table for good: the host goes away. ``run`` ends by itself."""
        self._leaving = True
        link = self._link
        if link is None:
            return
        await link.leave(HOST_LEFT)
        if self._link is not link and self._link is not None:
            await self._link.leave(HOST_LEFT)  # the series went on meanwhile
        elif link.following:
            # The game had ended just before, and the platform has opened the next round already.
            await self._close(link.following)

    async def _close(self, session: str) -> None:
        """End a session that nobody serves."""
        link = SessionLink(self._api, session, pauses=self._pauses)
        await link.leave(HOST_LEFT)
        await link.close()

    # The life of a table

    async def run(self) -> None:
        """Until the series is over, or the table lost; then ``players`` is ().

        Raises ``Unauthorized``, and ``Refused`` where the platform does not take the table at all.
        """
        try:
            if not self._taken_up:
                await self._open()
            elif not await self._take_up():
                return
            self.known = True
            self._changed()
            while await self._round():
                pass
        except SessionLost as lost:
            log.warning("table %s (%s) is gone: %s", self.id, self.app, lost)
        finally:
            self._over = True
            self._moved.set()
            await self._unwatch()
            if self._link is not None:
                await self._link.close()

    async def _open(self) -> None:
        """Opening may happen twice if an answer is lost; the server ends a table that nobody asks after."""
        pauses = self._pauses()
        while True:
            try:
                answer = await self._api.create(config(self._words, self._settings), title=self._words.title)
                break
            except (Unreachable, Unusable) as error:
                await pauses.after(error)
            except (Forbidden, UnknownSession, ServerRestarted, Conflict) as error:
                raise Refused(f"the platform lets us open no table: {error}", error.code) from error
        number = answer.round
        self._automatic = answer.config.get("autoRematch") is True
        self._game = HostedGame(
            words=self._words, session_id=answer.session_id, round=number, hold=self._hold
        )
        log.info("table %s (%s) is open", self.id, self.app)
        self._changed()

    async def _take_up(self) -> bool:
        """Go on with a table of before a restart, from what everybody sees of it. False where it is over."""
        pauses = self._pauses()
        while True:
            try:
                view = await self._api.public(self.id)
                break
            except (Unreachable, Unusable) as error:
                await pauses.after(error)
            except Unauthorized:
                raise
            except RcadiaError as error:
                raise SessionLost(str(error)) from error
        if view.status == FINISHED and not view.next_session_id:
            return False
        if view.status == FINISHED:
            self.before = self.id
            self._game = self._next(view.next_session_id or "", view.round + 1)
            return True
        try:
            self._game = revived(self._words, self.id, number=view.round, state=view.state, hold=self._hold)
        except NoGame as problem:
            log.error("table %s cannot be taken up, %s: it is closed", self.id, problem)
            await self._close(self.id)
            return False
        if self._game.players and self._game.phase == "waiting" and not self._hold:
            # The order was settled, but we were stopped before it was said.
            self._game = assign(self._game, turn_about(self._game)).game
        self.players = player_ids(view.players)
        log.info("table %s (%s) is taken up at ply %d", self.id, self.app, self._game.ply)
        self._changed()
        return True

    async def _round(self) -> bool:
        """One session, as its host; whether there is another."""
        link = self._link = SessionLink(
            self._api, self.id, after=self._game.seq, seen=self._seen, pauses=self._pauses
        )
        if self.waiting:
            self._watch = asyncio.get_running_loop().create_task(self._watch_players(self.id))
        ended = await link.run(self._handle, greet=self._greeting)
        await self._unwatch()
        following = await self._following(link, ended)
        if not following:
            log.info("table %s (%s) is over: %s", self.id, self.app, _reason(ended) or "no reason given")
            return False
        await link.close()
        self.before = self.id
        self._game, self._order = self._next(following, self._game.round + 1), None
        self._moved.set()
        self._moved = asyncio.Event()
        log.info("table %s (%s): round %d", self.id, self.app, self._game.round)
        self._changed()
        return True

    async def _following(self, link: SessionLink, ended: Ended) -> str:
        reason = _reason(ended)
        if self._leaving or not self._settings.rematch or reason in NO_REMATCH:
            return ""
        if ended.next_session or self._automatic or not self._game.players:
            return ended.next_session
        return await link.rematch()

    def _next(self, session: str, number: int) -> HostedGame:
        first = self._game.first
        return HostedGame(
            words=self._words, session_id=session, round=number, previous=first, hold=self._hold
        )

    def _greeting(self) -> Ops:
        """What the platform has to know before anything happens, or again after a restart of ours."""
        return position(self._game)

    def _handle(self, entry: Entry) -> Ops:
        after = step(self._game, entry)
        game = self._ordered(after.game)
        if game.phase != self._game.phase or game.players != self._game.players:
            self._changed()
        self._game = game
        if game.players:
            self.players = game.players
        return after.ops if game is after.game else position(game)

    def _seen(self, status: str, players: tuple[str, ...]) -> None:
        if players != self.players and status != FINISHED:
            self.players = players
            self._changed()

    async def _watch_players(self, session: str) -> None:
        """Tell who sits down: no entry says so before the table is full."""
        pauses, since = self._pauses(), 0
        while self.waiting and session == self.id:
            began = time.monotonic()
            try:
                view = await self._api.public(session, since=since)
            except (Unreachable, Unusable) as error:
                await pauses.after(error)
                continue
            except RcadiaError as error:
                log.info("table %s cannot be watched: %s", session, error)
                return  # whoever serves the session hears the same
            pauses.worked()
            news, since = view.version != since, view.version
            self._seen(view.status, player_ids(view.players))
            if view.status != "waiting":
                return
            if not news and time.monotonic() - began < PACE_SECONDS:
                await asyncio.sleep(PACE_SECONDS)  # of a server that does not hold requests

    async def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
            self._watch = None


def _reason(ended: Ended) -> str:
    """Why the platform says that a session is over, "" where it does not say."""
    reason = ended.result.get("reason") if isinstance(ended.result, dict) else None
    return reason if isinstance(reason, str) else ""

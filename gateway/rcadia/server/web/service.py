"""The engine in an event loop: its time, its timer, and the requests that wait for it."""

from __future__ import annotations

import asyncio
import functools
import re
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Final

from aiohttp import web

from gateway.rcadia.server.engine import Engine
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Seat, Session
from gateway.rcadia.server.web import answers, requests
from gateway.rcadia.server.web.gate import Gate, Scope, Who
from gateway.rcadia.server.web.holding import MAX_PER_ACCOUNT, Holding

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_HOST: Final = re.compile(r"[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?\Z|\[[0-9A-Fa-f:.]{2,45}\](?::[0-9]{1,5})?\Z")

_LATE: Final = 1.0
"""Seconds by which the wall clock may differ from ours before what is shown is corrected."""


class Service:
    """``public_url`` is the address of the server for others, without a slash at the end; empty for the one
    that each request came to. ``ended`` is told of every session that has ended.

    Times inside are the wall clock's of the start, and go on by the monotonic clock: a wall clock that is set
    meanwhile must not end games. ``Room.skew`` corrects what is shown.
    """

    def __init__(
        self,
        engine: Engine,
        gate: Gate,
        *,
        public_url: str = "",
        ended: Callable[[Session], None] | None = None,
    ) -> None:
        self.engine = engine
        self.gate = gate
        self.holding = Holding()
        self._public_url = public_url.rstrip("/")
        self._ended = ended
        self._offset = time.time() - time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0

    def now(self) -> float:
        return time.monotonic() + self._offset

    def base(self, request: web.Request) -> str:
        """The address that links in answers begin with."""
        if self._public_url:
            return self._public_url
        host = request.host if _HOST.match(request.host) else "localhost"
        return f"{request.scheme}://{host}"

    def settled(self) -> None:
        """After every use of the engine: wake who waits for what has changed, and set the timer."""
        changed = self.engine.take_changed()
        if changed:
            self._correct_time()
            self.holding.wake(changed)
            for session in self.engine.take_ended():
                if self._ended is not None:
                    self._ended(session)
        self._set_timer()

    @property
    def occupied(self) -> bool:
        """Whether there is a game or a request of somebody who might have to go."""
        return self.holding.count > 0 or any(not one.finished for one in self.engine.room.sessions.values())

    def cut_off(self, accounts: Collection[str]) -> None:
        """These may not be here any more; nor may requests whose tokens are gone go on waiting."""
        self.holding.cut_off()
        self.engine.cut_off(accounts, self.now())
        self.settled()

    def close(self) -> None:
        self.holding.close()
        if self._timer is not None:
            self._timer.cancel()

    # For the routes

    def player(self, request: web.Request) -> tuple[Who, Session, Seat]:
        """Who calls, and the seat, which is ready from now on. Raises ``Refusal``."""
        who = self.gate.who(request, "play")
        now = self.now()
        session = self.engine.session(request.match_info["id"], now)
        seat = self.engine.seat(session, who.account)
        self.engine.enter(session, seat, now)
        return who, session, seat

    def hosted(self, request: web.Request) -> Session:
        """The session of the host that calls. Raises ``Refusal``."""
        who = self.gate.who(request, "host")
        session = self.engine.session(request.match_info["id"], self.now())
        self.engine.check_host(session, who.account)
        return session

    async def hold(
        self,
        session: Session,
        ready: Callable[[], bool],
        seconds: float,
        who: str,
        most: int = MAX_PER_ACCOUNT,
        *,
        deliver: Callable[[], None] | None = None,
        spectator: bool = False,
        caller: web.Request | None = None,
    ) -> None:
        """Wait until ``ready`` or the session is dropped; ``deliver`` as in ``Holding``.

        ``caller``: the request, where it is somebody's with an account. Raises ``Refusal`` (401, 429).
        """
        sessions = self.engine.room.sessions
        await self.holding.until(
            session,
            lambda: ready() or session.id not in sessions,
            seconds,
            who=who,
            most=most,
            deliver=deliver,
            spectator=spectator,
            permit=None if caller is None else self.gate.permit(caller),
        )

    def route(self, handler: Handler) -> Handler:
        """The handler with every refusal as an answer, and what it did made known."""

        @functools.wraps(handler)
        async def answer(request: web.Request) -> web.StreamResponse:
            try:
                return await handler(request)
            except Refusal as refusal:
                return answers.refused(refusal, self.base(request))
            except web.HTTPRequestEntityTooLarge:
                return answers.refused(requests.too_large(), "")
            finally:
                self.settled()

        return answer

    # Within

    def _set_timer(self) -> None:
        due = self.engine.next_due()
        if due is None or (self._timer is not None and self._timer_at <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = due
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(0.0, due - self.now()), self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.engine.advance(self.now())
        self.settled()

    def _correct_time(self) -> None:
        skew = time.time() - self.now()
        self.engine.room.skew = skew if abs(skew) > _LATE else 0.0


__all__ = ["Handler", "Scope", "Service"]

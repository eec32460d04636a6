"""One session as its host sees it: entries come in, each once, and ops go out (§3).

An entry is acknowledged by the poll after it, and no poll begins before the server has taken everything
that was said about the entries before. So whatever happens to us or to the network, an entry either comes
again or all that follows from it is known to the server. An entry that comes again is passed on again only
if it was not handled in this process; the game ignores it after a restart (``hosting.game``).

While a poll is open or repeated, the host counts as alive. What goes wrong ends in one of three ways: it is
tried again; the session has ended (``Ended``); or it is gone (``SessionLost``). A token that is not taken
is raised as it is: no session can go on without one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from gateway.rcadia.wire import MAX_WAIT, EndOp, Entry, Op, OpsAnswer, PendingAnswer, player_ids
from lrgpnode.protocol.value import Value

from .errors import (
    Conflict,
    Forbidden,
    RcadiaError,
    Refused,
    ServerRestarted,
    UnknownSession,
    Unreachable,
    Unusable,
)
from .host import HostApi
from .ops import OpsSender
from .pauses import Pauses

log = logging.getLogger(__name__)

FINISHED: Final = "finished"

LEAVE_SECONDS: Final = 5.0
PACE_SECONDS: Final = 1.0
"""Between polls of a server that does not hold them."""


class SessionLost(Exception):
    """The server has no such session of ours any more. ``restarted``: it was lost in a restart (410)."""

    def __init__(self, message: str, *, restarted: bool = False) -> None:
        super().__init__(message)
        self.restarted = restarted


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ended(Value):
    """How a session has ended. ``next_session``: where the series goes on, "" for nowhere."""

    result: Any
    next_session: str = ""
    round: int = 1


Handle = Callable[[Entry], Iterable[Op]]
"""What the game says to an entry. Called once for each, in order; must not block."""


class SessionLink:
    """``after``: the last entry that is known to be handled. ``seen``: told of status and players."""

    def __init__(
        self,
        api: HostApi,
        session_id: str,
        *,
        after: int = 0,
        wait: int = MAX_WAIT,
        sequential: bool = True,
        seen: Callable[[str, tuple[str, ...]], None] = lambda status, players: None,
        pauses: Callable[[], Pauses] = Pauses,
    ) -> None:
        self.id = session_id
        self._api = api
        self._after = after
        self._wait = wait
        self._seen = seen
        self._pauses = pauses()
        self._next = ""
        self._sender = OpsSender(
            api, session_id, sequential=sequential, pauses=pauses(), heard=self._heard_ops
        )
        self.away = ""
        """Why the server cannot be reached at the moment, "" while it can."""

    @property
    def following(self) -> str:
        """The next session of the series as far as an answer to ops has named it, else ""."""
        return self._next

    def say(self, ops: Iterable[Op]) -> None:
        """Tell the server something that no entry has asked for. Returns at once."""
        self._sender.put(ops)

    async def heard(self, seconds: float) -> bool:
        """Wait until the server has taken all that was said; False where that takes longer, or fails."""
        try:
            async with asyncio.timeout(seconds):
                await self._sender.flush()
        except (RcadiaError, TimeoutError) as error:
            log.info("what was said at table %s is not known to have arrived: %s", self.id, error)
            return False
        return True

    async def run(self, handle: Handle, greet: Callable[[], Iterable[Op]] = tuple) -> Ended:
        """Serve the session until it ends. Raises ``SessionLost``, ``Unauthorized``.

        ``greet``: what is said after the first poll unless its entries have said something. Earlier, it might
        answer an action that we have not seen yet.
        """
        wait, greeted = 0, False  # what waits already comes at once
        while True:
            try:
                await self._sender.flush()
                began = time.monotonic()
                answer = await self._api.pending(self.id, self._after, wait)
            except (Unreachable, Unusable) as error:
                self._is_away(str(error))
                await self._pauses.after(error)
                continue
            except (Forbidden, UnknownSession, ServerRestarted, Conflict, Refused) as error:
                raise SessionLost(str(error), restarted=isinstance(error, ServerRestarted)) from error
            self._is_away("")
            self._pauses.worked()
            said = self._take(answer, handle)
            if answer.status == FINISHED:
                await self._acknowledge(answer)
                return self._result(answer)
            if not greeted:
                greeted = True
                self.say(() if said else greet())
            if not answer.actions and time.monotonic() - began < min(wait, PACE_SECONDS):
                await asyncio.sleep(PACE_SECONDS)
            wait = self._wait

    async def leave(self, result: Any) -> None:
        """End the session because the host goes away: no rematch. ``run`` then returns by itself.

        Tries for a few seconds only; a session that was left without a word is ended by the server (§3).
        """
        self.say([EndOp(result=result, reason="host_left")])
        await self.heard(LEAVE_SECONDS)

    async def rematch(self) -> str:
        """The next session of the series, "" where there is none. For a session that has ended.

        Raises ``SessionLost``, ``Unauthorized``.
        """
        while True:
            try:
                return (await self._api.rematch(self.id)).session_id
            except (Unreachable, Unusable) as error:
                await self._pauses.after(error)
            except (Forbidden, Conflict, Refused):
                return ""
            except (UnknownSession, ServerRestarted) as error:
                raise SessionLost(str(error), restarted=isinstance(error, ServerRestarted)) from error

    async def close(self) -> None:
        """Say nothing more; the session stays as it is."""
        await self._sender.close()

    def _take(self, answer: PendingAnswer, handle: Handle) -> bool:
        """Pass the entries on; whether the game has said anything."""
        said: list[Op] = []
        self._seen(answer.status, player_ids(answer.players))
        for entry in sorted(answer.actions, key=lambda one: one.seq):
            if entry.seq > self._after:
                said += handle(entry)
                self._after = entry.seq
        self.say(said)
        return bool(said)

    async def _acknowledge(self, last: PendingAnswer) -> None:
        """Let the server forget the last entries; it is no loss if it does not hear of it."""
        if last.actions:
            try:
                await self._api.pending(self.id, self._after, 0)
            except RcadiaError as error:
                log.debug("the end of game %s is not acknowledged: %s", self.id, error)

    def _result(self, answer: PendingAnswer) -> Ended:
        following = answer.next_session_id or self._next
        number = answer.round + 1 if following else answer.round
        return Ended(result=answer.result, next_session=following, round=number)

    def _heard_ops(self, answer: OpsAnswer) -> None:
        self._next = answer.next_session_id or self._next
        self._seen(answer.status, player_ids(answer.players))

    def _is_away(self, reason: str) -> None:
        if reason and not self.away:
            log.warning("table %s: %s", self.id, reason)
        elif self.away and not reason:
            log.info("table %s: the platform is there again", self.id)
        self.away = reason

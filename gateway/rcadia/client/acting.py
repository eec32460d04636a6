"""One action, carried out at most once, and what came of it (protocol §4, §5).

The turn is sent with every action, so that the server itself refuses one that comes twice. Where an answer is
lost, the state is read before anything is sent again: only if it is still our turn and the server knows of no
action of ours in it, the action was lost, too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from gateway.rcadia.wire import MAX_WAIT, Snapshot
from lrgpnode.protocol.value import Value

from .agent import AgentApi
from .errors import Conflict, CoolingDown, RcadiaError, Unreachable, Unusable
from .pauses import Pauses
from .watch import Watch

SENT_AGAIN: Final = 5
"""How often an action is sent that the server has not got, before the trouble is reported."""


class Verdict(StrEnum):
    """What came of an action. ``MOVED_ON``: the turn is over, and not by this action."""

    APPLIED = "applied"
    REJECTED = "rejected"
    UNCONFIRMED = "unconfirmed"
    MOVED_ON = "moved_on"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result(Value):
    """``reason``: of a rejection. ``action_id``: "" if the server never named it."""

    verdict: Verdict
    reason: str = ""
    action_id: str = ""


class Actor:
    """Actions in one session. ``patience``: seconds for which a server that does not answer is tried again.

    ``confirm``: seconds that an unconfirmed action is given to be resolved after all.
    """

    def __init__(
        self,
        api: AgentApi,
        watch: Watch,
        session_id: str,
        *,
        wait: int = MAX_WAIT,
        patience: float = 60.0,
        confirm: float = 15.0,
        pauses: Callable[[], Pauses] = Pauses,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = api
        self._watch = watch
        self._id = session_id
        self._wait = wait
        self._patience = patience
        self._confirm = confirm
        self._pauses = pauses
        self._clock = clock

    async def act(self, action: Any, snapshot: Snapshot) -> Result:
        """Send ``action`` for the turn of ``snapshot`` and wait until it is settled.

        Raises ``RcadiaError``; after ``Unreachable`` the action may have arrived, and the next look tells.
        """
        turn = snapshot.turn
        before = snapshot.last_action.action_id if snapshot.last_action else ""
        pauses = self._pauses()
        for attempt in range(SENT_AGAIN):
            if attempt:
                await pauses.after_seconds(None)
            try:
                answer = await self._api.act(self._id, action, turn=turn, wait=self._wait)
            except Conflict as conflict:
                now = await self._after(conflict)
            except CoolingDown:
                raise  # nothing was sent
            except (Unreachable, Unusable) as error:
                now = await self._look(error)
            else:
                now = answer.snapshot or await self._look()
                self._watch.take(now)
                if answer.outcome != "pending":
                    reason = answer.reason if isinstance(answer.reason, str) else ""
                    return await self._settled(answer.outcome, reason, answer.action_id or "", turn, before)
            result = await self._follow(now, turn, before)
            if result is not None:
                return result
        raise Unreachable("The platform does not take the action, and does not say why")

    async def resume(self, snapshot: Snapshot) -> Result:
        """Wait for the outcome of an action of ours that is pending in ``snapshot``. Raises
        ``RcadiaError``."""
        result = await self._follow(snapshot, snapshot.turn, "")
        return result or Result(verdict=Verdict.MOVED_ON)

    async def _after(self, conflict: Conflict) -> Snapshot:
        snapshot = conflict.snapshot or await self._look()
        self._watch.take(snapshot)
        return snapshot

    async def _follow(self, now: Snapshot, turn: int, before: str) -> Result | None:
        """What came of the action that ``now`` may know of; None if the server has not got it."""
        while True:
            last = now.last_action
            ours = last is not None and last.action_id != before and last.turn in (turn, 0)
            if last is None or not ours:
                waits = now.status == "active" and now.your_turn and now.turn == turn
                return None if waits else Result(verdict=Verdict.MOVED_ON)
            if last.status != "pending":
                return await self._settled(last.status, last.reason or "", last.action_id, turn, before)
            if now.status == "finished" or now.turn > turn:
                return Result(verdict=Verdict.MOVED_ON, action_id=last.action_id)
            now = await self._look(wait=self._wait, since=now.version)

    async def _settled(self, outcome: str, reason: str, action_id: str, turn: int, before: str) -> Result:
        if outcome == "unconfirmed":
            return await self._unconfirmed(action_id, turn, before)
        known = {"applied": Verdict.APPLIED, "rejected": Verdict.REJECTED}
        return Result(verdict=known.get(outcome, Verdict.UNCONFIRMED), reason=reason, action_id=action_id)

    async def _unconfirmed(self, action_id: str, turn: int, before: str) -> Result:
        """The game said nothing in time. What it says late counts, so it is given some more."""
        until = self._clock() + self._confirm
        while (left := until - self._clock()) > 0:
            wait = max(1, min(self._wait, int(left)))
            view = await self._public(wait)
            now = await self._look()
            last = now.last_action
            if last is not None and last.action_id == action_id and last.status in ("applied", "rejected"):
                return await self._settled(last.status, last.reason or "", action_id, turn, before)
            if now.status != "active" or now.turn != turn:
                return Result(verdict=Verdict.MOVED_ON, action_id=action_id)
            if not view:
                await asyncio.sleep(min(left, wait))
        return Result(verdict=Verdict.UNCONFIRMED, action_id=action_id)

    async def _public(self, wait: int) -> bool:
        """Wait for a change of the session; False where that cannot be waited for."""
        latest = self._watch.latest
        if latest is None:
            return False
        began = self._clock()
        try:
            view = await self._api.public(self._id, since=latest.version, wait=wait)
        except RcadiaError:
            return False
        return view.version != latest.version or self._clock() - began >= wait / 2

    async def _look(
        self, error: Exception | None = None, *, wait: int = 0, since: int | None = None
    ) -> Snapshot:
        """The state, patiently. Raises ``RcadiaError``."""
        pauses = self._pauses()
        until = self._clock() + self._patience
        while True:
            if error is not None:
                asked = error.retry_after if isinstance(error, Unreachable) else None
                if self._clock() + (asked or 0.0) >= until:
                    raise error
                await pauses.after(error)
            began = self._clock()
            try:
                snapshot = await self._api.state(self._id, wait=wait, since=since)
            except (Unreachable, Unusable) as failure:
                error = failure
                continue
            self._watch.take(snapshot)
            if wait and snapshot.version == since and self._clock() - began < min(1.0, wait / 2):
                await pauses.after_seconds(None)  # it was not held: whoever asks again does so later
            return snapshot

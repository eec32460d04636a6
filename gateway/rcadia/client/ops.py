"""Ops on their way to the server (§3): collected for a moment, one request at a time, in order, never lost.

A request of which no answer came is sent again, and what has been said since is sent with it. A server
that had carried it out already is then told the same twice, which the protocol allows: but not what the
game has meanwhile taken back. So before a repetition what a later op replaces is left out (``fresh``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from gateway.rcadia.wire import MAX_OPS, LegalActionsOp, ObservationOp, Op, OpsAnswer, StateOp

from .errors import Conflict, Unreachable, Unusable
from .host import HostApi
from .pauses import Pauses

log = logging.getLogger(__name__)

COLLECT_SECONDS: Final = 0.01
"""§3: hosts collect outbound messages for about 10 ms."""


def fresh(ops: Sequence[Op], *, sequential: bool) -> list[Op]:
    """Without ops that a later one replaces. In a sequential game legal actions replace everybody's."""
    kept: list[Op] = []
    replaced: set[object] = set()
    for op in reversed(ops):
        key: object = None
        match op:
            case StateOp():
                key = "state"
            case ObservationOp():
                key = "observation", op.player_id
            case LegalActionsOp():
                key = "legal" if sequential and op.actions else ("legal", op.player_id)
                if "legal" in replaced:
                    continue
        if key is not None:
            if key in replaced:
                continue
            replaced.add(key)
        kept.append(op)
    return kept[::-1]


class OpsSender:
    """The ops of one session. ``heard``: told of every answer. On the loop's thread."""

    def __init__(
        self,
        api: HostApi,
        session_id: str,
        *,
        sequential: bool = True,
        pauses: Pauses | None = None,
        heard: Callable[[OpsAnswer], None] = lambda answer: None,
    ) -> None:
        self._api = api
        self._id = session_id
        self._sequential = sequential
        self._pauses = pauses or Pauses()
        self._heard = heard
        self._waiting: list[Op] = []
        self._task: asyncio.Task[None] | None = None

    def put(self, ops: Iterable[Op]) -> None:
        """Say these next. Returns at once."""
        self._waiting += ops
        if self._waiting and (self._task is None or (self._task.done() and self._failure() is None)):
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def flush(self) -> None:
        """Wait until the server has taken all that was put. Raises ``RcadiaError`` if it never will."""
        while self._task is not None and not self._task.done():
            await asyncio.wait((self._task,))
        if self._task is not None and not self._task.cancelled():
            self._task.result()

    async def close(self) -> None:
        """Say nothing more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._waiting.clear()

    def _failure(self) -> BaseException | None:
        assert self._task is not None
        return asyncio.CancelledError() if self._task.cancelled() else self._task.exception()

    async def _run(self) -> None:
        await asyncio.sleep(COLLECT_SECONDS)
        while self._waiting:
            batch = self._waiting[:MAX_OPS]
            del self._waiting[:MAX_OPS]
            try:
                answer = await self._api.ops(self._id, batch)
            except (Unreachable, Unusable) as error:
                log.info("what game %s says has not arrived: %s", self._id, error)
                await self._pauses.after(error)
                self._waiting = fresh([*batch, *self._waiting], sequential=self._sequential)
                continue
            except Conflict as error:
                # The session has ended meanwhile; the next poll says how.
                log.info("what game %s says came too late: %s", self._id, error)
                self._waiting.clear()
                return
            self._pauses.worked()
            self._heard(answer)

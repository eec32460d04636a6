"""The sign of life: given only when every part that must run has just shown that it does.

A beat runs on the node's loop, so a loop that hangs gives none. Each part is asked to do something in
its own thread; while one does not answer there is no beat, and systemd starts the node again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from lrgpnode.service.notify import Notifier

log = logging.getLogger("lrgpnode.service")

Probe = Callable[[], Awaitable[object]]
"""Returns when a part has done something; never raises but for a part that is broken."""

HOUR: Final = 3600.0

_STATUS_SECONDS: Final = 60.0
"""How often the status is told where no sign of life is wanted."""


class Heart:
    """``parts`` by name; ``status`` is the line for ``systemctl status``, and once an hour for the log."""

    def __init__(self, notifier: Notifier, parts: Mapping[str, Probe], status: Callable[[], str]) -> None:
        self._notifier = notifier
        self._parts = dict(parts)
        self._status = status
        self._task: asyncio.Task[None] | None = None
        self._said_at = time.monotonic()

    def start(self) -> None:
        """Begin; nothing runs where systemd does not listen."""
        if self._notifier.wanted:
            self._task = asyncio.create_task(self._beat())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _beat(self) -> None:
        watchdog = self._notifier.watchdog
        pause = watchdog / 4 if watchdog is not None else _STATUS_SECONDS
        while True:
            if watchdog is not None:
                await asyncio.gather(*(self._ask(name, part, pause) for name, part in self._parts.items()))
                self._notifier.alive()
            self._tell()
            await asyncio.sleep(pause)

    async def _ask(self, name: str, part: Probe, patience: float) -> None:
        """Wait until a part has answered, however long; say so when it is late."""
        answer = asyncio.ensure_future(part())
        try:
            done, _ = await asyncio.wait({answer}, timeout=patience)
            if not done:
                log.error("the %s has not answered for %.1f s; no sign of life is given", name, patience)
            await answer
        except Exception:
            log.exception("the %s is broken; no sign of life is given any more", name)
            await asyncio.Event().wait()
        finally:
            answer.cancel()

    def _tell(self) -> None:
        try:
            text = self._status()
        except Exception:
            # The status is for people; whether the node lives is another question.
            log.exception("the status of the node cannot be told")
            return
        self._notifier.status(text)
        if time.monotonic() - self._said_at >= HOUR:
            self._said_at = time.monotonic()
            log.info("%s", text)

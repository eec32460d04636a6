"""Whoever may not be here any more is cut off: at the ladder, at tables, and while a request waits.

Another process may disable an account or take a token away, and a database tells nobody. So it is asked
once a second whether something has changed, while anybody is here for whom it would matter.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from gateway.arcade.auth import LOOK_AGAIN, Doorman
from gateway.arcade.store import ArcadeStore, StoreError
from gateway.rcadia.server.web.service import Service

if TYPE_CHECKING:
    from gateway.agentgames.server.arena import Arena

log = logging.getLogger("lrgpnode.arcade")


class Watch:
    """``arrived`` is called when somebody comes; it looks until nobody is here. Belongs to one loop."""

    def __init__(self, store: ArcadeStore, doorman: Doorman, service: Service, arena: Arena) -> None:
        self._store = store
        self._doorman = doorman
        self._service = service
        self._arena = arena
        self._version = store.version()
        self._timer: asyncio.TimerHandle | None = None
        self._trouble = ""
        self._closed = False

    def arrived(self) -> None:
        """Somebody is here."""
        if self._timer is None and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(LOOK_AGAIN, self._on_timer)

    def close(self) -> None:
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def look(self) -> None:
        """Cut off whoever may not be here, if an account, a token or a key has changed."""
        version = self._store.version()
        if version == self._version:
            return
        self._doorman.reload()
        disabled = frozenset(one.id for one in self._store.accounts() if one.disabled)
        self._arena.cut_off(disabled)
        self._service.cut_off(disabled)
        self._version = version

    def _on_timer(self) -> None:
        self._timer = None
        try:
            self.look()
            self._trouble = ""
        except StoreError as error:
            if str(error) != self._trouble:
                log.error("who may not be here any more is not seen: %s", error)
            self._trouble = str(error)
        if self._arena.occupied or self._service.occupied:
            self.arrived()

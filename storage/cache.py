"""The decoded live sessions used last, shared by the loop's thread and the writer's.

The writer applies its changes after COMMIT. A reader that found nothing here loads the row and offers
it with the generation it saw before loading; if anything was committed meanwhile, the row may be
old and the offer is refused. So nothing older than the last applied commit is ever in the cache.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping

from lrgpnode.protocol.session import Session, SessionKey

SIZE = 256
"""Sessions. A chess game of 300 plies takes about 25 kB decoded."""


class SessionCache:
    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._sessions: OrderedDict[SessionKey, Session] = OrderedDict()
        self._generation = 0

    @property
    def generation(self) -> int:
        return self._generation

    def get(self, key: SessionKey) -> Session | None:
        with self._lock:
            session = self._sessions.get(key)
            if session is not None:
                self._sessions.move_to_end(key)
            return session

    def offer(self, session: Session, generation: int) -> None:
        """Keep a session loaded from the database, if nothing was committed since ``generation``."""
        with self._lock:
            if generation == self._generation:
                self._put(session)

    def apply(self, changes: Mapping[SessionKey, Session | None]) -> None:
        """What a committed transaction wrote (None: deleted)."""
        with self._lock:
            self._generation += 1
            for key, session in changes.items():
                if session is None:
                    self._sessions.pop(key, None)
                else:
                    self._put(session)

    def __contains__(self, key: SessionKey) -> bool:
        return key in self._sessions

    def __len__(self) -> int:
        return len(self._sessions)

    def _put(self, session: Session) -> None:
        if session.status.ended:
            self._sessions.pop(session.key, None)
            return
        self._sessions[session.key] = session
        self._sessions.move_to_end(session.key)
        if len(self._sessions) > self._size:
            self._sessions.popitem(last=False)

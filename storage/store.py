"""The whole store: one database, its tables, and ``commit``, which is how a game changes.

Theory of operation. A unit of work is a frozen ``Commit``; ``commit`` writes all of it in one
transaction and returns only when it is on the disk. Then, and only then, the cache of decoded
sessions follows. If anything fails, ``StorageError`` is raised and file and cache are as before.

Everything that writes (``commit`` and the methods of the tables that say so) is meant for the writer
thread, see ``storage.writer``; everything that reads may be called from the loop's thread meanwhile
and sees what was committed last. A ``":memory:"`` store is for one thread.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from types import TracebackType
from typing import Self

from lrgpnode.protocol.session import SessionKey

from . import actions, clock, departure, gateway, mail, messages, outbox, scores, sessions
from .actions import ActionTable
from .admission import AdmissionTable
from .book import Book
from .cache import SIZE, SessionCache
from .database import BUSY_SECONDS, Database
from .gateway import GatewayTable
from .mail import MailTable
from .messages import MessageTable
from .model import Commit, Committed
from .outbox import OutboxTable
from .scores import ScoreTable
from .sessions import SessionTable
from .text import TextTable


class Store:
    """``boot_id`` names the boot whose CLOCK_BOOTTIME the replay entries are measured by.

    Raises ``StorageError`` where the file cannot be opened, is damaged, newer or another program's.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        boot_id: str = "",
        busy_seconds: float = BUSY_SECONDS,
        cached_sessions: int = SIZE,
    ) -> None:
        self._database = Database(path, busy_seconds=busy_seconds)
        self._boot_id = boot_id
        self._cache = SessionCache(cached_sessions)
        self.sessions = SessionTable(self._database, self._cache)
        self.actions = ActionTable(self._database)
        self.outbox = OutboxTable(self._database)
        self.mail = MailTable(self._database, boot_id)
        self.messages = MessageTable(self._database)
        self.scores = ScoreTable(self._database)
        self.book = Book(self._database)
        self.admission = AdmissionTable(self._database)
        self.text = TextTable(self._database)
        self.gateway = GatewayTable(self._database)

    @property
    def path(self) -> str:
        return self._database.path

    @property
    def database(self) -> Database:
        return self._database

    def commit(self, unit: Commit, *, waiting: Callable[[], None] | None = None) -> Committed:
        """Write all of ``unit`` in one transaction. Raises ``StorageError``; then nothing was written.

        ``waiting`` is called, in this thread, when nothing is left to do but to wait for the disk.
        """
        path = self._database.path
        number = outbox_id = parked_id = message_id = bridge_id = None
        played = unit.action.key.session_id if unit.action is not None else None
        written = unit.update or unit.insert
        with self._database.transaction(waiting=waiting) as connection:
            ended = scores.ending(connection, (*unit.expired, unit.insert, unit.update))
            for session in unit.expired:
                sessions.update(connection, session, path)
                outbox.expire(connection, session.key, session.updated_at)
            if unit.insert is not None:
                sessions.insert(connection, unit.insert)
            if unit.update is not None:
                sessions.update(connection, unit.update, path)
            if unit.action is not None:
                self._require(connection, unit, unit.action.key)
                number = actions.append(connection, unit.action)
            if unit.settle is not None and written is not None:
                outbox.settle(connection, unit.settle, written.updated_at, withdraw=unit.withdraw)
            if unit.outbox is not None:
                outbox_id = outbox.add(connection, unit.outbox, number)
            for change in unit.outbox_changes:
                outbox.change(connection, change)
            actions.sign(connection, unit.signatures)
            mail.record(connection, unit.replay, self._boot_id)
            mail.forget(connection, unit.forget)
            mail.keep(connection, unit.keep)
            mail.see(connection, unit.seen)
            if unit.park is not None:
                parked_id = mail.park(connection, unit.park)
            mail.unpark(connection, unit.unpark)
            mail.flag(connection, unit.flags)
            mail.unflag(connection, unit.unflag)
            if unit.message is not None:
                message_id = messages.add(connection, unit.message, outbox_id)
            if unit.bridge is not None:
                bridge_id = gateway.add(connection, unit.bridge, played)
            if unit.bridge_change is not None:
                gateway.change(connection, unit.bridge_change, played)
            scores.count(connection, ended)
        changed = sessions.changes((*unit.expired, unit.insert, unit.update))
        if changed:
            self._cache.apply(changed)
        return Committed(number, outbox_id, parked_id, message_id, bridge_id)

    def delete_identity(self, identity: str) -> list[SessionKey]:
        """Delete all games of an identity and what else is its own, but not its row among the identities.

        The sessions in which something went on, for whoever has them in memory.
        """
        with self._database.transaction() as connection:
            gone = departure.delete(connection, identity)
        self._cache.apply(dict.fromkeys(gone))
        return gone

    def newest_time(self) -> float:
        """The newest time stored, Unix seconds; 0 in an empty database."""
        return clock.newest(self._database)

    def put_times_right(self, now: float) -> list[SessionKey]:
        """The wall clock is right now; see ``storage.clock``."""
        return clock.put_right(self._database, self._cache, now)

    def _require(self, connection: sqlite3.Connection, unit: Commit, key: SessionKey) -> None:
        written = unit.update or unit.insert
        if (written is None or written.key != key) and not sessions.exists(connection, key):
            raise sessions.missing(self.path, key)

    def close(self) -> None:
        """Merge the log into the file and close. May be called twice."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

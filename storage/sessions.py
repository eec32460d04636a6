"""The table ``game_sessions``: statements, and ``SessionTable``, which the router reads (spec §16).

``insert``, ``update`` and ``delete`` of this module run inside somebody's transaction and are the only
statements that write sessions; the methods of ``SessionTable`` wrap each in a transaction of its own.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from lrgpnode.protocol.session import Session, SessionKey, Status

from . import errors
from .cache import SessionCache
from .codec import decode_metadata, encode_metadata
from .database import Database
from .model import Cursor, Summary

MUTABLE = frozenset(("status", "metadata", "unread", "updated_at", "last_action_at"))
"""The columns an update may name; one other refuses all of it (spec §16)."""

PAGE = 50
_LIST_CHUNK = 200

Which = Literal["all", "live", "ended"]

_COLUMNS = (
    "session_id, identity_id, app_id, app_version, contact_hash, initiator, status, metadata, unread, "
    "created_at, updated_at, last_action_at"
)
# Of metadata only the winner, where the game keeps one under the usual name: a list decodes no ended game.
_WINNER = """
CASE WHEN status = 'completed' AND json_valid(metadata) THEN json_extract(metadata, '$.winner') END
"""
_SUMMARY = f"{_COLUMNS.replace('metadata, ', '')}, {_WINNER}"

_INSERT = """
INSERT INTO game_sessions (session_id, identity_id, app_id, app_version, contact_hash, initiator, status,
                           metadata, unread, created_at, updated_at, last_action_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

# The binding is part of the condition: a value of another binding changes nothing.
_UPDATE = """
UPDATE game_sessions SET status = ?, metadata = ?, unread = ?, updated_at = ?, last_action_at = ?
WHERE session_id = ? AND identity_id = ? AND app_id = ? AND app_version = ? AND contact_hash = ?
  AND initiator = ? AND created_at = ?
"""

# The texts below are put together from the constants of this module, never from a caller's.
_GET = f"SELECT {_COLUMNS} FROM game_sessions WHERE session_id = ? AND identity_id = ?"  # noqa: S608

_PENDING = """
SELECT count(*) FROM (SELECT 1 FROM game_sessions
WHERE identity_id = ? AND status IN ('pending','active') AND status = 'pending' AND last_action_at >= ?
LIMIT 1000)
"""
_PENDING_OF_PEER = """
SELECT count(*) FROM (SELECT 1 FROM game_sessions
WHERE identity_id = ? AND contact_hash = ? AND status = 'pending' AND last_action_at >= ?
LIMIT 1000)
"""

_OLDER_LIVE = f"""
SELECT {_COLUMNS} FROM game_sessions
WHERE identity_id = ? AND status IN ('pending','active') AND status = ? AND last_action_at < ?
ORDER BY last_action_at, session_id
"""  # noqa: S608
_OLDER_ENDED = f"""
SELECT {_COLUMNS} FROM game_sessions
WHERE identity_id = ? AND status IN ('completed','expired','declined') AND status = ? AND last_action_at < ?
ORDER BY last_action_at, session_id
"""  # noqa: S608

_FIND = """
SELECT session_id, identity_id FROM game_sessions
WHERE session_id >= ? AND session_id < ? AND (? IS NULL OR identity_id = ?) ORDER BY session_id LIMIT ?
"""
_LIVE_COUNT = "SELECT count(*) FROM game_sessions WHERE identity_id = ? AND status IN ('pending','active')"
_LIVE = "SELECT status, count(*) FROM game_sessions WHERE status IN ('pending','active') GROUP BY status"
_OLDEST = """
SELECT app_id, status, min(last_action_at) FROM game_sessions
WHERE identity_id = ? AND status IN ('pending','active') GROUP BY app_id, status
"""

# One branch for each index: every one is read in order and stops at the limit.
_BRANCH = """
SELECT * FROM (
    SELECT rowid AS r, last_action_at AS l, session_id AS s FROM game_sessions
    WHERE identity_id = :identity AND {where} AND (last_action_at, session_id) < (:at, :session)
      AND (:app IS NULL OR app_id = :app)
    ORDER BY last_action_at DESC, session_id DESC LIMIT :limit)
"""
_BRANCHES: Mapping[str, str] = {
    "pending": "status IN ('pending','active') AND status = 'pending'",
    "active": "status IN ('pending','active') AND status = 'active'",
    "ended": "status IN ('completed','expired','declined')",
}


def _page_sql(columns: str, *branches: str) -> str:
    union = " UNION ALL ".join(_BRANCH.format(where=_BRANCHES[name]) for name in branches)
    return (
        f"SELECT {columns} FROM (SELECT r FROM ({union}) ORDER BY l DESC, s DESC LIMIT :limit) "  # noqa: S608
        "JOIN game_sessions ON game_sessions.rowid = r ORDER BY last_action_at DESC, session_id DESC"
    )


_PAGES: Mapping[Which, str] = {
    "all": _page_sql(_SUMMARY, "pending", "active", "ended"),
    "live": _page_sql(_SUMMARY, "pending", "active"),
    "ended": _page_sql(_SUMMARY, "ended"),
}
_LIST = _page_sql(_COLUMNS, "pending", "active", "ended")

_FIRST = Cursor(last_action_at=math.inf, session_id="")

_DELETES = tuple(
    f"DELETE FROM {table} WHERE session_id = ? AND identity_id = ?"  # noqa: S608
    for table in ("game_actions", "outbox", "parked", "replay_nonces", "kept_nonces", "session_flags")
)
_DELETE = "DELETE FROM game_sessions WHERE session_id = ? AND identity_id = ?"
_DELETED = """
SELECT 1 FROM tombstones AS t WHERE identity_id = ? AND session_id = ? AND NOT EXISTS
    (SELECT 1 FROM game_sessions AS s WHERE s.session_id = t.session_id AND s.identity_id = t.identity_id)
"""
_EXISTS = "SELECT 1 FROM game_sessions WHERE session_id = ? AND identity_id = ?"
_TOMBSTONE = "INSERT OR REPLACE INTO tombstones (identity_id, session_id, deleted_at) VALUES (?, ?, ?)"


def insert(connection: sqlite3.Connection, session: Session) -> None:
    """Raises a UNIQUE violation (``Conflict``) if the key exists, even for an identical row."""
    key = session.key
    connection.execute(
        _INSERT,
        (
            key.session_id,
            key.identity,
            session.app_id,
            session.app_version,
            session.peer,
            session.initiator,
            str(session.status),  # a plain str spares sqlite3 the search for an adapter
            encode_metadata(session.metadata),
            session.unread,
            session.created_at,
            session.updated_at,
            session.last_action_at,
        ),
    )


def update(connection: sqlite3.Connection, session: Session, path: str) -> None:
    """Write the mutable columns. Raises ``NotFound``, or ``Forbidden`` where the binding differs."""
    key = session.key
    changed = connection.execute(
        _UPDATE,
        (
            str(session.status),  # a plain str spares sqlite3 the search for an adapter
            encode_metadata(session.metadata),
            session.unread,
            session.updated_at,
            session.last_action_at,
            key.session_id,
            key.identity,
            session.app_id,
            session.app_version,
            session.peer,
            session.initiator,
            session.created_at,
        ),
    ).rowcount
    if changed != 1:
        if exists(connection, key):
            raise errors.Forbidden(
                f"{path}: session {key.session_id} is bound to other participants, another app or another "
                "time of creation; that never changes."
            )
        raise missing(path, key)


def refuse_immutable(path: str, columns: Iterable[str]) -> None:
    """Raise ``Forbidden`` if there is a column that an update must not name."""
    forbidden = sorted(str(column) for column in set(columns) - MUTABLE)
    if forbidden:
        raise errors.Forbidden(f"{path}: {', '.join(forbidden)} of a session cannot be changed; nothing was.")


def exists(connection: sqlite3.Connection, key: SessionKey) -> bool:
    return bool(connection.execute(_EXISTS, (key.session_id, key.identity)).fetchall())


def delete(connection: sqlite3.Connection, key: SessionKey, at: float | None) -> bool:
    """Delete a session and all that hangs on it; False if there was none.

    ``at`` (Unix seconds) leaves a tombstone, so that late mail is dropped; None leaves no trace.
    """
    ids = (key.session_id, key.identity)
    for statement in _DELETES:
        connection.execute(statement, ids)
    found = connection.execute(_DELETE, ids).rowcount == 1
    if found and at is not None:
        connection.execute(_TOMBSTONE, (key.identity, key.session_id, at))
    return found


def decode(row: Sequence[Any], path: str) -> Session:
    """The session of a row in the order of ``_COLUMNS``. Raises ``Damaged``."""
    try:
        return Session(
            SessionKey(row[1], row[0]),
            row[2],
            row[3],
            row[4],
            row[5],
            Status(row[6]),
            decode_metadata(row[7]),
            row[8],
            row[9],
            row[10],
            row[11],
        )
    except (ValueError, TypeError) as error:
        raise errors.damaged(path, f"session {row[0]} cannot be read: {error}") from error


def missing(path: str, key: SessionKey) -> errors.NotFound:
    return errors.NotFound(f"{path}: there is no session {key.session_id} of identity {key.identity}.")


class SessionTable:
    """Implements ``lrgpnode.protocol.session.Sessions`` on the committed state."""

    def __init__(self, database: Database, cache: SessionCache) -> None:
        self._database = database
        self._cache = cache
        self.on_load: Callable[[Session], Session] | None = None
        """Checks and repairs what ``get`` reads from the file; what it raises passes through ``get``."""

    # The Sessions protocol

    def get(self, key: SessionKey) -> Session | None:
        session = self._cache.get(key)
        if session is not None:
            return session
        generation = self._cache.generation
        row = self._database.one(_GET, (key.session_id, key.identity))
        if row is None:
            return None
        session = decode(row, self._database.path)
        if self.on_load is not None:
            session = self.on_load(session)
        self._cache.offer(session, generation)
        return session

    def exists(self, key: SessionKey) -> bool:
        """Whether there is such a session, sound or not."""
        return key in self._cache or self._database.one(_EXISTS, (key.session_id, key.identity)) is not None

    def list(self, identity: str, app_id: str | None = None) -> Iterator[Session]:
        """Loaded in chunks while the caller goes on, so the first sessions cost the same in any table.

        A session that acts while the caller is still going through the list may be missed.
        """
        after = _FIRST
        while True:
            parameters = _page_parameters(identity, after, _LIST_CHUNK, app_id)
            rows = self._database.all(_LIST, parameters)
            for row in rows:
                yield decode(row, self._database.path)
            if len(rows) < _LIST_CHUNK:
                return
            after = Cursor(last_action_at=rows[-1][11], session_id=rows[-1][0])

    def pending_count(self, identity: str, peer: str | None, since: float) -> int:
        """Counts no further than 1000: the router compares with 16 and 128 (spec §6)."""
        if peer is None:
            row = self._database.one(_PENDING, (identity, since))
        else:
            row = self._database.one(_PENDING_OF_PEER, (identity, peer, since))
        return int(row[0]) if row is not None else 0

    def older(self, identity: str, status: Status, before: float) -> Sequence[Session]:
        statement = _OLDER_ENDED if status.ended else _OLDER_LIVE
        rows = self._database.all(statement, (identity, status, before))
        return [decode(row, self._database.path) for row in rows]

    def find(self, prefix: str, identity: str | None = None, limit: int = 2) -> Sequence[SessionKey]:
        """Sessions whose id starts with ``prefix`` (lower-case hex), of one identity or of all."""
        parameters = (prefix, prefix + "g", identity, identity, limit)
        return [SessionKey(row[1], row[0]) for row in self._database.all(_FIND, parameters)]

    def live_count(self, identity: str) -> int:
        """Pending and active sessions."""
        row = self._database.one(_LIVE_COUNT, (identity,))
        return int(row[0]) if row is not None else 0

    def live(self) -> dict[Status, int]:
        """How many sessions of all identities are pending, and how many active."""
        return dict.fromkeys((Status.PENDING, Status.ACTIVE), 0) | {
            Status(status): count for status, count in self._database.all(_LIVE)
        }

    def oldest(self, identity: str) -> Sequence[tuple[str, Status, float]]:
        """For every app and live status in use: the earliest ``last_action_at``, Unix seconds."""
        rows = self._database.all(_OLDEST, (identity,))
        return [(row[0], Status(row[1]), row[2]) for row in rows]

    # Lists

    def page(
        self,
        identity: str,
        *,
        which: Which = "all",
        app_id: str | None = None,
        limit: int = PAGE,
        before: Cursor | None = None,
    ) -> Sequence[Summary]:
        """One page, newest action first; go on with ``before=page[-1].cursor``. Decodes no metadata."""
        parameters = _page_parameters(identity, before or _FIRST, limit, app_id)
        return [_summary(row) for row in self._database.all(_PAGES[which], parameters)]

    def deleted(self, key: SessionKey) -> bool:
        """Whether this session was deleted: there is a tombstone and no session again."""
        return self._database.one(_DELETED, (key.identity, key.session_id)) is not None

    # Single changes, each a transaction of its own

    def insert(self, session: Session) -> None:
        """Raises ``Conflict`` if the key exists, even for an identical session."""
        with self._database.transaction() as connection:
            insert(connection, session)
        self._cache.apply({session.key: session})

    def update(self, key: SessionKey, columns: Mapping[str, Any]) -> Session:
        """Change some of the mutable columns; the new value. Raises ``Forbidden``, ``NotFound``."""
        refuse_immutable(self._database.path, columns)
        with self._database.transaction() as connection:
            rows = connection.execute(_GET, (key.session_id, key.identity)).fetchall()
            if not rows:
                raise missing(self._database.path, key)
            session = replace(decode(rows[0], self._database.path), **columns)
            session = replace(session, status=Status(session.status))
            update(connection, session, self._database.path)
        self._cache.apply({key: session})
        return session

    def delete(self, key: SessionKey, at: float | None = None) -> bool:
        """See ``delete``: the session, its actions and the rest, in one transaction."""
        with self._database.transaction() as connection:
            found = delete(connection, key, at)
        self._cache.apply({key: None})
        return found


def _page_parameters(identity: str, after: Cursor, limit: int, app_id: str | None) -> dict[str, Any]:
    return {
        "identity": identity,
        "at": after.last_action_at,
        "session": after.session_id,
        "limit": limit,
        "app": app_id,
    }


def _summary(row: Sequence[Any]) -> Summary:
    return Summary(
        key=SessionKey(row[1], row[0]),
        app_id=row[2],
        app_version=row[3],
        peer=row[4],
        initiator=row[5],
        status=Status(row[6]),
        unread=row[7],
        created_at=row[8],
        updated_at=row[9],
        last_action_at=row[10],
        winner=row[11] if row[11] in ("", row[1], row[4]) else None,
    )


def changes(sessions: Iterable[Session | None]) -> dict[SessionKey, Session | None]:
    """Committed values in the form the cache takes."""
    return {session.key: session for session in sessions if session is not None}

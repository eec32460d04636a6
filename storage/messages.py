"""The table ``messages``: texts between people, by identity and peer.

Each conversation, and the whole, is bounded: the oldest go, but none of ours that is still to be sent. A text
of ours has a row in the outbox; its states are copied here, so that the last one outlives the row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from lrgpnode.protocol.session import SessionKey

from . import errors
from .database import Database
from .model import Message, NewMessage, OutboxState, Thread

KEPT_OF_PEER: Final = 500
KEPT: Final = 5000
HELD_OF_PEER: Final = 4
"""Texts of a stranger that wait with his challenge."""

HELD: Final = 64

_LANE: Final = "text "

_COLUMNS = (
    "id, identity_id, peer, own, text, cut, at, sent_at, unread, message_hash, outbox_id, state, reason, held"
)
_INSERT = """
INSERT INTO messages (identity_id, peer, own, text, cut, at, sent_at, unread, message_hash, outbox_id, state,
    held)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (identity_id, message_hash) DO NOTHING RETURNING id
"""
_SETTLED = "(own = 0 OR state IN ('confirmed','dropped'))"
# What is not said to be one of the newest goes, with its row of the outbox.
_OLD_OF_PEER = f"""
SELECT id, outbox_id FROM messages WHERE identity_id = ? AND peer = ? AND {_SETTLED}
    AND id NOT IN (SELECT id FROM messages WHERE identity_id = ? AND peer = ? ORDER BY id DESC LIMIT ?)
"""  # noqa: S608 - our own names
_OLD = f"""
SELECT id, outbox_id FROM messages WHERE {_SETTLED} ORDER BY id
    LIMIT max(0, (SELECT count(*) FROM messages) - ?)
"""  # noqa: S608
_DELETE = "DELETE FROM messages WHERE id = ?"
_DELETE_ROW = "DELETE FROM outbox WHERE id = ? AND state IN ('confirmed','dropped')"
_FOLLOW = "UPDATE messages SET state = ?, reason = ? WHERE outbox_id = ?"
_PAGE = f"""
SELECT {_COLUMNS} FROM messages WHERE identity_id = ? AND peer = ? AND held = 0 AND id < ?
    ORDER BY id DESC LIMIT ?
"""  # noqa: S608
_GET = f"SELECT {_COLUMNS} FROM messages WHERE id = ?"  # noqa: S608
_THREADS = f"""
SELECT {_COLUMNS}, total, waiting FROM messages JOIN (
    SELECT max(id) AS newest, count(*) AS total, sum(unread) AS waiting FROM messages
    WHERE held = 0 AND (? IS NULL OR identity_id = ?) GROUP BY identity_id, peer HAVING max(id) < ?)
    ON id = newest ORDER BY id DESC LIMIT ?
"""  # noqa: S608
_UNREAD = "SELECT count(*) FROM messages WHERE unread = 1 AND held = 0"
_READ = """
UPDATE messages SET unread = 0 WHERE identity_id = ? AND peer = ? AND unread = 1 AND held = 0 AND id <= ?
"""
_WRITTEN = "SELECT 1 FROM messages WHERE identity_id = ? AND peer = ? AND own = 1 LIMIT 1"
_UNSENT = """
SELECT count(*) FROM messages WHERE identity_id = ? AND peer = ? AND own = 1
    AND state NOT IN ('confirmed','dropped')
"""
_HELD = """
SELECT count(*), count(*) FILTER (WHERE identity_id = ? AND peer = ?) FROM messages WHERE held = 1
"""
_RELEASE = "UPDATE messages SET held = 0 WHERE held = 1 AND identity_id = ? AND peer = ? RETURNING id"
_FORGET_HELD = """
DELETE FROM messages WHERE held = 1 AND NOT EXISTS (
    SELECT 1 FROM requests AS r WHERE r.identity_id = messages.identity_id AND r.peer = messages.peer)
"""
_LARGEST: Final = (1 << 63) - 1


def lane(identity: str, peer: str) -> SessionKey:
    """Under what the texts to a peer stand in the outbox. No game has such an id."""
    return SessionKey(identity, _LANE + peer)


def is_text(key: SessionKey) -> bool:
    """Whether a row of the outbox with this key is a text."""
    return key.session_id.startswith(_LANE)


def add(connection: sqlite3.Connection, new: NewMessage, outbox_id: int | None) -> int | None:
    """Keep a text inside a transaction; its number, or None where its LXMF message is kept already."""
    rows = connection.execute(
        _INSERT,
        (
            new.identity,
            new.peer,
            int(new.own),
            new.text,
            int(new.cut),
            new.at,
            new.sent_at,
            int(not new.own),
            new.message_hash,
            outbox_id,
            OutboxState.QUEUED if new.own else "",
            int(new.held),
        ),
    ).fetchall()
    if not rows:
        return None
    old = connection.execute(
        _OLD_OF_PEER, (new.identity, new.peer, new.identity, new.peer, KEPT_OF_PEER)
    ).fetchall()
    _drop(connection, old)
    _drop(connection, connection.execute(_OLD, (KEPT,)).fetchall())
    return int(rows[0][0])


def _drop(connection: sqlite3.Connection, rows: Sequence[tuple[int, int | None]]) -> None:
    for id, outbox_id in rows:
        connection.execute(_DELETE, (id,))
        if outbox_id is not None:
            connection.execute(_DELETE_ROW, (outbox_id,))


def follow(connection: sqlite3.Connection, outbox_id: int, state: OutboxState, reason: str) -> None:
    """A row of the outbox has a new state; so has its text, if it is one."""
    connection.execute(_FOLLOW, (state, reason, outbox_id))


def forget_held(connection: sqlite3.Connection) -> None:
    """Texts of strangers go with the challenges they waited with."""
    connection.execute(_FORGET_HELD)


class MessageTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self, identity: str, peer: str, *, before: int | None = None, limit: int = 50
    ) -> Sequence[Message]:
        """The newest first; go on with ``before=page[-1].id``."""
        rows = self._database.all(_PAGE, (identity, peer, _LARGEST if before is None else before, limit))
        return [self._decode(row) for row in rows]

    def get(self, id: int) -> Message | None:
        row = self._database.one(_GET, (id,))
        return None if row is None else self._decode(row)

    def threads(
        self, identity: str | None = None, *, before: int | None = None, limit: int = 50
    ) -> Sequence[Thread]:
        """Conversations, that with the newest text first; go on with ``before=page[-1].last.id``."""
        parameters = (identity, identity, _LARGEST if before is None else before, limit)
        return [
            Thread(last=self._decode(row[:-2]), texts=row[-2], unread=row[-1])
            for row in self._database.all(_THREADS, parameters)
        ]

    def unread(self) -> int:
        """Texts of peers that nobody has read."""
        row = self._database.one(_UNREAD)
        return int(row[0]) if row is not None else 0

    def written(self, identity: str, peer: str) -> bool:
        """Whether this identity has ever written to the peer, as far as that is kept."""
        return self._database.one(_WRITTEN, (identity, peer)) is not None

    def unsent(self, identity: str, peer: str) -> int:
        """Texts to a peer of which it is not known that they arrived."""
        row = self._database.one(_UNSENT, (identity, peer))
        return int(row[0]) if row is not None else 0

    def may_hold(self, identity: str, peer: str) -> bool:
        """Whether there is a place for one more text of a stranger."""
        row = self._database.one(_HELD, (identity, peer))
        return row is None or (row[0] < HELD and row[1] < HELD_OF_PEER)

    def holds(self, identity: str, peer: str) -> bool:
        """Whether texts of this peer wait with its challenge."""
        row = self._database.one(_HELD, (identity, peer))
        return row is not None and bool(row[1])

    def read(self, identity: str, peer: str, upto: int | None = None) -> int:
        """A person has read what a peer wrote, up to this number; how many were unread."""
        with self._database.transaction() as connection:
            parameters = (identity, peer, _LARGEST if upto is None else upto)
            return connection.execute(_READ, parameters).rowcount

    def release(self, identity: str, peer: str) -> Sequence[int]:
        """The peer is no stranger any more: the numbers of what it wrote before."""
        with self._database.transaction() as connection:
            rows = connection.execute(_RELEASE, (identity, peer)).fetchall()
        return sorted(row[0] for row in rows)

    def _decode(self, row: Sequence[Any]) -> Message:
        try:
            return Message(
                id=row[0],
                identity=row[1],
                peer=row[2],
                own=bool(row[3]),
                text=row[4],
                cut=bool(row[5]),
                at=row[6],
                sent_at=row[7],
                unread=bool(row[8]),
                message_hash=row[9],
                outbox_id=row[10],
                state=OutboxState(row[11]) if row[11] else None,
                reason=row[12],
                held=bool(row[13]),
            )
        except ValueError as error:
            raise errors.damaged(self._database.path, f"message {row[0]}: {error}") from error

"""The table ``outbox``: envelopes of ours until nobody needs them any more (architecture §5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from lrgpnode.protocol.game import Delivery
from lrgpnode.protocol.session import SessionKey

from . import errors
from .database import Database
from .model import NewOutbox, OutboxChange, OutboxRow, OutboxState

_INSERT = """
INSERT INTO outbox (id, identity_id, session_id, action_num, peer, command, envelope, content, delivery,
                    state, created_at, updated_at, next_attempt_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_LAST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'outbox'"
# A row in a final state stays in it: late news of an old attempt must not open it again.
_CHANGE = """
UPDATE outbox SET state = ?, reason = ?, updated_at = ?, next_attempt_at = ?, attempts = attempts + ?
WHERE id = ? AND state NOT IN ('confirmed','dropped')
"""
_COLUMNS = (
    "id, identity_id, session_id, action_num, peer, command, envelope, content, delivery, state, reason, "
    "attempts, created_at, updated_at, next_attempt_at"
)
# The unary plus keeps SQLite from walking the whole table by id to save itself a small sort.
_OPEN = f"SELECT {_COLUMNS} FROM outbox WHERE state NOT IN ('confirmed','dropped') ORDER BY +id"  # noqa: S608
_OF_SESSION = f"SELECT {_COLUMNS} FROM outbox WHERE identity_id = ? AND session_id = ? ORDER BY id"  # noqa: S608
_SETTLE = """
UPDATE outbox INDEXED BY outbox_open_session
SET state = 'confirmed', reason = '', updated_at = ?, next_attempt_at = NULL
WHERE identity_id = ? AND session_id = ? AND state NOT IN ('confirmed','dropped')
"""
_SETTLE_EARLIER = """
UPDATE outbox SET state = 'confirmed', reason = '', updated_at = ?, next_attempt_at = NULL
WHERE id < ? AND state = 'delivered'
  AND (identity_id, session_id) = (SELECT identity_id, session_id FROM outbox WHERE id = ?)
"""
_EXPIRE = """
UPDATE outbox INDEXED BY outbox_open_session
SET state = iif(state = 'delivered', 'confirmed', 'dropped'),
    reason = iif(state = 'delivered', '', 'the session has expired'), updated_at = ?, next_attempt_at = NULL
WHERE identity_id = ? AND session_id = ? AND state NOT IN ('confirmed','dropped')
"""
_LAST_OF_SESSION = f"""
SELECT {_COLUMNS} FROM outbox WHERE identity_id = ? AND session_id = ? ORDER BY id DESC LIMIT 1
"""  # noqa: S608
_GET = f"SELECT {_COLUMNS} FROM outbox WHERE id = ?"  # noqa: S608
_OLDEST_UNSENT = """
SELECT min(created_at) FROM outbox
WHERE state NOT IN ('confirmed','dropped') AND state NOT IN ('delivered','stored')
"""
_COUNTS = "SELECT state, count(*) FROM outbox WHERE state NOT IN ('confirmed','dropped') GROUP BY state"


def add(connection: sqlite3.Connection, new: NewOutbox, action_num: int | None) -> int:
    """Queue an envelope inside a transaction; the id given."""
    row = connection.execute(
        _INSERT,
        (
            new.id,
            new.key.identity,
            new.key.session_id,
            action_num,
            new.peer,
            new.command,
            new.envelope,
            new.content,
            str(new.delivery),
            "queued",
            new.created_at,
            new.created_at,
            new.next_attempt_at,
        ),
    ).lastrowid
    return int(row or 0)


def change(connection: sqlite3.Connection, new: OutboxChange) -> bool:
    """False if there is no such row or it is final already.

    What is confirmed confirms what was delivered of the same session before it.
    """
    parameters = (new.state, new.reason, new.at, new.next_attempt_at, int(new.attempted), new.id)
    changed = connection.execute(_CHANGE, parameters).rowcount == 1
    if changed and new.state is OutboxState.CONFIRMED:
        connection.execute(_SETTLE_EARLIER, (new.at, new.id, new.id))
    return changed


def settle(connection: sqlite3.Connection, key: SessionKey, at: float) -> None:
    """Confirm every open row of a session."""
    connection.execute(_SETTLE, (at, key.identity, key.session_id))


def expire(connection: sqlite3.Connection, key: SessionKey, at: float) -> None:
    """Close every open row of a session that has expired: nobody is to get them any more."""
    connection.execute(_EXPIRE, (at, key.identity, key.session_id))


class OutboxTable:
    """Committed outbox rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pending(self) -> Sequence[OutboxRow]:
        """Every open row of every identity, in the order of commits: what to resume after a start."""
        return self._rows(_OPEN, ())

    def of(self, key: SessionKey) -> Sequence[OutboxRow]:
        """Every row of a session, final ones too, in the order of commits."""
        return self._rows(_OF_SESSION, (key.identity, key.session_id))

    def last_of(self, key: SessionKey) -> OutboxRow | None:
        """The newest row of a session, open or final."""
        rows = self._rows(_LAST_OF_SESSION, (key.identity, key.session_id))
        return rows[0] if rows else None

    def last_id(self) -> int:
        """The largest id ever given, 0 at first."""
        row = self._database.one(_LAST_ID)
        return int(row[0]) if row is not None else 0

    def get(self, id: int) -> OutboxRow | None:
        rows = self._rows(_GET, (id,))
        return rows[0] if rows else None

    def counts(self) -> dict[OutboxState, int]:
        """Open rows for each state that has any."""
        return {OutboxState(state): count for state, count in self._database.all(_COUNTS)}

    def oldest_unsent(self) -> float | None:
        """When the oldest envelope that has not arrived was committed; None where there is none."""
        row = self._database.one(_OLDEST_UNSENT)
        return row[0] if row is not None else None

    def add(self, new: NewOutbox) -> int:
        """Queue what belongs to no action (an error answer). Actions go through ``Store.commit``."""
        with self._database.transaction() as connection:
            return add(connection, new, None)

    def set_state(self, *changes: OutboxChange, durable: bool = True) -> int:
        """Several in one transaction; how many rows changed.

        Not ``durable`` is right for what a restart finds out anyway (``sending``, ``sent``).
        """
        with self._database.transaction(durable=durable) as connection:
            return sum([change(connection, new) for new in changes])

    def _rows(self, sql: str, parameters: Iterable[Any]) -> Sequence[OutboxRow]:
        return [self._decode(row) for row in self._database.all(sql, tuple(parameters))]

    def _decode(self, row: Sequence[Any]) -> OutboxRow:
        try:
            return OutboxRow(
                id=row[0],
                key=SessionKey(row[1], row[2]),
                action_num=row[3],
                peer=row[4],
                command=row[5],
                envelope=row[6],
                content=row[7],
                delivery=Delivery(row[8]),
                state=OutboxState(row[9]),
                reason=row[10],
                attempts=row[11],
                created_at=row[12],
                updated_at=row[13],
                next_attempt_at=row[14],
            )
        except ValueError as error:
            raise errors.damaged(self._database.path, f"outbox row {row[0]}: {error}") from error

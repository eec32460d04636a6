"""The table ``outbox``: envelopes of ours until nobody needs them any more (architecture §5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from lrgpnode.protocol.game import Delivery
from lrgpnode.protocol.session import SessionKey

from . import errors, messages
from .database import Database
from .model import NewOutbox, OutboxChange, OutboxRow, OutboxState, Unconfirmed

ATTEMPTS_SECONDS = 86_400.0
"""How long an attempt is remembered."""

_LARGEST = (1 << 63) - 1

_INSERT = """
INSERT INTO outbox (id, identity_id, session_id, action_num, peer, command, envelope, content, delivery,
                    state, attempts, created_at, updated_at, next_attempt_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_LAST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'outbox'"
# A row in a final state stays in it: late news of an old attempt must not open it again.
_CHANGE = """
UPDATE outbox SET state = ?, reason = ?, updated_at = ?, next_attempt_at = ?, attempts = attempts + ?
WHERE id = ? AND state NOT IN ('confirmed','dropped')
"""
_ATTEMPT = "INSERT INTO attempts (outbox_id, at) VALUES (?, ?)"
_FORGET_ATTEMPTS = "DELETE FROM attempts WHERE at < ?"
_ATTEMPTS = """
SELECT o.identity_id, o.session_id, a.at FROM attempts AS a JOIN outbox AS o ON o.id = a.outbox_id
WHERE a.at >= ? AND o.state NOT IN ('confirmed','dropped') ORDER BY a.at
"""
_COLUMNS = (
    "id, identity_id, session_id, action_num, peer, command, envelope, content, delivery, state, reason, "
    "attempts, created_at, updated_at, next_attempt_at"
)
# The unary plus keeps SQLite from walking the whole table by id to save itself a small sort.
_OPEN = f"SELECT {_COLUMNS} FROM outbox WHERE state NOT IN ('confirmed','dropped') ORDER BY +id"  # noqa: S608
_WAITING = f"""
SELECT {_COLUMNS} FROM outbox
WHERE state NOT IN ('confirmed','dropped') AND state NOT IN ('delivered','stored') ORDER BY +id
"""  # noqa: S608
_UNCONFIRMED = """
SELECT identity_id, session_id, peer, state, next_attempt_at FROM outbox
WHERE state NOT IN ('confirmed','dropped') AND state IN ('delivered','stored') ORDER BY +id
"""
_OPEN_OF_SESSION = f"""
SELECT {_COLUMNS} FROM outbox
WHERE identity_id = ? AND session_id = ? AND state NOT IN ('confirmed','dropped') ORDER BY id
"""  # noqa: S608
_PAGE = f"""
SELECT {_COLUMNS} FROM outbox
WHERE state NOT IN ('confirmed','dropped') AND id > ? AND (? IS NULL OR identity_id = ?)
ORDER BY +id LIMIT ?
"""  # noqa: S608
_PAGE_ALL = f"""
SELECT {_COLUMNS} FROM outbox WHERE id < ? AND (? IS NULL OR identity_id = ?) ORDER BY id DESC LIMIT ?
"""  # noqa: S608
_OF_SESSION = f"SELECT {_COLUMNS} FROM outbox WHERE identity_id = ? AND session_id = ? ORDER BY id"  # noqa: S608
_SETTLE = """
UPDATE outbox INDEXED BY outbox_open_session
SET state = 'confirmed', reason = '', updated_at = ?, next_attempt_at = NULL
WHERE identity_id = ? AND session_id = ? AND state NOT IN ('confirmed','dropped')
"""
_WITHDRAW = """
UPDATE outbox INDEXED BY outbox_open_session
SET state = 'dropped', reason = 'the opponent moved on', updated_at = ?, next_attempt_at = NULL
WHERE identity_id = ? AND session_id = ? AND state NOT IN ('confirmed','dropped') AND state <> 'delivered'
  AND command = 'draw_offer'
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
            new.attempts,
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
    parameters = (new.state, new.reason, new.at, new.next_attempt_at, len(new.attempted), new.id)
    changed = connection.execute(_CHANGE, parameters).rowcount == 1
    if new.attempted:
        connection.executemany(_ATTEMPT, [(new.id, at) for at in new.attempted])
        connection.execute(_FORGET_ATTEMPTS, (new.at - ATTEMPTS_SECONDS,))
    if changed:
        messages.follow(connection, new.id, new.state, new.reason)
    if changed and new.state is OutboxState.CONFIRMED:
        connection.execute(_SETTLE_EARLIER, (new.at, new.id, new.id))
    return changed


def settle(connection: sqlite3.Connection, key: SessionKey, at: float, *, withdraw: bool = False) -> None:
    """Confirm every open row of a session. ``withdraw``: an offer that has not arrived is dropped."""
    if withdraw:
        connection.execute(_WITHDRAW, (at, key.identity, key.session_id))
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

    def waiting(self) -> Sequence[OutboxRow]:
        """Every row that has not left our hands, in the order of commits."""
        return self._rows(_WAITING, ())

    def unconfirmed(self) -> Sequence[Unconfirmed]:
        """What was delivered or stored, and may have to be sent again."""
        return [
            Unconfirmed(key=SessionKey(r[0], r[1]), peer=r[2], stored=r[3] == "stored", next_attempt_at=r[4])
            for r in self._database.all(_UNCONFIRMED)
        ]

    def attempts(self, since: float) -> Sequence[tuple[SessionKey, float]]:
        """When open rows were sent, Unix seconds, oldest first; nothing older than a day is known."""
        return [(SessionKey(row[0], row[1]), row[2]) for row in self._database.all(_ATTEMPTS, (since,))]

    def open_of(self, key: SessionKey) -> Sequence[OutboxRow]:
        """Open rows of a session, in the order of commits."""
        return self._rows(_OPEN_OF_SESSION, (key.identity, key.session_id))

    def page(self, *, identity: str | None = None, after: int = 0, limit: int = 50) -> Sequence[OutboxRow]:
        """Open rows, oldest first; go on with ``after=page[-1].id``."""
        return self._rows(_PAGE, (after, identity, identity, limit))

    def page_of_all(
        self, *, identity: str | None = None, before: int | None = None, limit: int = 50
    ) -> Sequence[OutboxRow]:
        """Rows in any state, newest first; go on with ``before=page[-1].id``."""
        return self._rows(_PAGE_ALL, (_LARGEST if before is None else before, identity, identity, limit))

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

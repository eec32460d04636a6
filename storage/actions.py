"""The table ``game_actions``: append-only, numbered from 1 within a session (spec §16)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from lrgpnode.protocol.session import SessionKey

from . import errors
from .codec import encode_payload
from .database import Database
from .model import Action, NewAction, Signature

# Without a number it takes the next one; that is read under the transaction's write lock.
_INSERT = """
INSERT INTO game_actions (session_id, identity_id, action_num, command, payload_json, sender, timestamp,
                          nonce, envelope, message_hash, signed)
VALUES (?, ?, coalesce(?, 1 + (
        SELECT max(action_num) FROM game_actions WHERE session_id = ? AND identity_id = ?
    ), 1), ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING action_num
"""
_SELECT = """
SELECT action_num, command, payload_json, sender, timestamp, nonce, envelope, message_hash, signed
FROM game_actions WHERE session_id = ? AND identity_id = ? AND action_num > ? ORDER BY action_num LIMIT ?
"""
_LATEST = """
SELECT command, sender FROM game_actions WHERE session_id = ? AND identity_id = ?
ORDER BY action_num DESC LIMIT ?
"""
_HAS_NONCE = """
SELECT 1 FROM game_actions WHERE identity_id = ? AND session_id = ? AND nonce = ?
UNION ALL
SELECT 1 FROM kept_nonces WHERE identity_id = ? AND session_id = ? AND nonce = ? LIMIT 1
"""
# The signature comes after the commit, with every attempt to send.
_SIGN = """
UPDATE game_actions SET message_hash = ?, signed = ?
WHERE session_id = ? AND identity_id = ? AND action_num = ?
"""


def append(connection: sqlite3.Connection, action: NewAction) -> int:
    """Append inside a transaction; the number given."""
    return append_row(
        connection,
        action.key,
        None,
        (
            action.command,
            encode_payload(action.payload),
            action.sender,
            action.timestamp,
            action.nonce,
            action.envelope,
            action.message_hash,
            action.signed,
        ),
    )


def append_row(
    connection: sqlite3.Connection, key: SessionKey, number: int | None, rest: tuple[Any, ...]
) -> int:
    """``rest``: command, payload_json, sender, timestamp, nonce, envelope, message_hash, signed."""
    ids = (key.session_id, key.identity)
    rows = connection.execute(_INSERT, (*ids, number, *ids, *rest)).fetchall()
    return int(rows[0][0])


def sign(connection: sqlite3.Connection, signatures: Iterable[Signature]) -> None:
    """Add the signed LXMF messages of actions of ours inside a transaction."""
    for new in signatures:
        key = new.key
        parameters = (new.message_hash, new.signed, key.session_id, key.identity, new.action_num)
        connection.execute(_SIGN, parameters)


class ActionTable:
    """Committed actions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, key: SessionKey, *, after: int = -1, limit: int = -1) -> Sequence[Action]:
        """The actions of a session after number ``after``, in order, at most ``limit``.

        A negative limit is none. Raises ``Damaged``.
        """
        return [self._decode(key, row) for row in self.rows(key, after=after, limit=limit)]

    def rows(self, key: SessionKey, *, after: int = -1, limit: int = -1) -> list[tuple[Any, ...]]:
        """As ``of``, undecoded, in the order of the columns from action_num on."""
        return self._database.all(_SELECT, (key.session_id, key.identity, after, limit))

    def latest(self, key: SessionKey, limit: int) -> Sequence[tuple[str, str]]:
        """(command, sender) of the last ``limit`` actions of a session, the newest first."""
        rows = self._database.all(_LATEST, (key.session_id, key.identity, limit))
        return [(row[0], row[1]) for row in rows]

    def has_nonce(self, identity: str, session_id: str, nonce: bytes) -> bool:
        """Whether an envelope with this nonce was committed, or refused for the life of its session."""
        parameters = (identity, session_id, nonce)
        return self._database.one(_HAS_NONCE, (*parameters, *parameters)) is not None

    def _decode(self, key: SessionKey, row: Sequence[Any]) -> Action:
        try:
            payload = json.loads(row[2])
        except ValueError as error:
            detail = f"action {row[0]} of session {key.session_id} cannot be read: {error}"
            raise errors.damaged(self._database.path, detail) from error
        return Action(
            key=key,
            action_num=row[0],
            command=row[1],
            payload=payload,
            sender=row[3],
            timestamp=row[4],
            nonce=row[5],
            envelope=row[6],
            message_hash=row[7],
            signed=row[8],
        )

"""What is remembered of inbound messages: replay entries, handled hashes, parked mail."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from lrgpnode.protocol.replay import DEDUP_TTL_SECONDS, ReplayEntry
from lrgpnode.protocol.session import SessionKey

from .database import Database
from .model import Flag, KeptNonce, NewParked, Parked, Seen

BATCH = 500
"""Rows one pruning call deletes at most, so that no move waits long for it."""

# REPLACE gives the entry a new id: ids are in the order of recording.
_RECORD = """
INSERT OR REPLACE INTO replay_nonces (identity_id, session_id, nonce, boot_id, recorded)
VALUES (?, ?, ?, ?, ?)
"""
_FORGET = "DELETE FROM replay_nonces WHERE identity_id = ? AND session_id = ? AND nonce = ?"
_LOAD = """
SELECT identity_id, session_id, nonce, recorded FROM replay_nonces
WHERE boot_id = ? AND recorded >= ? ORDER BY id
"""
_ADOPT = "UPDATE replay_nonces SET boot_id = ?, recorded = ? WHERE boot_id <> ?"
_PRUNE_REPLAY = """
DELETE FROM replay_nonces WHERE id IN (SELECT id FROM replay_nonces ORDER BY id LIMIT ?)
AND boot_id = ? AND recorded < ?
"""
KEPT_NONCES = 256
"""Most nonces of refused actions kept for a session; a peer that is refused more often is no honest one."""

_KEEP = """
INSERT INTO kept_nonces (identity_id, session_id, nonce) SELECT :identity, :session, :nonce
WHERE (SELECT count(*) FROM kept_nonces WHERE identity_id = :identity AND session_id = :session) < :most
ON CONFLICT DO NOTHING
"""

_SEE = "INSERT INTO seen (message_hash, identity_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_SEEN = "SELECT 1 FROM seen WHERE message_hash = ? AND identity_id = ?"
# One statement, because every inbound message waits for it.
_HANDLED = """
SELECT EXISTS (SELECT 1 FROM seen WHERE message_hash = :hash AND identity_id = :identity)
    OR EXISTS (SELECT 1 FROM game_actions
               WHERE identity_id = :identity AND session_id = :session AND nonce = :nonce)
    OR EXISTS (SELECT 1 FROM kept_nonces
               WHERE identity_id = :identity AND session_id = :session AND nonce = :nonce)
    OR (EXISTS (SELECT 1 FROM tombstones WHERE identity_id = :identity AND session_id = :session)
        AND NOT EXISTS (SELECT 1 FROM game_sessions
                        WHERE identity_id = :identity AND session_id = :session))
"""
_PRUNE_SEEN = """
DELETE FROM seen WHERE (message_hash, identity_id) IN
(SELECT message_hash, identity_id FROM seen WHERE at < ? ORDER BY at LIMIT ?)
"""
_PRUNE_TOMBSTONES = """
DELETE FROM tombstones WHERE (identity_id, session_id) IN
(SELECT identity_id, session_id FROM tombstones WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?)
"""

_PARK = """
INSERT INTO parked (identity_id, session_id, sender, command, nonce, envelope, content, message_hash,
                    signed, timestamp, parked_at, until)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (identity_id, session_id, nonce) DO NOTHING RETURNING id
"""
_UNPARK = "DELETE FROM parked WHERE id = ?"
_PARKED_COLUMNS = (
    "id, identity_id, session_id, sender, command, nonce, envelope, content, message_hash, signed, "
    "timestamp, parked_at, until"
)
_PARKED = f"SELECT {_PARKED_COLUMNS} FROM parked WHERE identity_id = ? AND session_id = ? ORDER BY id"  # noqa: S608
_PARKED_UNTIL = "SELECT identity_id, session_id, until FROM parked"
_PARKED_COUNT = "SELECT count(*) FROM parked WHERE identity_id = ? AND command = ?"
_PARKED_COUNT_SENDER = "SELECT count(*) FROM parked WHERE identity_id = ? AND sender = ? AND command = ?"

_FLAG = (
    "INSERT OR REPLACE INTO session_flags (identity_id, session_id, flag, reason, at) VALUES (?, ?, ?, ?, ?)"
)
_UNFLAG = "DELETE FROM session_flags WHERE identity_id = ? AND session_id = ? AND flag = ?"
_LIVE_FLAGS = """
SELECT f.identity_id, f.session_id, f.flag, f.reason, f.at FROM session_flags AS f
JOIN game_sessions AS s ON s.identity_id = f.identity_id AND s.session_id = f.session_id
WHERE s.status IN ('pending','active')
"""
_FLAGS = "SELECT flag, reason, at FROM session_flags WHERE identity_id = ? AND session_id = ?"


def record(connection: sqlite3.Connection, entries: Iterable[ReplayEntry], boot_id: str) -> None:
    for entry in entries:
        connection.execute(_RECORD, (entry.identity, entry.session_id, entry.nonce, boot_id, entry.recorded))


def forget(connection: sqlite3.Connection, entries: Iterable[ReplayEntry]) -> None:
    for entry in entries:
        connection.execute(_FORGET, (entry.identity, entry.session_id, entry.nonce))


def keep(connection: sqlite3.Connection, nonces: Iterable[KeptNonce]) -> None:
    for kept in nonces:
        parameters = {"identity": kept.key.identity, "session": kept.key.session_id, "nonce": kept.nonce}
        connection.execute(_KEEP, {**parameters, "most": KEPT_NONCES})


def see(connection: sqlite3.Connection, messages: Iterable[Seen]) -> None:
    for message in messages:
        connection.execute(_SEE, (message.message_hash, message.identity, message.at))


def park(connection: sqlite3.Connection, new: NewParked) -> int | None:
    """The id given, or None if the same envelope is parked already."""
    rows = connection.execute(
        _PARK,
        (
            new.key.identity,
            new.key.session_id,
            new.sender,
            new.command,
            new.nonce,
            new.envelope,
            new.content,
            new.message_hash,
            new.signed,
            new.timestamp,
            new.parked_at,
            new.until,
        ),
    ).fetchall()
    return int(rows[0][0]) if rows else None


def unpark(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    for id in ids:
        connection.execute(_UNPARK, (id,))


def flag(connection: sqlite3.Connection, flags: Iterable[Flag]) -> None:
    for new in flags:
        connection.execute(_FLAG, (new.key.identity, new.key.session_id, new.flag, new.reason, new.at))


def unflag(connection: sqlite3.Connection, flags: Iterable[tuple[SessionKey, str]]) -> None:
    for key, name in flags:
        connection.execute(_UNFLAG, (key.identity, key.session_id, name))


class MailTable:
    """Committed state of inbound mail. ``boot_id`` tells which boot the replay clock belongs to."""

    def __init__(self, database: Database, boot_id: str) -> None:
        self._database = database
        self._boot_id = boot_id

    def load_replay(self, now: float) -> Sequence[ReplayEntry]:
        """Entries that still count, in the order of recording; ``now``: CLOCK_BOOTTIME seconds.

        Entries of an earlier boot count as recorded now, and are written so.
        """
        with self._database.transaction() as connection:
            connection.execute(_ADOPT, (self._boot_id, now, self._boot_id))
        rows = self._database.all(_LOAD, (self._boot_id, now - DEDUP_TTL_SECONDS))
        return [ReplayEntry(*row) for row in rows]

    def record_replay(self, entries: Iterable[ReplayEntry]) -> None:
        """For entries that came without a commit; several in one transaction."""
        with self._database.transaction() as connection:
            record(connection, entries, self._boot_id)

    def seen(self, identity: str, message_hash: bytes) -> bool:
        """Whether this LXMF message was handled for this identity."""
        return self._database.one(_SEEN, (message_hash, identity)) is not None

    def handled(self, key: SessionKey, nonce: bytes, message_hash: bytes) -> bool:
        """Whether an envelope needs no judgement: its LXMF message was handled, its nonce is that of a
        committed or finally refused action, or its session was deleted."""
        row = self._database.one(
            _HANDLED,
            {"hash": message_hash, "identity": key.identity, "session": key.session_id, "nonce": nonce},
        )
        return row is not None and bool(row[0])

    def prune(
        self,
        *,
        replay_before: float | None = None,
        seen_before: float | None = None,
        tombstones_before: float | None = None,
        batch: int = BATCH,
    ) -> int:
        """Delete what is older, at most ``batch`` rows of each kind; how many. 0 means: all done.

        ``replay_before`` is in seconds of the boot clock, the others in Unix seconds.
        """
        deleted = 0
        with self._database.transaction(durable=False) as connection:
            if replay_before is not None:
                deleted += connection.execute(_PRUNE_REPLAY, (batch, self._boot_id, replay_before)).rowcount
            if seen_before is not None:
                deleted += connection.execute(_PRUNE_SEEN, (seen_before, batch)).rowcount
            if tombstones_before is not None:
                deleted += connection.execute(_PRUNE_TOMBSTONES, (tombstones_before, batch)).rowcount
        return deleted

    def parked(self, key: SessionKey) -> Sequence[Parked]:
        """Messages parked for a session, in the order they came."""
        return [_parked(row) for row in self._database.all(_PARKED, (key.identity, key.session_id))]

    def parked_until(self) -> Sequence[tuple[SessionKey, float]]:
        """The session of each parked message, and when its time is up, Unix seconds."""
        return [(SessionKey(row[0], row[1]), row[2]) for row in self._database.all(_PARKED_UNTIL)]

    def parked_count(self, identity: str, command: str, sender: str | None = None) -> int:
        """Parked messages with this command, of one sender or of all."""
        if sender is None:
            row = self._database.one(_PARKED_COUNT, (identity, command))
        else:
            row = self._database.one(_PARKED_COUNT_SENDER, (identity, sender, command))
        return int(row[0]) if row is not None else 0

    def live_flags(self) -> Sequence[Flag]:
        """The flags of every session that is pending or active."""
        return [
            Flag(key=SessionKey(row[0], row[1]), flag=row[2], reason=row[3], at=row[4])
            for row in self._database.all(_LIVE_FLAGS)
        ]

    def flags(self, key: SessionKey) -> Sequence[Flag]:
        rows = self._database.all(_FLAGS, (key.identity, key.session_id))
        return [Flag(key=key, flag=row[0], reason=row[1], at=row[2]) for row in rows]


def _parked(row: Sequence[Any]) -> Parked:
    return Parked(
        id=row[0],
        key=SessionKey(row[1], row[2]),
        sender=row[3],
        command=row[4],
        nonce=row[5],
        envelope=row[6],
        content=row[7],
        message_hash=row[8],
        signed=row[9],
        timestamp=row[10],
        parked_at=row[11],
        until=row[12],
    )

"""Whom the local identities listen to: accept policies, blocked peers, and requests of strangers.

Policies and blocks are few and are read once; see ``lrgpnode.node.admission``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lrgpnode.protocol.session import SessionKey

from . import messages
from .database import Database
from .model import Block, Policy, Request

_PUT_POLICY = "INSERT OR REPLACE INTO accept_policies (identity_id, app_id, policy) VALUES (?, ?, ?)"
_DROP_POLICY = "DELETE FROM accept_policies WHERE identity_id = ? AND app_id = ?"
_POLICIES = "SELECT identity_id, app_id, policy FROM accept_policies"

_PUT_BLOCK = "INSERT OR REPLACE INTO blocks (peer, reason, blocked_at, until) VALUES (?, ?, ?, ?)"
_BLOCKS = "SELECT peer, reason, blocked_at, until FROM blocks ORDER BY blocked_at, peer"
_OF_PEER = (
    "DELETE FROM requests WHERE peer = ?",
    "DELETE FROM parked WHERE sender = ?",
)

_COLUMNS = (
    "id, identity_id, session_id, peer, app_id, envelope, content, message_hash, signed, timestamp,"
    " received_at, until"
)
_PUT_REQUEST = """
INSERT OR IGNORE INTO requests (identity_id, session_id, peer, app_id, envelope, content, message_hash,
    signed, timestamp, received_at, until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REQUESTS = f"SELECT {_COLUMNS} FROM requests ORDER BY id DESC LIMIT ?"  # noqa: S608 - our own names
_REQUEST = f"SELECT {_COLUMNS} FROM requests WHERE identity_id = ? AND session_id = ?"  # noqa: S608
_DROP_REQUEST = "DELETE FROM requests WHERE identity_id = ? AND session_id = ?"
_BURY = "INSERT OR REPLACE INTO tombstones (identity_id, session_id, deleted_at) VALUES (?, ?, ?)"
_FIND = """
SELECT identity_id, session_id FROM requests WHERE session_id >= ? AND session_id < ?
    AND (? IS NULL OR identity_id = ?) LIMIT ?
"""
_COUNTS = "SELECT count(*), count(*) FILTER (WHERE peer = ?) FROM requests WHERE identity_id = ?"
_REQUEST_OF_PEER = "SELECT 1 FROM requests WHERE peer = ? AND identity_id = ? LIMIT 1"
_DEALINGS = """
SELECT 1 FROM game_sessions WHERE contact_hash = ?
    AND (initiator <> contact_hash OR status IN ('active','completed')) LIMIT 1
"""
_ANY_SESSION = "SELECT 1 FROM game_sessions WHERE contact_hash = ? AND identity_id = ? LIMIT 1"


class AdmissionTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Policies. An empty ``app_id`` stands for all games that have no policy of their own.

    def policies(self) -> dict[tuple[str, str], Policy]:
        """By (identity, app id)."""
        return {(row[0], row[1]): Policy(row[2]) for row in self._database.all(_POLICIES)}

    def put_policy(self, identity: str, app_id: str, policy: Policy | None) -> None:
        """Set a policy, or with None take it back."""
        if policy is None:
            self._write(_DROP_POLICY, identity, app_id)
        else:
            self._write(_PUT_POLICY, identity, app_id, policy)

    # Blocks

    def blocks(self) -> Sequence[Block]:
        """In the order they were made."""
        return [
            Block(peer=row[0], reason=row[1], blocked_at=row[2], until=row[3])
            for row in self._database.all(_BLOCKS)
        ]

    def put_block(self, block: Block) -> None:
        """Block a peer, and drop what of its waits: requests, parked and unverified messages."""
        with self._database.transaction() as connection:
            connection.execute(_PUT_BLOCK, (block.peer, block.reason, block.blocked_at, block.until))
            for sql in _OF_PEER:
                connection.execute(sql, (block.peer,))
            messages.forget_held(connection)

    def remove_block(self, peer: str) -> bool:
        return self._write("DELETE FROM blocks WHERE peer = ?", peer) == 1

    # Requests

    def put_request(self, request: Request) -> bool:
        """Keep a challenge; False where one of the same session id is there already."""
        return (
            self._write(
                _PUT_REQUEST,
                request.key.identity,
                request.key.session_id,
                request.peer,
                request.app_id,
                request.envelope,
                request.content,
                request.message_hash,
                request.signed,
                request.timestamp,
                request.received_at,
                request.until,
            )
            == 1
        )

    def remove_request(self, key: SessionKey, *, dead_at: float | None = None) -> bool:
        """Forget a request. With ``dead_at`` (now) also whatever else may come for its session id."""
        with self._database.transaction() as connection:
            removed = connection.execute(_DROP_REQUEST, (key.identity, key.session_id)).rowcount == 1
            if removed and dead_at is not None:
                connection.execute(_BURY, (key.identity, key.session_id, dead_at))
                messages.forget_held(connection)
        return removed

    def expire_requests(self, now: float) -> int:
        """Remove those whose time is over; how many. Writes nothing where there are none."""
        if self._database.one("SELECT 1 FROM requests WHERE until <= ? LIMIT 1", (now,)) is None:
            return 0
        with self._database.transaction() as connection:
            gone = connection.execute("DELETE FROM requests WHERE until <= ?", (now,)).rowcount
            messages.forget_held(connection)
        return gone

    def request(self, key: SessionKey) -> Request | None:
        row = self._database.one(_REQUEST, (key.identity, key.session_id))
        return None if row is None else _request(row)

    def requests(self, limit: int = 50) -> Sequence[Request]:
        """The newest first."""
        return [_request(row) for row in self._database.all(_REQUESTS, (limit,))]

    def find_requests(self, prefix: str, identity: str | None = None, limit: int = 2) -> Sequence[SessionKey]:
        """Requests whose session id starts with ``prefix`` (lower-case hex)."""
        rows = self._database.all(_FIND, (prefix, prefix + "g", identity, identity, limit))
        return [SessionKey(row[0], row[1]) for row in rows]

    def has_request(self, identity: str, peer: str) -> bool:
        """Whether a challenge of this peer to the identity waits."""
        return self._database.one(_REQUEST_OF_PEER, (peer, identity)) is not None

    def request_counts(self, identity: str, peer: str) -> tuple[int, int]:
        """(requests to an identity, those of them by this peer)."""
        row = self._database.one(_COUNTS, (peer, identity))
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    # Dealings

    def has_dealings(self, peer: str) -> bool:
        """Whether any local identity has challenged this peer, or has accepted a challenge of its."""
        return self._database.one(_DEALINGS, (peer,)) is not None

    def has_session(self, identity: str, peer: str) -> bool:
        """Whether there is or was any session between the two."""
        return self._database.one(_ANY_SESSION, (peer, identity)) is not None

    def _write(self, sql: str, *parameters: Any) -> int:
        with self._database.transaction() as connection:
            return connection.execute(sql, parameters).rowcount


def _request(row: Sequence[Any]) -> Request:
    return Request(
        key=SessionKey(row[1], row[2]),
        peer=row[3],
        app_id=row[4],
        envelope=row[5],
        content=row[6],
        message_hash=row[7],
        signed=row[8],
        timestamp=row[9],
        received_at=row[10],
        until=row[11],
    )

"""What goes with an identity that is deleted: its games and all that hangs on them, in one transaction."""

from __future__ import annotations

import sqlite3
from typing import Final

from lrgpnode.protocol.session import SessionKey

TABLES: Final = (
    *("game_actions", "outbox", "parked", "replay_nonces", "kept_nonces", "session_flags", "tombstones"),
    *("seen", "requests", "accept_policies", "messages", "gateway_bridges", "gateway_slots", "game_sessions"),
    *("text_seats", "text_players", "text_seeks", "text_due", "text_desks", "scores"),
)
"""Every table with a column ``identity_id``; a test compares."""

_ATTEMPTS: Final = "DELETE FROM attempts WHERE outbox_id IN (SELECT id FROM outbox WHERE identity_id = ?)"
_DELETES: Final = tuple(f"DELETE FROM {table} WHERE identity_id = ?" for table in TABLES)  # noqa: S608
_ALIVE: Final = """
SELECT session_id FROM game_sessions WHERE identity_id = :identity AND status IN ('pending','active')
UNION SELECT session_id FROM outbox WHERE identity_id = :identity AND state NOT IN ('confirmed','dropped')
UNION SELECT session_id FROM parked WHERE identity_id = :identity
"""


def delete(connection: sqlite3.Connection, identity: str) -> list[SessionKey]:
    """Delete all that is of an identity but its own row; the sessions in which anything went on."""
    alive = connection.execute(_ALIVE, {"identity": identity}).fetchall()
    for statement in (_ATTEMPTS, *_DELETES):
        connection.execute(statement, (identity,))
    return [SessionKey(identity, row[0]) for row in alive]

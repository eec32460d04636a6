"""Stored times against the wall clock: the newest one, and putting right those a wrong clock has made."""

from __future__ import annotations

from typing import Final

from lrgpnode.protocol.session import SessionKey

from .cache import SessionCache
from .database import Database

UNSURE: Final = "clock"
"""The flag of a session that was touched while the clock was not trusted."""

# One look into an index each, but for what is read while games are few: live sessions and peers.
_NEWEST = """
SELECT max(at) FROM (
    SELECT max(at) AS at FROM seen
    UNION ALL SELECT max(heard_at) FROM peers
    UNION ALL SELECT max(deleted_at) FROM tombstones
    UNION ALL SELECT max(last_action_at) FROM game_sessions WHERE status IN ('pending','active')
    UNION ALL SELECT max(updated_at) FROM outbox WHERE state NOT IN ('confirmed','dropped')
    UNION ALL SELECT cast(value AS REAL) FROM meta WHERE key = 'clock')
"""
_RESTART = """
UPDATE game_sessions SET last_action_at = :now, updated_at = min(updated_at, :now)
WHERE status IN ('pending','active') AND (last_action_at > :now OR EXISTS (
    SELECT 1 FROM session_flags AS f
    WHERE f.identity_id = game_sessions.identity_id AND f.session_id = game_sessions.session_id
      AND f.flag = :flag))
RETURNING session_id, identity_id
"""
_SURE = "DELETE FROM session_flags WHERE flag = ?"
_CLAMP = (
    "UPDATE seen SET at = :now WHERE at > :now",
    "UPDATE peers SET heard_at = :now WHERE heard_at > :now",
    "UPDATE tombstones SET deleted_at = :now WHERE deleted_at > :now",
    "UPDATE parked SET until = until - parked_at + :now, parked_at = :now WHERE parked_at > :now",
    "UPDATE outbox SET updated_at = :now, next_attempt_at = min(next_attempt_at, :now) "
    "WHERE state NOT IN ('confirmed','dropped') AND updated_at > :now",
    "UPDATE messages SET at = :now WHERE at > :now",
    "UPDATE text_seats SET last_action_at = :now WHERE last_action_at > :now",
    "UPDATE text_seeks SET at = :now WHERE at > :now",
    "UPDATE text_players SET seen_at = :now WHERE seen_at > :now",
    "UPDATE attempts SET at = :now WHERE at > :now",
    "UPDATE gateway_slots SET taken_at = :now WHERE taken_at > :now",
    "UPDATE meta SET value = :now WHERE key = 'clock' AND cast(value AS REAL) > :now",
)


def newest(database: Database) -> float:
    """The newest time in the database, Unix seconds; 0 in an empty one."""
    row = database.one(_NEWEST)
    return float(row[0]) if row is not None and row[0] is not None else 0.0


def put_right(database: Database, cache: SessionCache, now: float) -> list[SessionKey]:
    """The clock is right now: nothing stored is later, and what was touched while it was not counts its
    time to live from now. The sessions this has changed."""
    with database.transaction() as connection:
        rows = connection.execute(_RESTART, {"now": now, "flag": UNSURE}).fetchall()
        connection.execute(_SURE, (UNSURE,))
        for statement in _CLAMP:
            connection.execute(statement, {"now": now})
    changed = [SessionKey(row[1], row[0]) for row in rows]
    if changed:
        cache.apply(dict.fromkeys(changed))
    return changed

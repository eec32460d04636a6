"""The tables of the gateway: ``gateway_bridges``, ``gateway_slots`` and ``gateway_pauses``.

A bridge is one seat of a mesh player; its slot is what the limits count. ``add`` and ``change`` run inside
the transaction that commits the action they belong to: a game that is accepted has its slot, or neither is
there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from . import errors
from .database import Database
from .gateway_model import Bridge, BridgeChange, Cap, Caps, NewBridge, Pause, SeatResult, SeatStage

DAY_SECONDS: Final = 86_400.0

MUTABLE: Final = ("stage", "session_id", "account", "table_id", "seat", "notes", "result", "reason")
"""The columns that a change may name, beside the times; whose seat it is and where stays."""

KEPT: Final = 2000
"""Seats that are over and are remembered, the newest."""

_COLUMNS: Final = (
    "id, identity_id, peer, app_id, platform, account, table_id, stage, session_id, seat, notes, hosted,"
    " result, reason, created_at, updated_at, ended_at"
)
_INSERT: Final = """
INSERT INTO gateway_bridges (identity_id, peer, app_id, platform, account, table_id, stage, session_id, seat,
                             notes, hosted, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# The texts below are put together from the constants of this module, never from a caller's.
_LIVE: Final = f"SELECT {_COLUMNS} FROM gateway_bridges WHERE stage <> 'over' ORDER BY id"  # noqa: S608
_GET: Final = f"SELECT {_COLUMNS} FROM gateway_bridges WHERE id = ?"  # noqa: S608
_NEWEST: Final = f"SELECT {_COLUMNS} FROM gateway_bridges ORDER BY id DESC LIMIT ?"  # noqa: S608
_OF_PEER: Final = f"""
SELECT {_COLUMNS} FROM gateway_bridges WHERE peer = ? AND created_at >= ? ORDER BY id DESC LIMIT 50
"""  # noqa: S608
_OF_SESSION: Final = f"""
SELECT {_COLUMNS} FROM gateway_bridges WHERE identity_id = ? AND session_id = ? ORDER BY id DESC LIMIT 1
"""  # noqa: S608
_PRUNE: Final = """
DELETE FROM gateway_bridges WHERE stage = 'over'
    AND id NOT IN (SELECT id FROM gateway_bridges WHERE stage = 'over' ORDER BY id DESC LIMIT ?)
    AND (ended_at IS NULL OR ended_at < ?)
"""
_PRUNE_SLOTS: Final = """
DELETE FROM gateway_slots WHERE freed_at IS NOT NULL AND taken_at < ?
    AND NOT EXISTS (SELECT 1 FROM gateway_bridges WHERE id = bridge_id)
"""

_PRUNE_PAUSES: Final = "DELETE FROM gateway_pauses WHERE until < ?"

_COUNT: Final = """
SELECT count(*) FILTER (WHERE platform = :platform AND freed_at IS NULL),
       count(*) FILTER (WHERE peer = :peer AND freed_at IS NULL),
       count(*) FILTER (WHERE peer = :peer AND taken_at > :since
                        AND (freed_at IS NULL OR accepted_at IS NOT NULL))
FROM gateway_slots WHERE freed_at IS NULL OR (peer = :peer AND taken_at > :since)
"""
_TAKE: Final = """
INSERT INTO gateway_slots (bridge_id, identity_id, platform, peer, taken_at)
SELECT id, identity_id, platform, peer, :at FROM gateway_bridges WHERE id = :id
ON CONFLICT (bridge_id) DO UPDATE SET taken_at = excluded.taken_at, freed_at = NULL WHERE freed_at IS NOT NULL
"""
_ACCEPT: Final = "UPDATE gateway_slots SET accepted_at = ? WHERE bridge_id = ? AND freed_at IS NULL"
_FREE: Final = "UPDATE gateway_slots SET freed_at = ? WHERE bridge_id = ? AND freed_at IS NULL"
_USED: Final = "SELECT platform, count(*) FROM gateway_slots WHERE freed_at IS NULL GROUP BY platform"

_PAUSES: Final = "SELECT platform, account, until, failures, reason FROM gateway_pauses"
_PUT_PAUSE: Final = """
INSERT OR REPLACE INTO gateway_pauses (platform, account, until, failures, reason) VALUES (?, ?, ?, ?, ?)
"""
_DROP_PAUSE: Final = "DELETE FROM gateway_pauses WHERE platform = ? AND account = ?"


class NoSlot(errors.Conflict):
    """A limit is reached; nothing was written. ``cap`` says which."""

    def __init__(self, cap: Cap) -> None:
        super().__init__(f"There is no slot free: the limit of the {cap} is reached.")
        self.cap = cap


def add(connection: sqlite3.Connection, new: NewBridge, session: str | None) -> int:
    """Begin a bridge inside a transaction; its number. ``session``: of the action committed with it.

    Raises ``NoSlot``.
    """
    row = connection.execute(
        _INSERT,
        (
            new.identity,
            new.peer,
            new.app,
            new.platform,
            new.account,
            new.table,
            new.stage,
            session if new.of_action else new.session,
            new.seat,
            new.notes,
            new.hosted,
            new.at,
            new.at,
        ),
    ).lastrowid
    id = int(row or 0)
    if new.caps is not None:
        _take(connection, id, new.platform, new.peer, new.caps, new.at)
    return id


def change(connection: sqlite3.Connection, new: BridgeChange, session: str | None) -> None:
    """Change a bridge inside a transaction. Raises ``NotFound`` and ``Conflict`` (``NoSlot`` is one)."""
    given: dict[str, Any] = {
        "stage": new.stage,
        "session_id": session if new.of_action else new.session,
        "account": new.account,
        "table_id": new.table,
        "seat": new.seat,
        "notes": new.notes,
        "result": new.result,
        "reason": new.reason,
    }
    over = new.stage is SeatStage.OVER
    columns = [name for name in MUTABLE if given[name] is not None]
    sets = "".join(f", {name} = ?" for name in columns)
    found = connection.execute(
        f"UPDATE gateway_bridges SET updated_at = ?, ended_at = iif(?, ?, ended_at){sets}"  # noqa: S608
        " WHERE id = ? AND stage <> 'over' RETURNING platform, peer",
        (new.at, over, new.at, *(given[name] for name in columns), new.id),
    ).fetchall()
    if not found:
        raise errors.NotFound(f"There is no seat {new.id} that goes on.")
    if new.takes is not None:
        _take(connection, new.id, found[0][0], found[0][1], new.takes, new.at)
    if new.accepts and connection.execute(_ACCEPT, (new.at, new.id)).rowcount != 1:
        raise errors.Conflict(f"Seat {new.id} has no slot, so its game cannot begin.")
    if new.frees or over:
        connection.execute(_FREE, (new.at, new.id))


def _take(connection: sqlite3.Connection, id: int, platform: str, peer: str, caps: Caps, at: float) -> None:
    cap = _reached(connection.execute(_COUNT, _counted(platform, peer, at)).fetchone(), caps)
    if cap is not None:
        raise NoSlot(cap)
    connection.execute(_TAKE, {"id": id, "at": at})


def _counted(platform: str, peer: str, at: float) -> dict[str, Any]:
    return {"platform": platform, "peer": peer, "since": at - DAY_SECONDS}


def _reached(counts: Sequence[int], caps: Caps) -> Cap | None:
    limits = zip(Cap, counts, (caps.platform, caps.player, caps.day), strict=True)
    return next((cap for cap, count, most in limits if count >= most), None)


class GatewayTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def live(self) -> Sequence[Bridge]:
        """Those that are not over, oldest first."""
        return [_bridge(row) for row in self._database.all(_LIVE)]

    def newest(self, limit: int = 50) -> Sequence[Bridge]:
        """The newest first, also those that are over."""
        return [_bridge(row) for row in self._database.all(_NEWEST, (limit,))]

    def get(self, id: int) -> Bridge | None:
        row = self._database.one(_GET, (id,))
        return None if row is None else _bridge(row)

    def of_peer(self, peer: str, since: float) -> Sequence[Bridge]:
        """Those of a player that were begun since then, also those that are over; the newest first."""
        return [_bridge(row) for row in self._database.all(_OF_PEER, (peer, since))]

    def of_session(self, identity: str, session_id: str) -> Bridge | None:
        """The newest bridge of a game."""
        row = self._database.one(_OF_SESSION, (identity, session_id))
        return None if row is None else _bridge(row)

    def used(self) -> dict[str, int]:
        """Slots that are taken, by platform."""
        return {row[0]: int(row[1]) for row in self._database.all(_USED)}

    def reached(self, platform: str, peer: str, caps: Caps, at: float) -> Cap | None:
        """Which limit would refuse another slot now, None if there is one."""
        counts = self._database.one(_COUNT, _counted(platform, peer, at))
        return None if counts is None else _reached(counts, caps)

    def prune(self, now: float, keep: int = KEPT) -> None:
        """Forget the oldest seats that are over, but none of the last day: the limits count those."""
        with self._database.transaction() as connection:
            connection.execute(_PRUNE, (keep, now - DAY_SECONDS))
            connection.execute(_PRUNE_SLOTS, (now - DAY_SECONDS,))
            connection.execute(_PRUNE_PAUSES, (now - DAY_SECONDS,))

    # Pauses

    def pauses(self) -> Sequence[Pause]:
        return [
            Pause(platform=row[0], account=row[1], until=row[2], failures=row[3], reason=row[4])
            for row in self._database.all(_PAUSES)
        ]

    def put_pause(self, pause: Pause) -> None:
        self._write(_PUT_PAUSE, (pause.platform, pause.account, pause.until, pause.failures, pause.reason))

    def drop_pause(self, platform: str, account: str) -> None:
        self._write(_DROP_PAUSE, (platform, account))

    def _write(self, sql: str, parameters: Iterable[Any]) -> None:
        with self._database.transaction() as connection:
            connection.execute(sql, tuple(parameters))


def _bridge(row: Sequence[Any]) -> Bridge:
    return Bridge(
        id=row[0],
        identity=row[1],
        peer=row[2],
        app=row[3],
        platform=row[4],
        account=row[5],
        table=row[6],
        stage=SeatStage(row[7]),
        session=row[8],
        seat=row[9],
        notes=row[10],
        hosted=bool(row[11]),
        result=None if row[12] is None else SeatResult(row[12]),
        reason=row[13],
        created_at=row[14],
        updated_at=row[15],
        ended_at=row[16],
    )

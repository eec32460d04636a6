"""The tables ``text_*``: games of people who play by plain texts, and what they are still to be told.

Who plays by text has no program that knows the rules, so his side of a game is kept here: a *seat*. A game at
a *table* of this node has two, each with its own side of the session, as two nodes would have; the house sits
at one under ``text_model.HOUSE``. A game with a peer that has LRGP has one; its session is among the others.

What somebody is to be told is *due* until it is a message: one row for each slot (a game, or a kind of
answer), so that the newest takes the place of what was not sent yet. ``commit`` writes what a text has led to
in one transaction with the fact that the text was handled.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from lrgpnode.protocol.session import Status

from . import errors
from .codec import decode_metadata, encode_metadata
from .database import Database
from .text_model import FULL, POSITIONS, Due, Incoming, Kind, NewDue, Seat, Seek, TextCommit, TextPlayer

KEPT_ENDED: Final = 8
"""Ended games of a player that are kept, so that he can look at them."""

_SEAT = (
    "game_id, player, identity_id, number, kind, opponent, app_id, app_version, initiator, status, metadata, "
    "created_at, last_action_at, unsent, heard"
)
_MARKS = ", ".join("?" * 15)
_PUT_SEAT = f"INSERT OR REPLACE INTO text_seats ({_SEAT}) VALUES ({_MARKS})"  # noqa: S608
_SEATS = f"SELECT {_SEAT} FROM text_seats"  # noqa: S608 - our own names
_LIVE = "status IN ('pending','active')"
_PRUNE = """
DELETE FROM text_seats WHERE identity_id = ? AND player = ? AND status NOT IN ('pending','active')
    AND game_id NOT IN (SELECT game_id FROM text_seats WHERE identity_id = ? AND player = ?
        AND status NOT IN ('pending','active') ORDER BY last_action_at DESC LIMIT ?)
"""
_PUT_PLAYER = """
INSERT OR REPLACE INTO text_players (identity_id, player, current, shown, said, muted, seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_PLAYERS = "SELECT identity_id, player, current, shown, said, muted, seen_at FROM text_players"
_SEEKS = "SELECT identity_id, player, app_id, at FROM text_seeks WHERE ? IS NULL OR app_id = ? ORDER BY at"
_DUE = "SELECT id, identity_id, player, slot, text, asked FROM text_due"
_BEFORE = "SELECT asked, text FROM text_due WHERE identity_id = ? AND player = ? AND slot = ?"
_PUT_DUE = "INSERT OR REPLACE INTO text_due (identity_id, player, slot, text, asked) VALUES (?, ?, ?, ?, ?)"
_INCOMING = """
SELECT id, identity_id, peer, text, at FROM messages WHERE identity_id = ? AND id > ? AND own = 0 AND held = 0
    ORDER BY id LIMIT ?
"""
_PUT_DESK = "INSERT OR REPLACE INTO text_desks (identity_id, handled) VALUES (?, ?)"
_DUE_OF = f"{_DUE} WHERE identity_id = ? AND player = ? ORDER BY id"
_OWN_OPEN = """
SELECT outbox_id FROM messages WHERE identity_id = ? AND peer = ? AND own = 1
    AND state IN ('queued','sending','sent','failed') AND outbox_id IS NOT NULL
"""
_LAST_OWN = """
SELECT text FROM messages WHERE identity_id = ? AND peer = ? AND own = 1 ORDER BY id DESC LIMIT 1
"""


class TextTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Seats

    def seat(self, game_id: str, player: str) -> Seat | None:
        return next(iter(self._seats("game_id = ? AND player = ?", game_id, player)), None)

    def seats_of(self, identity: str, player: str) -> Sequence[Seat]:
        """What somebody plays, by its numbers, and behind it the games that have ended, the last first."""
        seats = self._seats("identity_id = ? AND player = ?", identity, player)
        live = sorted((seat for seat in seats if seat.live), key=lambda seat: seat.number)
        ended = sorted((seat for seat in seats if not seat.live), key=lambda seat: -seat.last_action_at)
        return live + ended

    def of_player(self, player: str) -> Sequence[Seat]:
        """All that somebody plays or has played, whichever identity he writes to."""
        return self._seats("player = ?", player)

    def at(self, game_id: str) -> Sequence[Seat]:
        """Both seats of a table, or the one of another game."""
        return self._seats("game_id = ?", game_id)

    def live(self) -> Sequence[Seat]:
        return self._seats(_LIVE)

    def handed_over(self) -> Sequence[Seat]:
        """Those whose player has done something by LRGP that is spoken here."""
        return self._seats("unsent <> x''")

    def _seats(self, where: str, *parameters: Any) -> list[Seat]:
        rows = self._database.all(f"{_SEATS} WHERE {where}", parameters)
        return [self._seat(row) for row in rows]

    def _seat(self, row: Sequence[Any]) -> Seat:
        try:
            return Seat(
                game_id=row[0],
                player=row[1],
                identity=row[2],
                number=row[3],
                kind=Kind(row[4]),
                opponent=row[5],
                app_id=row[6],
                app_version=row[7],
                initiator=row[8],
                status=Status(row[9]),
                metadata=decode_metadata(row[10]),
                created_at=row[11],
                last_action_at=row[12],
                unsent=row[13],
                heard=row[14],
            )
        except ValueError as error:
            raise errors.damaged(self._database.path, f"the text game {row[0]}: {error}") from error

    # People

    def player(self, identity: str, player: str) -> TextPlayer:
        """As stored; somebody who has never written has the defaults."""
        found = self._players("identity_id = ? AND player = ?", identity, player)
        return found[0] if found else TextPlayer(identity=identity, player=player)

    def players(self, since: float, limit: int = 50) -> Sequence[TextPlayer]:
        """Who has written since then, the last first."""
        return self._players("seen_at >= ? ORDER BY seen_at DESC LIMIT ?", since, limit)

    def _players(self, where: str, *parameters: Any) -> list[TextPlayer]:
        rows = self._database.all(f"{_PLAYERS} WHERE {where}", parameters)
        return [
            TextPlayer(
                identity=row[0],
                player=row[1],
                current=row[2],
                shown=tuple(map(str, json.loads(row[3]))),
                said=row[4],
                muted=bool(row[5]),
                seen_at=row[6],
            )
            for row in rows
        ]

    def seeks(self, app_id: str | None = None) -> Sequence[Seek]:
        """Who waits for an opponent, the first first."""
        rows = self._database.all(_SEEKS, (app_id, app_id))
        return [Seek(identity=row[0], player=row[1], app_id=row[2], at=row[3]) for row in rows]

    # What is to be told

    def due(self, identity: str, player: str) -> Sequence[Due]:
        """The oldest first."""
        rows = self._database.all(
            f"{_DUE} WHERE identity_id = ? AND player = ? ORDER BY id", (identity, player)
        )
        return [
            Due(id=row[0], identity=row[1], player=row[2], slot=row[3], text=row[4], asked=bool(row[5]))
            for row in rows
        ]

    def waiting(self) -> Sequence[tuple[str, str]]:
        """(identity, player) to whom something is to be told."""
        return [
            (row[0], row[1])
            for row in self._database.all("SELECT DISTINCT identity_id, player FROM text_due")
        ]

    # Texts, in ``messages``

    def handled(self, identity: str) -> int | None:
        """The number of the last text to this identity that was handled; None where none ever was."""
        row = self._database.one("SELECT handled FROM text_desks WHERE identity_id = ?", (identity,))
        return None if row is None else int(row[0])

    def newest(self) -> int:
        """The number of the newest text of all."""
        row = self._database.one("SELECT max(id) FROM messages")
        return int(row[0] or 0) if row is not None else 0

    def incoming(self, identity: str, after: int, limit: int = 50) -> Sequence[Incoming]:
        """Texts to an identity with a higher number, in order."""
        rows = self._database.all(_INCOMING, (identity, after, limit))
        return [Incoming(id=row[0], identity=row[1], player=row[2], text=row[3], at=row[4]) for row in rows]

    def under_way(self, identity: str, player: str) -> Sequence[int]:
        """Rows of the outbox with texts to a player that had not arrived when they were last stored."""
        return [row[0] for row in self._database.all(_OWN_OPEN, (identity, player))]

    def last_said(self, identity: str, player: str) -> str:
        """The last text that was written to a player."""
        row = self._database.one(_LAST_OWN, (identity, player))
        return "" if row is None else str(row[0])

    # Writing

    def commit(self, unit: TextCommit) -> None:
        """All of it in one transaction. Raises ``StorageError``; then nothing was written."""
        with self._database.transaction() as connection:
            for seat in unit.seats:
                _put_seat(connection, seat)
            for player in unit.players:
                _put_player(connection, player)
            for seek in unit.unseek:
                where = "identity_id = ? AND player = ? AND app_id = ?"
                connection.execute(
                    f"DELETE FROM text_seeks WHERE {where}",  # noqa: S608
                    (seek.identity, seek.player, seek.app_id),
                )
            for seek in unit.seek:
                connection.execute(
                    "INSERT OR REPLACE INTO text_seeks (identity_id, player, app_id, at) VALUES (?, ?, ?, ?)",
                    (seek.identity, seek.player, seek.app_id, seek.at),
                )
            for due in unit.due:
                _put_due(connection, due)
            for id in unit.told:
                connection.execute("DELETE FROM text_due WHERE id = ?", (id,))
            for identity, handled in unit.handled:
                connection.execute(
                    "INSERT OR REPLACE INTO text_desks (identity_id, handled) VALUES (?, ?)",
                    (identity, handled),
                )
            for id in unit.read:
                connection.execute("UPDATE messages SET unread = 0 WHERE id = ?", (id,))


def _put_seat(connection: sqlite3.Connection, seat: Seat) -> None:
    connection.execute(
        _PUT_SEAT,
        (
            seat.game_id,
            seat.player,
            seat.identity,
            seat.number,
            str(seat.kind),
            seat.opponent,
            seat.app_id,
            seat.app_version,
            seat.initiator,
            str(seat.status),
            encode_metadata(seat.metadata),
            seat.created_at,
            seat.last_action_at,
            seat.unsent,
            seat.heard,
        ),
    )
    if not seat.live:
        connection.execute(_PRUNE, (seat.identity, seat.player, seat.identity, seat.player, KEPT_ENDED))


def _put_player(connection: sqlite3.Connection, player: TextPlayer) -> None:
    connection.execute(
        _PUT_PLAYER,
        (
            player.identity,
            player.player,
            player.current,
            json.dumps(player.shown),
            player.said,
            int(player.muted),
            player.seen_at,
        ),
    )


def _put_due(connection: sqlite3.Connection, due: NewDue) -> None:
    before = connection.execute(_BEFORE, (due.identity, due.player, due.slot)).fetchone()
    asked, text = due.asked, due.text
    if before is not None:
        # Whatever he asked for he is told, also where it has become news meanwhile; and a position that he
        # has not seen yet says more than a sentence about it.
        asked = asked or bool(before[0])
        text = before[1] if before[1] in POSITIONS and (text not in POSITIONS or before[1] == FULL) else text
    connection.execute(_PUT_DUE, (due.identity, due.player, due.slot, text, int(asked)))

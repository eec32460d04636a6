"""The table ``scores``: how an identity's games with each peer have ended, by game; never sent anywhere.

A game is counted by the transaction that ends it (``Store.commit``), so each is counted once whatever
happens in between, and by nothing else: deleting the session later changes no score, and neither does what
its peer still sends. Counted is a completed session whose game says who has won, or that nobody has. Not
counted are games that expired, were abandoned, declined or taken back, and those that are out of sync when
they end, since the other side may see another end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from lrgpnode.protocol.session import Session, Status

from .database import Database
from .model import Rival, Score

OUT_OF_SYNC: Final = "out_of_sync"
"""The flag of a session that both sides see differently."""

PAGE: Final = 50

_STATUS = "SELECT status FROM game_sessions WHERE session_id = ? AND identity_id = ?"
_FLAGGED = "SELECT 1 FROM session_flags WHERE identity_id = ? AND session_id = ? AND flag = ?"
_COUNT = """
INSERT INTO scores (identity_id, peer, app_id, won, drawn, lost) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (identity_id, peer, app_id) DO UPDATE
SET won = won + excluded.won, drawn = drawn + excluded.drawn, lost = lost + excluded.lost
"""
_OF_PEER = """
SELECT app_id, won, drawn, lost FROM scores WHERE identity_id = ? AND peer = ?
ORDER BY won + drawn + lost DESC, app_id
"""
_OF_GAME = "SELECT app_id, won, drawn, lost FROM scores WHERE identity_id = ? AND peer = ? AND app_id = ?"
_RIVALS = """
SELECT peer, sum(won + drawn + lost) AS games FROM scores WHERE identity_id = :identity GROUP BY peer
HAVING :games IS NULL OR games < :games OR (games = :games AND peer > :peer)
ORDER BY games DESC, peer LIMIT :limit
"""


def ending(connection: sqlite3.Connection, written: Iterable[Session | None]) -> list[Session]:
    """Those of the sessions about to be written that end a game: completed now, and not yet in the table."""
    found = []
    for session in written:
        if session is not None and session.status is Status.COMPLETED:
            key = session.key
            rows = connection.execute(_STATUS, (key.session_id, key.identity)).fetchall()
            if not rows or rows[0][0] != Status.COMPLETED:
                found.append(session)
    return found


def count(connection: sqlite3.Connection, ended: Iterable[Session]) -> None:
    """Count games that have ended in this transaction, after all else of it is written."""
    for session in ended:
        identity, peer = session.participants
        result = _result(session)
        if result is None:
            continue
        if connection.execute(_FLAGGED, (identity, session.key.session_id, OUT_OF_SYNC)).fetchall():
            continue
        connection.execute(_COUNT, (identity, peer, session.app_id, *result))


def _result(session: Session) -> tuple[int, int, int] | None:
    """Won, drawn, lost: one of them 1. None where the game does not say who has won."""
    winner = session.metadata.get("winner")
    if not isinstance(winner, str):
        return None
    results = {session.key.identity: (1, 0, 0), "": (0, 1, 0), session.peer: (0, 0, 1)}
    return results.get(winner)


class ScoreTable:
    """Reads the committed state; nothing here grows with the number of games."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, identity: str, peer: str) -> Sequence[Score]:
        """By game, the one that was played most first."""
        return [_score(row) for row in self._database.all(_OF_PEER, (identity, peer))]

    def of_game(self, identity: str, peer: str, app_id: str) -> Score | None:
        row = self._database.one(_OF_GAME, (identity, peer, app_id))
        return None if row is None else _score(row)

    def rivals(self, identity: str, *, limit: int = PAGE, after: Rival | None = None) -> Sequence[Rival]:
        """Whom this identity has played, the most games first; go on with ``after=page[-1]``."""
        parameters = {
            "identity": identity,
            "games": None if after is None else after.games,
            "peer": "" if after is None else after.peer,
            "limit": limit,
        }
        return [Rival(peer=row[0], games=row[1]) for row in self._database.all(_RIVALS, parameters)]


def _score(row: Sequence[Any]) -> Score:
    return Score(app_id=row[0], won=row[1], drawn=row[2], lost=row[3])

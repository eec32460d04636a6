"""Matches and ratings in the arcade's database. Methods are for any thread and raise ``StoreError``.

A match has a row from its beginning. What was being played when the server was killed is made void at the
next start: it counts for nothing, and its moves are not kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from gateway.agentgames.server import rating
from gateway.agentgames.server.match import score
from gateway.agentgames.server.rules import GAMES
from gateway.arcade.database import Database
from lrgpnode.protocol.value import Value

PAGE: Final = 50
"""Most rows of one page."""

MAX_NUMBER: Final = 2**62


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewMatch(Value):
    """``first`` and ``second`` are the accounts of players 0 and 1."""

    game: str
    first: str
    second: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ending(Value):
    """How match ``number`` ended. ``winner``: 0, 1, or -1 for nobody."""

    number: int
    winner: int
    reason: str
    moves: tuple[str, ...]
    at: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Played(Value):
    """A match as it is kept. ``state``: ``playing``, ``over``, or ``void``, which counts for nothing.

    ``players``: names of players 0 and 1. ``before`` and ``after``: their ratings, None unless it is over.
    """

    number: int
    game: str
    state: str
    players: tuple[str, str]
    winner: int | None
    reason: str
    plies: int
    before: tuple[float, float] | None
    after: tuple[float, float] | None
    started_at: float
    ended_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Standing(Value):
    """A line of the ladder. ``rank`` counts from 1."""

    rank: int
    name: str
    rating: float
    won: int
    drawn: int
    lost: int

    @property
    def played(self) -> int:
        return self.won + self.drawn + self.lost


_COLUMNS: Final = (
    "number, game, state, one.name, two.name, winner, reason, plies,"
    " first_before, second_before, first_after, second_after, started_at, ended_at"
)
_NAMED: Final = "JOIN account AS one ON one.id = first JOIN account AS two ON two.id = second"


class MatchStore:
    """``Database`` belongs to the caller."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Writing

    def void_all(self, now: float) -> int:
        """Nothing is being played: whatever was, is void. How many they were."""
        with self._database.writing() as db:
            return db.execute(
                "UPDATE match SET state = 'void', ended_at = ? WHERE state = 'playing'", (now,)
            ).rowcount

    def begin(self, matches: Sequence[NewMatch]) -> list[int]:
        """Their numbers, in order; all in one transaction."""
        insert = "INSERT INTO match (game, first, second, state, started_at) VALUES (?, ?, ?, 'playing', ?)"
        with self._database.writing() as db:
            return [
                int(db.execute(insert, (one.game, one.first, one.second, one.at)).lastrowid or 0)
                for one in matches
            ]

    def finish(self, endings: Sequence[Ending]) -> list[tuple[float, float]]:
        """Both new ratings of each match, in order; all in one transaction with them."""
        with self._database.writing() as db:
            return [_finish(db, one) for one in endings]

    def void(self, numbers: Sequence[int], now: float) -> None:
        """These did not come to an end."""
        with self._database.writing() as db:
            db.executemany(
                "UPDATE match SET state = 'void', ended_at = ? WHERE number = ? AND state = 'playing'",
                [(now, number) for number in numbers],
            )

    # Reading

    def rating(self, game: str, account: str) -> float:
        rows = self._database.rows(
            "SELECT rating FROM rating WHERE game = ? AND account = ?", (game, account)
        )
        return float(rows[0][0]) if rows else rating.START

    def ladder(self, game: str, most: int, skip: int = 0) -> list[Standing]:
        """From the best, after ``skip`` of them."""
        rows = self._database.rows(
            "SELECT name, rating, won, drawn, lost FROM rating JOIN account ON account.id = account"
            " WHERE game = ? ORDER BY rating DESC, account LIMIT ? OFFSET ?",
            (game, min(most, PAGE), skip),
        )
        return [
            Standing(rank=rank, name=row[0], rating=row[1], won=row[2], drawn=row[3], lost=row[4])
            for rank, row in enumerate(rows, skip + 1)
        ]

    def rated(self, game: str) -> int:
        """How many are on the ladder of a game."""
        return int(self._database.rows("SELECT count(*) FROM rating WHERE game = ?", (game,))[0][0])

    def matches(
        self, most: int, *, game: str | None = None, player: str | None = None, before: int | None = None
    ) -> list[Played]:
        """Those that are over or void, the newest first, with numbers below ``before``.

        ``player``: the name of an account, in upper or lower case.
        """
        limit, end = min(most, PAGE), MAX_NUMBER if before is None else before
        games = tuple(GAMES) if game is None else (game,)
        if player is None and game is None:
            found = self._numbers("number < ?", (end,), limit)
        elif player is None:
            found = self._numbers("game = ? AND number < ?", (game, end), limit)
        else:
            account = self._account(player)
            found = [
                number
                for seat in ("first", "second")
                for each in games
                for number in self._numbers(
                    f"{seat} = ? AND game = ? AND number < ?", (account, each, end), limit
                )
            ]
        wanted = sorted(found, reverse=True)[:limit]
        if not wanted:
            return []
        marks = ", ".join("?" * len(wanted))
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM match {_NAMED} WHERE number IN ({marks}) ORDER BY number DESC",  # noqa: S608
            wanted,
        )
        return [_played(row) for row in rows]

    def match(self, number: int) -> tuple[Played, tuple[str, ...]] | None:
        """One match, and its moves as they were sent."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS}, moves FROM match {_NAMED} WHERE number = ?",  # noqa: S608 - constants
            (number,),
        )
        return (_played(rows[0]), tuple(json.loads(rows[0][-1]))) if rows else None

    def _numbers(self, where: str, values: tuple[object, ...], limit: int) -> list[int]:
        rows = self._database.rows(
            f"SELECT number FROM match WHERE {where} AND state <> 'playing'"  # noqa: S608 - constants
            " ORDER BY number DESC LIMIT ?",
            (*values, limit),
        )
        return [int(row[0]) for row in rows]

    def _account(self, name: str) -> str:
        rows = self._database.rows("SELECT id FROM account WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""


def _finish(db: sqlite3.Connection, one: Ending) -> tuple[float, float]:
    game, first, second = db.execute(
        "SELECT game, first, second FROM match WHERE number = ? AND state = 'playing'", (one.number,)
    ).fetchone()
    before = (_rating(db, game, first), _rating(db, game, second))
    after = rating.after(*before, score(one.winner))
    for seat, account in enumerate((first, second)):
        db.execute(
            "INSERT INTO rating VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (game, account) DO UPDATE SET"
            " rating = excluded.rating, won = won + excluded.won, drawn = drawn + excluded.drawn,"
            " lost = lost + excluded.lost",
            (
                game,
                account,
                after[seat],
                one.winner == seat,
                one.winner < 0,
                one.winner == 1 - seat,
            ),
        )
    db.execute(
        "UPDATE match SET state = 'over', winner = ?, reason = ?, moves = ?, plies = ?, first_before = ?,"
        " second_before = ?, first_after = ?, second_after = ?, ended_at = ? WHERE number = ?",
        (
            one.winner,
            one.reason,
            json.dumps(one.moves, separators=(",", ":")),
            len(one.moves),
            *before,
            *after,
            one.at,
            one.number,
        ),
    )
    return after


def _rating(db: sqlite3.Connection, game: str, account: str) -> float:
    row = db.execute("SELECT rating FROM rating WHERE game = ? AND account = ?", (game, account)).fetchone()
    return float(row[0]) if row else rating.START


def _played(row: tuple[Any, ...]) -> Played:
    return Played(
        number=row[0],
        game=row[1],
        state=row[2],
        players=(row[3], row[4]),
        winner=row[5],
        reason=row[6],
        plies=row[7],
        before=None if row[8] is None else (row[8], row[9]),
        after=None if row[10] is None else (row[10], row[11]),
        started_at=row[12],
        ended_at=row[13],
    )

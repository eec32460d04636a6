"""What the arcade keeps on disk: accounts, tokens (as hashes only), results of games.

A file of its own, used by the running arcade and by `lrgpnode arcade` at the same time; the arcade sees from
``version`` that the command has changed something. Methods may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gateway.arcade.database import FILE_NAME, Database, StoreError
from lrgpnode.protocol.value import Value

__all__ = ["FILE_NAME", "Account", "ArcadeStore", "Result", "StoreError", "Token"]

RESULTS_KEPT: Final = 5000
MAX_ACCOUNTS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Account(Value):
    """``house``: its tables are shown as the house's. ``has_password``: it can sign in to the pages."""

    id: str
    name: str
    house: bool
    disabled: bool
    has_password: bool
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Token(Value):
    """Without the token itself, which nobody keeps. ``kind``: ``agent``, or ``browser`` for a sign-in."""

    id: str
    account: str
    account_name: str
    house: bool
    hash: bytes
    scopes: tuple[str, ...]
    kind: str
    label: str
    created_at: float
    expires_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result(Value):
    """A game that is over. ``players`` and ``result`` are JSON; times are Unix seconds."""

    session: str
    series: str
    round: int
    game: str
    title: str | None
    host: str
    reason: str | None
    players: str
    result: str
    started_at: float
    ended_at: float


_RESULT_COLUMNS: Final = (
    "session, series, round, game, title, host, reason, players, result, started_at, ended_at"
)


class ArcadeStore:
    """Raises ``StoreError`` where the file cannot be used. ``database`` has other tables, too."""

    def __init__(self, path: Path) -> None:
        self.database = database = Database(path)
        self._rows, self._writing = database.rows, database.writing

    def close(self) -> None:
        self.database.close()

    def version(self) -> int:
        """Another number whenever an account or a token was changed, here or by another process."""
        return int(self.fact("accounts") or 0)

    # Accounts

    def add_account(self, id: str, name: str, *, house: bool, password: str | None, now: float) -> None:
        """``password`` is hashed already. Raises ``StoreError`` if the name is taken."""
        with self._writing() as db:
            if db.execute("SELECT count(*) FROM account").fetchone()[0] >= MAX_ACCOUNTS:
                raise StoreError(f"There are {MAX_ACCOUNTS} accounts already.")
            if db.execute("SELECT 1 FROM account WHERE name = ?", (name,)).fetchone():
                raise StoreError(f"There is an account {name} already.")
            db.execute(
                "INSERT INTO account (id, name, house, password, created_at) VALUES (?, ?, ?, ?, ?)",
                (id, name, house, password, now),
            )

    def accounts(self) -> list[Account]:
        """By name."""
        rows = self._rows(
            "SELECT id, name, house, disabled, password IS NOT NULL, created_at FROM account ORDER BY name"
        )
        return [
            Account(
                id=row[0],
                name=row[1],
                house=bool(row[2]),
                disabled=bool(row[3]),
                has_password=bool(row[4]),
                created_at=row[5],
            )
            for row in rows
        ]

    def password(self, name: str) -> tuple[str, str] | None:
        """The id and the hashed password of an account that may sign in."""
        rows = self._rows(
            "SELECT id, password FROM account WHERE name = ? AND NOT disabled AND password IS NOT NULL",
            (name,),
        )
        return (rows[0][0], rows[0][1]) if rows else None

    def set_disabled(self, account: str, *, disabled: bool) -> None:
        """A disabled account keeps its tokens, which do not work meanwhile."""
        with self._writing() as db:
            db.execute("UPDATE account SET disabled = ? WHERE id = ?", (disabled, account))

    def set_password(self, account: str, password: str | None) -> None:
        """``password`` is hashed already. Whoever is signed in is signed out."""
        with self._writing() as db:
            db.execute("UPDATE account SET password = ? WHERE id = ?", (password, account))
            db.execute("DELETE FROM token WHERE account = ? AND kind = 'browser'", (account,))

    # Tokens

    def add_token(
        self,
        id: str,
        account: str,
        hash: bytes,
        scopes: Sequence[str],
        *,
        kind: str,
        label: str,
        now: float,
        expires_at: float | None = None,
    ) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM token WHERE expires_at <= ?", (now,))
            db.execute(
                "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (id, account, hash, " ".join(scopes), kind, label, now, expires_at),
            )

    def tokens(self, *, live: bool) -> list[Token]:
        """All tokens, the oldest first; ``live``: only those of accounts that are not disabled."""
        rows = self._rows(
            "SELECT token.id, account, name, house, hash, scopes, kind, label, token.created_at, expires_at"
            " FROM token JOIN account ON account.id = token.account"
            " WHERE NOT (? AND disabled) ORDER BY token.created_at, token.id",
            (live,),
        )
        return [
            Token(
                id=row[0],
                account=row[1],
                account_name=row[2],
                house=bool(row[3]),
                hash=row[4],
                scopes=tuple(row[5].split()),
                kind=row[6],
                label=row[7],
                created_at=row[8],
                expires_at=row[9],
            )
            for row in rows
        ]

    def suspended(self, hash: bytes) -> bool:
        """Whether this token belongs to an account that is disabled."""
        return bool(
            self._rows(
                "SELECT 1 FROM token JOIN account ON account.id = token.account WHERE hash = ? AND disabled",
                (hash,),
            )
        )

    def remove_token(self, id: str) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM token WHERE id = ?", (id,))

    # Results and facts

    def add_results(self, results: Sequence[Result]) -> None:
        """The oldest go when there are too many."""
        with self._writing() as db:
            db.executemany(
                f"INSERT OR IGNORE INTO result ({_RESULT_COLUMNS})"  # noqa: S608 - a constant
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        one.session,
                        one.series,
                        one.round,
                        one.game,
                        one.title,
                        one.host,
                        one.reason,
                        one.players,
                        one.result,
                        one.started_at,
                        one.ended_at,
                    )
                    for one in results
                ],
            )
            db.execute(
                "DELETE FROM result WHERE number <= (SELECT max(number) FROM result) - ?", (RESULTS_KEPT,)
            )

    def results(self, most: int, game: str | None = None) -> list[Result]:
        """The newest first."""
        rows = self._rows(
            f"SELECT {_RESULT_COLUMNS} FROM result WHERE ? IS NULL OR game = ?"  # noqa: S608 - a constant
            " ORDER BY number DESC LIMIT ?",
            (game, game, most),
        )
        return [
            Result(
                session=row[0],
                series=row[1],
                round=row[2],
                game=row[3],
                title=row[4],
                host=row[5],
                reason=row[6],
                players=row[7],
                result=row[8],
                started_at=row[9],
                ended_at=row[10],
            )
            for row in rows
        ]

    def fact(self, name: str) -> str | None:
        rows = self._rows("SELECT value FROM fact WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else None

    def set_fact(self, name: str, value: str) -> None:
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))

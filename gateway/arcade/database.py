"""The arcade's file, ``arcade.db``: its tables, transactions, and errors as sentences.

Methods may be called from any thread. Reading has a connection of its own, so that it never waits for a disk
that is being written to.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

FILE_NAME: Final = "arcade.db"

_BUSY_SECONDS: Final = 10.0

_MIGRATIONS: Final = (
    """
    CREATE TABLE account (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL COLLATE NOCASE UNIQUE,
        house INTEGER NOT NULL DEFAULT 0,
        disabled INTEGER NOT NULL DEFAULT 0,
        password TEXT,
        created_at REAL NOT NULL
    ) STRICT;
    CREATE TABLE token (
        id TEXT PRIMARY KEY,
        account TEXT NOT NULL REFERENCES account (id),
        hash BLOB NOT NULL UNIQUE,
        scopes TEXT NOT NULL,
        kind TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at REAL NOT NULL,
        expires_at REAL
    ) STRICT;
    CREATE TABLE result (
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL UNIQUE,
        series TEXT NOT NULL,
        round INTEGER NOT NULL,
        game TEXT NOT NULL,
        title TEXT,
        host TEXT NOT NULL,
        reason TEXT,
        players TEXT NOT NULL,
        result TEXT NOT NULL,
        started_at REAL NOT NULL,
        ended_at REAL NOT NULL
    ) STRICT;
    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    """,
    # Matches by what they are listed by. `first` and `second` are the players 0 and 1.
    """
    CREATE TABLE ssh_key (
        id TEXT PRIMARY KEY,
        account TEXT NOT NULL REFERENCES account (id),
        key TEXT NOT NULL UNIQUE,
        comment TEXT NOT NULL,
        created_at REAL NOT NULL
    ) STRICT;
    CREATE TABLE rating (
        game TEXT NOT NULL,
        account TEXT NOT NULL REFERENCES account (id),
        rating REAL NOT NULL,
        won INTEGER NOT NULL,
        drawn INTEGER NOT NULL,
        lost INTEGER NOT NULL,
        PRIMARY KEY (game, account)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX rating_in_order ON rating (game, rating DESC, account);
    CREATE TABLE match (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        game TEXT NOT NULL,
        first TEXT NOT NULL REFERENCES account (id),
        second TEXT NOT NULL REFERENCES account (id),
        state TEXT NOT NULL CHECK (state IN ('playing', 'over', 'void')),
        winner INTEGER,
        reason TEXT NOT NULL DEFAULT '',
        moves TEXT NOT NULL DEFAULT '[]',
        plies INTEGER NOT NULL DEFAULT 0,
        first_before REAL,
        first_after REAL,
        second_before REAL,
        second_after REAL,
        started_at REAL NOT NULL,
        ended_at REAL
    ) STRICT;
    CREATE INDEX match_playing ON match (number) WHERE state = 'playing';
    CREATE INDEX match_of_game ON match (game, number);
    CREATE INDEX match_of_first ON match (first, game, number);
    CREATE INDEX match_of_second ON match (second, game, number);

    CREATE TRIGGER account_added AFTER INSERT ON account BEGIN
        INSERT INTO fact VALUES ('accounts', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1;
    END;
    CREATE TRIGGER account_changed AFTER UPDATE ON account BEGIN
        INSERT INTO fact VALUES ('accounts', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1;
    END;
    CREATE TRIGGER token_added AFTER INSERT ON token BEGIN
        INSERT INTO fact VALUES ('accounts', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1;
    END;
    CREATE TRIGGER token_removed AFTER DELETE ON token BEGIN
        INSERT INTO fact VALUES ('accounts', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1;
    END;
    """,
    """
    CREATE TRIGGER ssh_key_removed AFTER DELETE ON ssh_key BEGIN
        INSERT INTO fact VALUES ('accounts', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1;
    END;
    """,
)


class StoreError(Exception):
    """``str()`` is a sentence for a person."""


class Database:
    """Raises ``StoreError`` where the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._read_lock = threading.Lock()
        with self._named():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._db = self._connect()
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
                self._db.execute("PRAGMA foreign_keys = ON")
                self._migrate()
                self._reader = self._connect()
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        with self._read_lock:
            self._reader.close()
        with self._lock:
            self._db.close()

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._read_lock, self._named():
            return self._reader.execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, on the disk when it is left."""
        with self._lock, self._named(), self._transaction() as db:
            yield db

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )

    def _migrate(self) -> None:
        with self._transaction() as db:
            done = int(db.execute("PRAGMA user_version").fetchone()[0])
            if done > len(_MIGRATIONS):
                raise StoreError(f"{self._path} belongs to a newer version of lrgpnode.")
            for script in _MIGRATIONS[done:]:
                for statement in _statements(script):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The arcade's database {self._path} cannot be used: {error}.") from error


def _statements(script: str) -> Iterator[str]:
    """``executescript`` would end the transaction; a trigger has semicolons within."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

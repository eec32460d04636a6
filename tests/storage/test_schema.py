"""Tables, migrations, and that no query grows with the number of games."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlite_utils

from lrgpnode.protocol.session import Status
from storage import errors, schema
from storage.departure import TABLES
from storage.model import (
    Block,
    Commit,
    Cursor,
    KeptNonce,
    LocalIdentity,
    OutboxChange,
    OutboxState,
    Role,
    Signature,
)
from storage.store import Store
from tests.storage.samples import ME, PEER, key, session

SPEC_16 = {
    "session_id": "TEXT",
    "identity_id": "TEXT",
    "app_id": "TEXT",
    "app_version": "INTEGER",
    "contact_hash": "TEXT",
    "initiator": "TEXT",
    "status": "TEXT",
    "metadata": "TEXT",
    "unread": "INTEGER",
    "created_at": "REAL",
    "updated_at": "REAL",
    "last_action_at": "REAL",
}


def test_game_sessions_has_exactly_the_columns_of_the_specification(store: Store) -> None:
    columns = store.database.all("SELECT name, type FROM pragma_table_info('game_sessions')")
    assert dict(columns) == SPEC_16
    primary = store.database.all("SELECT name FROM pragma_table_info('game_sessions') WHERE pk ORDER BY pk")
    assert primary == [("session_id",), ("identity_id",)]


def test_every_promised_table_exists(store: Store) -> None:
    tables = {name for (name,) in store.database.all("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables >= {
        *("game_sessions", "game_actions", "outbox", "parked", "seen", "replay_nonces"),
        *("kept_nonces", "session_flags", "tombstones", "contacts", "peers", "identities", "meta"),
    }


def test_whatever_belongs_to_an_identity_goes_with_it(store: Store) -> None:
    tables = {name for (name,) in store.database.all("SELECT name FROM sqlite_master WHERE type = 'table'")}
    owned = {
        table
        for table in tables
        if store.database.all(f"SELECT 1 FROM pragma_table_info('{table}') WHERE name = 'identity_id'")
    }
    assert set(TABLES) == owned


def test_the_pragmas(store: Store) -> None:
    writer = store.database._writer
    assert writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert writer.execute("PRAGMA synchronous").fetchone() == (2,)
    assert writer.execute("PRAGMA busy_timeout").fetchone() == (5000,)
    assert writer.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


def test_files_are_private_whatever_the_umask(store: Store, path: Path) -> None:
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert modes == {"node.db": 0o600, "node.db-wal": 0o600, "node.db-shm": 0o600}


def test_opening_again_changes_nothing_and_needs_no_sqlite_utils(path: Path) -> None:
    Store(path).close()
    before = path.read_bytes()
    script = (
        "import sys; from storage.store import Store; from storage import rows, writer\n"
        f"Store({str(path)!r}).close()\n"
        "print([name for name in ('sqlite_utils', 'click', 'pluggy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert path.read_bytes() == before


class TestMigrations:
    def test_only_the_new_ones_run(self, path: Path) -> None:
        Store(path).close()
        connection = sqlite3.connect(path, isolation_level=None)
        ran: list[str] = []
        later = (*schema.MIGRATIONS, "CREATE TABLE later (x);", lambda connection: ran.append("function"))
        schema.migrate(connection, str(path), later)
        assert connection.execute("SELECT count(*) FROM later").fetchone() == (0,)
        assert (schema.version(connection), ran) == (schema.VERSION + 2, ["function"])
        connection.close()

    def test_identities_of_the_first_version_are_persons(self, path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        schema.migrate(connection, str(path), schema.MIGRATIONS[:1])
        connection.execute("INSERT INTO identities VALUES (?, 'Ann', 1.0, 1)", (ME,))
        connection.close()
        with Store(path) as store:
            assert [identity.role for identity in store.book.identities()] == [Role.PERSON]

    def test_a_file_of_the_fourth_version_is_read(self, path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        schema.migrate(connection, str(path), schema.MIGRATIONS[:4])
        connection.execute("INSERT INTO seen VALUES (x'01', ?, 1.0)", (ME,))
        connection.close()
        with Store(path) as store:
            assert store.mail.seen(ME, b"\x01")

    def test_the_fifth_takes_away_an_empty_table_and_nothing_else(self, path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        schema.migrate(connection, str(path), schema.MIGRATIONS[:4])
        before = set(connection.execute("SELECT name, sql FROM sqlite_master"))
        schema.migrate(connection, str(path), schema.MIGRATIONS[:5])
        after = set(connection.execute("SELECT name, sql FROM sqlite_master"))
        connection.close()
        assert after <= before
        assert {name for name, _ in before - after} == {
            "waiting",
            "waiting_source",
            "sqlite_autoindex_waiting_1",
        }

    def test_the_seventh_keeps_every_identity_and_knows_a_third_role(self, path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        schema.migrate(connection, str(path), schema.MIGRATIONS[:6])
        rows = [(ME, "me", 1.0, 1, "person"), (PEER, "the house", 2.0, 0, "house")]
        connection.executemany("INSERT INTO identities VALUES (?, ?, ?, ?, ?)", rows)
        connection.close()
        with Store(path) as store:
            assert store.database.all("SELECT * FROM identities ORDER BY created_at") == rows
            third = LocalIdentity(hash="f" * 32, name="gateway", created_at=3.0, role=Role.GATEWAY)
            store.book.put_identity(third)
            assert store.book.identities()[-1] == third

    def test_a_failing_one_leaves_the_database_as_it_was(self, path: Path) -> None:
        Store(path).close()
        connection = sqlite3.connect(path, isolation_level=None)
        broken = (*schema.MIGRATIONS, "CREATE TABLE later (x);", "CREATE TABLE later (x);")
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(connection, str(path), broken)
        assert schema.version(connection) == schema.VERSION
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'later'").fetchone() == (
            0,
        )
        connection.close()

    def test_sqlite_utils_can_be_used_inside_one_and_is_rolled_back_with_it(self, path: Path) -> None:
        def add(connection: sqlite3.Connection) -> None:
            db = sqlite_utils.Database(connection, execute_plugins=False)
            db.table("meta").add_column("note", str)
            db.table("later").create({"id": int, "text": str}, pk="id")

        Store(path).close()
        connection = sqlite3.connect(path, isolation_level=None)
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(connection, str(path), (*schema.MIGRATIONS, add, "CREATE TABLE later (x);"))
        columns = "SELECT count(*) FROM pragma_table_info('meta')"
        assert connection.execute(columns).fetchone() == (2,)
        schema.migrate(connection, str(path), (*schema.MIGRATIONS, add))
        assert connection.execute(columns).fetchone() == (3,)
        assert connection.execute("SELECT count(*) FROM later").fetchone() == (0,)
        connection.close()

    def test_a_newer_database_is_not_touched(self, path: Path) -> None:
        Store(path).close()
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
        connection.close()
        before = path.read_bytes()
        with pytest.raises(errors.NewerVersion, match=rf"node\.db.*version {schema.VERSION + 1}.*backup"):
            Store(path)
        assert path.read_bytes() == before

    def test_a_newer_database_with_a_log_is_not_touched(self, path: Path) -> None:
        Store(path).close()
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
        before = path.read_bytes(), path.with_name("node.db-wal").read_bytes()
        assert before[1]
        with pytest.raises(errors.NewerVersion):
            Store(path)
        assert (path.read_bytes(), path.with_name("node.db-wal").read_bytes()) == before
        connection.close()

    @pytest.mark.parametrize("version", [0, 7])
    def test_the_database_of_another_program_is_not_touched(self, path: Path, version: int) -> None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE notes (text)")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
        before = path.read_bytes()
        with pytest.raises(errors.Foreign, match=r"node\.db.*another program"):
            Store(path)
        assert path.read_bytes() == before

    def test_an_empty_file_becomes_a_database(self, path: Path) -> None:
        path.touch()
        with Store(path) as store:
            assert list(store.sessions.page(ME)) == []


READS: dict[str, Callable[[Store], object]] = {
    "get": lambda store: store.sessions.get(key()),
    "list": lambda store: list(store.sessions.list(ME)),
    "list of a game": lambda store: list(store.sessions.list(ME, "chess")),
    "page": lambda store: store.sessions.page(ME, before=Cursor(last_action_at=1.0, session_id="f")),
    "page of live": lambda store: store.sessions.page(ME, which="live"),
    "page of ended": lambda store: store.sessions.page(ME, which="ended"),
    "pending": lambda store: store.sessions.pending_count(ME, None, 1.0),
    "pending of a peer": lambda store: store.sessions.pending_count(ME, PEER, 1.0),
    "older pending": lambda store: store.sessions.older(ME, Status.PENDING, 1.0),
    "older active": lambda store: store.sessions.older(ME, Status.ACTIVE, 1.0),
    "older completed": lambda store: store.sessions.older(ME, Status.COMPLETED, 1.0),
    "deleted": lambda store: store.sessions.deleted(key()),
    "actions": lambda store: store.actions.of(key()),
    "latest actions": lambda store: store.actions.latest(key(), 2),
    "nonce": lambda store: store.actions.has_nonce(ME, key().session_id, b"12345678"),
    "outbox of a session": lambda store: store.outbox.of(key()),
    "outbox to resume": lambda store: store.outbox.pending(),
    "outbox not sent": lambda store: store.outbox.waiting(),
    "outbox unconfirmed": lambda store: store.outbox.unconfirmed(),
    "outbox attempts": lambda store: store.outbox.attempts(1.0),
    "outbox open of a session": lambda store: store.outbox.open_of(key()),
    "outbox page": lambda store: store.outbox.page(identity=ME, after=3),
    "outbox page of all": lambda store: store.outbox.page_of_all(identity=ME),
    "newest time": lambda store: store.newest_time(),
    "live flags": lambda store: store.mail.live_flags(),
    "parked until": lambda store: store.mail.parked_until(),
    "outbox counts": lambda store: store.outbox.counts(),
    "seen": lambda store: store.mail.seen(ME, b"hash"),
    "parked": lambda store: store.mail.parked(key()),
    "parked of a sender": lambda store: store.mail.parked_count(ME, "decline", PEER),
    "flags": lambda store: store.mail.flags(key()),
    "peers": lambda store: store.book.peers(),
    "peers further on": lambda store: store.book.peers(before=(1.0, PEER)),
    "requests": lambda store: store.admission.requests(),
    "request": lambda store: store.admission.request(key()),
    "requests found": lambda store: store.admission.find_requests("0", ME),
    "dealings": lambda store: store.admission.has_dealings(PEER),
    "session exists": lambda store: store.sessions.exists(key()),
    "record with a peer": lambda store: store.scores.of(ME, PEER),
    "record of a game": lambda store: store.scores.of_game(ME, PEER, "ttt"),
    "rivals": lambda store: store.scores.rivals(ME),
    "any session": lambda store: store.admission.has_session(ME, PEER),
}

WRITES: dict[str, Callable[[Store], object]] = {
    "delete": lambda store: store.sessions.delete(key(), 1.0),
    "prune": lambda store: store.mail.prune(replay_before=1.0, seen_before=1.0, tombstones_before=1.0),
    "sign": lambda store: store.commit(
        Commit(signatures=(Signature(key=key(), action_num=1, message_hash=b"hash", signed=b"signed"),))
    ),
    "attempted": lambda store: store.outbox.set_state(
        OutboxChange(id=1, state=OutboxState.FAILED, at=1.0, attempted=(1.0,))
    ),
    "settle": lambda store: store.commit(
        Commit(insert=session(9), settle=key(9), withdraw=True, keep=(KeptNonce(key=key(9), nonce=b"n"),))
    ),
    "end": lambda store: store.commit(
        Commit(insert=session(9, status=Status.COMPLETED, metadata={"winner": ME}))
    ),
    "put times right": lambda store: store.put_times_right(1.0),
    "block": lambda store: store.admission.put_block(Block(peer=PEER, blocked_at=1.0)),
    "forget a request": lambda store: store.admission.remove_request(key(), dead_at=1.0),
    "expire requests": lambda store: store.admission.expire_requests(1.0),
    "played": lambda store: store.book.played(PEER, 1.0),
}

BOUNDED = (
    "block",
    "peers",
    "peers further on",
    "requests",
    "requests found",
    "prune",
    "live flags",
    "parked until",
    "put times right",
)
"""May walk in the order of an index or of the row ids, since a limit, a small table or the number of live
games bounds it."""


@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_no_query_walks_through_a_table(memory: Store, name: str) -> None:
    connection = memory.database._writer
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    (READS | WRITES)[name](memory)
    connection.set_trace_callback(None)
    statements = [
        text for text in statements if text.lstrip().startswith(("SELECT", "INSERT", "DELETE", "UPDATE"))
    ]
    assert statements
    for statement in statements:
        for *_, detail in connection.execute(f"EXPLAIN QUERY PLAN {statement.replace('Inf', '9e999')}"):
            if detail.startswith("SCAN") and not detail.startswith(("SCAN (subquery", "SCAN CONSTANT")):
                assert name in BOUNDED or detail.endswith("INDEX outbox_open"), (statement, detail)

"""Damaged, read-only, newer, full, locked: each fault has its own error that names file and remedy,
and none of them leaves half a game."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import database, errors
from storage.maintenance import check
from storage.model import Commit
from storage.store import Store
from tests.storage.samples import ME, action, key, outgoing, session

NOBODY = 65534


def fill(path: Path, games: int = 40) -> None:
    with Store(path) as store:
        for n in range(games):
            metadata = {"moves": [f"{n}e{k}" for k in range(100)]}
            unit = Commit(insert=session(n, metadata=metadata), action=action(n, n), outbox=outgoing(n, n))
            store.commit(unit)


class TestDamaged:
    @pytest.fixture
    def filled(self, path: Path) -> Path:
        fill(path)
        assert path.stat().st_size > 10 * 4096
        return path

    def refused(self, path: Path) -> str:
        before = path.read_bytes()
        with pytest.raises(errors.Damaged, match=r"node\.db: the database is damaged.*lrgpnode db") as caught:
            Store(path)
        assert path.read_bytes() == before
        return str(caught.value)

    @pytest.mark.parametrize("size", [1, 50, 99, 100, 4095, 4096, 3 * 4096, 5 * 4096 + 17])
    def test_truncated(self, filled: Path, size: int) -> None:
        os.truncate(filled, size)
        self.refused(filled)

    def test_the_last_page_is_missing(self, filled: Path) -> None:
        os.truncate(filled, filled.stat().st_size - 4096)
        assert "cut off" in self.refused(filled)

    @pytest.mark.parametrize("damage", [b"\x00", b"\xff", b"text. "])
    def test_overwritten_header(self, filled: Path, damage: bytes) -> None:
        with filled.open("r+b") as file:
            file.write((damage * 100)[:100])
        self.refused(filled)

    def test_page_size_of_the_header(self, filled: Path) -> None:
        with filled.open("r+b") as file:
            file.seek(16)
            file.write(b"\x33\x33")
        self.refused(filled)

    @pytest.mark.parametrize("damage", [b"\x00", b"\xff", b"\xa5\x5a\x01"])
    def test_garbage_in_the_middle(self, filled: Path, damage: bytes) -> None:
        with filled.open("r+b") as file:
            file.seek(filled.stat().st_size // 2 // 4096 * 4096)
            file.write((damage * 8192)[:8192])
        self.refused(filled)

    def test_the_schema_page(self, filled: Path) -> None:
        with filled.open("r+b") as file:
            file.seek(100)
            file.write(b"\xff" * 3000)
        self.refused(filled)

    def test_garbage_that_is_found_only_later(self, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """In a file too large to be checked at every start."""
        monkeypatch.setattr(database, "CHECKED_AT_OPEN", 0)
        with sqlite3.connect(filled) as connection:
            (page,) = connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = 'game_actions'"
            ).fetchone()
        connection.close()
        with filled.open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xa5" * 4096)
        with Store(filled) as store:
            with pytest.raises(errors.Damaged, match=r"node\.db"):
                store.commit(Commit(update=session(1, unread=1), action=action(1, 1000)))
            found = store.sessions.get(key(1))
            assert found is not None
            assert found.unread == 0

    def test_a_damaged_file_beside_a_log(self, filled: Path) -> None:
        """As after a power cut: the log is there and the file is broken."""
        filled.with_name("node.db-wal").write_bytes(b"\x37\x7f\x06\x82" + b"\x00" * 4000)
        with filled.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * 8192)
        with pytest.raises(errors.Damaged):
            Store(filled)

    def test_a_torn_log_is_whole_commits(self, path: Path) -> None:
        """SQLite drops what was not completely written, as it should."""
        fill(path, 5)
        store = Store(path)
        for n in range(5, 30):
            store.commit(Commit(insert=session(n), action=action(n, n), outbox=outgoing(n, n)))
        copy = path.with_name("copy.db")
        copy.write_bytes(path.read_bytes())
        log = path.with_name("node.db-wal").read_bytes()
        store.close()
        copy.with_name("copy.db-wal").write_bytes(log[: len(log) // 2])
        with Store(copy) as torn:
            found = len(torn.sessions.page(ME))
            assert 5 < found < 30
        assert check(copy).problems == ()
        assert check(copy).rows["game_actions"] == found

    @pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\x00"])
    def test_small_files(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        if not content:
            Store(path).close()
        else:
            self.refused(path)


class TestPlaces:
    def test_no_directory(self, tmp_path: Path) -> None:
        with pytest.raises(errors.CannotOpen, match=r"directory .*missing does not exist"):
            Store(tmp_path / "missing" / "node.db")

    def test_a_directory(self, tmp_path: Path) -> None:
        with pytest.raises(errors.CannotOpen, match="this is a directory"):
            Store(tmp_path)

    def test_no_regular_file(self, path: Path) -> None:
        os.mkfifo(path)
        with pytest.raises(errors.CannotOpen, match="no regular file"):
            Store(path)


@pytest.fixture
def as_nobody(tmp_path: Path) -> Iterator[None]:
    """Root may write everywhere: step down where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    directories = [each for each in (tmp_path, *tmp_path.parents) if each.stat().st_uid == 0]
    modes = [(each, each.stat().st_mode & 0o7777) for each in directories]
    for each, mode in modes:
        each.chmod(mode | 0o055)
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)
    for each, mode in modes:
        each.chmod(mode)


class TestReadOnly:
    def test_file(self, path: Path, request: pytest.FixtureRequest) -> None:
        fill(path, 1)
        path.chmod(0o444)
        path.parent.chmod(0o777)
        request.getfixturevalue("as_nobody")
        with pytest.raises(errors.ReadOnly, match=r"node\.db.*permission"):
            Store(path)
        assert check(path).ok

    def test_directory(self, path: Path, request: pytest.FixtureRequest) -> None:
        fill(path, 1)
        path.chmod(0o666)
        path.parent.chmod(0o555)
        request.getfixturevalue("as_nobody")
        with pytest.raises(errors.ReadOnly, match=r"node\.db.*directory"):
            Store(path)
        assert check(path).ok

    def test_nowhere_to_create_it(self, path: Path, request: pytest.FixtureRequest) -> None:
        path.parent.chmod(0o555)
        request.getfixturevalue("as_nobody")
        with pytest.raises(errors.ReadOnly, match=r"node\.db.*permission"):
            Store(path)

    def test_unreadable(self, path: Path, request: pytest.FixtureRequest) -> None:
        fill(path, 1)
        path.chmod(0)
        request.getfixturevalue("as_nobody")
        with pytest.raises(errors.ReadOnly, match=r"node\.db.*permission"):
            Store(path)
        with pytest.raises(errors.ReadOnly, match=r"node\.db.*permission"):
            check(path)


class TestLocked:
    def test_by_another_program_at_open(self, path: Path) -> None:
        fill(path, 1)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(errors.Busy, match=r"node\.db.*another program"):
            Store(path, busy_seconds=0.05)
        other.close()
        Store(path, busy_seconds=0.05).close()

    def test_by_another_program_at_a_commit(self, path: Path) -> None:
        other = None
        with Store(path, busy_seconds=0.05) as store:
            store.commit(Commit(insert=session(), action=action()))
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            unit = Commit(update=session(unread=1), action=action(nonce=2), outbox=outgoing())
            with pytest.raises(errors.Busy, match=r"node\.db"):
                store.commit(unit)
            assert store.sessions.get(key()) == session()  # reading goes on
            assert len(store.actions.of(key())) == 1
            other.close()
            assert store.commit(unit).action_num == 2


FULL = """
    import json, sys
    from storage import errors
    from storage.model import Commit
    from storage.store import Store
    from tests.storage.samples import action, key, outgoing, session

    path, limit = sys.argv[1], int(sys.argv[2])
    store = Store(path)
    store.commit(Commit(insert=session(metadata={"n": -1})))
    if limit:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    committed, fault, before, cached = 0, "", None, None
    try:
        for n in range(5000):
            before = store.sessions.get(key())
            big = {"n": n, "text": "x" * 3000}
            store.commit(Commit(insert=session(n + 2, metadata=big), update=session(metadata={"n": n}),
                                action=action(nonce=n), outbox=outgoing(nonce=n)))
            committed += 1
    except errors.DiskFull as error:
        fault = str(error)
    same = store.sessions.get(key()) == before
    store.close()
    print(json.dumps({"committed": committed, "fault": fault, "same": same}))
"""


def filled_up(path: Path, limit: int) -> None:
    """Write until the disk is full; then everything committed is there and nothing else."""
    script = textwrap.dedent(FULL)
    command = [sys.executable, "-c", script, str(path), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    result = json.loads(done.stdout)
    assert "no space left" in result["fault"]
    assert str(path) in result["fault"]
    assert result["same"]
    assert result["committed"] > 5


def only_whole_games(path: Path) -> None:
    report = check(path)
    assert report.problems == ()
    with Store(path) as store:
        count = len(store.actions.of(key()))
        assert count == len(store.outbox.of(key())) == report.rows["game_sessions"] - 1
        found = store.sessions.get(key())
        assert found is not None
        assert found.metadata == {"n": count - 1}


def test_file_size_limit(path: Path) -> None:
    """A real failed write, without root: the system refuses to let the log grow."""
    filled_up(path, 700_000)
    only_whole_games(path)


def test_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("cannot mount a small disk here (the file size limit is tested without)")
    try:
        filled_up(disk / "node.db", 0)
        for file in disk.iterdir():  # looked at where there is room again
            (tmp_path / file.name).write_bytes(file.read_bytes())
    finally:
        subprocess.run(["umount", disk], check=True)
    only_whole_games(tmp_path / "node.db")


def test_pages_used_up(store: Store) -> None:
    """SQLite's own limit: the transaction ends in the middle, and the store goes on afterwards."""
    store.commit(Commit(insert=session(), action=action()))
    writer = store.database._writer
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    big = session(2, metadata={"text": "x" * 50_000})
    with pytest.raises(errors.DiskFull, match=r"node\.db.*Free some space"):
        store.commit(Commit(update=session(unread=1), action=action(nonce=2), insert=big))
    assert store.sessions.get(key()) == session()
    assert store.sessions.get(key(2)) is None
    writer.execute("PRAGMA max_page_count = 1000000")
    committed = store.commit(Commit(update=session(unread=1), action=action(nonce=2), insert=big))
    assert committed.action_num == 2
    assert store.sessions.get(key(2)) == big


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_FULL, errors.DiskFull),
        (sqlite3.SQLITE_READONLY_DBMOVED, errors.ReadOnly),
        (sqlite3.SQLITE_CORRUPT_VTAB, errors.Damaged),
        (sqlite3.SQLITE_NOTADB, errors.Damaged),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, errors.Busy),
        (sqlite3.SQLITE_LOCKED, errors.Busy),
        (sqlite3.SQLITE_IOERR_FSYNC, errors.DiskError),
        (sqlite3.SQLITE_IOERR_WRITE, errors.DiskError),
        (sqlite3.SQLITE_IOERR_SHORT_READ, errors.Damaged),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, errors.Conflict),
        (sqlite3.SQLITE_CONSTRAINT_CHECK, errors.Invalid),
        (sqlite3.SQLITE_TOOBIG, errors.Invalid),
        (sqlite3.SQLITE_INTERNAL, errors.StorageError),
    ],
)
def test_every_fault_of_sqlite_has_its_error(
    path: Path, code: int, expected: type[errors.StorageError]
) -> None:
    fault = sqlite3.OperationalError("what it said")
    fault.sqlite_errorcode = code
    found = errors.translate(str(path), fault)
    assert type(found) is expected
    assert str(found).startswith(f"{path}: ")
    assert str(found).endswith(".")

"""check, backup and export; on live databases too, and without changing them."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path

import pytest

from storage import errors, schema
from storage.maintenance import backup, check, export
from storage.model import Commit
from storage.store import Store
from tests.storage.samples import ME, action, key, outgoing, session


@pytest.fixture
def filled(store: Store) -> Store:
    for n in (1, 2, 3):
        store.commit(Commit(insert=session(n, metadata={"text": "\u265e", "n": n})))
        for k in range(n):
            nonce = 10 * n + k
            store.commit(Commit(action=action(n, nonce), outbox=outgoing(n, nonce)))
    return store


def files(path: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes()
        for file in path.parent.iterdir()
        if file.name in (path.name, f"{path.name}-wal")
    }


def spoil(store: Store, statement: str) -> None:
    with store.database.transaction() as connection:
        connection.execute(statement)


class TestCheck:
    def test_a_sound_one_while_a_node_has_it_open(self, filled: Store, path: Path) -> None:
        before = files(path)
        report = check(path)
        assert (report.ok, report.version, report.problems) == (True, schema.VERSION, ())
        assert report.rows["game_sessions"] == 3
        assert report.rows["game_actions"] == report.rows["outbox"] == 6
        assert report.size == path.stat().st_size
        assert report.log_size > 0
        assert files(path) == before

    def test_it_leaves_a_closed_one_alone(self, filled: Store, path: Path) -> None:
        filled.close()
        before = path.read_bytes()
        assert check(path).ok
        assert path.read_bytes() == before

    @pytest.mark.parametrize(
        ("statement", "problem"),
        [
            ("DELETE FROM game_actions WHERE action_num = 2 AND session_id LIKE '%3'", "not numbered"),
            ("UPDATE game_actions SET action_num = 0 WHERE action_num = 1", "not numbered"),
            ("DELETE FROM game_sessions WHERE session_id LIKE '%2'", "has no session"),
            ("DELETE FROM game_actions WHERE session_id LIKE '%2'", "has no action 1"),
            ("UPDATE outbox SET envelope = x'00' WHERE id = 1", "not what its action says"),
            ("UPDATE game_sessions SET metadata = '[]'", "no JSON object"),
            ("UPDATE game_sessions SET metadata = '{'", "no JSON object"),
            ("UPDATE game_actions SET payload_json = '{'", "payload is no JSON"),
            ("DROP TABLE meta", "table meta is missing"),
            ("ALTER TABLE outbox DROP COLUMN reason", "outbox has no column reason"),
        ],
    )
    def test_what_is_wrong_is_named(self, filled: Store, path: Path, statement: str, problem: str) -> None:
        spoil(filled, statement)
        report = check(path)
        assert not report.ok
        assert any(problem in each for each in report.problems), report.problems

    def test_a_long_list_is_cut(self, memory: Store, filled: Store, path: Path) -> None:
        for n in range(100, 150):
            filled.commit(Commit(insert=session(n)))
        spoil(filled, "UPDATE game_sessions SET metadata = 'x'")
        assert len(check(path).problems) == 21

    def test_garbage_in_the_middle(self, filled: Store, path: Path) -> None:
        filled.close()
        with path.open("r+b") as file:
            file.seek(2 * 4096)
            file.write(b"\xa5" * 8192)
        report = check(path)
        assert not report.ok
        assert report.problems

    def test_what_is_no_database(self, path: Path) -> None:
        with pytest.raises(errors.CannotOpen, match=r"node\.db"):
            check(path)
        path.write_bytes(b"hello" * 100)
        with pytest.raises(errors.Damaged):
            check(path)
        path.write_bytes(b"")
        with pytest.raises(errors.Foreign):
            check(path)


class TestBackup:
    def test_of_a_live_database(self, filled: Store, path: Path, tmp_path: Path) -> None:
        target = tmp_path / "copies" / "node.db"
        target.parent.mkdir()
        before = files(path)
        report = backup(path, target)
        assert (report.ok, report.path, report.rows["game_actions"]) == (True, str(target), 6)
        assert files(path) == before
        assert [file.name for file in target.parent.iterdir()] == ["node.db"]
        assert target.stat().st_mode & 0o777 == 0o600
        with Store(target) as copy:
            assert list(copy.sessions.list(ME)) == list(filled.sessions.list(ME))
            assert copy.commit(Commit(action=action(3, 99))).action_num == 4

    def test_while_a_node_writes(self, filled: Store, path: Path, tmp_path: Path) -> None:
        stop = threading.Event()

        def write() -> None:
            n = 1000
            while not stop.is_set():
                filled.commit(Commit(insert=session(n), action=action(n, n), outbox=outgoing(n, n)))
                n += 1

        thread = threading.Thread(target=write)
        thread.start()
        try:
            sizes = [backup(path, tmp_path / "copy.db").rows["game_sessions"] for _ in range(5)]
        finally:
            stop.set()
            thread.join()
        assert sizes == sorted(sizes)
        assert check(path).ok

    def test_replaces_an_older_one_at_once_or_not_at_all(
        self, filled: Store, path: Path, tmp_path: Path
    ) -> None:
        target = tmp_path / "copy.db"
        backup(path, target)
        older = target.read_bytes()
        spoil(filled, "UPDATE game_sessions SET metadata = 'x'")
        with pytest.raises(errors.Damaged, match=r"node\.db.*not sound"):
            backup(path, target)
        assert target.read_bytes() == older
        assert not list(tmp_path.glob(".*"))
        spoil(filled, "UPDATE game_sessions SET metadata = '{}'")
        backup(path, target)
        assert target.read_bytes() != older

    def test_targets_that_are_refused(self, filled: Store, path: Path, tmp_path: Path) -> None:
        with pytest.raises(errors.Invalid, match="the database itself"):
            backup(path, path)
        with pytest.raises(errors.CannotOpen, match="does not exist"):
            backup(path, tmp_path / "missing" / "copy.db")
        with pytest.raises(errors.CannotOpen, match="directory"):
            backup(path, tmp_path)
        with Store(tmp_path / "used.db") as used:
            used.sessions.insert(session())
            with pytest.raises(errors.Busy, match=r"used\.db"):
                backup(path, tmp_path / "used.db")
        with pytest.raises(errors.CannotOpen):
            backup(tmp_path / "missing.db", tmp_path / "copy.db")
        assert not (tmp_path / "copy.db").exists()
        assert not list(tmp_path.glob(".*"))


class TestExport:
    def test_json(self, filled: Store, path: Path) -> None:
        filled.commit(Commit(update=session(1, metadata={"text": "\u265e", "n": 1}, unread=1)))
        before = files(path)
        out = io.StringIO()
        assert export(path, out) == 3
        exported = json.loads(out.getvalue())
        assert exported["version"] == 1
        first, _, third = exported["sessions"]
        assert first["session_id"] == key(1).session_id
        assert first["metadata"] == {"text": "\u265e", "n": 1}
        assert (first["contact_hash"], first["unread"], first["status"]) == (session().peer, 1, "active")
        assert [each["action_num"] for each in third["actions"]] == [1, 2, 3]
        assert third["actions"][0]["nonce"] == (30).to_bytes(8, "big").hex()
        assert third["actions"][0]["payload"] == action().payload
        assert files(path) == before

    def test_one_session_a_line(self, filled: Store, path: Path) -> None:
        out = io.StringIO()
        assert export(path, out, "ndjson") == 3
        assert [len(json.loads(line)["actions"]) for line in out.getvalue().splitlines()] == [1, 2, 3]

    def test_of_nothing(self, store: Store, path: Path) -> None:
        out = io.StringIO()
        assert export(path, out) == 0
        assert json.loads(out.getvalue()) == {"version": 1, "sessions": []}

    def test_of_a_damaged_session(self, filled: Store, path: Path) -> None:
        spoil(filled, "UPDATE game_sessions SET metadata = '{'")
        with pytest.raises(errors.Damaged, match=key(1).session_id):
            export(path, io.StringIO())

"""``lrgpnode db``, with a node at work on the database and without one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrgpnode.config import DATABASE_NAME
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import Commit
from storage.store import Store
from tests.cli.conftest import Run, Start
from tests.cli.fakes import ME, PEER


def session(number: int) -> Session:
    return Session(
        key=SessionKey(ME, f"{number:016x}"),
        app_id="chess",
        app_version=1,
        peer=PEER,
        initiator=PEER,
        status=Status.ACTIVE,
        metadata={"note": "\u265e\x1b"},
        unread=0,
        created_at=1.0,
        updated_at=1.0,
        last_action_at=1.0,
    )


@pytest.fixture
def store(short_path: Path) -> Iterator[Store]:
    with Store(short_path / DATABASE_NAME, boot_id="boot") as store:
        store.commit(Commit(insert=session(1)))
        store.commit(Commit(insert=session(2)))
        yield store


def test_check(run: Run, store: Store) -> None:
    assert run("db", "check").out.endswith("\nThe database is sound.\n")
    report = run("db", "check", "--json").json
    assert report["ok"] is True
    assert report["rows"]["game_sessions"] == 2
    assert set(report) == {"ok", "path", "version", "size", "log_size", "rows", "problems"}


def test_a_damaged_one(run: Run, store: Store, short_path: Path) -> None:
    with store.database.transaction() as connection:
        connection.execute("UPDATE game_sessions SET metadata = '[]'")
    ran = run("db", "check")
    assert (ran.code, ran.err) == (4, "")
    assert "Problem: session 0000000000000001" in ran.out
    ran = run("db", "check", "--json")
    assert ran.code == 4
    assert ran.json["ok"] is False
    assert run("db", "backup", str(short_path / "copy")).code == 4
    assert not (short_path / "copy").exists()


@pytest.mark.parametrize("command", ["check", "export", "backup t"])
def test_no_database(run: Run, command: str) -> None:
    ran = run("db", *command.split())
    assert (ran.code, ran.out) == (4, "")
    assert "there is no such file" in ran.err
    assert run("db", *command.split(), "--json").json["error"]["kind"] == "storage"


def test_backup(run: Run, store: Store, short_path: Path) -> None:
    target = short_path / "copy.db"
    assert run("db", "backup", str(target)).out.endswith("the copy is sound.\n")
    report = run("db", "backup", str(target), "--json").json
    assert report["ok"] is True
    assert report["path"] == str(target)
    with Store(target, boot_id="boot") as copy:
        assert copy.sessions.get(SessionKey(ME, f"{1:016x}")) is not None


def test_export_to_standard_output(run: Run, store: Store) -> None:
    ran = run("db", "export")
    assert [one["session_id"] for one in json.loads(ran.out)["sessions"]] == [f"{1:016x}", f"{2:016x}"]
    assert "\x1b" not in ran.out
    lines = run("db", "export", "--format", "ndjson").out.splitlines()
    assert [json.loads(one)["session_id"] for one in lines] == [f"{1:016x}", f"{2:016x}"]


def test_export_to_a_file(run: Run, store: Store, short_path: Path) -> None:
    target = short_path / "all.json"
    target.write_text("old")
    assert run("db", "export", "--output", str(target)).out == f"Wrote 2 sessions to {target}.\n"
    assert len(json.loads(target.read_text())["sessions"]) == 2
    assert target.stat().st_mode & 0o777 == 0o600
    result = run("db", "export", "--output", str(target), "--json").json
    assert result == {"sessions": 2, "output": str(target)}
    assert not list(short_path.glob(".*"))


def test_export_where_no_file_can_be(run: Run, store: Store, short_path: Path) -> None:
    ran = run("db", "export", "--output", str(short_path / "none" / "x"))
    assert ran.code == 1
    assert "No such file or directory. Name another file with --output." in ran.err
    result = run("db", "export", "--output", str(short_path / "none" / "x"), "--json")
    assert result.json["error"]["kind"] == "cannot_write"


def test_a_failed_export_leaves_the_old_file(run: Run, store: Store, short_path: Path) -> None:
    target = short_path / "all.json"
    target.write_text("old")
    with store.database.transaction() as connection:
        connection.execute("UPDATE game_sessions SET metadata = '{'")
    assert run("db", "export", "--output", str(target)).code == 4
    assert target.read_text() == "old"
    assert not list(short_path.glob(".*"))


@pytest.mark.parametrize(("where", "code", "said"), [("/dev/full", 1, "No space left"), (None, 0, "")])
def test_standard_output_that_fails(
    start: Start, store: Store, short_path: Path, where: str | None, code: int, said: str
) -> None:
    if where is None:
        # A pipe that nobody reads.
        reader, writer = os.pipe()
        os.close(reader)
    else:
        writer = os.open(where, os.O_WRONLY)
    try:
        process: subprocess.Popen[str] = start("--data", str(short_path), "db", "export", stdout=writer)
    finally:
        os.close(writer)
    _, err = process.communicate(timeout=10)
    assert process.returncode == code
    assert said in err
    assert bool(err) == bool(said)

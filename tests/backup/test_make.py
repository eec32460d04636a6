"""What a backup holds, and what making one leaves behind."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import stat
import subprocess
import sys
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from lrgpnode.backup import contents
from lrgpnode.backup.errors import BackupError, Refused
from storage.errors import StorageError
from storage.model import Commit
from storage.store import Store
from tests.backup.conftest import NOW, Save
from tests.storage.samples import session

ROOT = Path(__file__).parents[2]


def test_any_tar_reads_it(save: Save, data: Path, tmp_path: Path) -> None:
    made = save()
    assert made.sessions == 2
    assert stat.S_IMODE(made.file.stat().st_mode) == 0o600
    assert made.size == made.file.stat().st_size
    with tarfile.open(made.file) as tar:
        names = tar.getnames()
        listed = json.load(tar.extractfile("manifest.json") or pytest.fail("no manifest"))
        for member in listed["members"]:
            content = (tar.extractfile(member["name"]) or pytest.fail(member["name"])).read()
            assert hashlib.sha256(content).hexdigest() == member["sha256"]
            if member["name"] != contents.DATABASE:
                assert content == (data / member["name"]).read_bytes()
    assert names == ["manifest.json", *(member["name"] for member in listed["members"]), "sha256"]
    assert {name for name in contents.files(data) if contents.belongs(name)} == set(names[1:-1])
    assert listed["created_at"] == NOW
    assert sorted(tmp_path.iterdir()) == [made.file, data]


def test_every_file_of_the_directory_is_in_it_or_known_not_to_be_needed(data: Path) -> None:
    for name in contents.files(data):
        assert contents.belongs(name) != contents.left_out(name), name


def test_the_arcade_is_in_it_as_of_one_moment(save: Save, data: Path, tmp_path: Path) -> None:
    """Though what was written last is in the log beside the file, and somebody has it open."""
    with closing(sqlite3.connect(data / "arcade.db", isolation_level=None)) as arcade:
        arcade.execute("PRAGMA journal_mode = WAL")
        arcade.execute("CREATE TABLE account (name TEXT)")
        arcade.execute("INSERT INTO account VALUES ('ann')")
        arcade.execute("BEGIN IMMEDIATE")
        arcade.execute("INSERT INTO account VALUES ('not yet')")
        made = save()
        arcade.execute("ROLLBACK")
    for name in contents.files(data):
        assert contents.belongs(name) != contents.left_out(name), name
    with tarfile.open(made.file) as tar:
        (tmp_path / "copy.db").write_bytes((tar.extractfile("arcade.db") or pytest.fail("not there")).read())
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT name FROM account").fetchall() == [("ann",)]


def test_an_arcade_that_is_no_database(save: Save, data: Path) -> None:
    (data / "arcade.db").write_bytes(b"nothing of the kind" * 1000)
    with pytest.raises(BackupError, match="cannot be copied"):
        save()


def test_the_inboxes_are_read_before_the_database(save: Save) -> None:
    """An entry that is closed and committed meanwhile must not be missing from both."""
    with tarfile.open(save().file) as tar:
        names = tar.getnames()
    assert names[1].startswith("inbox/")
    assert names[-2] == contents.DATABASE


def test_while_a_node_writes(save: Save, data: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        with Store(data / contents.DATABASE, boot_id="boot") as store:
            number = 10
            while not stop.is_set():
                store.commit(Commit(insert=session(number)))
                number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        counts = [save().sessions for _ in range(5)]
    finally:
        stop.set()
        thread.join()
    assert counts == sorted(counts)


def test_an_older_backup_is_replaced_and_nothing_else(save: Save, data: Path, tmp_path: Path) -> None:
    first = save().file.read_bytes()
    with Store(data / contents.DATABASE, boot_id="boot") as store:
        store.commit(Commit(insert=session(3)))
    assert save().sessions == 3
    other = tmp_path / "letter"
    other.write_bytes(b"Dear")
    for target in (other, data / contents.DATABASE, tmp_path):
        with pytest.raises(Refused, match="is no backup"):
            save(target)
    (tmp_path / "link").symlink_to(tmp_path / "backup")
    with pytest.raises(Refused, match="is no backup"):
        save(tmp_path / "link")
    assert other.read_bytes() == b"Dear"
    assert first != (tmp_path / "backup").read_bytes()


def test_settings_from_elsewhere(save: Save, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[node]\nname = 'x'\n")
    made = save(config=tmp_path / "mine.toml")
    with tarfile.open(made.file) as tar:
        content = (tar.extractfile("lrgpnode.toml") or pytest.fail("missing")).read()
    assert content == b"[node]\nname = 'x'\n"


def test_no_node_there(save: Save, data: Path, tmp_path: Path) -> None:
    for path in (data / "identities").iterdir():
        path.unlink()
    with pytest.raises(Refused, match="no identity"):
        save()
    (data / contents.DATABASE).unlink()
    with pytest.raises(Refused, match="no database"):
        save()
    assert list(tmp_path.iterdir()) == [data]


def test_a_damaged_database_is_not_backed_up(save: Save, data: Path, tmp_path: Path) -> None:
    with sqlite3.connect(data / contents.DATABASE) as connection:
        connection.execute("UPDATE game_sessions SET metadata = '[]'")
    connection.close()
    with pytest.raises(StorageError, match="not sound"):
        save()
    assert list(tmp_path.iterdir()) == [data]


def test_nowhere_to_write(save: Save, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="No such file"):
        save(tmp_path / "missing" / "backup")


def test_a_file_of_ours_that_is_far_too_large(save: Save, data: Path, tmp_path: Path) -> None:
    inbox = next((data / "inbox").iterdir())
    with inbox.open("r+b") as file:
        file.truncate(contents.MAX_FILE + 1)
    with pytest.raises(BackupError, match="too large"):
        save()
    assert list(tmp_path.iterdir()) == [data]


def test_what_a_killed_backup_left_is_removed_and_one_at_work_is_not(
    save: Save, data: Path, tmp_path: Path
) -> None:
    """The directory of a process that was killed in the middle holds private keys."""
    code = """
import os, sys
from pathlib import Path
from lrgpnode.backup.workplace import workplace
with workplace(Path(sys.argv[1]), ".part") as folder:
    (folder / "lrgpnode.db").write_text("half")
    print(folder, flush=True)
    sys.stdin.read()
"""
    target = tmp_path / "back[u]p"
    command = [sys.executable, "-c", code, str(target)]
    working = [subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=ROOT) for _ in range(2)]
    try:
        folders = [Path(process.stdout.readline().strip()) for process in working if process.stdout]
        working[0].kill()
        working[0].wait()
        assert all((folder / "lrgpnode.db").exists() for folder in folders)
        save(target)
        assert [folder.exists() for folder in folders] == [False, True]
    finally:
        for process in working:
            process.kill()
            process.communicate()

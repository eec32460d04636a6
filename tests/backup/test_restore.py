"""Putting a backup back: all or nothing, and nothing from a file that is not one of ours."""

from __future__ import annotations

import fcntl
import io
import json
import os
import sqlite3
import stat
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lrgpnode.backup import archive, contents, restore
from lrgpnode.backup.archive import Manifest
from lrgpnode.backup.errors import BackupError, CannotWrite, Refused
from lrgpnode.backup.make import member
from lrgpnode.mesh import identity as keys
from storage import schema
from storage.store import Store
from tests.backup.conftest import NOW, OLD, Save, owner
from tests.storage.samples import key


def tree(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in contents.files(folder)}


def test_everything_is_back(save: Save, data: Path, tmp_path: Path) -> None:
    file = save().file
    there = restore.restore(file, tmp_path / "deep" / "there", owner)
    assert (there.sessions, there.moved, there.created_at) == (2, None, NOW)
    before = {name: value for name, value in tree(data).items() if contents.belongs(name)}
    after = tree(there.data)
    assert set(after) == set(before)
    before.pop(contents.DATABASE)
    # Of what was sent by radio since nothing is known.
    assert before.pop("airtime-LoRa.json") != after["airtime-LoRa.json"] == contents.USED_UP
    assert there.silent
    assert {name: after[name] for name in before} == before
    # The order of the identities, of which the first is the one that is meant by default.
    assert keys.names(there.data / "identities") == keys.names(data / "identities")
    for name in before:
        assert (there.data / name).stat().st_mtime_ns == (data / name).stat().st_mtime_ns
    with Store(there.data / contents.DATABASE, boot_id="another") as store:
        assert store.sessions.get(key(1)) is not None
        assert sum(store.outbox.counts().values()) == 2
    for path in there.data.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    assert stat.S_IMODE(there.data.stat().st_mode) == 0o700
    assert [path.name for path in there.data.parent.iterdir()] == ["there"]


def test_an_empty_directory_is_filled_and_a_full_one_refused(save: Save, data: Path, tmp_path: Path) -> None:
    file = save().file
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o750)
    restore.restore(file, empty, owner)
    assert stat.S_IMODE(empty.stat().st_mode) == 0o750
    before = tree(data)
    with pytest.raises(Refused, match="is not empty"):
        restore.restore(file, data, owner)
    assert tree(data) == before


def test_the_old_one_is_moved_aside(save: Save, data: Path, tmp_path: Path) -> None:
    file = save().file
    before = tree(data)
    there = restore.restore(file, data, owner, move_aside=True)
    assert there.moved is not None
    assert tree(there.moved) == before
    assert restore.restore(file, data, owner, move_aside=True).moved not in (None, there.moved)


def test_what_the_old_one_has_sent_by_radio_is_not_forgotten(save: Save, data: Path, tmp_path: Path) -> None:
    file = save().file
    (data / "airtime-LoRa.json").write_bytes(b"and more")
    (data / "airtime-LoRa-2.json").write_bytes(b"by another")
    there = restore.restore(file, data, owner, move_aside=True)
    assert (data / "airtime-LoRa.json").read_bytes() == b"and more"
    assert (data / "airtime-LoRa-2.json").read_bytes() == b"by another"
    assert not there.silent
    (data / "airtime-LoRa.json").unlink()
    assert restore.restore(file, data, owner, move_aside=True).silent
    assert (data / "airtime-LoRa.json").read_bytes() == contents.USED_UP


def test_not_under_a_running_node(save: Save, data: Path) -> None:
    file = save().file
    before = tree(data)
    with (data / "lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Refused, match="a node is running"):
            restore.restore(file, data, owner, move_aside=True)
    assert tree(data) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_root_gives_the_files_to_the_owner_of_the_directory(save: Save, tmp_path: Path) -> None:
    file = save().file
    empty = tmp_path / "empty"
    empty.mkdir()
    os.chown(empty, 65534, 12345)
    there = restore.restore(file, empty, owner).data
    new = restore.restore(file, tmp_path / "new", owner, account=(65533, 1)).data
    for folder, ids in ((there, (65534, 12345)), (new, (65533, 1))):
        for path in (folder, *folder.rglob("*")):
            assert (path.stat().st_uid, path.stat().st_gid) == ids


def test_a_parent_that_cannot_be_written(save: Save, tmp_path: Path) -> None:
    file = save().file
    (tmp_path / "file").write_text("")
    with pytest.raises((Refused, CannotWrite)):
        restore.restore(file, tmp_path / "file" / "node", owner)


# Damage


def refused(file: Path, match: str) -> None:
    """It is refused with this reason and leaves nothing behind."""
    parent = file.parent / "elsewhere"
    parent.mkdir()
    with pytest.raises(BackupError, match=match) as raised:
        restore.restore(file, parent / "node", owner)
    assert not isinstance(raised.value, CannotWrite)
    assert list(parent.iterdir()) == []
    parent.rmdir()


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_any_changed_byte_is_found(whole: Path, tmp_path: Path, draw: st.DataObject) -> None:
    content = whole.read_bytes()
    at = draw.draw(st.integers(0, len(content) - 1))
    bit = draw.draw(st.integers(0, 7))
    copy = tmp_path / "copy"
    copy.write_bytes(content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :])
    refused(copy, "damaged|is no backup|refused|reads up to")


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_cut_is_found(whole: Path, tmp_path: Path, draw: st.DataObject) -> None:
    content = whole.read_bytes()
    cut = tmp_path / "copy"
    cut.write_bytes(content[: draw.draw(st.integers(0, len(content) - 1))])
    refused(cut, "damaged|is no backup")


def test_something_behind_the_end(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(whole.read_bytes() + bytes(512))
    refused(tmp_path / "f", "behind its end")


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" * 100, b"\0" * 2048, b"PK\3\4" * 300])
def test_other_files(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    refused(tmp_path / "file", "is no backup")
    refused(tmp_path / "missing", "No such file")


def test_something_that_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "it is no file")


# Files made to do harm, with everything else right

Change = Callable[[dict[str, bytes]], object]


def forged(file: Path, target: Path, change: Change, **fields: object) -> Path:
    """A backup with right checksums whose members were changed."""
    with tarfile.open(file) as tar:
        members = {info.name: source.read() for info in tar.getmembers() if (source := tar.extractfile(info))}
    for name in (archive.MANIFEST, archive.SEAL):
        members.pop(name)
    change(members)
    write(target, members, fields)
    return target


def write(target: Path, members: Mapping[str, bytes], fields: Mapping[str, object]) -> None:
    hashes = tuple(name.partition("/")[2] for name in members if name.startswith("identities/"))
    values = {"created_at": NOW, "program": "0.1.0", "schema": schema.VERSION, "identities": hashes} | fields
    listed = tuple(
        member(name, io.BytesIO(content), len(content), 10**18) for name, content in members.items()
    )
    manifest = Manifest(members=listed, **values)  # type: ignore[arg-type]
    with target.open("wb") as out:
        writer = archive.Writer(out, manifest)
        for one in listed:
            writer.add(one, io.BytesIO(members[one.name]))
        writer.finish()


def test_forged_without_a_change_is_good(whole: Path, tmp_path: Path) -> None:
    restore.restore(forged(whole, tmp_path / "f", lambda _: None), tmp_path / "there", owner)


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/tmp/evil",
        "identities/../../evil",
        "lrgpnode.db-wal",
        "lock",
        "lrgpnode.toml/x",
        "identities/" + "A" * 32,
        "inbox/" + "a" * 32 + ".log\n",
        "reticulum/config",
        "reticulum/interfaces/evil.py",
        ".ssh/authorized_keys",
    ],
)
def test_names_that_do_not_belong(whole: Path, tmp_path: Path, name: str) -> None:
    refused(forged(whole, tmp_path / "f", lambda m: m.update({name: b"x"})), "does not belong")


def test_identities_that_are_not_what_they_say(whole: Path, tmp_path: Path) -> None:
    file = whole

    def short(members: dict[str, bytes]) -> None:
        members[next(name for name in members if name.startswith("identities/"))] = b"x"

    refused(forged(file, tmp_path / "f", short), "not the key of that name")
    for name in (f"identities/{OLD}", f"propagation/{OLD}"):

        def add(members: dict[str, bytes], name: str = name) -> None:
            members[name] = bytes(range(64))

        refused(forged(file, tmp_path / "f", add), "not the key of that name")
    refused(forged(file, tmp_path / "f", lambda _: None, identities=(OLD,)), "missing")
    refused(forged(file, tmp_path / "f", lambda m: m.pop(contents.DATABASE)), "missing")


def test_links_and_devices(whole: Path, tmp_path: Path) -> None:
    content = whole.read_bytes()
    end = content.index(b"\0\0\0\0", content.index(b"}\n" if b"}\n" in content else b"}]"))
    start = (end + archive.BLOCK - 1) // archive.BLOCK * archive.BLOCK
    first = tarfile.TarInfo.frombuf(content[start : start + archive.BLOCK], "ascii", "strict")
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE):
        first.type, first.linkname = kind, "/etc/passwd"
        block = first.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")
        (tmp_path / "f").write_bytes(content[:start] + block + content[start + archive.BLOCK :])
        refused(tmp_path / "f", "no plain file")


def test_sizes_are_bounded(whole: Path, tmp_path: Path) -> None:
    """A list that promises far more than the file has is refused before anything is written."""
    file = whole
    content = file.read_bytes()
    end = content.index(b'"size": ') + len(b'"size": ')
    digits = len(content[end:].split(b",")[0])
    lying = content[:end] + b"9" * digits + content[end + digits :]
    (tmp_path / "f").write_bytes(lying)
    refused(tmp_path / "f", "damaged")


@pytest.mark.parametrize(
    "fields",
    [
        {"created_at": float("inf")},
        {"created_at": float("nan")},
        {"created_at": -1},
        {"created_at": "now"},
        {"schema": "3"},
        {"schema": 10**4000},
        {"program": "x" * 201},
        {"identities": "abc"},
        {"identities": [1]},
        {"version": 0},
        {"version": True},
        {"members": [{"name": "lrgpnode.db", "size": -1, "sha256": "", "mtime_ns": 0}]},
        {"members": [{"name": "lrgpnode.db", "size": 1, "sha256": "", "mtime_ns": 1 << 99}]},
        {"members": [{}]},
        {"members": None},
        {"members": [{"name": "sha256", "size": 1, "sha256": "", "mtime_ns": 0}]},
    ],
)
def test_lists_of_contents_that_make_no_sense(tmp_path: Path, fields: dict[str, object]) -> None:
    sound = {"format": archive.FORMAT, "version": 1, "created_at": NOW, "program": "0.1.0", "schema": 1}
    content = json.dumps(sound | {"identities": [OLD], "members": []} | fields).encode()
    block = archive.header(archive.MANIFEST, len(content), 0)
    (tmp_path / "f").write_bytes(block + content + archive.padding(len(content)) + bytes(2048))
    refused(tmp_path / "f", "damaged: its list of contents cannot be read|is refused|is damaged")


def test_newer_ones(whole: Path, tmp_path: Path) -> None:
    file = whole
    refused(forged(file, tmp_path / "f", lambda _: None, version=2), "format 2")
    refused(forged(file, tmp_path / "f", lambda _: None, schema=schema.VERSION + 1), "reads up to")


def database(tmp_path: Path, members: dict[str, bytes], statement: str) -> None:
    path = tmp_path / "changed.db"
    path.write_bytes(members[contents.DATABASE])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()
    members[contents.DATABASE] = path.read_bytes()


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON game_actions BEGIN DELETE FROM game_sessions; END", "code"),
        ("UPDATE game_sessions SET metadata = '[]'", "is damaged"),
        ("DROP TABLE outbox", "is damaged"),
        ("PRAGMA application_id = 7", "cannot be used"),
        (f"PRAGMA user_version = {schema.VERSION + 1}", "cannot be used"),
    ],
)
def test_databases(whole: Path, tmp_path: Path, statement: str, match: str) -> None:
    refused(forged(whole, tmp_path / "f", lambda m: database(tmp_path, m, statement)), match)


def test_a_backup_of_an_older_version_is_brought_up_to_date(whole: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    connection = sqlite3.connect(old, isolation_level=None)
    schema.migrate(connection, str(old), schema.MIGRATIONS[:1])
    connection.close()
    change = {contents.DATABASE: old.read_bytes()}
    file = forged(whole, tmp_path / "f", lambda members: members.update(change), schema=1)
    there = restore.restore(file, tmp_path / "there", owner)
    Store(there.data / contents.DATABASE, boot_id="boot").close()
    assert there.sessions == 0


def test_a_disk_that_is_too_small(whole: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], check=False, capture_output=True
    )
    if mount.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        with pytest.raises(CannotWrite, match="MB are free"):
            restore.restore(whole, disk / "node", owner)
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)

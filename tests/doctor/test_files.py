"""The node's files: real owners, modes, damage, and file systems that lack what a node needs."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.doctor.checks import clock, database, files
from lrgpnode.mesh import identity as keys
from storage.model import LocalIdentity
from storage.store import Store
from tests.doctor import kernel
from tests.doctor.conftest import NOBODY, Ward, as_root

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).with_name("lrgpnode"))
DOCTOR = """
import sys
from lrgpnode.cli.root import main
from tests.doctor import kernel
locks, error, modes, data = sys.argv[1:]
kernel.refuse(locks, int(error))
kernel.refuse("fchmod", int(modes))
sys.exit(main(["--data", data, "doctor", "--json"]))
"""


@pytest.fixture(autouse=True)
def only_these(ward: Ward) -> None:
    ward.checks = (*files.CHECKS, *database.CHECKS, *clock.CHECKS)


def test_nothing_is_wrong(ward: Ward) -> None:
    assert set(ward.examine()) <= {"clock-untrusted"}


def test_no_data_yet(ward: Ward) -> None:
    shutil.rmtree(ward.data)
    assert str(ward.data) in ward.examine()["data-missing"].cause


def test_settings(ward: Ward) -> None:
    (ward.data / "lrgpnode.toml").write_text("[node]\nnaem = 'x'\n")
    assert "did you mean node.name?" in ward.examine()["settings-invalid"].cause


def test_tokens_that_others_may_read(ward: Ward) -> None:
    token = ward.data / "gateway-tokens" / "rcadia" / "main"
    token.parent.mkdir(parents=True)
    token.write_text("tok_1234567")
    token.chmod(0o640)
    finding = ward.examine()["token-open"]
    assert finding.fix.startswith(f"`chmod 600 {token}`")
    token.chmod(0o600)
    assert "token-open" not in ward.examine()


@as_root
def test_owners(ward: Ward) -> None:
    """As after a start with sudo: the directory is nobody's, a file in it root's."""
    os.chown(ward.data, NOBODY, NOBODY)
    for path in ward.data.rglob("*"):
        os.chown(path, NOBODY, NOBODY)
    assert "data-owner" not in ward.examine()
    os.chown(ward.data / "lrgpnode.db", 0, 0)
    finding = ward.examine()["data-owner"]
    assert finding.cause == f"{ward.data / 'lrgpnode.db'} belongs to root, not to nobody, who runs the node."
    assert finding.fix == f"`sudo chown -R nobody: {ward.data}`."
    os.chown(ward.data / "lrgpnode.db", NOBODY, NOBODY)
    (ward.data / "lrgpnode.db").chmod(0o400)
    finding = ward.examine()["data-closed"]
    assert finding.fix == f"`chmod u+rw {ward.data / 'lrgpnode.db'}`."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_closed_file_of_ones_own(ward: Ward) -> None:
    (ward.data / "lrgpnode.db").chmod(0o400)
    assert "data-closed" in ward.examine()


def test_modes(ward: Ward) -> None:
    ward.data.chmod(0o755)
    assert ward.examine()["data-mode"].fix == f"`chmod 700 {ward.data}`."
    ward.data.chmod(0o700)
    (ward.data / "lrgpnode.db").chmod(0o644)
    assert ward.examine()["data-mode"].fix == f"`chmod 600 {ward.data / 'lrgpnode.db'}`."


def test_keys(ward: Ward, private_key: keys.LocalIdentity) -> None:
    path = ward.data / "identities" / private_key.hash
    path.chmod(0o640)
    finding = ward.examine()["key-open"]
    assert "mode 0640" in finding.cause
    assert private_key.key.hex() not in str(ward.all())
    path.chmod(0o600)
    path.write_bytes(private_key.key[:-1])
    assert "exactly 64 bytes" in ward.examine()["key-damaged"].cause
    path.write_bytes(private_key.key[::-1])
    assert "it holds the key of" in ward.examine()["key-damaged"].cause
    path.write_bytes(private_key.key)
    assert "key-damaged" not in ward.examine()


# The database


def test_a_damaged_database(ward: Ward) -> None:
    path = ward.data / "lrgpnode.db"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "cut off" in ward.examine()["database-damaged"].cause
    path.write_bytes(whole[:4096] + os.urandom(4096) + whole[8192:])
    assert "restore --move-aside" in ward.examine()["database-damaged"].fix
    path.write_bytes(b"\xff" * 8192)
    assert "database-damaged" in ward.examine()


def test_a_database_from_the_future(ward: Ward) -> None:
    connection = sqlite3.connect(ward.data / "lrgpnode.db")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert "999" in ward.examine()["database-unusable"].cause


# The clock


def test_a_clock_behind_the_database(ward: Ward, private_key: keys.LocalIdentity) -> None:
    with Store(ward.data / "lrgpnode.db", boot_id="boot") as store:
        store.book.put_identity(LocalIdentity(hash=private_key.hash, name="x", created_at=time.time() + 30))
        assert "clock-behind" not in ward.examine()
        store.book.put_identity(LocalIdentity(hash="f" * 32, name="y", created_at=time.time() + 86_400))
    finding = ward.examine()["clock-behind"]
    assert time.strftime("%Y-%m-%d", time.localtime(time.time() + 86_400)) in finding.cause


def test_the_clock_is_as_the_kernel_says(ward: Ward) -> None:
    class Timex(ctypes.Structure):
        _fields_ = (
            ("modes", ctypes.c_uint),
            *((name, ctypes.c_long) for name in ("offset", "freq", "maxerror", "esterror")),
            ("status", ctypes.c_int),
            ("rest", ctypes.c_byte * 256),
        )

    kernel_says = Timex()
    assert ctypes.CDLL(None).adjtimex(ctypes.byref(kernel_says)) >= 0
    unsynchronised = bool(kernel_says.status & 0x40)
    assert ("clock-untrusted" in ward.examine()) == unsynchronised


# File systems


def doctor(*words: str, **options: Any) -> dict[str, Any]:
    """The doctor in a process of its own; findings by id."""
    ran = subprocess.run(words, check=False, capture_output=True, cwd=ROOT, text=True, **options)
    assert ran.stdout, ran.stderr
    result = json.loads(ran.stdout)
    assert result["ok"] == (ran.returncode == 0)
    return {finding["id"]: finding for finding in result["findings"]}


@pytest.mark.skipif(not kernel.available(), reason="system calls of another machine")
@pytest.mark.parametrize(
    ("locks", "modes"),
    [
        ("flock", errno.EPERM),
        pytest.param("fcntl", 0, marks=pytest.mark.slow),  # says yes and does nothing, as on FAT
    ],
)
def test_a_file_system_without_locks_and_modes(ward: Ward, locks: str, modes: int) -> None:
    found = doctor(sys.executable, "-c", DOCTOR, locks, str(errno.ENOLCK), str(modes), str(ward.data))
    assert "No locks available" in found["data-no-locks"]["cause"]
    assert str(ward.data) in found["data-no-modes"]["cause"]


def mounted(ward: Ward, options: str, more: str = "true") -> dict[str, Any]:
    """The doctor where the data directory is on a small disk of its own."""
    disk = ward.data.with_name("disk")
    disk.mkdir()
    space = ["unshare", "-rm"]
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
    if subprocess.run([*space, *mount], check=False, capture_output=True).returncode:
        pytest.skip("mounts are not allowed here")
    steps = (shlex.join(mount), 'cp -a "$1/." "$2"', more, 'exec "$3" --data "$2" doctor --json')
    return doctor(*space, "sh", "-c", " && ".join(steps), "sh", str(ward.data), str(disk), COMMAND)


def test_a_full_disk(ward: Ward) -> None:
    found = mounted(ward, "size=4m,nr_inodes=60,mode=700")
    assert found["disk-full"]["cause"].endswith("3 MB are free, the node wants at least 100 MB.")
    assert "more files" in found["disk-files"]["cause"]


@pytest.mark.slow
def test_a_disk_that_went_read_only(ward: Ward) -> None:
    disk = ward.data.with_name("disk")
    found = mounted(ward, "size=200m,mode=700", shlex.join(["mount", "-o", "remount,ro", str(disk)]))
    assert f"remount,rw {disk}" in found["data-read-only"]["fix"]
    assert not {"not-looked", "disk-full", "disk-files"} & set(found)


def test_the_room_that_is_wanted(ward: Ward) -> None:
    free = shutil.disk_usage(ward.data).free
    ward.machine = replace(ward.machine, free_bytes=free // 2)
    assert "disk-full" not in ward.examine()
    ward.machine = replace(ward.machine, free_bytes=free * 2)
    assert "disk-full" in ward.examine()


@as_root
def test_what_the_doctor_may_not_see(ward: Ward) -> None:
    """Who lacks the rights is told so, and not that all is well."""
    ward.examine()  # loads every module, which a stranger may not be able to read
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        found = [finding for finding in ward.all() if finding.id == "not-looked"]
    finally:
        os.seteuid(0)
        os.setegid(0)
    assert any("the private keys: Permission denied" in finding.cause for finding in found)
    assert any("the database" in finding.cause for finding in found)

"""A backup restored elsewhere continues its games with their real peers."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.backup import contents
from lrgpnode.control.client import CallFailed
from tests.e2e.nodes import ROOT, NodeProcess, free_port
from tests.e2e.replay import check_same
from tests.e2e.table import Table

pytestmark = pytest.mark.node
COMMAND = str(Path(sys.executable).with_name("lrgpnode"))


def lrgpnode(data: Path, *words: str, code: int = 0, **env: str) -> dict[str, Any]:
    """Run a command on the node of a data directory; its JSON."""
    ran = subprocess.run(
        [COMMAND, "--data", str(data), *words, "--json"],
        check=False,
        capture_output=True,
        cwd=ROOT,
        text=True,
        env=os.environ | {"LRGPNODE_SOCKET": str(data / "control.sock"), "HOME": str(data)} | env,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    result: dict[str, Any] = json.loads(ran.stdout)
    return result


@pytest.mark.parametrize("running", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_restored_node_finishes_its_game_with_its_peer(tmp_path: Path, running: bool) -> None:
    endpoint = f"127.0.0.1:{free_port()}"
    alice = NodeProcess(tmp_path / "alice", "--connect", endpoint)
    with NodeProcess(tmp_path / "bob", "--listen", endpoint) as bob:
        alice.start()
        alice.hears(bob)
        bob.hears(alice)
        game = Table(alice, bob, "chess")
        game.accept()
        game.play("e4", "e5", "Bc4")
        challenge = Table(bob, alice, "ttt")  # unanswered when the backup is made
        file = tmp_path / "backup"
        if not running:
            alice.stop()
        made = lrgpnode(alice.data, "backup", str(file))
        assert made["sessions"] == 2
        assert alice.identity in made["identities"]
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        for name in contents.files(alice.data):
            assert contents.belongs(name) != contents.left_out(name), name
        if running:
            alice.stop()
        shutil.rmtree(alice.data)

        restored = lrgpnode(tmp_path / "elsewhere", "restore", str(file))
        assert (restored["identities"], restored["moved"]) == (made["identities"], None)
        there = NodeProcess(tmp_path / "elsewhere", "--connect", endpoint)
        try:
            there.start()
            assert there.identity == alice.identity
            game.a = challenge.b = there
            game.play("Nc6", "Qh5", "Nf6", "Qxf7#")
            game.check_ended("checkmate", bob if game.black is there else there)
            challenge.accept()
            challenge.play("1", "5", "2", "9", "3")
            challenge.check_ended("win", bob)
            (record,) = there.call("contact.record")["records"]
            assert {one["app"] for one in record["apps"]} == {"chess", "ttt"}
            assert (record["peer"], record["drawn"], record["won"] + record["lost"]) == (bob.identity, 0, 2)
            lrgpnode(there.data, "backup", str(tmp_path / "again"))
            with tarfile.open(tmp_path / "again") as kept:
                kept.extract(there.database.name, tmp_path, filter="data")
            with closing(sqlite3.connect(tmp_path / there.database.name)) as database:
                counted = database.execute("SELECT sum(won), sum(lost) FROM scores").fetchone()
            assert counted == (record["won"], record["lost"])
        finally:
            there.kill()


@pytest.mark.slow
def test_an_older_backup_gets_what_its_peer_has_done_since(tmp_path: Path) -> None:
    """As docs/backup.md says: what nothing has confirmed is sent again to the node that forgot it."""
    endpoint = f"127.0.0.1:{free_port()}"
    alice = NodeProcess(tmp_path / "alice", "--connect", endpoint)
    bob = NodeProcess(tmp_path / "bob", "--listen", endpoint)
    for node in (alice, bob):
        with (node.data / "lrgpnode.toml").open("a") as settings:
            settings.write("[test]\nclock = true\n")
    file = tmp_path / "backup"
    with bob, alice:
        alice.hears(bob)
        bob.hears(alice)
        four, chess, still = (Table(alice, bob, app) for app in ("four_in_a_row", "chess", "ttt"))
        four.accept()
        four.play("1", "2", "1")
        still.accept()
        still.play("5")
        still.act(bob, "draw", what="offer")
        lrgpnode(alice.data, "backup", str(file))

        # What the backup does not know.
        four.play("2")
        chess.accept()
        if chess.black is alice:
            chess.play("e4")
        alice.stop()
        restored = lrgpnode(alice.data, "restore", "--move-aside", str(file))
        assert restored["moved"] is not None
        alice.start()
        shown = [(alice.game(table.id) or {})["view"]["ply"] for table in (four, chess, still)]
        assert shown == [3, 0, 1]

        # Bob's node trusts a fresh proof for an hour; then it looks after what was never confirmed.
        bob.hears(alice)
        bob.call("test.clock", advance=2 * 3600.0, synchronised=True)
        alice.call("node.announce")
        for table in (four, chess):
            journal = bob.actions(table.id)
            alice.events.wait("game.applied", id=table.id, own=False, action_num=len(journal))
        four.play("1", "2", "1")
        four.check_ended("win", alice)
        chess.play(*("e4", "e5") if chess.black is bob else ("e5",))
        still.act(alice, "draw", what="accept")
        still.check_ended("agreement")
        for table in (four, chess, still):
            check_same(alice, bob, table.id)
            for node in (alice, bob):
                assert (node.game(table.id) or {})["flags"] == {}
                assert node.events.of("game.out_of_sync", id=table.id) == []


def test_what_a_running_node_refuses(tmp_path: Path) -> None:
    with NodeProcess(tmp_path / "alice", "--listen", f"127.0.0.1:{free_port()}") as alice:
        target = alice.data / "lrgpnode.toml"
        before = target.read_bytes()
        answer = lrgpnode(alice.data, "backup", str(target), code=1)
        assert answer["error"]["kind"] == "backup_refused"
        assert target.read_bytes() == before
        with pytest.raises(CallFailed, match="No such file"):
            alice.call("node.backup", file=str(tmp_path / "missing" / "backup"))
        with pytest.raises(CallFailed):
            alice.call("node.backup", file="relative")
        file = str(tmp_path / "backup")
        made = alice.call("node.backup", file=file)
        answer = lrgpnode(alice.data, "restore", file, "--move-aside", code=1)
        assert "is running" in answer["error"]["message"]
        assert alice.call("node.status")["identities"] == len(made["identities"])


def test_the_node_answers_while_it_writes_a_backup(tmp_path: Path) -> None:
    with NodeProcess(tmp_path / "alice", "--listen", f"127.0.0.1:{free_port()}") as alice:
        file = str(tmp_path / "backup")
        writing = subprocess.Popen(
            [COMMAND, "--data", str(alice.data), "backup", file],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            env=os.environ | {"LRGPNODE_SOCKET": str(alice.socket)},
        )
        try:
            while writing.poll() is None:
                assert alice.call("node.status")["pid"]
        finally:
            out, _ = writing.communicate(timeout=20)
        assert writing.returncode == 0
        assert b"private keys" in out

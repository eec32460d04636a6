"""Games of real nodes, exported on both sides and verified where there is no node."""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.mesh import identity as keys
from tests.e2e.conftest import Pair
from tests.e2e.nodes import ROOT, Json, NodeProcess, free_port, until
from tests.e2e.raw import EMPTY, RawPeer, envelope, move
from tests.e2e.table import Table

pytestmark = pytest.mark.node

VERIFY = """
import sys
from lrgpnode.cli.root import main
code = main(["games", "verify", *sys.argv[1:], "--json"])
assert "RNS" not in sys.modules and "LXMF" not in sys.modules and "sqlite3" not in sys.modules
sys.exit(code)
"""
MATE = ("e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#")


def export(node: NodeProcess, id: str, **params: Any) -> bytes:
    content: str = node.call("game.export", id=id, signed=True, **params)["content"]
    return content.encode()


def verified(*records: bytes, home: Path, code: int = 0) -> Json:
    """What `games verify` says on a machine that has the program and nothing else."""
    files = [home.with_name(f"record{number}") for number in range(len(records))]
    for file, record in zip(files, records, strict=True):
        file.write_bytes(record)
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", VERIFY, *map(str, files)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=home,
        env={"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert not list(home.iterdir())
    result: Json = json.loads(done.stdout)
    return result


@pytest.mark.parametrize(
    ("app", "moves"),
    [("ttt", "14253"), ("chess", MATE), pytest.param("four_in_a_row", "7244635", marks=pytest.mark.slow)],
)
def test_both_sides_prove_the_same_game(pair: Pair, tmp_path: Path, app: str, moves: Any) -> None:
    table = Table(*pair, app)
    table.accept()
    table.play(*moves)
    mine, theirs = export(table.a, table.id), export(table.b, table.id)
    sides = [verified(*records, home=tmp_path / "home") for records in ((mine, theirs), (theirs,))]
    assert [side["both"] for side in sides] == [True, False]
    for side, node in zip(sides, (table.a, table.b), strict=True):
        assert (side["session"], side["exporter"], side["status"]) == (table.id, node.identity, "completed")
        assert side["unproven"] == []
        assert [a["command"] for a in side["actions"]] == [row["command"] for row in node.actions(table.id)]
    first, second = sides
    assert (first["reason"], first["winner"]) == (second["reason"], second["winner"])
    assert first["position"] == second["position"]
    # Each message was sent once, and both have it.
    assert first["actions"] == second["actions"]


def test_the_commands_and_a_file_that_was_touched(pair: Pair, tmp_path: Path) -> None:
    table = Table(*pair, "ttt")
    table.accept()
    table.play(*"14253")
    file = tmp_path / "game"
    program = str(Path(sys.executable).with_name("lrgpnode"))
    words = [program, "--socket", str(table.b.socket), "games", "export", table.id, str(file), "--signed"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"Wrote game {table.id} to {file}.\n"
    data = file.read_bytes()
    assert verified(data, home=tmp_path / "home")["text"].encode() in data
    error = verified(data.replace(b"  5. ", b"  6. "), home=tmp_path / "home", code=7)["error"]
    assert (error["kind"], error["hint"]) == ("index_digest", "")


@pytest.mark.slow
def test_a_game_with_a_peer_that_is_not_ours_and_stamps_its_messages(tmp_path: Path) -> None:
    with (
        RawPeer(tmp_path / "raw") as peer,
        NodeProcess(tmp_path / "node", "--connect", peer.endpoint) as node,
    ):
        node.call("node.announce")
        peer.wait("heard", peer=node.identity)
        peer.tell("announce")
        node.events.wait("peer.heard", peer=peer.identity)
        me, other, session = peer.identity, node.identity, secrets.token_hex(8)

        def send(command: str, payload: Json) -> None:
            peer.send(other, envelope(command, session, payload), stamp=2)
            node.events.wait("game.applied", id=session, own=False, command=command)

        send("challenge", {})
        node.call("game.accept", id=session)
        peer.receive()
        send("move", move(EMPTY, 4, me, other)[1])
        node.call("game.move", id=session, intent={"i": 0})
        peer.receive()
        send("resign", {})
        record = export(node, session)
    found = verified(record, home=tmp_path / "home")
    assert (found["reason"], found["winner"]) == ("resignation", other)
    assert [act["author"] for act in found["actions"]] == [me, other, me, other, me]
    lines = [json.loads(line[1:]) for line in record.splitlines() if line.startswith(b'%{"action"')]
    heads = [base64.b64decode(line["action"]["message"])[96] for line in lines]
    assert heads == [0x95, 0x94, 0x95, 0x94, 0x95]  # five elements: the stamp is the last


def test_two_identities_of_one_node(tmp_path: Path) -> None:
    """What they send each other never leaves the process, and is signed all the same."""
    data = tmp_path / "node"
    one, two = (keys.create(data / "identities").hash for _ in range(2))
    node = NodeProcess(data, "--listen", f"127.0.0.1:{free_port()}")
    with node:
        id = node.call("game.challenge", identity=one, peer=two, app="ttt")["id"]
        node.events.wait("game.challenged", id=id, identity=two)
        node.call("game.decline", identity=two, id=id)
        node.events.wait("game.applied", id=id, identity=one, own=False, command="decline")
        for identity in (one, two):
            found = verified(export(node, id, identity=identity), home=tmp_path / "home")
            assert (found["status"], found["exporter"], found["unproven"]) == ("declined", identity, [])


@pytest.mark.slow
def test_nodes_that_are_killed_between_moves(tmp_path: Path) -> None:
    """What was in memory only, or in an inbox file only, is proven as well."""
    endpoint = f"127.0.0.1:{free_port()}"
    alice = NodeProcess(tmp_path / "alice", "--listen", endpoint)
    bob = NodeProcess(tmp_path / "bob", "--connect", endpoint)
    with alice, bob:
        alice.hears(bob)
        bob.hears(alice)
        table = Table(alice, bob, "ttt")
        for node, method, params in (
            (bob, "accept", {}),
            (alice, "move", {"move": "1"}),
            (bob, "move", {"move": "4"}),
            (alice, "move", {"move": "2"}),
        ):
            number = node.call(f"game.{method}", id=table.id, **params)["action_num"]
            node.restart()  # the moment it is committed: what became of the sending nobody knows
            other = alice if node is bob else bob
            until(lambda other=other, number=number: len(other.actions(table.id)) == number, "it arrives")
            other.restart()
        for node in (alice, bob):
            found = verified(export(node, table.id), home=tmp_path / "home")
            assert [act["command"] for act in found["actions"]] == ["challenge", "accept", *["move"] * 3]
            assert found["unproven"] == []

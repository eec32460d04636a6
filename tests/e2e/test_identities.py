"""Several identities on one node: made, put to rest and woken while it runs, and playing each other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lrgpnode.control.client import CallFailed
from lrgpnode.mesh import identity as keys
from storage.departure import TABLES
from tests.e2e.nodes import NodeProcess, free_port, until

pytestmark = pytest.mark.node


@pytest.fixture
def endpoint() -> str:
    return f"127.0.0.1:{free_port()}"


def test_two_identities_of_a_node_play_each_other(tmp_path: Path, endpoint: str) -> None:
    with NodeProcess(tmp_path / "ann", "--listen", endpoint) as node:
        ben = node.call("identity.create", name="Ben")["hash"]
        with pytest.raises(CallFailed, match="several identities"):
            node.call("game.list")
        node.call("identity.default", identity="ann")
        id = node.call("game.challenge", peer="ben", app="ttt")["id"]
        node.events.wait("game.challenged", id=id, identity=ben, peer=node.identity)
        node.call("game.accept", id=id, identity="Ben")
        node.events.wait("game.applied", id=id, identity=node.identity, command="accept")
        for ply, move in enumerate("51238", start=1):
            mover, other = ("ann", ben) if ply % 2 else ("Ben", node.identity)
            node.call("game.move", id=id, move=move, identity=mover)
            node.events.wait("game.applied", id=id, identity=other, command="move", ply=ply)
        sides = [node.call("game.show", id=id, identity=who) for who in ("ann", "Ben")]
        assert [side["status"] for side in sides] == ["completed", "completed"]
        assert sides[0]["view"]["result"]["winner"] == sides[1]["view"]["result"]["winner"] == node.identity
        records = [node.call("contact.record", identity=who)["records"] for who in ("ann", "Ben")]
        won = {"app": "ttt", "won": 1, "drawn": 0, "lost": 0}
        lost = {"app": "ttt", "won": 0, "drawn": 0, "lost": 1}
        assert [one["apps"] for (one,) in records] == [[won], [lost]]
        assert [one["peer_name"] for (one,) in records] == ["Ben", "ann"]
        assert sides[0]["record"] == won


@pytest.mark.slow
def test_a_deleted_identity_is_gone_with_its_games(tmp_path: Path, endpoint: str) -> None:
    with (
        NodeProcess(tmp_path / "b", "--listen", endpoint) as b,
        NodeProcess(tmp_path / "a", "--connect", endpoint) as a,
    ):
        a.hears(b)
        eve = a.call("identity.create", name="Eve")["hash"]
        until(lambda: any(p["peer"] == eve for p in b.call("peer.list")["peers"]), "b hears Eve")
        mine = a.call("game.challenge", peer=b.identity, app="ttt", identity="a")["id"]
        id = a.call("game.challenge", peer=b.identity, app="ttt", identity="Eve")["id"]
        b.events.wait("game.challenged", id=id)
        with pytest.raises(CallFailed, match="go on, and no peer would be told"):
            a.call("identity.delete", identity="Eve")
        with pytest.raises(CallFailed, match="That is the house"):
            a.call("identity.delete", identity="house", force=True)
        a.call("identity.policy", identity="Eve", policy="nobody")
        assert a.call("identity.delete", identity="Eve", force=True) == {"hash": eve, "name": "Eve"}
        a.events.wait("identity.deleted", hash=eve)
        with pytest.raises(CallFailed, match="the only one"):
            a.call("identity.delete", identity="a", force=True)
        b.call("game.accept", id=id)  # nobody is there any more
        a.restart()
        assert {one["name"] for one in a.call("identity.list")["identities"]} == {"a", "house"}
        assert not [path for path in a.data.rglob(f"*{eve}*") if path.parent.name in ("inbox", "identities")]
        assert not (a.data / "lxmf" / eve).exists()
        with closing(sqlite3.connect(f"file:{a.database}?mode=ro", uri=True)) as database:
            for table in TABLES:
                query = f"SELECT count(*) FROM {table} WHERE identity_id = ?"
                assert database.execute(query, (eve,)).fetchone() == (0,), table
        assert a.game(mine) is not None
        assert {row["id"] for row in a.call("outbox.list", all=True)["messages"]} == {mine}


def test_a_name_with_spaces_around_it_is_found_without_them(tmp_path: Path, endpoint: str) -> None:
    node = NodeProcess(tmp_path / "node", "--listen", endpoint)
    node.name = "  Ann Lee "
    with node:
        assert node.call("node.status")["name"] == "Ann Lee"
        assert node.call("identity.show", identity="ann lee")["name"] == "Ann Lee"
        assert node.call("identity.create", name=" Zoe ")["name"] == "Zoe"


def enabled(node: NodeProcess, hash: str) -> bool:
    found = [one for one in node.call("identity.list")["identities"] if one["hash"] == hash]
    return bool(found[0]["enabled"])


@pytest.mark.slow
def test_what_a_resting_identity_has_to_send_waits_also_over_a_restart(tmp_path: Path, endpoint: str) -> None:
    with (
        # Who is restarted connects: Reticulum tries again only after five seconds.
        NodeProcess(tmp_path / "b", "--listen", endpoint) as b,
        NodeProcess(tmp_path / "a", "--connect", endpoint) as a,
    ):
        a.hears(b)
        eve = a.call("identity.create", name="Eve")["hash"]
        until(lambda: any(p["peer"] == eve for p in b.call("peer.list")["peers"]), "b hears Eve")
        id = a.call("game.challenge", peer=b.identity, app="ttt", identity="Eve")["id"]
        b.events.wait("game.challenged", id=id, peer=eve)
        assert a.call("identity.disable", identity="Eve")["enabled"] is False
        assert not enabled(a, eve)
        with pytest.raises(CallFailed, match="off the mesh"):
            a.call("node.announce", identity="Eve")
        a.call("game.decline", id=id, identity="Eve")
        a.restart()
        a.hears(b)
        assert not enabled(a, eve)
        assert b.game(id)["status"] == "pending"  # type: ignore[index]
        a.call("identity.enable", identity="Eve")
        b.events.wait("game.applied", id=id, command="decline")
        assert b.game(id)["status"] == "declined"  # type: ignore[index]


@pytest.mark.slow
def test_it_comes_and_goes_many_times_without_leaving_threads(tmp_path: Path, endpoint: str) -> None:
    def threads(node: NodeProcess) -> int:
        assert node.process is not None
        return sum(1 for _ in Path(f"/proc/{node.process.pid}/task").iterdir())

    with (
        NodeProcess(tmp_path / "a", "--listen", endpoint) as a,
        NodeProcess(tmp_path / "b", "--connect", endpoint) as b,
    ):
        b.hears(a)
        before = threads(a)
        for _ in range(5):
            a.call("identity.disable", identity="a")
            a.call("identity.enable", identity="a")
        # The thread of a router that is gone ends with its cycle of four seconds.
        until(lambda: threads(a) <= before, "the threads of the routers have ended")
        id = b.call("game.challenge", peer=a.identity, app="ttt")["id"]
        a.events.wait("game.challenged", id=id)
        assert "Traceback" not in a.log


def test_a_key_goes_to_another_node(tmp_path: Path, endpoint: str) -> None:
    key = keys.generate()
    with NodeProcess(tmp_path / "node", "--listen", endpoint) as node:
        found = node.call("identity.import", name="Old friend", key=key.key.hex())
        assert found["hash"] == key.hash
        assert (node.data / "identities" / key.hash).stat().st_mode & 0o777 == 0o600
        assert node.call("identity.export", identity="old friend")["key"] == key.key.hex()
        with pytest.raises(CallFailed, match="has the identity"):
            node.call("identity.import", name="Twice", key=key.key.hex())
        with pytest.raises(CallFailed, match="is called Old friend"):
            node.call("identity.create", name="OLD FRIEND")
        assert key.key.hex() not in node.log
        node.call("identity.rename", identity="old friend", name="Young friend")
        node.restart()
        names = {one["hash"]: one["name"] for one in node.call("identity.list")["identities"]}
        assert names[key.hash] == "Young friend"

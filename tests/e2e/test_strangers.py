"""Challenges of strangers between real nodes: they wait, are let in or forgotten, and blocks hold at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.control.client import CallFailed
from tests.e2e.nodes import Json, NodeProcess, free_port, until
from tests.e2e.raw import RawPeer, envelope
from tests.e2e.replay import check_same

pytestmark = pytest.mark.node

DEFAULTS = "[announce]\nat_start_seconds = 0\n"


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NodeProcess, NodeProcess]]:
    """Ann's node, and Bob's with the settings of a newcomer."""
    base, endpoint = tmp_path_factory.mktemp("strangers"), f"127.0.0.1:{free_port()}"
    ann = NodeProcess(base / "ann", "--listen", endpoint)
    bob = NodeProcess(base / "bob", "--connect", endpoint)
    (bob.data / "lrgpnode.toml").write_text(DEFAULTS)
    with ann, bob:
        bob.hears(ann)
        ann.hears(bob)
        yield ann, bob


_names = itertools.count(1)


@dataclass
class Stranger:
    """A new identity on Ann's node; ``call`` acts as it."""

    node: NodeProcess
    name: str
    identity: str

    def call(self, method: str, **params: Any) -> Json:
        return self.node.call(method, **params, identity=self.name)


@pytest.fixture
def pair(nodes: tuple[NodeProcess, NodeProcess]) -> tuple[Stranger, NodeProcess]:
    """Somebody whom Bob has heard and has never dealt with."""
    ann, bob = nodes
    name = f"Eve{next(_names)}"
    eve = Stranger(ann, name, ann.call("identity.create", name=name)["hash"])
    bob.events.wait("peer.heard", peer=eve.identity)
    return eve, bob


def test_a_stranger_is_let_in_and_is_none_any_more(pair: tuple[Stranger, NodeProcess]) -> None:
    eve, bob = pair
    id = eve.call("game.challenge", peer="BOB", app="ttt")["id"]
    bob.events.wait("game.request", id=id, peer=eve.identity, app="ttt")
    page = bob.call("game.list")
    (waiting,) = [game for game in page["games"] if game["id"] == id]
    assert (waiting["peer_name"], waiting["status"], waiting["request"]) == (eve.name, "pending", True)
    with pytest.raises(CallFailed, match="waits to be let in"):
        bob.call("game.show", id=id)
    # Accepting it lets it in first.
    bob.call("game.accept", id=id[:6])
    eve.node.events.wait("game.applied", id=id, command="accept")
    assert id not in [one["id"] for one in bob.call("request.list")["requests"]]
    for ply, move in enumerate("51238", 1):
        mover, other = (eve, bob) if ply % 2 else (bob, eve.node)
        mover.call("game.move", id=id, move=move)
        other.events.wait("game.applied", id=id, command="move", ply=ply, own=False)
    check_same(eve.node, bob, id)
    again = eve.call("game.challenge", peer="bob", app="ttt")["id"]
    bob.events.wait("game.challenged", id=again)
    assert not bob.events.of("game.request", id=again)


def test_a_request_is_forgotten_without_a_word(pair: tuple[Stranger, NodeProcess]) -> None:
    eve, bob = pair
    first, second = (eve.call("game.challenge", peer="bob", app="ttt")["id"] for _ in range(2))
    for id in (first, second):
        bob.events.wait("game.request", id=id)
    bob.call("request.decline", id=first)
    assert bob.call("request.accept", id=second)["id"] == second
    bob.events.wait("game.challenged", id=second)
    bob.call("game.decline", id=second)
    eve.node.events.wait("game.applied", id=second, command="decline")
    # Later than the answer to the second, none to the first has come.
    game = eve.node.game(first)
    assert game is not None
    assert game["status"] == "pending"
    assert not eve.node.events.of("game.error", id=first)


def test_a_block_holds_at_once(pair: tuple[Stranger, NodeProcess]) -> None:
    eve, bob = pair
    id = eve.call("game.challenge", peer="bob", app="ttt")["id"]
    bob.events.wait("game.request", id=id)
    bob.call("game.accept", id=id)
    eve.node.events.wait("game.applied", id=id, command="accept")
    blocked = bob.call("contact.block", peer=eve.name.upper(), reason="too good", hours=1)
    assert blocked["name"] == eve.name
    sent = eve.call("game.move", id=id, move="5")
    eve.node.events.wait("game.delivery", outbox_id=sent["outbox_id"], state="delivered")
    assert [row["command"] for row in bob.actions(id)] == ["challenge", "accept"]
    with pytest.raises(CallFailed, match="have blocked"):
        bob.call("game.challenge", peer=eve.name, app="chess")
    assert bob.call("peer.list", search=eve.name[1:])["peers"][0]["blocked"] is True
    bob.call("contact.unblock", peer=eve.name)
    assert bob.call("contact.blocked")["blocks"] == []
    eve.call("game.resign", id=id)
    until(lambda: bob.events.of("game.applied", id=id, command="resign"), "the resignation gets through")


def test_a_request_outlives_the_node(pair: tuple[Stranger, NodeProcess]) -> None:
    eve, bob = pair
    id = eve.call("game.challenge", peer="bob", app="ttt")["id"]
    bob.events.wait("game.request", id=id)
    bob.restart()
    bob.call("game.accept", id=id)
    eve.node.events.wait("game.applied", id=id, command="accept")


def test_the_first_challenge_of_somebody_never_heard(tmp_path: Path) -> None:
    """It has announced nothing: the node asks the network for it, and then believes it."""
    with RawPeer(tmp_path / "peer") as peer:
        node = NodeProcess(tmp_path / "node", "--connect", peer.endpoint)
        (node.data / "lrgpnode.toml").write_text(DEFAULTS)
        with node:
            peer.wait("heard", peer=node.identity)
            id = "0123456789abcdef"
            peer.send(node.identity, envelope("challenge", id, {}))
            request = node.events.wait("game.request", id=id)
            assert request["peer"] == peer.identity
            node.call("game.accept", id=id)
            assert peer.receive()["c"] == "accept"
            heard = node.call("peer.list")["peers"]
            assert [(one["peer"], one["played"]) for one in heard] == [(peer.identity, True)]

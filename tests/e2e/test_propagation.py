"""Whole games between two nodes that never reach each other: a third process keeps their mail.

In turn each of them is stopped, or killed, while the other one moves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until
from tests.e2e.replay import check_same
from tests.mesh.nodes import PLAIN, Node

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(300)]

HASTY = [sys.executable, str(Path(__file__).with_name("hasty_node.py"))]
ON_REQUEST = "[propagation]\nsync_minutes = 0\n"


class PostOffice:
    """Alice and Bob by turns. Both connect to ``port``, where nothing but mail is passed on."""

    def __init__(self, directory: Path, port: int) -> None:
        way = ("--connect", f"127.0.0.1:{port}")
        self.alice = NodeProcess(directory / "alice", *way, command=HASTY)
        self.bob = NodeProcess(directory / "bob", *way, command=HASTY)
        for node in (self.alice, self.bob):
            settings = node.data / "lrgpnode.toml"
            settings.write_text(settings.read_text() + ON_REQUEST)

    def open(self, node: str) -> None:
        """Both are contacts of each other, and know the propagation node; then Bob is away."""
        with self.alice, self.bob:
            for one, other in ((self.alice, self.bob), (self.bob, self.alice)):
                key = other.call("identity.show")["public_key"]
                one.call("contact.add", peer=other.identity, name=other.name, public_key=key)
                until(
                    lambda one=one: one.call("propagation.status")["current"] == node,  # type: ignore[misc]
                    f"{one.name} uses the propagation node",
                )

    def post(self, node: NodeProcess, method: str, **params: object) -> str:
        """One action, until the propagation node has it."""
        result = node.call(f"game.{method}", **params)
        node.events.wait("game.delivery", outbox_id=result["outbox_id"], state="stored", deadline=60.0)
        id: str = result["id"]
        return id


def fetch(node: NodeProcess) -> int:
    """How many messages have come in."""
    node.call("propagation.sync")
    news = node.events.wait("propagation.sync", last=True)
    assert news["state"] == "done", news
    received: int = news["received"]
    return received


@pytest.fixture(params=["ours", "plain"])
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PostOffice]:
    """With our own propagation node, or with one that knows nothing of us."""
    if request.param == "ours":
        port = free_port()
        house = NodeProcess(tmp_path / "house", "--listen", f"127.0.0.1:{port}")
        settings = house.data / "lrgpnode.toml"
        settings.write_text(settings.read_text() + "[propagation]\nhost = true\nhost_stamp_cost = 13\n")
        with house:
            office = PostOffice(tmp_path, port)
            office.open(house.call("propagation.status")["host"]["hash"])
            yield office
    else:
        with Node(tmp_path / "plain", program=PLAIN, announce_every=1.0) as plain:
            assert plain.port is not None
            office = PostOffice(tmp_path, plain.port)
            office.open(plain.identity)
            yield office


def test_a_game_of_two_who_are_never_there_together(office: PostOffice) -> None:
    alice, bob = office.alice, office.bob
    with alice:
        id = office.post(alice, "challenge", peer=bob.identity, app="ttt")
    with bob:
        fetch(bob)
        bob.events.wait("game.challenged", id=id)
        office.post(bob, "accept", id=id)
    for ply, move in enumerate("14253"):
        mover = (alice, bob)[ply % 2]
        with mover:
            fetch(mover)
            until(lambda: mover.call("game.show", id=id)["view"]["my_turn"], "the turn")  # noqa: B023
            if ply == 2:
                # Killed after it has fetched, and before anything is settled.
                mover.kill()
                mover.start()
                until(lambda: mover.call("game.show", id=id)["view"]["my_turn"], "the turn")  # noqa: B023
            office.post(mover, "move", id=id, move=move)
    with alice, bob:
        assert fetch(bob) >= 1
        bob.events.wait("game.applied", id=id, own=False, ply=5)
        assert check_same(alice, bob, id).result == ("win", alice.identity)
        for node in (alice, bob):
            assert len(node.actions(id)) == 7


def test_killed_while_mail_comes_in(office: PostOffice) -> None:
    """The challenges of many games in one sync, with kill -9 in the middle of it."""
    alice, bob = office.alice, office.bob
    with alice:
        games = [alice.call("game.challenge", peer=bob.identity, app="ttt")["id"] for _ in range(8)]
        for id in games:
            alice.events.wait("game.delivery", id=id, state="stored", deadline=60.0)
    for events in (2, 5):
        with bob:
            bob.call("propagation.sync")
            until(lambda: len(bob.events.of("propagation.sync")) >= events, "mail comes in")  # noqa: B023
            bob.kill()
    with bob:
        fetch(bob)
        until(lambda: sorted(listed(bob)) == sorted(games), "all challenges are here")


def listed(node: NodeProcess) -> list[str]:
    return [game["id"] for game in node.call("game.list")["games"]]

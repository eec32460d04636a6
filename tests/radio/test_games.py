"""Whole games between real nodes with Reticulum's own RNode driver on software RNodes.

A challenge goes to an address: that the first announces are heard is not certain, by radio, and they are
not repeated within the hour.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.nodes import until
from tests.e2e.replay import check_settled
from tests.e2e.table import Table
from tests.radio.air import Air, RadioNode
from tests.radio.conftest import Start, mesh
from tests.radio.cost import kind

pytestmark = pytest.mark.node

WITH_LOSSES = 240.0
"""LXMF sends again after 10 s, five times, the node after a minute."""


def play_all(a: RadioNode, b: RadioNode, deadline: float) -> None:
    """A game of each kind, a resignation, an agreed draw."""
    table = Table(a, b, "ttt", deadline)
    table.accept()
    table.play(*"14253")
    table.check_ended("win", a)

    table = Table(b, a, "four_in_a_row", deadline)
    table.accept()
    table.play(*"7244635")
    table.check_ended("win", b)

    table = Table(a, b, "chess", deadline)
    table.accept()
    table.play("f3", "e5", "g4", "Qh4#")
    table.check_ended("checkmate", table.black)

    table = Table(b, a, "chess", deadline)
    table.accept()
    table.play("d4", "d5")
    table.act(a, "resign")
    table.check_ended("resignation", b)

    table = Table(a, b, "chess", deadline)
    table.accept()
    table.play("e4")
    table.act(b, "draw", what="offer")
    table.act(a, "draw", what="accept")
    table.check_ended("agreement")


def outcomes(air: Air) -> Counter[str]:
    """What became of the frames, over all receivers."""
    return Counter(got["outcome"] for row in air.trace("frame") for got in row["to"].values())


def kinds(air: Air) -> set[str]:
    """Of the packets on the air."""
    return {kind(bytes.fromhex(row["host"])) for row in air.trace("frame")}


def test_a_game_by_radio(start: Start) -> None:
    air, nodes = start("alice", "bob", scale=20.0)
    alice, bob = nodes.values()
    table = Table(alice, bob, "ttt", 60.0)
    table.accept()
    table.play(*"142")
    table.act(bob, "resign")
    table.check_ended("resignation", alice)
    # A resignation is sent like a move: a link would cost more than it does.
    assert kinds(air) <= {"announce", "path request", "message", "proof"}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_all_games_in_range(start: Start) -> None:
    air, nodes = start("alice", "bob")
    play_all(*nodes.values(), deadline=60.0)
    for node in nodes.values():
        check_settled(node)
    # Resignations and answers to offers are sent like moves: a link would cost more than they do.
    assert not {kind(bytes.fromhex(row["host"])) for row in air.trace("frame")} & {
        "link request",
        "link data",
    }


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_games_over_two_hops(start: Start) -> None:
    """The ends do not hear each other and both talk to the middle at once, so frames collide there too."""
    air, nodes = start("alice", "hill", "bob", "--line", transport=("hill",))
    alice, _, bob = nodes.values()
    play_all(alice, bob, WITH_LOSSES)
    # Nothing came to the other end but by the middle.
    assert all(set(row["to"]) == {"hill"} for row in air.trace("frame") if row["node"] != "hill")


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_all_games_with_a_fifth_of_the_frames_lost(tmp_path: Path) -> None:
    topology = tmp_path / "lossy.toml"
    topology.write_text(
        'seed = 3\n[nodes.alice]\n[nodes.bob]\n[[links]]\nbetween = ["alice", "bob"]\nloss = 0.2\n'
    )
    with mesh(tmp_path, "--topology", str(topology)) as (air, nodes):
        alice, bob = nodes.values()
        play_all(alice, bob, WITH_LOSSES)
        seen = outcomes(air)
        assert 0.1 < seen["lost"] / seen.total() < 0.3


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_hidden_nodes(start: Start) -> None:
    """Two play with the one between them and cannot hear each other: what they send at once is lost."""
    air, nodes = start("alice", "hill", "bob", "--line")
    alice, hill, bob = nodes.values()

    def game(player: RadioNode, app: str, moves: str) -> None:
        table = Table(player, hill, app, WITH_LOSSES)
        table.accept()
        table.play(*moves)
        table.check_ended("win", player)

    with ThreadPoolExecutor(2) as pool:
        games = [pool.submit(game, alice, "four_in_a_row", "7244635"), pool.submit(game, bob, "ttt", "14253")]
        for played in games:
            played.result()
    assert outcomes(air)["collision"] > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_unplugged_in_the_middle_of_a_game(start: Start) -> None:
    air, nodes = start("alice", "bob")
    alice, bob = nodes.values()
    table = Table(alice, bob, "four_in_a_row", WITH_LOSSES)
    table.accept()
    table.play("7", "2")
    # A move of the one that has lost its radio, then one to it.
    air.tell("unplug alice")
    until(lambda: not online(alice), "alice sees that her radio is gone")
    number = alice.call("game.move", id=table.id, move="4")["action_num"]
    air.tell("plug alice")
    bob.events.wait("game.applied", deadline=WITH_LOSSES, id=table.id, own=False, action_num=number)
    air.tell("unplug alice")
    number = bob.call("game.move", id=table.id, move="4")["action_num"]
    until(lambda: not online(alice), "alice sees that her radio is gone again")
    air.tell("plug alice")
    alice.events.wait("game.applied", deadline=WITH_LOSSES, id=table.id, own=False, action_num=number)
    table.play("6", "3", "5")
    table.check_ended("win", alice)


def online(node: RadioNode) -> bool:
    (radio,) = node.call("node.status")["interfaces"]
    return bool(radio["online"])

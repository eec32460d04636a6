"""Propagation nodes that are gone, switched off, too dear, or never were."""

from __future__ import annotations

import pytest

from tests.mesh.nodes import Node
from tests.mesh.propagation.house import House, contents, fetch, post, status, store

pytestmark = [pytest.mark.node, pytest.mark.slow]

NOWHERE = "0123456789abcdef" * 2
HASTY = {"path_wait": 1.0, "hop_timeout": 1}


def announce_until_heard(node: Node, listener: Node) -> None:
    """The listener's connection comes back when Reticulum tries it next, every five seconds."""
    for _ in range(15):
        node.tell("announce")
        try:
            listener.wait("node", node=node.identity, deadline=2.0)
        except AssertionError:
            continue
        return
    raise AssertionError(f"not heard; {listener.log[-3000:]}")


def test_without_a_node_it_says_so_at_once(house: House) -> None:
    alice, bob = house.pair(propagation={"auto": False, "nodes": []})
    assert not status(alice)["available"]
    assert post(alice, bob.identity, 1)["reason"] == "no propagation node known"
    assert fetch(alice)["reason"] == "no propagation node known"


def test_a_node_that_nobody_knows_is_named_as_the_reason(house: House) -> None:
    alice, bob = house.pair(propagation={"auto": False, "nodes": [NOWHERE]}, **HASTY)
    assert status(alice)["available"]
    assert post(alice, bob.identity, 1)["reason"] == "no path to the propagation node"
    done = fetch(alice)
    assert (done["state"], done["reason"]) == ("failed", "no path to the propagation node")


def test_after_two_failures_the_next_node_is_used_and_remembered(house: House) -> None:
    plain = house.plain("plain")
    choice = {"nodes": [plain.identity, house.node], "auto": False}
    alice, bob = house.pair(plain, propagation=choice, **HASTY)
    store(alice, bob.identity, "before")
    plain.kill()
    store(alice, bob.identity, "after")
    news = alice.wait("node", node=house.node)
    assert news["reason"]
    alice.tell("propagation", what="status")
    first, second = alice.wait("propagation")["nodes"][:2]
    assert (first["failures"], first["current"], second["current"]) == (2, False, True)
    # The other side fails over as well, and finds what was stored.
    done = fetch(bob)
    assert (done["state"], done["node"], done["received"]) == ("done", house.node, 1)
    assert contents(bob, 1) == ["after"]
    # After a restart the good one is tried first.
    alice.terminate()
    alice = house.start("alice", plain, propagation=choice, **HASTY)
    assert status(alice)["current"] == house.node
    # The first is back: all that are listed are asked for mail.
    plain = house.plain("plain", port=plain.port)
    announce_until_heard(plain, bob)
    assert fetch(bob)["received"] == 1
    assert contents(bob, 1) == ["before"]


def test_a_node_that_has_gone_without_a_word_is_given_up(house: House) -> None:
    """Its path is still known, but nobody answers."""
    alice, bob = house.pair(**HASTY)
    house.hub.process.send_signal(19)  # SIGSTOP: the connection stays
    assert post(alice, bob.identity, 1)["reason"] in (
        "the propagation node does not answer",
        "no path to the propagation node",
    )
    house.hub.process.send_signal(18)
    done = post(alice, bob.identity, 2)
    assert done["progress"] == "stored", done


def test_a_node_that_announces_that_it_is_off_is_used_no_more(house: House) -> None:
    plain = house.plain("plain")
    alice, bob = house.pair(plain, propagation={"nodes": [plain.identity], "auto": False})
    store(alice, bob.identity, "on")
    plain.tell("off")
    alice.wait("node", node="")
    assert post(alice, bob.identity, 9)["reason"] == "no propagation node known"
    assert not status(alice)["available"]


def test_a_stamp_that_is_refused_is_no_stored_message(house: House) -> None:
    plain = house.plain("plain")
    alice, bob = house.pair(plain, propagation={"nodes": [plain.identity], "auto": False})
    store(alice, bob.identity, "cheap")
    plain.tell("raise")
    failed = post(alice, bob.identity, 9)
    assert (failed["progress"], failed["reason"]) == (
        "failed",
        "the propagation node refused the stamp of the message",
    )


def test_a_message_larger_than_the_node_takes_is_not_sent(house: House) -> None:
    plain = house.plain("plain", limit=1)
    alice, bob = house.pair(plain, propagation={"nodes": [plain.identity], "auto": False})
    assert "larger than the 1 kB" in post(alice, bob.identity, 1, content="x" * 1500)["reason"]


def test_a_node_too_dear_is_not_used(house: House) -> None:
    plain = house.plain("plain", cost=25)
    alice, bob = house.pair(plain, propagation={"nodes": [plain.identity], "auto": False})
    assert "asks for a stamp of cost 25" in post(alice, bob.identity, 1)["reason"]


def test_a_long_stamp_is_told_of_and_can_be_cancelled(house: House) -> None:
    plain = house.plain("plain", cost=40)
    choice = {"nodes": [plain.identity], "auto": False, "max_cost": 40}
    alice, bob = house.pair(plain, propagation=choice)
    alice.send(1, bob.identity, b"", via_propagation=True)
    news = alice.wait("stamp", ref=1)
    assert (news["cost"], news["node"], news["finished"]) == (40, plain.identity, False)
    assert news["seconds"] >= 2
    assert news["expected"] > 3600
    # Meanwhile everything else goes on.
    assert status(alice)["uploads"] == 1
    assert fetch(alice)["state"] == "done"
    alice.tell("discard", ref=1)
    failed = alice.wait("progress", ref=1, progress="failed")
    assert failed["reason"] == "cancelled"
    assert status(alice)["uploads"] == 0
    alice.send(2, bob.identity, b"", via_propagation=True)
    alice.wait("stamp", ref=2)
    code, seconds = alice.terminate()
    assert code == 0
    assert seconds < 3

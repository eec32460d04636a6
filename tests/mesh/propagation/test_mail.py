"""Mail by way of a propagation node, between real processes: what arrives, and what is not lost."""

from __future__ import annotations

import os

import pytest

from tests.mesh.propagation.house import ENVELOPE, House, contents, fetch, post, status, store

pytestmark = pytest.mark.node


def test_mail_for_a_peer_that_is_away_is_stored_fetched_and_deleted(house: House) -> None:
    alice, bob = house.pair()
    bob.terminate()
    alice.send(1, bob.identity, ENVELOPE, via_propagation=True, content="hello")
    assert [alice.wait("progress", ref=1)["progress"] for _ in range(3)] == ["sending", "sent", "stored"]
    signed = alice.wait("signed", ref=1)
    assert house.stored() == 1

    bob = house.start("bob")
    done = fetch(bob)
    assert (done["state"], done["received"], done["left"], done["reason"]) == ("done", 1, 0, "")
    received = bob.wait("received", content="hello")
    assert received["envelope"] == ENVELOPE.hex()
    assert received["peer"] == alice.identity
    assert received["propagated"]
    assert (received["hash"], received["signed"]) == (signed["hash"], signed["message"])
    assert house.stored() == 0
    assert not bob.seen("received")
    (record,) = status(bob)["identities"]
    assert record["synced_at"] > 0
    assert (record["node"], record["received"], record["state"]) == (house.node, 1, "done")


@pytest.mark.slow
def test_mail_goes_by_a_node_that_runs_nothing_of_ours(house: House) -> None:
    plain = house.plain("plain")
    choice = {"propagation": {"nodes": [plain.identity], "auto": False}}
    alice, bob = house.pair(plain, **choice)
    bob.terminate()
    store(alice, bob.identity, "one", "two")
    plain.tell("count")
    plain.wait("count", messages=2)
    bob = house.start("bob", plain, **choice)
    assert fetch(bob)["node"] == plain.identity
    assert contents(bob, 2) == ["one", "two"]
    plain.tell("count")
    plain.wait("count", messages=0)


@pytest.mark.parametrize("when", [pytest.param("asked", marks=pytest.mark.slow), "kept"])
def test_killed_when_the_mail_has_come_nothing_is_lost(house: House, when: str) -> None:
    alice, bob = house.pair()
    bob.terminate()
    store(alice, bob.identity, "0", "1", "2")
    doomed = house.start("bob", die=when)
    doomed.tell("propagation", what="sync")
    assert doomed.process.wait(20) == -9
    assert house.stored() == 3

    bob = house.start("bob")
    assert fetch(bob)["state"] == "done"
    assert contents(bob, 3) == ["0", "1", "2"]
    assert house.stored() == 0
    assert not bob.seen("received")


@pytest.mark.slow
def test_mail_that_cannot_be_kept_stays_at_the_node(house: House) -> None:
    alice, bob = house.pair()
    bob.terminate()
    store(alice, bob.identity, "patient")
    bob = house.start("bob", inbox_full=True)
    failed = fetch(bob)
    assert failed["state"] == "failed"
    assert "cannot be kept" in failed["reason"]
    assert house.stored() == 1
    bob.tell("inbox_free")
    bob.wait("freed")
    assert fetch(bob)["state"] == "done"
    bob.wait("received", content="patient")
    assert house.stored() == 0


@pytest.mark.slow
def test_more_than_one_transfer_is_fetched_whole(house: House) -> None:
    alice, bob = house.pair(message_kb=4)
    bob.terminate()
    # A stamp each, so not too many; three transfers of 4 kB, and one message that fits in none.
    texts = [f"{number:02}{os.urandom(400).hex()}" for number in range(9)]
    store(alice, bob.identity, *texts)
    huge = os.urandom(4000).hex()
    assert post(alice, bob.identity, 90, content=huge)["progress"] == "stored"
    bob = house.start("bob", message_kb=4)
    done = fetch(bob)
    assert (done["received"], done["left"]) == (9, 1)
    assert contents(bob, 9) == texts
    assert house.stored() == 1
    bob.terminate()
    bob = house.start("bob", message_kb=16)
    assert fetch(bob)["received"] == 1
    assert contents(bob, 1) == [huge]


@pytest.mark.slow
def test_each_identity_fetches_its_own_mail(house: House) -> None:
    alice, bob = house.pair(identities=2)
    first, second = bob.identities
    bob.terminate()
    store(alice, first, "for the first")
    store(alice, second, "for the second")
    bob = house.start("bob", identities=2)
    assert fetch(bob, second)["received"] == 1
    bob.wait("received", identity=first, content="for the first")
    bob.wait("received", identity=second, content="for the second")


@pytest.mark.slow
def test_mail_is_fetched_at_the_start_and_then_regularly(house: House) -> None:
    alice, bob = house.pair()
    bob.terminate()
    store(alice, bob.identity, "early")
    bob = house.start("bob", propagation={"sync_interval": 0.5})
    bob.wait("received", content="early")
    bob.wait("sync", last=True)
    store(alice, bob.identity, "late")
    bob.wait("received", content="late")

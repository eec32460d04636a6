"""Our own propagation node: for our own identities, with others, full, and switched off."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mesh.propagation.house import House, contents, fetch, post, status, store

pytestmark = [pytest.mark.node, pytest.mark.slow]

FAST = 0.3
"""Seconds of LXMF's cycle: a node looks after its peers every six of them."""


def test_mail_for_an_identity_of_the_same_process_is_received_at_once(house: House) -> None:
    alice, _ = house.pair()
    alice.tell("remember", peer=house.hub.identity, key=alice.wait("heard", peer=house.hub.identity)["key"])
    store(alice, house.hub.identity, "to the host itself")
    received = house.hub.wait("received", content="to the host itself")
    assert received["peer"] == alice.identity
    assert house.stored() == 0
    assert fetch(house.hub)["state"] == "done"


def test_mail_that_the_host_cannot_keep_in_its_inbox_waits_in_its_store(tmp_path: Path) -> None:
    house = House(tmp_path, inbox_full=True)
    try:
        alice, _ = house.pair()
        alice.tell(
            "remember", peer=house.hub.identity, key=alice.wait("heard", peer=house.hub.identity)["key"]
        )
        store(alice, house.hub.identity, "waits")
        assert house.stored() == 1
        house.hub.tell("inbox_free")
        house.hub.wait("freed")
        assert fetch(house.hub)["received"] == 1
        house.hub.wait("received", content="waits")
        assert house.stored() == 0
    finally:
        house.close()


def test_the_hosts_own_identities_send_by_their_own_node(house: House) -> None:
    _, bob = house.pair()
    bob.terminate()
    assert status(house.hub)["current"] == house.node
    store(house.hub, bob.identity, "from the host")
    assert house.stored() == 1
    bob = house.start("bob")
    assert fetch(bob)["received"] == 1
    assert contents(bob, 1) == ["from the host"]
    assert house.stored() == 0


def test_the_same_message_is_stored_once_and_survives_a_crash(house: House) -> None:
    alice, bob = house.pair()
    bob.terminate()
    store(alice, bob.identity, "durable")
    house.hub.kill()
    house.hub = house.start("hub", listen=f"127.0.0.1:{house.hub.port}", propagation={"host": {}})
    assert status(house.hub)["host"]["hash"] == house.node
    assert house.stored() == 1


def test_a_message_that_cannot_be_stored_is_not_proved(house: House) -> None:
    alice, bob = house.pair()
    store(alice, bob.identity, "fits")
    folder = next((house.directory / "hub" / "propagation").rglob("messagestore"))
    kept = folder.rename(folder.with_suffix(".away"))
    failed = post(alice, bob.identity, 9, content="lost?")
    assert failed["progress"] == "failed"
    kept.rename(folder)
    assert post(alice, bob.identity, 10, content="safe")["progress"] == "stored"
    assert house.stored() == 2


def test_a_node_that_was_switched_off_says_so(house: House) -> None:
    alice, bob = house.pair()
    store(alice, bob.identity, "on")
    house.hub.terminate()
    house.hub = house.start("hub", listen=f"127.0.0.1:{house.hub.port}")
    alice.wait("node", node="", reason="switched off", deadline=20.0)
    assert status(house.hub)["host"] is None
    assert post(alice, bob.identity, 9)["reason"] == "no propagation node known"


def test_mail_goes_on_to_peers_that_are_named(house: House) -> None:
    """Also to one that is not there when our node starts, which LXMF by itself would never reach."""
    plain = house.plain("plain", interval=FAST)
    host = {"host": {"peers": [plain.identity]}}
    carol = house.start("carol", plain, listen="127.0.0.1:0", interval=FAST, propagation=host)
    node = status(carol)["host"]["hash"]
    choice = {"propagation": {"nodes": [node], "auto": False}}
    alice, bob = house.pair(carol, **choice)
    bob.terminate()
    store(alice, bob.identity, "travels")
    (peer,) = status(carol)["host"]["peers"]
    assert (peer["hash"], peer["static"]) == (plain.identity, True)
    bob = house.start("bob", plain, propagation={"nodes": [plain.identity], "auto": False})
    plain.wait("stored", deadline=60.0)
    assert fetch(bob)["received"] == 1
    assert contents(bob, 1) == ["travels"]

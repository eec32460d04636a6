"""Texts that people write each other, by radio: at once, over a relay, and by a propagation node."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.nodes import until
from tests.radio.air import Air, RadioNode
from tests.radio.conftest import Start, announced
from tests.radio.cost import kind
from tests.radio.test_games import WITH_LOSSES

pytestmark = [pytest.mark.node, pytest.mark.slow]

SHORT = "Grüß dich! " + "x" * (287 - 13)
LONG = "".join(chr(0x21 + n % 90) for n in range(1024))
"""Of bytes that do not get smaller when they are packed."""


def write(writer: RadioNode, reader: RadioNode, text: str) -> None:
    writer.call("message.send", peer=reader.identity, text=text)
    event = reader.events.wait("message.received", deadline=WITH_LOSSES, text=text)
    assert event["peer"] == writer.identity
    until(lambda: set(states(writer, reader)) == {"delivered"}, "it is proved", WITH_LOSSES)


def states(writer: RadioNode, reader: RadioNode) -> list[str]:
    page = writer.call("message.list", peer=reader.identity)["messages"]
    return [one["state"] for one in page if one["own"]]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("relay", [False, True])
def test_texts_both_ways(start: Start, relay: bool) -> None:
    words = ("alice", "hill", "bob", "--line") if relay else ("alice", "bob")
    air, nodes = start(*words, transport=("hill",) if relay else ())
    alice, bob = nodes["alice"], nodes["bob"]
    # To an address: over the relay bob, who came later, has not heard of alice, and must ask.
    write(alice, bob, SHORT)
    write(bob, alice, "Hello.")
    # As moves are: one packet, and its proof.
    kinds = {kind(bytes.fromhex(row["host"])) for row in air.trace("frame")}
    assert kinds <= {"announce", "path request", "message", "proof"}
    write(alice, bob, LONG)
    write(bob, alice, LONG[::-1])
    if relay:
        assert all(set(row["to"]) == {"hill"} for row in air.trace("frame") if row["node"] != "hill")
    texts = [one["text"] for one in bob.call("message.list", peer=alice.identity)["messages"]]
    assert sorted(texts) == sorted([SHORT, "Hello.", LONG, LONG[::-1]])  # once each
    (radio,) = alice.call("radio.airtime")["radios"]
    purposes = {row["purpose"]: row["seconds"] for row in radio["purposes"]}
    assert purposes["texts"] > 1.0
    assert purposes["moves"] == 0.0


@pytest.mark.timeout(600)
def test_a_text_waits_with_the_relay_for_somebody_who_is_away(tmp_path: Path) -> None:
    """The hill is transport and propagation node in one; alice and bob do not hear each other."""
    with ExitStack() as stack:
        air = stack.enter_context(Air(tmp_path / "air", "alice", "hill", "bob", "--line", "--scale", "10"))
        nodes = {
            name: RadioNode(tmp_path / name, port, transport=name == "hill", announce_cap=100)
            for name, port in air.ports.items()
        }
        for node in nodes.values():
            stack.callback(lambda node=node: print(f"--- {node.name}\n{node.log}"))
            stack.callback(node.kill)
            with (node.data / "lrgpnode.toml").open("a") as settings:
                settings.write("[propagation]\nsync_minutes = 0\n")
                if node.name == "hill":
                    settings.write("host = true\nhost_stamp_cost = 13\n")
        alice, hill, bob = nodes.values()
        for node in (hill, alice, bob):
            node.start()
            until(lambda node=node: announced(air, node.name), f"{node.name} is announced")
        office = hill.call("propagation.status")["host"]["hash"]
        for node in (alice, bob):
            node.call("propagation.add", node=office)
            until(
                lambda node=node: node.call("propagation.status")["current"] == office,
                f"{node.name} uses the hill",
                WITH_LOSSES,
            )
        until(
            lambda: alice.call("peer.list", search=bob.identity)["peers"], "alice has heard bob", WITH_LOSSES
        )
        bob.kill()
        alice.call("message.send", peer=bob.identity, text=SHORT)
        until(lambda: states(alice, bob) == ["stored"], "the hill keeps it", WITH_LOSSES)
        bob.start()

        def come() -> bool:
            """Whether it is there after one more try to fetch it."""
            if bob.events.of("message.received", text=SHORT):
                return True
            tries = len(bob.events.of("propagation.sync", last=True))
            bob.call("propagation.sync")
            until(lambda: len(bob.events.of("propagation.sync", last=True)) > tries, "it ends", WITH_LOSSES)
            return False

        until(come, "bob has fetched it", WITH_LOSSES)
        event = bob.events.wait("message.received", deadline=WITH_LOSSES, text=SHORT)
        assert event["peer"] == alice.identity

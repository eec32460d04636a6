"""Real nodes, one of which is away for a day of the test clock, or away for good."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrgpnode.control.client import CallFailed
from tests.e2e.nodes import NodeProcess, free_port, until
from tests.e2e.replay import check_same
from tests.e2e.table import Table

pytestmark = pytest.mark.node

DAY = 86_400.0
ABSENT = "0123456789abcdef" * 2


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[tuple[NodeProcess, NodeProcess]]:
    endpoint = f"127.0.0.1:{free_port()}"
    a = NodeProcess(tmp_path / "a", "--listen", endpoint)
    b = NodeProcess(tmp_path / "b", "--connect", endpoint)
    for node in (a, b):
        with (node.data / "lrgpnode.toml").open("a") as settings:
            settings.write("[test]\nclock = true\n")
    with a, b:
        a.hears(b)
        b.hears(a)
        yield a, b


def state(node: NodeProcess, id: str) -> str:
    found: str = node.call("game.show", id=id)["last_own"]["state"]
    return found


def test_a_move_to_a_peer_that_is_away_for_a_day(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    a, b = nodes
    table = Table(a, b, "four_in_a_row")
    table.accept()
    assert b.stop() == 0
    a.call("game.move", id=table.id, move="4")
    # A day in which the peer does not answer, for the transport as well.
    for _ in range(12):
        clock = a.call("test.clock", advance=DAY / 12, synchronised=True)
    assert clock["trusted"]
    assert abs(clock["now"] - time.time() - DAY) < 60
    listed = a.call("outbox.list")["messages"]
    assert [(m["id"], m["command"]) for m in listed] == [(table.id, "move")]
    assert listed[0]["attempts"] <= 12
    until(lambda: a.call("outbox.list")["messages"][0]["waits_for"] == "peer", "it waits for the peer")
    a.restart()
    b.start()
    until(lambda: (b.game(table.id) or {}).get("view", {}).get("ply") == 1, "b has the move")
    b.call("game.move", id=table.id, move="4")
    until(lambda: state(a, table.id) == "confirmed", "the move is confirmed")
    check_same(a, b, table.id)
    assert a.call("outbox.list")["messages"] == []


def test_what_is_not_there_does_not_hold_up_what_is(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    a, b = nodes
    lost = [a.call("game.challenge", peer=ABSENT, app="ttt")["outbox_id"] for _ in range(10)]
    began = time.monotonic()
    id = a.call("game.challenge", peer=b.identity, app="ttt")["id"]
    b.events.wait("game.challenged", id=id)
    assert time.monotonic() - began < 10.0
    # The person can see and stop what goes nowhere.
    assert [m["outbox_id"] for m in a.call("outbox.list", limit=4)["messages"]] == lost[:4]
    cancelled = a.call("outbox.cancel", outbox_id=lost[0])
    assert cancelled["state"] == "dropped"
    assert a.call("game.show", id=cancelled["id"])["flags"].keys() == {"out_of_sync"}
    a.events.wait("game.out_of_sync", id=cancelled["id"])
    assert a.call("game.abandon", id=cancelled["id"])["status"] == "expired"
    a.call("game.delete", id=cancelled["id"])
    assert a.game(cancelled["id"]) is None
    # Cancelled for one, an error for the other.
    with pytest.raises(CallFailed, match="no message"):
        a.call("outbox.resend", outbox_id=lost[0])


def test_time_that_nobody_vouches_for_ends_no_game(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    a, b = nodes
    table = Table(a, b, "ttt")
    table.accept()
    clock = a.call("test.clock", jump=30 * DAY, synchronised=False)
    assert not clock["trusted"]
    assert not a.call("node.status")["clock_trusted"]
    a.events.wait("node.clock", trusted=False)
    assert a.call("game.show", id=table.id)["status"] == "active"
    assert a.call("test.clock", jump=-30 * DAY, synchronised=True)["trusted"]
    a.call("test.clock", advance=2 * DAY)
    a.events.wait("game.expired", id=table.id)

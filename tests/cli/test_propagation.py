"""``lrgpnode propagation``: nodes, fetching mail, and what the own node has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from tests.cli.conftest import Run
from tests.cli.fakes import ME, PEER, FakeNode

HILL, OLD = "c" * 32, "d" * 32
NODES = (
    models.PropagationNode(
        hash=HILL,
        name="Hi\x07ll",
        source="heard",
        current=True,
        enabled=True,
        hops=2,
        stamp_cost=16,
        message_kb=256,
        heard_at=60.0,
    ),
    models.PropagationNode(
        hash=OLD, name="", source="settings", current=False, failures=2, reason="no path to the node"
    ),
)
LISTED = models.NodeList(current=HILL, nodes=NODES)
STATUS = models.PropagationStatus(
    current=HILL,
    auto=True,
    nodes=NODES,
    identities=(
        models.MailOfIdentity(identity=ME, fetched_at=60.0, node=HILL, received=3, state="done"),
        models.MailOfIdentity(identity=PEER, state="connecting", reason="no path to the node"),
    ),
    uploads=2,
    next_sync=120.0,
    host=models.HostInfo(
        hash="e" * 32,
        messages=4,
        bytes=1_500_000,
        limit=20_000_000,
        stamp_cost=16,
        taken=9,
        given=5,
        peers=(models.HostPeer(hash=OLD, name="", static=True, alive=False, waiting=1, sent=0, received=0),),
    ),
)


def news(identity: str, state: str, **more: Any) -> dict[str, Any]:
    fields = {"identity": identity, "node": HILL, "state": state, "progress": 0.0, "received": 0, "left": 0}
    return {**fields, "reason": "", "last": state in ("done", "failed"), **more}


def test_status(node: FakeNode, run: Run) -> None:
    node.results["propagation.status"] = STATUS
    ran = run("propagation", "status")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[:3] == [
        f"node in use   {HILL}  Hill",
        "next fetch    1970-01-01 00:02",
        "on their way  2 messages",
    ]
    assert lines[3].startswith(f"mail of       {ME}: fetched ")
    assert lines[3].endswith(" ago, 3 messages")
    assert lines[4] == (
        f"mail of       {PEER}: never fetched; connecting now; last problem: no path to the node"
    )
    assert lines[5:] == [
        f"our own node  {'e' * 32}",
        "  keeps       4 messages, 1.5 MB of 20.0 MB",
        "  has taken   9 messages, and given 5",
        "  asks for    stamps of cost 16",
        f"  peer        {OLD}  never heard, 0 sent, 0 received, 1 waiting",
    ]
    assert run("propagation", "status", "--json").json["host"]["taken"] == 9


def test_list(node: FakeNode, run: Run) -> None:
    node.results["propagation.status"] = STATUS
    ran = run("propagation", "list")
    assert ran.out.splitlines() == [
        f"* {HILL}  heard     2 hops   stamp 16  1970-01-01 00:01  Hill",
        f"  {OLD}  settings                     never heard       (failed 2x: no path to the node)",
    ]
    listed = run("propagation", "list", "--json").json
    assert (listed["current"], len(listed["nodes"])) == (HILL, 2)


def test_without_nodes_it_says_what_to_do(node: FakeNode, run: Run, program: str) -> None:
    node.results["propagation.status"] = models.PropagationStatus(
        current="", auto=True, nodes=(), identities=(), uploads=0
    )
    assert f"`{program} propagation add ADDRESS`" in run("propagation", "list").out
    assert run("propagation", "status").out == "node in use   none\n"


@pytest.mark.parametrize(
    ("words", "method", "params"),
    [
        (("add", OLD.upper()), "propagation.add", {"node": OLD}),
        (("remove", "Hill"), "propagation.remove", {"node": "Hill"}),
        (("use", "dd"), "propagation.use", {"node": "dd"}),
        (("use",), "propagation.use", {}),
    ],
)
def test_changes_print_the_list(
    node: FakeNode, run: Run, words: tuple[str, ...], method: str, params: dict[str, Any]
) -> None:
    node.results[method] = LISTED
    ran = run("propagation", *words)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"* {HILL}")
    assert node.calls == [(method, params)]
    assert run("propagation", *words, "--json").json["current"] == HILL


def test_what_cannot_be_done_says_why(node: FakeNode, run: Run) -> None:
    node.results["propagation.add"] = ControlError("not_listed", "it is in the list already")
    ran = run("propagation", "add", OLD)
    assert ran.code == 1
    assert "It is in the list already." in ran.err
    assert run("propagation", "add", "Hill").code == 2


def syncing(node: FakeNode, *told: dict[str, Any]) -> None:
    def answer(_: Any) -> models.SyncStarted:
        for fields in told:
            node.events.publish("propagation.sync", models.MailSync(**fields))
        return models.SyncStarted(identities=(ME, PEER))

    node.answers["propagation.sync"] = answer


def test_sync_waits_for_all_identities_and_shows_how_it_goes(node: FakeNode, run: Run) -> None:
    syncing(
        node,
        news("f" * 32, "done"),
        news(ME, "waiting"),
        news(ME, "connecting"),
        news(ME, "asking"),
        news(ME, "receiving", progress=0.25, received=1),
        news(ME, "done", received=4),
        news(PEER, "done"),
    )
    ran = run("propagation", "sync")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "mail of a1a1a1a1: waits for its turn",
        "mail of a1a1a1a1: calls node cccccccc",
        "mail of a1a1a1a1: asks node cccccccc",
        "mail of a1a1a1a1: 25%, 1 received",
        "mail of a1a1a1a1: done, 4 received from node cccccccc",
        "mail of b2b2b2b2: done, 0 received from node cccccccc",
    ]


def test_sync_that_fails_ends_with_one(node: FakeNode, run: Run) -> None:
    syncing(node, news(ME, "done"), news(PEER, "failed", reason="no path to the propagation node"))
    ran = run("propagation", "sync")
    assert ran.code == 1
    assert "mail of b2b2b2b2: No path to the propagation node.\n" in ran.out
    assert "Not all mail could be fetched." in ran.err
    ran = run("propagation", "sync", "--json")
    assert (ran.code, ran.err) == (1, "")
    states = {one["identity"]: one["state"] for one in json.loads(ran.out)["identities"]}
    assert states == {ME: "done", PEER: "failed"}


def test_sync_of_one_identity_without_waiting(node: FakeNode, run: Run) -> None:
    node.results["propagation.sync"] = models.SyncStarted(identities=(ME,))
    ran = run("--as", "alice", "propagation", "sync", "--no-wait", "--json")
    assert ran.json == {"identities": [ME]}
    assert node.calls == [("propagation.sync", {"identity": "alice"})]
    assert run("propagation", "sync", "--no-wait").out == ""


def test_a_node_that_stops_while_it_fetches(node: FakeNode, run: Run) -> None:
    def answer(_: Any) -> models.SyncStarted:
        node.leave()
        return models.SyncStarted(identities=(ME,))

    node.answers["propagation.sync"] = answer
    ran = run("propagation", "sync")
    assert ran.code == 3
    assert "The node ended the connection." in ran.err

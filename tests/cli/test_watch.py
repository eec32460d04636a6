"""``lrgpnode watch``: in this process where the stream ends by itself, else as one of its own."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from lrgpnode.cli.watch import line
from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.control.models import EVENTS
from lrgpnode.protocol.session import Status
from tests.cli.conftest import Run, Start
from tests.cli.fakes import ID, ME, PEER, FakeNode

GAME = {"id": ID, "identity": ME}
BY_PEER = {**GAME, "peer": PEER}

SYNC = {"identity": PEER, "node": "c" * 32, "progress": 1.0, "received": 2, "left": 0, "reason": ""}
TEXT = {"id": 4, "identity": ME, "peer": PEER, "text": "Hi\x1b[2J\nthere", "at": 1.0}
OWN_TEXT = {"identity": ME, "peer": PEER, "outbox_id": 9}

SHOWN: list[tuple[str, dict[str, Any], str]] = [
    ("message.received", {**TEXT, "cut": False}, "b2b2b2b2 writes: Hi[2J there"),
    ("message.sent", {**TEXT, "outbox_id": 9}, "to b2b2b2b2: Hi[2J there"),
    ("message.delivery", {**OWN_TEXT, "state": "delivered", "reason": ""}, "text to b2b2b2b2: delivered"),
    (
        "message.delivery",
        {**OWN_TEXT, "state": "failed", "reason": "no path"},
        "text to b2b2b2b2: failed: no path",
    ),
    ("message.read", {"identity": ME, "peer": PEER}, "the texts of b2b2b2b2 were read"),
    (
        "game.challenged",
        {**BY_PEER, "app": "chess", "peer_name": "Bob"},
        f"Bob (b2b2b2b2) challenges you to chess: game {ID}",
    ),
    (
        "game.applied",
        {
            **BY_PEER,
            "app": "ttt",
            "command": "move",
            "actor": PEER,
            "own": False,
            "action_num": 3,
            "status": "active",
            "ply": 1,
        },
        f"game {ID}: move by b2b2b2b2; now active, move 1",
    ),
    (
        "game.applied",
        {
            **BY_PEER,
            "app": "ttt",
            "command": "resign",
            "actor": ME,
            "own": True,
            "action_num": 3,
            "status": "completed",
            "ply": 1,
        },
        f"game {ID}: resign by you; now completed, move 1",
    ),
    (
        "game.applied",
        {
            **BY_PEER,
            "app": "chess",
            "command": "draw_decline",
            "actor": PEER,
            "own": False,
            "action_num": 3,
            "status": "active",
            "ply": 7,
        },
        f"game {ID}: the draw declined by b2b2b2b2; now active, move 7",
    ),
    (
        "game.delivery",
        {**GAME, "outbox_id": 1, "command": "move", "state": "failed", "reason": "no path"},
        f"game {ID}: your move, not delivered: no path.",
    ),
    (
        "game.error",
        {**GAME, "code": "invalid_move", "msg": "\x1b[1mno", "ref": "move"},
        f"game {ID}: error of the peer of your move: invalid_move: [1mno",
    ),
    ("game.error", {**GAME, "code": "x", "msg": ""}, f"game {ID}: error of the peer: x"),
    (
        "game.rejected",
        {**BY_PEER, "code": "not_your_turn", "msg": "wait"},
        f"game {ID}: refused the peer's action: not_your_turn: wait",
    ),
    ("game.expired", {**BY_PEER, "app": "ttt"}, f"game {ID}: ended by its time limit"),
    (
        "game.out_of_sync",
        {**BY_PEER, "app": "ttt", "reason": "it refused a move"},
        f"game {ID}: the peer may see another game: it refused a move; "
        f"`lrgpnode resend {ID}` or `lrgpnode abandon {ID}`",
    ),
    ("game.in_sync", {**BY_PEER, "app": "ttt"}, f"game {ID}: both sides agree again"),
    (
        "game.unknown",
        {**BY_PEER, "app": "go", "app_version": 2, "command": "challenge", "text": "[LRGP Go] Play?"},
        f"{PEER[:8]} plays go.2, which is not installed here: [LRGP Go] Play?",
    ),
    ("game.deleted", {**BY_PEER, "app": "ttt"}, f"game {ID}: deleted"),
    ("node.clock", {"trusted": True}, "the clock is right"),
    (
        "node.clock",
        {"trusted": False, "reason": "it jumped"},
        "the clock is not trusted, nothing expires: it jumped",
    ),
    (
        "peer.heard",
        {"peer": PEER, "name": "B\u202eob", "hops": 2, "interface": "x"},
        "heard Bob (b2b2b2b2), 2 hops",
    ),
    (
        "game.request",
        {**BY_PEER, "app": "ttt", "withdrawn": False},
        f"the stranger b2b2b2b2 would like to play ttt: game {ID}",
    ),
    (
        "game.request",
        {**BY_PEER, "app": "ttt", "withdrawn": True},
        f"the stranger b2b2b2b2 takes back its challenge: game {ID}",
    ),
    (
        "identity.changed",
        {"hash": PEER, "name": "Ann\x07", "enabled": False, "role": "person"},
        "identity Ann (b2b2b2b2), which is off the mesh",
    ),
    ("identity.deleted", {"hash": PEER, "name": "Ann"}, "identity Ann (b2b2b2b2) is deleted"),
    (
        "propagation.sync",
        {**SYNC, "state": "receiving", "progress": 0.5},
        "mail of b2b2b2b2: 50%, 2 received",
    ),
    (
        "propagation.sync",
        {**SYNC, "state": "done", "left": 1, "reason": "no\x07 path"},
        "mail of b2b2b2b2: done, 2 received from node cccccccc; 1 too large, left there; but: no path",
    ),
    (
        "propagation.stamp",
        {"peer": PEER, "cost": 20, "seconds": 3.2, "expected": 41.0, "finished": False},
        "the proof of work for the message to b2b2b2b2 may take 41 s",
    ),
    (
        "propagation.stamp",
        {"peer": PEER, "cost": 20, "seconds": 33.2, "expected": 41.0, "finished": True},
        "the proof of work for the message to b2b2b2b2 is made, in 33 s",
    ),
    (
        "propagation.node",
        {"node": "c" * 32, "name": "Hill", "reason": "heard"},
        "propagation node in use: Hill (cccccccc): heard",
    ),
    ("propagation.node", {"node": "", "name": "", "reason": "off"}, "propagation node in use: none: off"),
    ("radio.changed", {"name": "LoRa", "up": True}, "the radio of LoRa is up"),
    (
        "radio.changed",
        {"name": "LoRa", "up": False, "trouble": {"id": "radio-lost", "cause": "It is gone.", "fix": "-"}},
        "the radio of LoRa is down: It is gone.",
    ),
    ("radio.checked", {"check": 1, "seconds": 60.0, "radios": []}, "listened with the radio for 60 s"),
    (
        "gateway.seat",
        {"id": 3, "peer": PEER, "app": "chess", "platform": "rcadia", "stage": "playing"},
        "seat 3 at rcadia: playing",
    ),
    (
        "gateway.seat",
        {"id": 3, "platform": "rcadia", "stage": "over", "result": "won", "reason": "won (timeout)"},
        "seat 3 at rcadia: over, won: won (timeout)",
    ),
    (
        "gateway.turn",
        {"id": 3, "platform": "agentgames", "deadline": 3675.0},
        "seat 3 at agentgames: a move is due by 01:01:15",
    ),
    ("gateway.platform", {"name": "rcadia", "trouble": ""}, "the platform rcadia can be used again"),
    (
        "gateway.platform",
        {"name": "rcadia", "trouble": "no answer"},
        "the platform rcadia cannot be used: no answer",
    ),
    ("node.started", {"name": "pi", "version": "1"}, "the node pi is up"),
    ("node.stopping", {"reason": "SIGTERM"}, "the node stops: SIGTERM"),
    ("node.stopping", {}, "the node stops"),
    ("of.a.newer.node", {"what": "\x07"}, "of.a.newer.node {'what': '\\x07'}"),
    ("peer.heard", {}, "peer.heard {}"),
]


@pytest.mark.parametrize(("type", "data", "words"), SHOWN)
def test_events_in_words(type: str, data: dict[str, Any], words: str) -> None:
    assert line({"seq": 7, "at": 3661.0, "type": type, "data": data}) == f"01:01:01 #7 {words}"


def test_every_event_has_words() -> None:
    assert set(EVENTS) <= {type for type, _, _ in SHOWN}


def heard(node: FakeNode, hops: int) -> None:
    node.publish("peer.heard", peer=PEER, name="Bob", hops=hops, interface="x")


def expired(node: FakeNode, id: str) -> None:
    node.publish("game.expired", id=id, identity=ME, peer=PEER, app="ttt")


def test_after_and_count(node: FakeNode, run: Run) -> None:
    for hops in range(1, 5):
        heard(node, hops)
    ran = run("watch", "--json", "--after", "1", "--count", "2")
    assert (ran.code, ran.err) == (0, "")
    events = [json.loads(one) for one in ran.out.splitlines()]
    assert [event["seq"] for event in events] == [2, 3]
    assert set(events[0]) == {"seq", "at", "type", "data"}
    ran = run("watch", "--after", "1", "--count", "1")
    assert ran.out.endswith(" #2 heard Bob (b2b2b2b2), 2 hops\n")
    assert ran.err == "Watching from event 1 on; Ctrl-C ends.\n"


def test_a_challenge_is_told_once(node: FakeNode, run: Run) -> None:
    who = {"id": ID, "identity": ME, "peer": PEER, "app": "ttt"}
    for own in (False, True):
        rest = {"command": "challenge", "actor": ME if own else PEER, "own": own, "status": "pending"}
        node.publish("game.applied", **who, **rest, action_num=1, ply=0)
    expired(node, ID)
    shown = run("watch", "--after", "0", "--count", "2").out.splitlines()
    assert ["by you" in shown[0], "time limit" in shown[1]] == [True, True]
    assert len(run("watch", "--json", "--after", "0", "--count", "3").out.splitlines()) == 3


def test_only_one_game(node: FakeNode, run: Run) -> None:
    heard(node, 1)
    expired(node, "0" * 16)
    expired(node, ID)
    ran = run("watch", "--json", "--after", "0", "--count", "1", "--game", ID[:4].upper())
    assert json.loads(ran.out)["data"]["id"] == ID


def test_lost_events_are_told(node: FakeNode, run: Run) -> None:
    heard(node, 1)
    ran = run("watch", "--json", "--after", "99", "--count", "1")
    assert json.loads(ran.out.splitlines()[0]) == {"missed": True, "seq": 1}
    assert "lost" in run("watch", "--after", "99", "--count", "1").err


@pytest.mark.parametrize("as_json", [False, True])
def test_the_end_of_the_node(node: FakeNode, start: Start, as_json: bool) -> None:
    heard(node, 1)
    process = start("watch", "--after", "0", *(["--json"] if as_json else []))
    assert process.stdout is not None
    assert "Bob" in process.stdout.readline()
    node.stop()
    out, err = process.communicate(timeout=10)
    assert process.returncode == 3
    said = json.loads(out)["error"] if as_json else {"message": err, "hint": err}
    assert "The node ended the connection." in said["message"]
    assert "watch --after 1`" in said["hint"]


def test_events_arrive_as_they_happen(node: FakeNode, start: Start) -> None:
    process = start("watch")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stderr.readline() == "Watching from event 0 on; Ctrl-C ends.\n"
    for hops in (1, 2):
        heard(node, hops)
        assert process.stdout.readline().endswith(f"{hops} hops\n")
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0


def test_a_reader_that_goes_away(node: FakeNode, start: Start) -> None:
    process = start("watch", "--json", "--after", "0")
    assert process.stdout is not None
    assert process.stderr is not None
    heard(node, 1)
    assert json.loads(process.stdout.readline())["seq"] == 1
    process.stdout.close()
    heard(node, 2)
    assert process.wait(10) == 0
    assert process.stderr.read() == ""


def test_who_moved_and_what(node: FakeNode, run: Run) -> None:
    """Where the node can say: the game may be deleted by then."""
    known = models.GameDetail(
        id=ID,
        identity=ME,
        app="chess",
        app_version=1,
        peer=PEER,
        initiator=PEER,
        status=Status.ACTIVE,
        unread=0,
        created_at=1.0,
        updated_at=1.0,
        last_action_at=1.0,
        view={"history": ["e4", "e5", "N\x07f3"]},
        peer_name="Bob",
    )
    node.results["game.show"] = known
    who = {"id": ID, "identity": ME, "peer": PEER, "app": "chess", "status": "active"}
    for ply, own in ((2, True), (3, False), (4, True)):
        actor = ME if own else PEER
        node.publish("game.applied", **who, command="move", actor=actor, own=own, action_num=ply, ply=ply)
    lines = run("watch", "--after", "0", "--count", "3").out.splitlines()
    assert [one.split(": ", 1)[1] for one in lines] == [
        "move e5 by you against Bob (b2b2b2b2); now active, move 2",
        "move Nf3 by Bob (b2b2b2b2); now active, move 3",
        "move by you against Bob (b2b2b2b2); now active, move 4",
    ]
    node.results["game.show"] = ControlError("session_not_found", "There is no such session.")
    assert run("watch", "--after", "0", "--count", "1").out.endswith("move by you; now active, move 2\n")
    assert "move e5" not in run("watch", "--json", "--after", "0", "--count", "1").out

"""The bridge API over HTTP (§3), version 1 included."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.gateway.arcade.conftest import Table
from tests.gateway.arcade.served import AGENT, BRIDGE, CONFIG, Client, Later

MakeTable = Callable[..., Table]


def test_a_whole_series(table: MakeTable) -> None:
    made = table(autoRematch=True, turnTimeout=60)
    start = made.entries(0)
    assert start == [{"seq": 1, "type": "system", "event": "game_start", "players": made.ids, "round": 1}]
    for move in range(6):
        mover = (made.ann, made.ben)[move % 2]
        made.ops(
            {"op": "state", "state": {"move": move}},
            {"op": "legal_actions", "playerId": made.ids[move % 2], "actions": [move]},
        )
        state = mover.ok("GET", f"{made.path}/state?wait=25")
        assert (state["yourTurn"], state["turn"], state["legalActions"]) == (True, move + 1, [move])
        taken = mover.ok("POST", f"{made.path}/action", {"action": move, "turn": state["turn"]})
        poll = made.host.ok("GET", f"{made.hosted}/pending-actions?after={move + 1}&wait=25")
        assert [one["actionId"] for one in poll["actions"]] == [taken["actionId"]]
        assert [one["seq"] for one in poll["actions"]] == [move + 2]
    waiting = Later(made.ann, "GET", f"{made.path}/state?wait=25")
    ended = made.ops({"op": "end", "result": {"winner": made.ids[1], "how": "mate"}})
    following = ended["nextSessionId"]
    assert following
    # A long-poll wakes up holding the next session.
    assert waiting.answer().body["nextSessionId"] == following
    for player in (made.ann, made.ben):
        state = player.ok("GET", f"{AGENT}/{following}/state")
        assert (state["round"], state["previousSessionId"], state["seriesId"]) == (2, made.id, made.id)
    began = time.monotonic()
    poll = made.host.ok("GET", f"{BRIDGE}/{following}/pending-actions?after=0&wait=25")
    assert poll["actions"][0]["event"] == "game_start"
    assert poll["actions"][0]["round"] == 2
    assert time.monotonic() - began < 15  # three seconds after the end
    assert made.host.ok("POST", f"{made.hosted}/rematch")["sessionId"] == following


def test_version_1_endpoints(clients: dict[str, Client]) -> None:
    host, ann, ben = clients["host"], clients["ann"], clients["ben"]
    id = host.ok("POST", BRIDGE, {"config": {"gameType": "old"}}, 201)["sessionId"]
    hosted, path = f"{BRIDGE}/{id}", f"{AGENT}/{id}"
    ids = [one.ok("POST", f"{path}/join")["playerId"] for one in (ann, ben)]
    start = host.ok("GET", f"{hosted}/pending-actions")["actions"]
    assert start[0]["playerId"] == "__system__"
    assert start[0]["action"] == {"type": "__game_start__", "players": ids}
    assert host.ok("PATCH", f"{hosted}/state", {"state": {"board": 1}}) == {"ok": True}
    observation = {"playerId": ids[0], "observation": {"mine": 1}}
    assert host.ok("PATCH", f"{hosted}/observation", observation) == {"ok": True}
    legal = {"playerId": ids[0], "actions": ["a", "b"]}
    assert host.ok("PATCH", f"{hosted}/legal-actions", legal) == {"ok": True}
    state = ann.ok("GET", f"{path}/state")
    assert (state["state"], state["legalActions"]) == ({"mine": 1}, ["a", "b"])
    taken = ann.ok("POST", f"{path}/action", {"action": "c"})
    host.ok("GET", f"{hosted}/pending-actions")
    rejection = {"playerId": ids[0], "reason": "no such move"}
    assert host.ok("POST", f"{hosted}/reject-action", rejection) == {"ok": True}
    rejections = ann.ok("GET", f"{path}/state")["rejections"]
    assert [(one["actionId"], one["reason"]) for one in rejections] == [(taken["actionId"], "no such move")]
    assert host.ok("POST", f"{hosted}/end", {"result": {"winner": ids[0]}}) == {
        "ok": True,
        "nextSessionId": None,
    }
    assert host.call("POST", f"{hosted}/rematch").status == 409
    for method, end in (
        ("PATCH", "state"),
        ("PATCH", "legal-actions"),
        ("POST", "reject-action"),
        ("POST", "end"),
    ):
        assert host.call(method, f"{hosted}/{end}", {"wrong": 1}).status == 400


def test_ops_that_cannot_be_read(table: MakeTable) -> None:
    made = table()
    before = made.version()
    for body in ({}, {"ops": None}, {"ops": {}}, {"ops": [1]}, [], {"ops": [{"op": "state"}]}):
        assert made.host.call("POST", f"{made.hosted}/ops", body).status == 400
    many = {"ops": [{"op": "state", "state": 1}] * 101}
    assert made.host.call("POST", f"{made.hosted}/ops", many).status == 400
    large = {"ops": [{"op": "state", "state": "x" * 600_000}]}
    assert made.host.call("POST", f"{made.hosted}/ops", large).status == 413
    assert made.version() == before
    assert made.host.call("POST", f"{made.hosted}/ops", {"ops": []}).status == 200


def test_others_are_not_the_host(table: MakeTable) -> None:
    made = table()
    for method, end in (
        ("POST", "ops"),
        ("GET", "pending-actions"),
        ("POST", "rematch"),
        ("PATCH", "state"),
        ("POST", "end"),
    ):
        assert made.stranger.call(method, f"{made.hosted}/{end}", {}).status == 403


@pytest.mark.parametrize("after", ["x", "1.5", ""])
def test_after_must_be_a_number(table: MakeTable, after: str) -> None:
    made = table()
    assert made.host.get(f"{made.hosted}/pending-actions?after={after}").status == 400
    assert made.host.get(f"{made.hosted}/pending-actions?after=-3").status == 200


def test_a_poll_wakes_when_something_happens(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    action = Later(made.host, "GET", f"{made.hosted}/pending-actions?after=1&wait=25")
    made.ann.ok("POST", f"{made.path}/action", {"action": "a"})
    assert action.answer().body["actions"][0]["action"] == "a"
    end = Later(made.host, "GET", f"{made.hosted}/pending-actions?after=2&wait=25")
    made.ben.ok("POST", f"{made.path}/leave")
    answer = end.answer().body
    assert answer["status"] == "finished"
    assert answer["actions"][0]["event"] == "session_end"
    # A finished session does not wait.
    assert made.host.get(f"{made.hosted}/pending-actions?after=3&wait=25").body["actions"] == []


def test_a_waiting_poll_of_a_game_that_ends_itself(table: MakeTable) -> None:
    made = table()
    made.entries(0)
    poll = Later(made.host, "GET", f"{made.hosted}/pending-actions?after=1&wait=25")
    made.ops({"op": "end", "result": {"winner": None}})
    assert poll.answer().body["status"] == "finished"


def test_a_short_clock_strikes_by_itself(table: MakeTable) -> None:
    made = table(turnTimeout=0.3, maxTurnTimeouts=2)
    made.turn(0)
    waiting = Later(made.ben, "GET", f"{made.path}/state?wait=25")
    result = waiting.answer().body["result"]
    assert result == {
        "winner": made.ids[1],
        "reason": "timeout",
        "forfeitedBy": made.ids[0],
        "strikes": 2,
    }
    assert [one["type"] for one in made.entries(1)] == ["timeout", "timeout", "system"]


def test_a_new_session_answers_everything(clients: dict[str, Client]) -> None:
    answer = clients["host"].call("POST", BRIDGE, {"config": {**CONFIG, "extra": [1]}, "gameTitle": "T"})
    assert answer.status == 201
    assert set(answer.body) == {"sessionId", "config", "skillUrl", "round", "seriesId", "players"}
    assert answer.body["config"]["extra"] == [1]
    for bad in (
        {},
        {"config": 1},
        {"config": {**CONFIG, "maxTurnTimeouts": 0}},
        {"config": CONFIG, "gameId": 1},
    ):
        assert clients["host"].call("POST", BRIDGE, bad).status == 400

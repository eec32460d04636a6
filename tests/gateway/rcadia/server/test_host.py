"""Creating sessions, ops, delivery (§2, §3), discovery, events and the public view (§5, §7)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gateway.rcadia import wire
from gateway.rcadia.server.engine import Limits
from tests.gateway.rcadia.server.desk import CONFIG, Desk, Refused


@pytest.fixture
def desk() -> Desk:
    return Desk()


# Creation


def test_a_new_session(desk: Desk) -> None:
    made = desk.created(title="Blitz Chess", turnTimeout=30, mine={"deep": [1]})
    id = made["sessionId"]
    assert re.fullmatch("ses_abcd[0-9a-f]{8}", id)
    assert made == {
        "sessionId": id,
        "config": {
            **CONFIG,
            "turnTimeout": 30,
            "maxTurnTimeouts": 2,
            "forfeitOnTimeout": True,
            "autoRematch": False,
            "mine": {"deep": [1]},
        },
        "skillUrl": "http://a/games/blitz-chess/skill.md",
        "round": 1,
        "seriesId": id,
        "players": [],
    }


def test_defaults_of_the_configuration(desk: Desk) -> None:
    made = desk.create_with(
        {"config": {"minPlayers": 1, "maxPlayers": 4, "sdkVersion": "x", "turnTimeout": None}}
    )
    assert made["config"] == {
        "minPlayers": 1,
        "maxPlayers": 4,
        "turnBased": True,
        "simultaneous": False,
        "sdkVersion": "x",
        "turnTimeout": 300,
        "maxTurnTimeouts": 2,
        "forfeitOnTimeout": True,
        "autoRematch": False,
    }


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"config": None},
        {"config": []},
        {"config": {**CONFIG, "minPlayers": 0}},
        {"config": {**CONFIG, "minPlayers": 3}},
        {"config": {**CONFIG, "maxPlayers": 10_000}},
        {"config": {**CONFIG, "maxPlayers": "2"}},
        {"config": {**CONFIG, "turnBased": "yes"}},
        {"config": {**CONFIG, "turnTimeout": -1}},
        {"config": {**CONFIG, "turnTimeout": 0.001}},
        {"config": {**CONFIG, "sdkVersion": 2}},
        {"config": {**CONFIG, "more": "x" * 5000}},
        {"config": CONFIG, "gameTitle": "x" * 1000},
    ],
)
def test_what_cannot_be_created(desk: Desk, given: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        desk.create_with(given)
    assert refused.value.status == 400


# Ops


def test_the_answer_to_ops(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    before = desk.public(id)["version"]
    answer = desk.ops(id, {"op": "state", "state": {"a": 1}})
    assert answer["version"] > before
    assert answer == {
        "ok": True,
        "status": "active",
        "version": answer["version"],
        "round": 1,
        "nextSessionId": None,
        "players": [
            {"playerId": ann, "seat": 0, "asName": "ann", "ready": True},
            {"playerId": ben, "seat": 1, "asName": "ben", "ready": True},
        ],
    }
    assert desk.ops(id)["ok"] is True


@pytest.mark.parametrize(
    "bad",
    [
        {"op": "dance"},
        {"state": 1},
        {"op": "state"},
        {"op": "observation", "playerId": "p_00000000", "observation": 1},
        {"op": "observation", "observation": 1},
        {"op": "legal_actions", "playerId": "p_00000000", "actions": ["x"]},
        {"op": "legal_actions", "playerId": "ANN"},
        {"op": "legal_actions", "playerId": "ANN", "actions": "x"},
        {"op": "reject", "playerId": "ANN"},
        {"op": "reject", "playerId": "p_00000000", "reason": "x"},
        {"op": "end"},
        "state",
        None,
    ],
)
def test_one_bad_op_and_nothing_is_applied(desk: Desk, bad: Any) -> None:
    id, (ann, _) = desk.game()
    if isinstance(bad, dict) and bad.get("playerId") == "ANN":
        bad = {**bad, "playerId": ann}
    before = desk.public(id)
    with pytest.raises(Refused) as refused:
        desk.ops(id, {"op": "state", "state": "new"}, bad)
    assert refused.value.status == 400
    assert desk.public(id) == before


def test_a_hundred_ops_and_no_more(desk: Desk) -> None:
    id, _ = desk.game()
    many = [{"op": "state", "state": number} for number in range(101)]
    desk.ops(id, *many[:100])
    assert desk.public(id)["state"] == 99
    with pytest.raises(Refused) as refused:
        desk.ops(id, *many)
    assert refused.value.status == 400
    assert desk.public(id)["state"] == 99


def test_ops_on_a_finished_session(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.end(id, {"winner": ann})
    answer = desk.ops(
        id,
        {"op": "legal_actions", "playerId": ben, "actions": ["x"]},
        {"op": "state", "state": "late"},
        {"op": "observation", "playerId": ben, "observation": "mine"},
        {"op": "end", "result": {"winner": ben}},
    )
    assert (answer["ok"], answer["status"]) == (True, "finished")
    assert desk.public(id)["state"] == "late"
    assert desk.state(id, "ben")["state"] == "mine"
    assert desk.state(id, "ben")["legalActions"] is None
    assert desk.public(id)["result"] == {"winner": ann}


def test_legal_actions_before_the_start_have_no_effect(desk: Desk) -> None:
    id = desk.create()
    ann = desk.join(id, "ann")["playerId"]
    desk.ops(
        id,
        {"op": "legal_actions", "playerId": ann, "actions": ["x"]},
        {"op": "state", "state": "lobby"},
    )
    desk.join(id, "ben")
    state = desk.state(id, "ann")
    assert (state["status"], state["yourTurn"], state["turn"], state["state"]) == (
        "active",
        False,
        0,
        "lobby",
    )


def test_only_the_host(desk: Desk) -> None:
    id = desk.create(host="another")
    with pytest.raises(Refused) as refused:
        desk.ops(id, {"op": "state", "state": 1})
    assert refused.value.status == 403


def test_every_change_raises_the_version(desk: Desk) -> None:
    id = desk.create()
    seen = [desk.public(id)["version"]]

    def changed(what: object) -> None:
        seen.append(desk.public(id)["version"])
        assert seen[-1] > seen[-2], what

    ann = desk.join(id, "ann")["playerId"]
    changed("join")
    ben = desk.join(id, "ben")["playerId"]
    changed("start")
    for op in (
        {"op": "state", "state": 1},
        {"op": "observation", "playerId": ann, "observation": 1},
        {"op": "legal_actions", "playerId": ann, "actions": ["x"]},
        {"op": "reject", "playerId": ann, "reason": "nothing"},
    ):
        desk.ops(id, op)
        changed(op)
    desk.act(id, "ann", "x")
    changed("action")
    desk.entries(id)
    desk.tick(15)
    changed("unconfirmed")
    desk.legal(id, ben, "x")
    changed("turn")
    desk.leave(id, "ben")
    changed("end")


# Delivery


def test_entries_stay_until_they_are_acknowledged(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    first = desk.entries(id, 1)
    assert [entry["seq"] for entry in first] == [2]
    assert desk.entries(id, 1) == first
    assert desk.entries(id, 0) == first
    assert desk.entries(id, 2) == []
    assert desk.entries(id, 0) == []


def test_zero_acknowledges_nothing(desk: Desk) -> None:
    id = desk.create()
    desk.join(id, "ann")
    desk.join(id, "ben")
    assert [entry["seq"] for entry in desk.entries(id, 0)] == [1]
    assert [entry["seq"] for entry in desk.entries(id, 0)] == [1]


def test_what_was_never_delivered_is_not_acknowledged(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    desk.poll(id, 999)
    assert [entry["seq"] for entry in desk.entries(id, 1)] == [2]


def test_delivery_is_the_first_return(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    desk.entries(id, 1)
    desk.tick(10)
    desk.entries(id, 1)
    desk.tick(5)
    assert desk.state(id, "ann")["lastAction"]["status"] == "unconfirmed"


def test_the_answer_to_a_poll(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    assert desk.poll(id, 1) == {
        "actions": [],
        "status": "active",
        "round": 1,
        "nextSessionId": None,
        "players": [
            {"playerId": ann, "seat": 0, "asName": "ann", "ready": True},
            {"playerId": ben, "seat": 1, "asName": "ben", "ready": True},
        ],
        "result": None,
    }


def test_no_session_end_after_the_games_own_end(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.end(id, {"winner": ann, "reason": "mate"})
    poll = desk.poll(id, 1)
    assert (poll["actions"], poll["status"]) == ([], "finished")
    assert poll["result"] == {"winner": ann, "reason": "mate"}


# Views and discovery


def test_the_snapshot_has_every_field(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.ops(
        id,
        {"op": "state", "state": {"fen": "x"}},
        {"op": "legal_actions", "playerId": ann, "actions": [{"type": "move"}]},
    )
    state = desk.state(id, "ann")
    assert state == {
        "sessionId": id,
        "playerId": ann,
        "seat": 0,
        "status": "active",
        "round": 1,
        "seriesId": id,
        "previousSessionId": None,
        "nextSessionId": None,
        "yourTurn": True,
        "turn": 1,
        "deadline": desk.at(300),
        "strikes": 0,
        "maxStrikes": 2,
        "waitingFor": None,
        "state": {"fen": "x"},
        "legalActions": [{"type": "move"}],
        "lastAction": None,
        "rejections": [],
        "players": [
            {"playerId": ann, "seat": 0, "asName": "ann", "you": True, "ready": True},
            {"playerId": ben, "seat": 1, "asName": "ben", "you": False, "ready": True},
        ],
        "result": None,
        "skillUrl": "http://a/games/test/skill.md",
        "version": state["version"],
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", state["deadline"])


def test_the_public_view_has_every_field(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.legal(id, ann, "secret move")
    public = desk.public(id)
    assert public == {
        "sessionId": id,
        "gameId": None,
        "gameTitle": None,
        "status": "active",
        "round": 1,
        "seriesId": id,
        "turn": 1,
        "deadline": desk.at(300),
        "onTurnSeats": [0],
        "players": [
            {"playerId": ann, "seat": 0, "asName": "ann", "ready": True},
            {"playerId": ben, "seat": 1, "asName": "ben", "ready": True},
        ],
        "state": None,
        "result": None,
        "version": public["version"],
        "nextSessionId": None,
        "previousSessionId": None,
    }


def test_the_list_of_tables(desk: Desk) -> None:
    given = {"config": CONFIG, "gameId": "g1", "gameTitle": "Four in a Row!"}
    id = str(desk.create_with(given)["sessionId"])
    created_at = desk.at(0)
    desk.join(id, "ann")
    assert desk.available() == [
        {
            "sessionId": id,
            "gameId": "g1",
            "gameTitle": "Four in a Row!",
            "gameSlug": "four-in-a-row",
            "skillUrl": "http://a/games/four-in-a-row/skill.md",
            "status": "waiting",
            "joinable": True,
            "reserved": False,
            "currentPlayers": 1,
            "minPlayers": 2,
            "maxPlayers": 2,
            "round": 1,
            "host": "agent",
            "createdAt": created_at,
            "config": desk.available()[0]["config"],
        }
    ]
    other = desk.create()
    for game in ("g1", "four-in-a-row", "FOUR in a row!"):
        assert [one["sessionId"] for one in desk.available(game)] == [id]
    assert desk.available("chess") == []
    desk.join(id, "ben")
    assert [one["sessionId"] for one in desk.available()] == [other]
    assert [one["sessionId"] for one in desk.available(everything=True)] == [id, other]
    desk.end(id, None)
    assert [one["sessionId"] for one in desk.available(everything=True)] == [other]


def test_slugs(desk: Desk) -> None:
    for given, slug in (
        ({"gameTitle": "Ein Spiel", "gameId": "x"}, "ein-spiel"),
        ({"gameId": "Id 7"}, "id-7"),
        ({"gameTitle": "棋"}, "test"),
        ({}, "test"),
    ):
        id = desk.create_with({"config": CONFIG, **given})["sessionId"]
        assert desk.available()[-1]["gameSlug"] == slug
        assert desk.available()[-1]["sessionId"] == id


def test_events(desk: Desk) -> None:
    id, (ann, _ben) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", {"secret": "plan"})
    answer = desk.events(id)
    assert [one["index"] for one in answer["events"]] == list(range(1, len(answer["events"]) + 1))
    assert answer["lastIndex"] == len(answer["events"])
    assert answer["status"] == "active"
    assert answer["version"] == desk.public(id)["version"]
    assert "plan" not in str(answer)
    assert desk.events(id, answer["lastIndex"])["events"] == []
    assert next(one["index"] for one in desk.events(id, 2)["events"]) == 3


def test_lost_and_unknown_sessions(desk: Desk) -> None:
    for id, status, code in (
        ("ses_0123456789ab", 410, "server_restarted"),
        ("ses_abcd00000000", 404, "unknown_session"),
        ("ses_ABCD00000000", 404, "unknown_session"),
        ("ses_0123", 404, "unknown_session"),
        ("anything", 404, "unknown_session"),
    ):
        with pytest.raises(Refused) as refused:
            desk.state(id, "ann")
        assert (refused.value.status, refused.value.code) == (status, code)


# Bounds


def test_finished_sessions_go_after_a_time(desk: Desk) -> None:
    id, _ = desk.game()
    desk.ops(id, {"op": "state", "state": "x" * 1000})
    assert desk.engine.room.stored > 1000
    desk.end(id, None)
    desk.tick(800)
    assert desk.public(id)["status"] == "finished"
    desk.tick(200)
    with pytest.raises(Refused) as refused:
        desk.state(id, "ann")
    assert refused.value.status == 404
    assert desk.engine.room.stored == 0
    assert not desk.engine.room.due


def test_bounds_of_memory() -> None:
    limits = Limits(sessions=3, hosted=3, session_bytes=1000, all_bytes=1500, action_bytes=100)
    desk = Desk(limits)
    id, (ann, _) = desk.game()
    with pytest.raises(Refused) as refused:
        desk.ops(
            id,
            {"op": "state", "state": "x" * 600},
            {"op": "observation", "playerId": ann, "observation": "y" * 600},
        )
    assert refused.value.status == 413
    assert desk.public(id)["state"] is None
    desk.ops(id, {"op": "state", "state": "x" * 900})
    second = desk.create()
    with pytest.raises(Refused) as refused:
        desk.ops(second, {"op": "state", "state": "x" * 900})
    assert refused.value.status == 429
    desk.ops(id, {"op": "state", "state": ""})
    desk.ops(second, {"op": "state", "state": "x" * 900})
    desk.legal(id, ann, "x")
    with pytest.raises(Refused) as refused:
        desk.act(id, "ann", "x" * 200)
    assert refused.value.status == 413
    desk.create()
    with pytest.raises(Refused) as refused:
        desk.create(host="other")
    assert refused.value.status == 429
    desk.end(id, None)
    desk.create(host="other")  # in the place of the one that is over


def test_events_and_entries_are_bounded() -> None:
    desk = Desk()
    id, (ann, _) = desk.game(turnTimeout=1, forfeitOnTimeout=False)
    desk.legal(id, ann, "x")
    desk.alive(id, 3000)
    assert len(desk.events(id)["events"]) <= 200
    assert desk.events(id)["lastIndex"] > 3000
    assert len(desk.entries(id, 0)) <= 500


def test_what_waits_for_the_host_is_bounded() -> None:
    limits = Limits(queue_bytes=250, all_queue_bytes=400)
    desk = Desk(limits)
    id, _ = desk.game(turnBased=False)
    for who in ("ann", "ben"):
        desk.act(id, who, "x" * 98)
    with pytest.raises(Refused) as refused:
        desk.act(id, "ann", "x" * 98)
    assert (refused.value.status, refused.value.code) == (429, "too_many_actions")
    # What the host has seen and not acknowledged counts as well.
    last = desk.entries(id, 0)[-1]["seq"]
    with pytest.raises(Refused):
        desk.act(id, "ann", "x" * 98)
    desk.entries(id, last)
    desk.act(id, "ann", "x" * 98)

    other, _ = desk.game("cat", "dan", turnBased=False)
    desk.act(other, "cat", "x" * 98)
    desk.act(other, "dan", "x" * 98)
    third, (eve, _) = desk.game("eve", "fay", simultaneous=True)
    desk.ops(third, {"op": "legal_actions", "playerId": eve, "actions": ["x"]})
    with pytest.raises(Refused) as refused:
        desk.act(third, "eve", "x" * 198)
    assert (refused.value.status, refused.value.code) == (429, "server_full")
    # A v1 host drains; an action that is withdrawn, and a session that is gone, make place too.
    desk.entries(id)
    desk.entries(other)
    desk.act(third, "eve", "x" * 198)
    with pytest.raises(Refused):
        desk.act(other, "cat", "x" * 248)
    desk.end(third)
    desk.act(other, "cat", "x" * 248)


def test_one_host_leaves_place_for_the_others() -> None:
    limits = Limits(host_bytes=1500, all_bytes=10_000, host_queue_bytes=250, all_queue_bytes=10_000)
    desk = Desk(limits)
    first, _ = desk.game(turnBased=False)
    second, _ = desk.game(turnBased=False)
    desk.ops(first, {"op": "state", "state": "x" * 900})
    with pytest.raises(Refused) as refused:
        desk.ops(second, {"op": "state", "state": "x" * 900})
    assert (refused.value.status, refused.value.code) == (429, "host_full")
    other = desk.engine.session(desk.create(host="other"), desk.now)
    desk.engine.ops(other, [wire.StateOp(state="x" * 900)], desk.now)
    for id in (first, second):
        desk.act(id, "ann", "x" * 98)
    with pytest.raises(Refused) as refused:
        desk.act(first, "ben", "x" * 98)
    assert (refused.value.status, refused.value.code) == (429, "too_many_actions")
    # What is over and gone does not count.
    for id in (first, second):
        desk.end(id, None)
    desk.tick(1000)
    assert not desk.engine.room.stored_by
    assert not desk.engine.room.queued_by


def test_a_host_that_never_acknowledges_loses_no_action() -> None:
    desk = Desk()
    id, _ = desk.game(turnBased=False)
    taken = 0
    refused: Refused | None = None
    while refused is None:
        try:
            desk.act(id, "ann", taken)
            taken += 1
        except Refused as error:
            refused = error
        if taken % 50 == 0 or refused is not None:
            seen = desk.entries(id, 0)
            desk.ops(id, {"op": "state", "state": None})
        assert taken < 5000
    assert (refused.status, refused.code) == (429, "too_many_actions")
    assert taken > 1000
    first = seen[0]["seq"]
    assert [(entry["seq"], entry["action"]) for entry in seen] == [(first + n, n) for n in range(taken)]
    assert desk.entries(id, 0) == seen
    desk.entries(id, seen[-1]["seq"])
    desk.act(id, "ann", taken)
    assert [entry["action"] for entry in desk.entries(id, seen[-1]["seq"])] == [taken]


def test_held_actions_are_counted() -> None:
    desk = Desk(Limits(queue_bytes=250))
    names = ("ann", "ben", "cat")
    id, ids = desk.game(*names, simultaneous=True)
    desk.ops(id, *({"op": "legal_actions", "playerId": one, "actions": ["x"]} for one in ids))
    desk.act(id, "ann", "x" * 98)
    desk.act(id, "ben", "x" * 98)
    with pytest.raises(Refused) as refused:
        desk.act(id, "cat", "x" * 98)
    assert refused.value.code == "too_many_actions"
    desk.act(id, "cat", "y")
    assert [entry["action"] for entry in desk.entries(id, 0)[-3:]] == ["x" * 98, "x" * 98, "y"]


def test_reasons_of_rejections_count_as_published() -> None:
    desk = Desk(Limits(session_bytes=1000))
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    for _ in range(2):
        desk.act(id, "ann", "x")
        desk.entries(id)
        desk.reject(id, ann, "r" * 450)
    with pytest.raises(Refused) as refused:
        desk.reject(id, ann, "r" * 450)
    assert refused.value.status == 413


def test_tables_of_a_game_without_a_name_are_not_all_there_is(desk: Desk) -> None:
    nameless, named = desk.create(), desk.create(title="Chess")
    for everything in ("", "  "):
        assert [one["sessionId"] for one in desk.available(everything)] == [nameless, named]
    assert [one["sessionId"] for one in desk.available(" chess ")] == [named]

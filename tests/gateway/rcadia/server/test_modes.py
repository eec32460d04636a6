"""Simultaneous games, games without turns, and games of version 1 (§4, §9)."""

from __future__ import annotations

import pytest

from tests.gateway.rcadia.server.desk import CONFIG, FREE, SIMULTANEOUS, Desk, Refused


@pytest.fixture
def desk() -> Desk:
    return Desk()


def both(desk: Desk, id: str, *players: str) -> None:
    desk.ops(id, *({"op": "legal_actions", "playerId": one, "actions": ["x"]} for one in players))


# Simultaneous


def test_actions_are_held_until_all_have_acted(desk: Desk) -> None:
    id, (ann, ben) = desk.game(**SIMULTANEOUS)
    both(desk, id, ben, ann)
    for who in ("ann", "ben"):
        state = desk.state(id, who)
        assert (state["yourTurn"], state["turn"], state["legalActions"]) == (True, 1, ["x"])
    assert desk.public(id)["onTurnSeats"] == [0, 1]
    desk.act(id, "ben", "B", turn=1)
    assert desk.entries(id, 1) == []
    held = desk.state(id, "ben")
    assert (held["yourTurn"], held["waitingFor"], held["deadline"]) == (False, "host", None)
    assert desk.state(id, "ann")["yourTurn"]
    with pytest.raises(Refused, match="action_pending"):
        desk.act(id, "ben", "again")
    with pytest.raises(Refused, match="stale_turn"):
        desk.act(id, "ann", "A", turn=2)
    desk.act(id, "ann", "A", turn=1)
    # In the order of the seats, not of their arrival.
    assert [entry["action"] for entry in desk.entries(id, 1)] == ["A", "B"]


def test_the_turn_moves_with_the_next_publish_after_delivery(desk: Desk) -> None:
    id, (ann, ben) = desk.game(**SIMULTANEOUS)
    both(desk, id, ann, ben)
    desk.act(id, "ann", "A")
    desk.act(id, "ben", "B")
    both(desk, id, ann, ben)  # not delivered yet: the same turn
    assert desk.public(id)["turn"] == 1
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"
    desk.entries(id, 1)
    desk.legal(id, ann, "y")
    assert desk.public(id)["turn"] == 2
    assert desk.public(id)["onTurnSeats"] == [0]  # legal actions of the turn before are gone
    for who in ("ann", "ben"):
        assert desk.state(id, who)["lastAction"]["status"] == "applied"
    desk.legal(id, ben, "y")
    assert desk.public(id)["turn"] == 2
    assert desk.public(id)["onTurnSeats"] == [0, 1]


def test_only_those_with_legal_actions_are_awaited(desk: Desk) -> None:
    id, (ann, _ben, cat) = desk.game("ann", "ben", "cat", **SIMULTANEOUS)
    both(desk, id, ann, cat)
    with pytest.raises(Refused, match="not_your_turn"):
        desk.act(id, "ben", "B")
    assert desk.state(id, "ben")["waitingFor"] == "opponent"
    desk.act(id, "cat", "C")
    desk.act(id, "ann", "A")
    assert [entry["action"] for entry in desk.entries(id, 1)] == ["A", "C"]


def test_clearing_the_last_awaited_player_releases(desk: Desk) -> None:
    id, (ann, ben) = desk.game(**SIMULTANEOUS)
    both(desk, id, ann, ben)
    desk.act(id, "ann", "A")
    desk.legal(id, ben)
    assert [entry["action"] for entry in desk.entries(id, 1)] == ["A"]


def test_a_rejected_player_resubmits_straight_to_the_game(desk: Desk) -> None:
    id, (ann, ben) = desk.game(**SIMULTANEOUS)
    both(desk, id, ann, ben)
    desk.act(id, "ann", "A")
    desk.act(id, "ben", "B")
    desk.entries(id, 1)
    desk.tick(5)
    desk.reject(id, ann)
    assert desk.state(id, "ann")["yourTurn"]
    assert desk.public(id)["turn"] == 1
    desk.act(id, "ann", "A2", turn=1)
    assert [entry["action"] for entry in desk.entries(id, 3)] == ["A2"]
    # The other's time for a verdict went on.
    desk.tick(10)
    assert desk.state(id, "ben")["lastAction"]["status"] == "unconfirmed"
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"


def test_publishing_for_a_rejected_player_moves_the_turn(desk: Desk) -> None:
    id, (ann, ben) = desk.game(**SIMULTANEOUS)
    both(desk, id, ann, ben)
    desk.act(id, "ann", "A")
    desk.act(id, "ben", "B")
    desk.entries(id, 1)
    desk.reject(id, ann)
    desk.legal(id, ann, "y")
    assert desk.public(id)["turn"] == 2
    assert desk.state(id, "ben")["lastAction"]["status"] == "applied"


def test_clocks_strike_everybody_who_has_not_acted(desk: Desk) -> None:
    id, (ann, ben, cat) = desk.game("ann", "ben", "cat", turnTimeout=10, maxTurnTimeouts=3, **SIMULTANEOUS)
    both(desk, id, ann, ben, cat)
    desk.act(id, "ben", "B")
    desk.alive(id, 10)
    assert [desk.state(id, who)["strikes"] for who in ("ann", "ben", "cat")] == [1, 0, 1]
    assert [entry["playerId"] for entry in desk.entries(id, 1)] == [ann, cat]


def test_simultaneous_goes_before_not_turn_based(desk: Desk) -> None:
    id, (ann, ben) = desk.game(turnBased=False, simultaneous=True)
    both(desk, id, ann, ben)
    desk.act(id, "ann", "A")
    assert desk.entries(id, 1) == []


def test_held_actions_when_a_player_leaves(desk: Desk) -> None:
    id, (ann, ben) = desk.game(**SIMULTANEOUS)
    both(desk, id, ann, ben)
    desk.act(id, "ann", "A")
    desk.leave(id, "ben")
    assert desk.state(id, "ann")["lastAction"]["status"] == "rejected"
    assert [entry["type"] for entry in desk.entries(id, 1)] == ["system"]


# Without turns


def test_without_turns_everybody_may_always_act(desk: Desk) -> None:
    id, (_ann, _ben) = desk.game(**FREE)
    for who in ("ann", "ben"):
        state = desk.state(id, who)
        assert (state["yourTurn"], state["turn"], state["deadline"]) == (True, 0, None)
    for number in range(3):
        assert desk.act(id, "ann", number, turn=99)["turn"] == 0
    desk.act(id, "ben", "b")
    assert [entry["action"] for entry in desk.entries(id, 1)] == [0, 1, 2, "b"]
    assert desk.state(id, "ann")["yourTurn"]
    desk.alive(id, 10_000)
    assert desk.state(id, "ann")["strikes"] == 0
    desk.entries(id, 1)
    assert all(entry["type"] == "action" for entry in desk.entries(id, 1))


def test_the_next_state_applies_what_was_delivered(desk: Desk) -> None:
    id, _ = desk.game(**FREE)
    desk.act(id, "ann", "a")
    desk.ops(id, {"op": "state", "state": 1})
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"
    desk.entries(id, 1)
    desk.ops(id, {"op": "state", "state": 2})
    assert desk.state(id, "ann")["lastAction"]["status"] == "applied"


def test_where_legal_actions_are_published_they_decide(desk: Desk) -> None:
    id, (ann, ben) = desk.game(**FREE)
    desk.legal(id, ann, "x")
    assert desk.state(id, "ann")["yourTurn"]
    assert desk.state(id, "ann")["legalActions"] == ["x"]
    assert not desk.state(id, "ben")["yourTurn"]
    desk.legal(id, ben, "y")
    assert desk.state(id, "ann")["yourTurn"]  # others' stay
    desk.legal(id, ann)
    assert not desk.state(id, "ann")["yourTurn"]
    desk.act(id, "ann", "no enforcement")
    desk.entries(id, 1)
    desk.ops(id, {"op": "state", "state": 2})
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"
    desk.legal(id, ben, "z")
    assert desk.state(id, "ann")["lastAction"]["status"] == "applied"


def test_rejection_and_no_verdict_without_turns(desk: Desk) -> None:
    id, (ann, _) = desk.game(**FREE)
    first = desk.act(id, "ann", 1)
    desk.act(id, "ann", 2)
    desk.entries(id, 1)
    desk.reject(id, ann, "the first", actionId=first["actionId"])
    state = desk.state(id, "ann")
    assert state["lastAction"]["status"] == "pending"
    assert [one["reason"] for one in state["rejections"]] == ["the first"]
    desk.tick(15)
    assert desk.state(id, "ann")["lastAction"]["status"] == "unconfirmed"


def test_too_many_actions_that_wait(desk: Desk) -> None:
    id, _ = desk.game(**FREE)
    for number in range(64):
        desk.act(id, "ann", number)
    with pytest.raises(Refused) as refused:
        desk.act(id, "ann", "one more")
    assert refused.value.status == 429


# Version 1


def legacy(desk: Desk, **config: object) -> tuple[str, list[str]]:
    given = {key: value for key, value in CONFIG.items() if key != "sdkVersion"}
    id = str(desk.create_with({"config": {**given, **config}})["sessionId"])
    for who in ("ann", "ben"):
        desk.join(id, who)
    return id, [one["playerId"] for one in desk.public(id)["players"]]


def test_version_1_starts_with_an_action(desk: Desk) -> None:
    id, players = legacy(desk)
    (entry,) = desk.entries(id)
    assert entry.pop("actionId").startswith("a_")
    assert entry == {
        "seq": 1,
        "type": "action",
        "playerId": "__system__",
        "action": {"type": "__game_start__", "players": players},
    }


def test_version_1_gets_only_the_final_strike_and_no_end(desk: Desk) -> None:
    id, (ann, ben) = legacy(desk, turnTimeout=10, autoRematch=True)
    desk.entries(id)
    desk.legal(id, ann, "x")
    desk.alive(id, 10)
    assert desk.entries(id) == []
    assert desk.state(id, "ann")["strikes"] == 1
    desk.alive(id, 10)
    poll = desk.poll(id)
    assert poll["actions"] == [
        {"seq": 2, "type": "timeout", "playerId": ann, "strike": 2, "maxStrikes": 2, "final": True}
    ]
    assert poll["result"] == {"winner": ben, "reason": "timeout", "forfeitedBy": ann, "strikes": 2}
    assert poll["nextSessionId"] is None
    with pytest.raises(Refused) as refused:
        desk.rematch(id)
    assert refused.value.status == 409


def test_version_1_plays_as_version_2(desk: Desk) -> None:
    id, (ann, ben) = legacy(desk)
    desk.entries(id)
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x", turn=1)
    assert len(desk.entries(id)) == 1
    assert desk.entries(id) == []  # a poll without `after` drains
    desk.legal(id, ben, "y")
    assert desk.state(id, "ann")["lastAction"]["status"] == "applied"
    desk.leave(id, "ben")
    assert desk.poll(id)["actions"] == []
    assert desk.state(id, "ann")["result"]["winner"] == ann


def test_a_number_of_players_may_be_missing_in_version_1_only(desk: Desk) -> None:
    made = desk.create_with({"config": {"gameType": "old"}})
    assert (made["config"]["minPlayers"], made["config"]["maxPlayers"]) == (2, 2)
    assert "sdkVersion" not in made["config"]
    with pytest.raises(Refused) as refused:
        desk.create_with({"config": {"gameType": "new", "sdkVersion": "2.0.0"}})
    assert refused.value.status == 400

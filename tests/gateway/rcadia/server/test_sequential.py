"""Sequential games (§4): whose turn it is, the number of the turn, and what becomes of actions."""

from __future__ import annotations

import pytest

from tests.gateway.rcadia.server.desk import Desk, Refused


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_nobody_is_on_turn_before_the_first_publish(desk: Desk) -> None:
    id, (_ann, _ben) = desk.game()
    for who in ("ann", "ben"):
        state = desk.state(id, who)
        assert (state["yourTurn"], state["turn"], state["legalActions"]) == (False, 0, None)
        with pytest.raises(Refused, match="not_your_turn"):
            desk.act(id, who, "e2e4")


def test_the_last_player_with_legal_actions_is_on_turn(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.legal(id, ann, "e2e4", "d2d4")
    state = desk.state(id, "ann")
    assert (state["yourTurn"], state["turn"], state["legalActions"]) == (True, 1, ["e2e4", "d2d4"])
    assert state["waitingFor"] is None
    other = desk.state(id, "ben")
    assert (other["yourTurn"], other["turn"], other["legalActions"]) == (False, 1, None)
    assert other["waitingFor"] == "opponent"
    assert desk.public(id)["onTurnSeats"] == [0]
    # Publishing for one clears every other's.
    desk.legal(id, ben, "e7e5")
    assert desk.state(id, "ann")["legalActions"] is None
    assert desk.state(id, "ben")["yourTurn"]
    assert desk.public(id)["onTurnSeats"] == [1]
    assert desk.public(id)["turn"] == 2


def test_publishing_the_same_turn_again_moves_neither_turn_nor_clock(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "a")
    before = desk.state(id, "ann")
    desk.alive(id, 7)
    desk.legal(id, ann, "b")
    after = desk.state(id, "ann")
    assert after["legalActions"] == ["b"]
    assert (after["turn"], after["deadline"]) == (before["turn"], before["deadline"])


def test_an_action_is_applied_by_the_next_turn(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.legal(id, ann, "e2e4")
    taken = desk.act(id, "ann", "e2e4", turn=1)
    assert (taken["accepted"], taken["turn"], taken["outcome"]) == (True, 1, "pending")
    assert taken["actionId"].startswith("a_")
    waiting = desk.state(id, "ann")
    assert (waiting["yourTurn"], waiting["legalActions"], waiting["waitingFor"]) == (False, None, "host")
    assert waiting["deadline"] is None
    assert desk.public(id)["onTurnSeats"] == [0]  # a pending action does not end the turn
    (entry,) = desk.entries(id, 1)
    assert entry == {
        "seq": 2,
        "type": "action",
        "playerId": ann,
        "action": "e2e4",
        "actionId": taken["actionId"],
    }
    desk.ops(id, {"op": "state", "state": {"moved": True}})
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"  # a state says nothing here
    desk.legal(id, ben, "e7e5")
    last = desk.state(id, "ann")["lastAction"]
    assert last["actionId"] == taken["actionId"]
    assert (last["status"], last["reason"], last["turn"]) == ("applied", None, 1)
    assert desk.state(id, "ben")["turn"] == 2


def test_refusals_carry_the_snapshot_and_reach_nobody(desk: Desk) -> None:
    id, (ann, _ben) = desk.game()
    desk.legal(id, ann, "x")
    for who, turn, code in (
        ("ben", 1, "not_your_turn"),
        ("ben", 5, "not_your_turn"),
        ("ann", 0, "stale_turn"),
        ("ann", 2, "stale_turn"),
    ):
        with pytest.raises(Refused) as refused:
            desk.act(id, who, "x", turn=turn)
        assert (refused.value.status, refused.value.code) == (409, code)
        assert refused.value.body["snapshot"]["sessionId"] == id
        assert refused.value.body["error"]
    desk.act(id, "ann", "x")
    for turn in (1, 9):  # the pending action comes before a stale turn
        with pytest.raises(Refused, match="action_pending"):
            desk.act(id, "ann", "x", turn=turn)
    with pytest.raises(Refused, match="not_your_turn"):
        desk.act(id, "ben", "x")
    assert len(desk.entries(id, 1)) == 1


def test_not_active_and_finished(desk: Desk) -> None:
    id = desk.create()
    desk.join(id, "ann")
    with pytest.raises(Refused, match="not_active") as refused:
        desk.act(id, "ann", "x")
    assert refused.value.status == 409
    desk.join(id, "ben")
    desk.end(id, {"winner": None})
    with pytest.raises(Refused, match="finished") as refused:
        desk.act(id, "ann", "x")
    assert refused.value.body["snapshot"]["status"] == "finished"


@pytest.mark.parametrize("action", [{"type": "__game_start__"}, {"type": "__x", "a": 1}, "__timeout__"])
def test_reserved_types(desk: Desk, action: object) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    with pytest.raises(Refused, match="reserved_action") as refused:
        desk.act(id, "ann", action)
    assert refused.value.status == 400
    assert desk.state(id, "ann")["yourTurn"]


@pytest.mark.parametrize("action", ["anything", {"type": "move"}, None, 4, ["a"], {"type": 7}])
def test_actions_are_not_checked_against_legal_ones(desk: Desk, action: object) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", action)
    assert desk.entries(id, 1)[0]["action"] == action


def test_a_rejected_player_is_back_on_the_same_turn(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x", "y")
    before = desk.state(id, "ann")
    taken = desk.act(id, "ann", "z")
    desk.entries(id, 1)
    desk.tick(3)
    desk.reject(id, ann, "not a move")
    after = desk.state(id, "ann")
    assert after["yourTurn"]
    for name in ("turn", "deadline", "legalActions", "strikes"):
        assert after[name] == before[name], name
    assert after["lastAction"]["status"] == "rejected"
    assert after["lastAction"]["reason"] == "not a move"
    assert after["rejections"] == [
        {
            "playerId": ann,
            "actionId": taken["actionId"],
            "reason": "not a move",
            "turn": 1,
            "at": desk.at(0),
        }
    ]
    assert desk.state(id, "ann")["rejections"]  # not deleted on read
    assert desk.state(id, "ben")["rejections"] == []
    assert "rejections" not in desk.public(id)


def test_rejections_go_with_the_turn(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "z")
    desk.entries(id, 1)
    desk.reject(id, ann)
    desk.legal(id, ann, "x", "y")  # after a rejection: the same turn
    assert desk.state(id, "ann")["turn"] == 1
    assert desk.state(id, "ann")["rejections"]
    desk.act(id, "ann", "x", turn=1)
    desk.entries(id, 2)
    desk.legal(id, ben, "x")
    assert desk.state(id, "ann")["rejections"] == []


def test_which_action_a_reject_means(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    taken = desk.act(id, "ann", "x")
    desk.reject(id, ann)  # not delivered: the game cannot mean it
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"
    desk.entries(id, 1)
    desk.reject(id, ann, actionId="a_another")
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"
    desk.reject(id, ann, actionId=taken["actionId"])
    assert desk.state(id, "ann")["lastAction"]["status"] == "rejected"
    desk.reject(id, ann, "once more")
    assert desk.state(id, "ann")["lastAction"]["reason"] == "no"


def test_unconfirmed_after_fifteen_seconds(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    desk.alive(id, 30)
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"  # the time begins with delivery
    desk.entries(id, 1)
    desk.tick(14.9)
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"
    desk.tick(0.1)
    state = desk.state(id, "ann")
    assert state["lastAction"]["status"] == "unconfirmed"
    assert (state["yourTurn"], state["turn"], state["legalActions"]) == (True, 1, ["x"])


def test_unconfirmed_while_the_host_is_silent(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "x")
    desk.alive(id, 1)
    desk.tick(10)
    desk.act(id, "ann", "x")
    desk.entries(id, 1)
    desk.tick(40)
    assert desk.state(id, "ann")["lastAction"]["status"] == "unconfirmed"


def test_a_verdict_after_unconfirmed_counts(desk: Desk) -> None:
    for verdict in ("applied", "rejected"):
        id, (ann, ben) = desk.game()
        desk.legal(id, ann, "x")
        desk.act(id, "ann", "x")
        desk.entries(id, 1)
        desk.tick(16)
        if verdict == "applied":
            desk.legal(id, ben, "y")
        else:
            desk.reject(id, ann)
        assert desk.state(id, "ann")["lastAction"]["status"] == verdict


def test_several_steps_of_one_player(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.legal(id, ann, "jump")
    desk.act(id, "ann", "jump")
    desk.legal(id, ann, "jump", "stop")  # the action was not delivered yet: the same turn
    assert desk.state(id, "ann")["turn"] == 1
    assert desk.state(id, "ann")["lastAction"]["status"] == "pending"
    desk.entries(id, 1)
    desk.tick(4)
    desk.legal(id, ann, "jump again")
    state = desk.state(id, "ann")
    assert (state["turn"], state["yourTurn"]) == (2, True)
    assert state["lastAction"]["status"] == "applied"
    assert state["deadline"] == desk.at(300)


def test_an_action_the_turn_ran_away_from(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    desk.legal(id, ben, "y")
    last = desk.state(id, "ann")["lastAction"]
    assert (last["status"], last["reason"]) == ("rejected", "turn_moved")
    assert desk.entries(id, 1) == []  # withdrawn


def test_clearing_the_player_on_turn(desk: Desk) -> None:
    id, (ann, ben) = desk.game()
    desk.legal(id, ann, "x")
    desk.legal(id, ann)
    state = desk.state(id, "ann")
    assert (state["yourTurn"], state["turn"], state["deadline"]) == (False, 1, None)
    assert desk.public(id)["onTurnSeats"] == []
    with pytest.raises(Refused, match="not_your_turn"):
        desk.act(id, "ann", "x")
    desk.legal(id, ben)
    assert desk.public(id)["turn"] == 1
    desk.legal(id, ben, "y")
    assert desk.public(id)["turn"] == 2


@pytest.mark.parametrize("delivered", [True, False])
@pytest.mark.parametrize("by_host", [True, False])
def test_what_is_pending_when_the_game_ends(desk: Desk, delivered: bool, by_host: bool) -> None:
    id, (ann, _ben) = desk.game()
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    if delivered:
        desk.entries(id, 1)
    if by_host:
        desk.end(id, {"winner": ann})
    else:
        desk.leave(id, "ben")
    expected = ("applied" if by_host else "unconfirmed") if delivered else "rejected"
    state = desk.state(id, "ann")
    assert state["lastAction"]["status"] == expected
    assert (state["status"], state["yourTurn"], state["legalActions"]) == ("finished", False, None)
    assert state["waitingFor"] is None
    if not delivered:
        assert all(entry["type"] != "action" for entry in desk.entries(id, 1))


def test_observations_replace_the_state_of_their_player(desk: Desk) -> None:
    id, (ann, _ben) = desk.game()
    desk.ops(
        id,
        {"op": "state", "state": {"pot": 3}},
        {"op": "observation", "playerId": ann, "observation": {"hand": ["As"]}},
    )
    assert desk.state(id, "ann")["state"] == {"hand": ["As"]}
    assert desk.state(id, "ben")["state"] == {"pot": 3}
    assert desk.public(id)["state"] == {"pot": 3}
    assert "As" not in str(desk.public(id)) + str(desk.state(id, "ben")) + str(desk.events(id))

"""Clocks, strikes and the host's liveness (§3, §4)."""

from __future__ import annotations

import pytest

from tests.gateway.rcadia.server.desk import SIMULTANEOUS, Desk, Refused


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_defaults_and_the_first_strike(desk: Desk) -> None:
    id, (ann, _ben) = desk.game()
    desk.legal(id, ann, "x")
    state = desk.state(id, "ann")
    assert (state["deadline"], state["strikes"], state["maxStrikes"]) == (desk.at(300), 0, 2)
    assert desk.public(id)["deadline"] == desk.at(300)
    assert desk.state(id, "ben")["deadline"] == desk.at(300)
    desk.alive(id, 299.9)
    assert desk.state(id, "ann")["strikes"] == 0
    desk.alive(id, 0.1)
    state = desk.state(id, "ann")
    assert (state["strikes"], state["yourTurn"], state["deadline"]) == (1, True, desk.at(300))
    assert desk.state(id, "ben")["strikes"] == 0
    assert desk.entries(id, 1) == [
        {"seq": 2, "type": "timeout", "playerId": ann, "strike": 1, "maxStrikes": 2, "final": False}
    ]


def test_the_last_strike_ends_the_game(desk: Desk) -> None:
    id, (ann, ben) = desk.game(turnTimeout=10)
    desk.legal(id, ann, "x")
    desk.alive(id, 20)
    result = {"winner": ben, "reason": "timeout", "forfeitedBy": ann, "strikes": 2}
    for who in ("ann", "ben"):
        state = desk.state(id, who)
        assert (state["status"], state["result"], state["deadline"]) == ("finished", result, None)
    poll = desk.poll(id, 1)
    assert poll["result"] == result
    assert poll["status"] == "finished"
    assert [entry["type"] for entry in poll["actions"]] == ["timeout", "timeout", "system"]
    assert [entry["seq"] for entry in poll["actions"]] == [2, 3, 4]
    assert poll["actions"][1]["final"] is True
    assert poll["actions"][2] == {
        "seq": 4,
        "type": "system",
        "event": "session_end",
        "result": result,
        "reason": "timeout",
    }


def test_nobody_wins_by_a_timeout_of_three(desk: Desk) -> None:
    id, (_ann, ben, _cat) = desk.game("ann", "ben", "cat", turnTimeout=5, maxTurnTimeouts=1)
    desk.legal(id, ben, "x")
    desk.alive(id, 5)
    assert desk.state(id, "cat")["result"] == {
        "winner": None,
        "reason": "timeout",
        "forfeitedBy": ben,
        "strikes": 1,
    }


def test_strikes_go_only_when_an_action_is_applied(desk: Desk) -> None:
    id, (ann, ben) = desk.game(turnTimeout=10)
    desk.legal(id, ann, "x")
    desk.alive(id, 12)
    desk.act(id, "ann", "bad")
    desk.entries(id)
    desk.reject(id, ann)
    assert desk.state(id, "ann")["strikes"] == 1
    assert desk.state(id, "ann")["deadline"] == desk.at(8)
    desk.act(id, "ann", "x")
    desk.entries(id)
    assert desk.state(id, "ann")["strikes"] == 1
    desk.legal(id, ben, "y")
    assert desk.state(id, "ann")["strikes"] == 0


def test_strikes_stay_over_turns_the_game_moved_on_by_itself(desk: Desk) -> None:
    id, (ann, ben) = desk.game(turnTimeout=10, maxTurnTimeouts=3)
    desk.legal(id, ann, "x")
    desk.alive(id, 10)
    desk.legal(id, ben, "y")
    desk.legal(id, ann, "x")
    state = desk.state(id, "ann")
    assert (state["strikes"], state["deadline"]) == (1, desk.at(10))


def test_a_pending_action_is_not_on_the_clock(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=10)
    desk.legal(id, ann, "x")
    desk.alive(id, 9)
    desk.act(id, "ann", "x")
    desk.alive(id, 60)
    assert desk.state(id, "ann")["strikes"] == 0
    assert desk.state(id, "ann")["deadline"] is None


def test_late_after_a_rejection_is_struck_at_once_and_has_another_turn(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=10)
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    desk.entries(id)
    desk.tick(13)
    assert desk.state(id, "ann")["strikes"] == 0
    desk.reject(id, ann)
    state = desk.state(id, "ann")
    assert (state["strikes"], state["status"], state["deadline"]) == (1, "active", desk.at(7))


def test_late_when_unconfirmed(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=5)
    desk.legal(id, ann, "x")
    desk.act(id, "ann", "x")
    desk.entries(id)
    desk.tick(15)
    state = desk.state(id, "ann")
    assert state["lastAction"]["status"] == "unconfirmed"
    # One strike and a full turn, though two deadlines have passed.
    assert (state["strikes"], state["status"], state["deadline"]) == (1, "active", desk.at(5))


def test_no_clock(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=0)
    desk.legal(id, ann, "x")
    assert desk.state(id, "ann")["deadline"] is None
    desk.alive(id, 100_000)
    assert desk.state(id, "ann")["strikes"] == 0


def test_without_forfeit_the_game_goes_on(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=10, forfeitOnTimeout=False)
    desk.legal(id, ann, "x")
    desk.alive(id, 30)
    state = desk.state(id, "ann")
    assert (state["status"], state["strikes"], state["yourTurn"]) == ("active", 3, True)
    strikes = [(one["strike"], one["final"]) for one in desk.entries(id, 1)]
    assert strikes == [(1, False), (2, True), (3, True)]


def test_two_at_the_limit_at_once(desk: Desk) -> None:
    id, (ann, ben) = desk.game(turnTimeout=10, maxTurnTimeouts=1, **SIMULTANEOUS)
    desk.ops(id, *({"op": "legal_actions", "playerId": one, "actions": ["x"]} for one in (ben, ann)))
    desk.alive(id, 10)
    assert desk.state(id, "ben")["result"] == {
        "winner": None,
        "reason": "timeout",
        "forfeitedBy": ann,
        "strikes": 1,
    }


@pytest.mark.parametrize("limit", [0, -1, 1.5, "2"])
def test_maximum_of_timeouts_is_refused(desk: Desk, limit: object) -> None:
    with pytest.raises(Refused) as refused:
        desk.create(maxTurnTimeouts=limit)
    assert refused.value.status == 400


def test_clocks_stop_while_the_host_is_silent(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=30)
    desk.legal(id, ann, "x")
    version = desk.public(id)["version"]
    desk.tick(19.9)
    assert desk.state(id, "ann")["deadline"] is not None
    assert desk.public(id)["version"] == version
    desk.tick(0.1)  # 20 s without a sign of life
    assert desk.state(id, "ann")["deadline"] is None
    assert desk.public(id)["version"] > version
    assert desk.state(id, "ann")["waitingFor"] is None  # it is still this player's turn
    assert desk.state(id, "ben")["waitingFor"] == "host"
    desk.tick(40)
    assert desk.state(id, "ann")["strikes"] == 0
    version = desk.public(id)["version"]
    desk.entries(id, 1)
    assert desk.public(id)["version"] > version
    # 10 s of the turn were left when it fell silent.
    assert desk.state(id, "ann")["deadline"] == desk.at(10)


def test_ops_are_a_sign_of_life(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=60)
    desk.legal(id, ann, "x")
    for _ in range(2):
        desk.tick(19)
        desk.ops(id, {"op": "state", "state": 1})
    assert desk.state(id, "ann")["deadline"] == desk.at(22)


@pytest.mark.parametrize("active", [True, False])
def test_a_host_that_is_gone(desk: Desk, active: bool) -> None:
    if active:
        id, _ = desk.game(autoRematch=True)
    else:
        id = desk.create(autoRematch=True)
        desk.join(id, "ann")
    desk.tick(89.9)
    assert desk.public(id)["status"] == ("active" if active else "waiting")
    desk.tick(0.1)
    state = desk.state(id, "ann")
    assert state["status"] == "finished"
    assert state["result"] == {"winner": None, "reason": "host_disconnected"}
    assert state["nextSessionId"] is None
    with pytest.raises(Refused) as refused:
        desk.rematch(id)
    assert refused.value.status == 409
    assert desk.entries(id, 0)[-1]["reason"] == "host_disconnected"


def test_an_open_poll_keeps_the_host_alive(desk: Desk) -> None:
    id, (ann, _) = desk.game()
    desk.alive(id, 200)
    desk.tick(19)
    desk.legal(id, ann, "x")
    assert desk.state(id, "ann")["status"] == "active"


def test_liveness_is_of_each_session(desk: Desk) -> None:
    first, second = desk.create(), desk.create()
    desk.alive(first, 100)
    assert desk.public(first)["status"] == "waiting"
    assert desk.public(second)["status"] == "finished"

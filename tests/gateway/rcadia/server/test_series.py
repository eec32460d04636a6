"""Seats, rematches, reservations and series (§5, §6)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gateway.rcadia.server.desk import Desk, Refused


@pytest.fixture
def desk() -> Desk:
    return Desk()


def next_round(desk: Desk, *players: str, **config: Any) -> tuple[str, str, list[str]]:
    """A finished session, the reserved one after it, and the players' ids."""
    id, ids = desk.game(*players, autoRematch=True, **config)
    following = desk.end(id, {"winner": ids[0]})["nextSessionId"]
    return id, following, ids


# Seats


def test_joining(desk: Desk) -> None:
    id = desk.create()
    first = desk.join(id, "ann", asName="Fish")
    assert (first["sessionId"], first["seat"], first["status"], first["round"]) == (id, 0, "waiting", 1)
    assert first["playerId"].startswith("p_")
    assert len(first["playerId"]) == 10
    assert first["waitingFor"] == "players"
    assert first["players"] == [
        {"playerId": first["playerId"], "seat": 0, "asName": "Fish", "you": True, "ready": True}
    ]
    version = first["version"]
    again = desk.join(id, "ann", asName="Other")  # idempotent; the name stays
    assert again["playerId"] == first["playerId"]
    assert (again["players"][0]["asName"], again["version"]) == ("Fish", version)
    second = desk.join(id, "ben")
    assert (second["seat"], second["status"]) == (1, "active")
    assert second["version"] > version
    assert desk.join(id, "ann")["playerId"] == first["playerId"]


def test_the_game_starts_when_all_seats_are_taken(desk: Desk) -> None:
    id = desk.create(minPlayers=2, maxPlayers=3)
    desk.join(id, "ann")
    desk.join(id, "ben")
    assert desk.public(id)["status"] == "waiting"
    desk.join(id, "cat")
    players = [one["playerId"] for one in desk.public(id)["players"]]
    assert desk.entries(id) == [
        {"seq": 1, "type": "system", "event": "game_start", "players": players, "round": 1}
    ]


def test_who_cannot_join(desk: Desk) -> None:
    id, _ = desk.game()
    with pytest.raises(Refused) as refused:
        desk.join(id, "cat")
    assert (refused.value.status, refused.value.code) == (409, "in_progress")
    desk.end(id, {"winner": None})
    with pytest.raises(Refused) as refused:
        desk.join(id, "cat")
    assert (refused.value.status, refused.value.code) == (409, "finished")
    _, following, _ = next_round(desk)
    with pytest.raises(Refused) as refused:
        desk.join(following, "cat")
    assert (refused.value.status, refused.value.code) == (409, "reserved")


def test_others_are_no_players(desk: Desk) -> None:
    id, _ = desk.game()
    for what in (desk.state, desk.leave):
        with pytest.raises(Refused) as refused:
            what(id, "cat")
        assert refused.value.status == 403


def test_a_free_seat_moves_later_ones_down(desk: Desk) -> None:
    id = desk.create(minPlayers=3, maxPlayers=3)
    for who in ("ann", "ben"):
        desk.join(id, who)
    ben = desk.state(id, "ben")["playerId"]
    left = desk.leave(id, "ann")
    assert left == {"ok": True, "sessionId": id, "status": "waiting", "result": None}
    assert desk.public(id)["players"] == [{"playerId": ben, "seat": 0, "asName": "ben", "ready": True}]
    with pytest.raises(Refused) as refused:
        desk.leave(id, "ann")
    assert refused.value.status == 403


def test_who_comes_back_in_the_same_series_has_the_same_id(desk: Desk) -> None:
    id = desk.create(minPlayers=3, maxPlayers=3)
    ann = desk.join(id, "ann")["playerId"]
    desk.join(id, "ben")
    desk.leave(id, "ann")
    back = desk.join(id, "ann")
    assert (back["playerId"], back["seat"]) == (ann, 1)


def test_leaving_an_active_game(desk: Desk) -> None:
    id, (ann, ben) = desk.game(autoRematch=True)
    result = {"winner": ann, "reason": "left", "forfeitedBy": ben}
    assert desk.leave(id, "ben") == {"ok": True, "sessionId": id, "status": "finished", "result": result}
    poll = desk.poll(id, 1)
    assert poll["actions"] == [
        {"seq": 2, "type": "system", "event": "session_end", "result": result, "reason": "left"}
    ]
    assert poll["nextSessionId"] is None
    with pytest.raises(Refused) as refused:
        desk.rematch(id)
    assert refused.value.status == 409


def test_leaving_an_active_game_of_three(desk: Desk) -> None:
    id, (_, ben, _) = desk.game("ann", "ben", "cat")
    desk.leave(id, "ben")
    assert desk.public(id)["result"] == {"winner": None, "reason": "left", "forfeitedBy": ben}


# Rematches


def test_the_platform_opens_the_next_round(desk: Desk) -> None:
    id, following, ids = next_round(desk)
    new = desk.public(following)
    assert (new["status"], new["round"], new["seriesId"]) == ("waiting", 2, id)
    assert (new["previousSessionId"], new["nextSessionId"]) == (id, None)
    assert [one["playerId"] for one in new["players"]] == ids
    assert [one["ready"] for one in new["players"]] == [False, False]
    old = desk.state(id, "ann")
    assert (old["status"], old["nextSessionId"], old["seriesId"]) == ("finished", following, id)
    assert desk.poll(id)["nextSessionId"] == following
    assert desk.rematch(id) == {
        "sessionId": following,
        "round": 2,
        "seriesId": id,
        "players": new["players"],
    }


def test_the_next_round_begins_when_all_are_ready_and_three_seconds_have_passed(desk: Desk) -> None:
    _, following, ids = next_round(desk)
    assert desk.state(following, "ann")["waitingFor"] == "players"
    assert [one["ready"] for one in desk.public(following)["players"]] == [True, False]
    desk.tick(1)
    desk.state(following, "ben")
    desk.tick(1.9)
    assert desk.public(following)["status"] == "waiting"
    assert desk.entries(following) == []
    desk.tick(0.1)
    assert desk.public(following)["status"] == "active"
    assert desk.entries(following) == [
        {"seq": 1, "type": "system", "event": "game_start", "players": ids, "round": 2}
    ]


def test_who_comes_late_starts_it_at_once(desk: Desk) -> None:
    _, following, _ = next_round(desk)
    desk.state(following, "ann")
    desk.tick(18)
    assert desk.state(following, "ben")["status"] == "active"


@pytest.mark.parametrize("call", ["state", "act", "join"])
def test_any_call_of_a_player_makes_it_ready(desk: Desk, call: str) -> None:
    _, following, _ = next_round(desk)
    match call:
        case "act":
            with pytest.raises(Refused, match="not_active"):
                desk.act(following, "ann", "x")
        case "join":
            desk.join(following, "ann")
        case _:
            desk.state(following, "ann")
    assert [one["ready"] for one in desk.public(following)["players"]] == [True, False]


def test_a_reservation_that_expires(desk: Desk) -> None:
    id, following, (ann, ben) = next_round(desk)
    desk.state(following, "ben")
    desk.alive(following, 59.9)
    assert [one["reserved"] for one in desk.available(everything=True)] == [True]
    assert desk.available() == []
    desk.alive(following, 0.1)
    table = desk.public(following)
    assert [one["playerId"] for one in table["players"]] == [ben]
    assert table["players"][0]["seat"] == 0
    assert (table["round"], table["seriesId"]) == (2, id)
    (entry,) = desk.available()
    assert (entry["joinable"], entry["reserved"], entry["currentPlayers"]) == (True, False, 1)
    with pytest.raises(Refused) as refused:
        desk.state(following, "ann")
    assert refused.value.status == 403
    # Back in the same series: the same id, and a seat behind.
    back = desk.join(following, "ann")
    assert (back["playerId"], back["seat"], back["status"]) == (ann, 1, "active")


def test_a_reservation_nobody_came_to(desk: Desk) -> None:
    _, following, (ann, _) = next_round(desk)
    desk.alive(following, 60)
    table = desk.public(following)
    assert (table["round"], table["seriesId"], table["previousSessionId"]) == (1, following, None)
    assert desk.join(following, "ann")["playerId"] != ann
    desk.join(following, "ben")
    assert desk.entries(following)[0]["round"] == 1


def test_reservations_run_while_the_host_is_silent(desk: Desk) -> None:
    _, following, _ = next_round(desk)
    desk.state(following, "ann")
    desk.tick(60)
    assert len(desk.public(following)["players"]) == 1


@pytest.mark.parametrize("where", ["finished", "reserved"])
def test_opting_out(desk: Desk, where: str) -> None:
    id, following, (_, ben) = next_round(desk)
    answer = desk.leave(id if where == "finished" else following, "ann")
    assert answer["ok"] is True
    assert desk.state(id, "ann")["nextSessionId"] is None
    assert desk.state(id, "ben")["nextSessionId"] == following
    assert [one["playerId"] for one in desk.public(following)["players"]] == [ben]
    # Strangers may join once all who remain are ready.
    with pytest.raises(Refused, match="reserved"):
        desk.join(following, "cat")
    desk.state(following, "ben")
    assert desk.join(following, "cat")["seat"] == 1


def test_opting_out_before_there_is_a_rematch(desk: Desk) -> None:
    id, _ = desk.game()
    desk.end(id, {"winner": None})
    desk.leave(id, "ben")
    with pytest.raises(Refused) as refused:
        desk.rematch(id)
    assert refused.value.status == 409


def test_all_opt_out(desk: Desk) -> None:
    id, following, _ = next_round(desk)
    desk.leave(id, "ann")
    desk.leave(following, "ben")
    table = desk.public(following)
    assert (table["players"], table["round"], table["seriesId"]) == ([], 1, following)
    assert desk.available()[0]["sessionId"] == following


def test_a_rematch_by_request(desk: Desk) -> None:
    id, ids = desk.game()
    with pytest.raises(Refused) as refused:
        desk.rematch(id)
    assert refused.value.status == 409
    assert desk.end(id, {"winner": ids[1]})["nextSessionId"] is None
    first = desk.rematch(id)
    assert (first["round"], first["seriesId"]) == (2, id)
    assert [one["playerId"] for one in first["players"]] == ids
    assert desk.rematch(id) == first
    assert desk.state(id, "ann")["nextSessionId"] == first["sessionId"]


def test_a_timeout_is_followed_by_a_rematch(desk: Desk) -> None:
    id, (ann, _) = desk.game(turnTimeout=1, autoRematch=True)
    desk.legal(id, ann, "x")
    desk.alive(id, 2)
    assert desk.public(id)["nextSessionId"]


@pytest.mark.parametrize("reason", ["host_left"])
def test_no_rematch_when_the_host_goes(desk: Desk, reason: str) -> None:
    id, _ = desk.game(autoRematch=True)
    assert desk.end(id, None, reason=reason)["nextSessionId"] is None
    with pytest.raises(Refused) as refused:
        desk.rematch(id)
    assert refused.value.status == 409


def test_ending_a_table_that_never_began(desk: Desk) -> None:
    id = desk.create(autoRematch=True)
    desk.join(id, "ann")
    answer = desk.end(id, {"winner": None})
    assert (answer["status"], answer["nextSessionId"]) == ("finished", None)


def test_ids_stay_for_the_whole_series(desk: Desk) -> None:
    id, ids = desk.game(autoRematch=True)
    first = id
    for number in range(2, 6):
        id = desk.end(id, {"winner": None})["nextSessionId"]
        for who in ("ann", "ben"):
            desk.state(id, who)
        desk.tick(3)
        public = desk.public(id)
        assert (public["status"], public["round"], public["seriesId"]) == ("active", number, first)
        assert [one["playerId"] for one in public["players"]] == ids

"""The list of games, people to challenge, and events in words."""

from __future__ import annotations

from typing import Any

import pytest

from interfaces.tui.models import home, notices, people, words
from interfaces.tui.models.home import Section
from interfaces.tui.models.people import Plays
from tests.cli.fakes import ID, ME, PEER

NOW = 1_000_000.0
NAMES = {"ttt": "Tic-Tac-Toe", "chess": "Chess"}


def game(id: str, status: str = "active", **more: Any) -> dict[str, Any]:
    fields = {"id": id, "identity": ME, "app": "chess", "peer": PEER, "initiator": ME, "status": status}
    return fields | {"unread": 0, "last_action_at": NOW, "peer_name": "Bob"} | more


def test_what_asks_for_something_comes_first() -> None:
    found = home.arrange(
        [
            game("1", "completed"),
            game("2", your_turn=False, last_action_at=NOW - 50),
            game("3", your_turn=True, last_action_at=NOW - 10),
            game("4", your_turn=True, last_action_at=NOW - 90_000),
            game("5", "pending", initiator=PEER, your_turn=True),
            game("6", "pending", initiator=PEER, your_turn=True, request=True, unread=1),
            game("7", "pending"),
            game("8", your_turn=False, last_action_at=NOW - 20),
        ],
        NAMES,
        NOW,
    )
    assert [(section, [row.id for row in rows]) for section, rows in found.sections] == [
        (Section.YOUR_TURN, ["4", "3"]),
        (Section.WAITING, ["7", "8", "2"]),
        (Section.INVITATIONS, ["5", "6"]),
        (Section.FINISHED, ["1"]),
    ]
    assert found.count(Section.YOUR_TURN) == 2
    states = {row.id: row.state for row in found.rows}
    assert states == {
        "4": "your move",
        "3": "your move",
        "7": "not answered",
        "8": "their move",
        "2": "their move",
        "5": "challenges you",
        "6": "a stranger asks",
        "1": "over",
    }
    assert [row.id for row in found.rows if row.stranger] == ["6"]
    assert [row.age for row in found.rows[:2]] == ["1d", "now"]


@pytest.mark.parametrize(("winner", "said"), [(ME, "won"), (PEER, "lost"), ("", "draw"), (None, "over")])
def test_a_finished_game_says_who_won(winner: str | None, said: str) -> None:
    (row,) = home.arrange([game("1", "completed", winner=winner)], NAMES, NOW).rows
    assert row.state == said


def test_several_games_with_one_peer_are_several_rows() -> None:
    found = home.arrange([game("1", your_turn=True), game("2", your_turn=True, app="ttt")], NAMES, NOW)
    assert {row.game for row in found.rows} == {"Chess", "Tic-Tac-Toe"}
    assert {row.peer for row in found.rows} == {PEER}


def test_a_row_says_what_became_of_the_last_action() -> None:
    own = {"command": "move", "state": "stored", "reason": ""}
    (row,) = home.arrange([game("1", last_own=own, peer_heard_at=NOW - 60, flags=["clock"])], NAMES, NOW).rows
    assert row.delivery is not None
    assert (row.delivery.state, row.delivery.text) == ("stored", "Your move: waits at a propagation node")
    assert (row.presence, row.flag, row.unread) == ("here", "", False)
    (row,) = home.arrange([game("1", flags=["out_of_sync"], unread=2)], NAMES, NOW).rows
    assert (row.presence, row.flag, row.unread) == ("unknown", "out of sync", True)


def test_a_game_that_was_uninstalled() -> None:
    (row,) = home.arrange([game("1", app="go")], NAMES, NOW).rows
    assert (row.game, row.state) == ("go", "not installed here")


@pytest.mark.parametrize("state", ["queued", "sending", "sent", "delivered", "confirmed", "stored", "failed"])
def test_deliveries_in_words(state: str) -> None:
    found = words.delivery({"command": "move", "state": state, "reason": "no path"})
    assert found is not None
    assert found.state == state
    assert found.trouble == (state == "failed")
    assert ("no path" in found.text) == (state in ("queued", "failed", "stored"))


def test_times_in_words() -> None:
    ages = {0: "now", 59: "now", 60: "1min", 3599: "59min", 3600: "1h", 90_000: "1d", 1e12: ">999d"}
    assert {seconds: words.age(seconds) for seconds in ages} == ages
    assert words.left(6 * 86_400 + 5) == "in 6 days"
    assert words.left(86_400) == "in 1 day"
    assert words.left(7200) == "in 2 hours"
    assert words.left(10) == "in 1 minute"
    later = words.again({"state": "failed", "next_attempt_at": NOW + 300}, NOW)
    assert later == "Tried again in 5 minutes, or when the peer is heard"
    assert words.again({"state": "delivered", "next_attempt_at": NOW}, NOW) == ""


HOUSE = {
    "enabled": True,
    "identity": "0a" * 16,
    "games": [
        {"app": "ttt", "name": "Tic-Tac-Toe", "usual": 1, "levels": [{"number": 1, "name": "beginner"}]}
    ],
}


def peer(hash: str, **more: Any) -> dict[str, Any]:
    fields = {"peer": hash * 16, "name": "", "hops": 2, "interface": "", "heard_at": NOW - 100, "games": True}
    return fields | {"played": False, "contact": "", "blocked": False} | more


def test_who_can_be_challenged_in_what_order() -> None:
    found = people.people(
        HOUSE,
        [
            peer("c1", games=None, heard_at=NOW - 5),
            peer("c2", games=False, heard_at=NOW - 1),
            peer("c3", heard_at=NOW - 9000, name="Cy"),
            peer("c4", games=None, played=True, heard_at=NOW - 9),
            peer("c5", blocked=True),
            peer("a1"),
        ],
        [{"peer": "d1" * 16, "name": "Dora"}, {"peer": "c3" * 16, "name": "Cyril"}],
        NOW,
        newcomer=True,
        own=[ME],
    )
    assert found.house_first
    assert found.house[0].levels[0].name == "beginner"
    assert [(one.peer[:2], one.plays, one.name) for one in found.persons] == [
        ("c3", Plays.YES, "Cyril"),
        ("d1", Plays.PERHAPS, "Dora"),
        ("c4", Plays.YES, ""),
        ("c5", Plays.YES, ""),
        ("c1", Plays.PERHAPS, ""),
        ("c2", Plays.NO, ""),
    ]
    assert [one.can_be_challenged for one in found.persons] == [True, True, True, False, True, False]
    dora = found.persons[1]
    assert (dora.presence, dora.hops, dora.heard) == ("unknown", None, "never heard")


def test_who_is_away_gets_the_challenge_by_the_propagation_node() -> None:
    cyril, dora, near, *_ = people.people(
        None,
        [peer("c3", heard_at=NOW - 9000), peer("c4")],
        [{"peer": "d1" * 16, "name": "Dora"}],
        NOW,
        newcomer=False,
    ).persons[::-1]
    by_name = {one.peer[:2]: one for one in (cyril, dora, near)}
    text = people.warning(by_name["c3"], "chess", propagation=True)
    assert text.endswith("was last heard 2h ago. The challenge goes by the propagation node and waits there.")
    assert "Dora was never heard. The challenge is sent when" in people.warning(by_name["d1"], "chess", False)
    assert people.warning(by_name["c4"], "chess", propagation=True) == ""


def test_how_games_have_ended_is_said_of_whom_there_was_one_with() -> None:
    record = {"peer": "c1" * 16, "won": 3, "drawn": 1, "lost": 2, "apps": []}
    found = people.people(
        None, [peer("c1"), peer("c2")], [], NOW, newcomer=False, records={"c1" * 16: record}
    ).persons
    assert {one.peer[:2]: one.score for one in found} == {"c1": "won 3, drawn 1, lost 2", "c2": ""}


def event(type: str, **data: Any) -> dict[str, Any]:
    about = {"id": ID, "identity": ME, "peer": PEER, "app": "chess"}
    return {"type": type, "seq": 1, "at": NOW, "data": about | data}


def test_events_lead_to_their_game() -> None:
    peers = {PEER: "Bob"}
    found = notices.notice(event("game.applied", own=False, command="move"), NAMES, peers)
    assert found is not None
    assert (found.text, found.game, found.bell) == ("Chess: Bob moved.", (ME, ID), True)
    assert notices.notice(event("game.applied", own=True, command="move"), NAMES, peers) is None
    assert notices.notice(event("game.applied", own=False, command="challenge"), NAMES, peers) is None
    challenged = notices.notice(event("game.challenged", peer_name="Bo"), NAMES, peers)
    assert challenged is not None
    assert challenged.text == "Bo challenges you to Chess."
    failed = notices.notice(
        event("game.delivery", state="failed", command="move", reason="no path"), NAMES, peers
    )
    assert failed is not None
    assert failed.trouble
    assert notices.notice(event("game.delivery", state="delivered", command="move"), NAMES, peers) is None


def test_a_game_that_is_not_installed() -> None:
    unknown = event("game.unknown", app="go", app_version=2, command="challenge", text="[LRGP Go] Play?")
    found = notices.unplayable(unknown["data"])
    assert found.title == f"{PEER[:8]} plays go.2, which is not installed here."
    assert found.text == "[LRGP Go] Play?"
    told = notices.notice(unknown, NAMES, {})
    assert told is not None
    assert told.game is None

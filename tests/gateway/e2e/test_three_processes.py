"""A player's node, a node with a gateway, and an arcade: whole games over real processes and sockets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.rcadia.hosting.plan import HostSettings
from tests.e2e.nodes import until
from tests.e2e.replay import check_same
from tests.gateway.e2e.players import Mesh, configure, meshed
from tests.gateway.e2e.web import Web
from tests.gateway.rcadia.hosting.arcade import script

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Mesh, Web]]:
    base = tmp_path_factory.mktemp("three")
    web = Web(base / "arcade")
    try:
        with meshed(base, lambda gate: configure(gate, web)) as mesh:
            yield mesh, web
    finally:
        web.close()


@pytest.fixture
def mesh(world: tuple[Mesh, Web]) -> Mesh:
    return world[0]


@pytest.fixture
def web(world: tuple[Mesh, Web]) -> Iterator[Web]:
    yield world[1]
    world[1].close_tables()


def test_chess_with_a_promotion_and_mate(mesh: Mesh, web: Web) -> None:
    """The player sits first, so it has White; a pawn becomes a knight on the way."""
    table = web.host("chess")
    id = mesh.challenge("chess")
    mesh.seat(stage="waiting", session=id)
    ann = web.agent(table)
    plays = web.plays(ann, script("c7c5", "b7b6", "f7f6", "h7h6", "a8b8", "g7g5"))
    assert mesh.turn(id)["view"]["seat"] == "white"
    mesh.move(id, "b4", "bxc5", "cxb6", "bxa7", "axb8=N", "e3", "Qh5#")
    assert mesh.ended(id) == {"status": "completed", "reason": "checkmate", "winner": mesh.player.identity}
    assert plays.result(60)[0]["winner"] not in (None, ann.snapshots[-1]["playerId"])
    assert mesh.seat(stage="over", session=id)["result"] == "won"
    check_same(mesh.player, mesh.gate, id)


@pytest.mark.slow
def test_the_player_resigns(mesh: Mesh, web: Web) -> None:
    table = web.host("chess")
    ann = web.agent(table)
    plays = web.plays(ann, script("e2e4"))
    id = mesh.challenge("chess")
    assert mesh.turn(id, 1)["view"]["seat"] == "black"
    mesh.player.call("game.resign", id=id)
    assert plays.result(60)[0]["winner"] == ann.snapshots[-1]["playerId"]
    assert mesh.seat(stage="over", session=id)["result"] == "lost"
    check_same(mesh.player, mesh.gate, id)


@pytest.mark.slow
def test_the_player_mates(mesh: Mesh, web: Web) -> None:
    table = web.host("chess")
    ann = web.agent(table)
    plays = web.plays(ann, script("f2f3", "g2g4"))
    id = mesh.challenge("chess")
    mesh.move(id, "e7e5", "d8h4")
    assert mesh.ended(id)["reason"] == "checkmate"
    assert plays.result(60)[0]["winner"] != ann.snapshots[-1]["playerId"]
    assert mesh.seat(stage="over", session=id)["result"] == "won"
    check_same(mesh.player, mesh.gate, id)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["player", "agent"])
def test_tic_tac_toe(mesh: Mesh, web: Web, first: str) -> None:
    table = web.host("ttt")
    ann = web.agent(table) if first == "agent" else None
    challenge = mesh.challenge("ttt")
    id = challenge
    if ann is None:
        mesh.seat(stage="waiting", session=challenge)
        ann = web.agent(table)
        plays = web.plays(ann, script({"cell": 3}, {"cell": 4}))
        mesh.move(id, "1", "2", "3")
        assert mesh.ended(id) == {"status": "completed", "reason": "win", "winner": mesh.player.identity}
        result = "won"
    else:
        plays = web.plays(ann, script({"cell": 0}, {"cell": 1}, {"cell": 2}))
        id = mesh.challenged("ttt", {challenge})
        assert mesh.ended(challenge)["status"] == "declined"
        mesh.player.call("game.accept", id=id)
        mesh.move(id, "5", "9")
        assert mesh.ended(id) == {"status": "completed", "reason": "win", "winner": mesh.address}
        result = "lost"
    assert len(plays.result(60)) == 1
    assert mesh.seat(stage="over", session=id)["result"] == result
    check_same(mesh.player, mesh.gate, id)


@pytest.mark.slow
def test_four_in_a_row(mesh: Mesh, web: Web) -> None:
    table = web.host("four_in_a_row")
    id = mesh.challenge("four_in_a_row")
    mesh.seat(stage="waiting", session=id)
    ann = web.agent(table)
    plays = web.plays(ann, script({"column": 1}, {"column": 1}, {"column": 1}))
    mesh.move(id, "1", "1", "1", "1")
    assert mesh.ended(id)["winner"] == mesh.player.identity
    plays.result(60)
    assert mesh.seat(stage="over", session=id)["result"] == "won"


@pytest.mark.slow
def test_the_agent_leaves(mesh: Mesh, web: Web) -> None:
    table = web.host("chess")
    ann = web.agent(table)
    id = mesh.challenge("chess")
    mesh.until(id, lambda game: game["status"] == "active", "the game has begun")
    web.run(ann.leave())
    assert mesh.ended(id) == {"status": "completed", "reason": "resignation", "winner": mesh.player.identity}
    assert mesh.seat(stage="over", session=id)["result"] == "won"
    assert until(mesh.texts, "the player is told")[-1] == "Your opponent has left the table: you have won."


@pytest.mark.slow
def test_a_draw_by_repetition(mesh: Mesh, web: Web) -> None:
    """The table gives it by itself, and the gateway claims it in the player's game."""
    table = web.host("chess")
    id = mesh.challenge("chess")
    mesh.seat(stage="waiting", session=id)
    ann = web.agent(table)
    plays = web.plays(ann, script("g8f6", "f6g8", "g8f6", "f6g8"))
    mesh.move(id, "Nf3", "Ng1", "Nf3", "Ng1")
    assert mesh.ended(id)["reason"] == "threefold_repetition"
    assert plays.result(60)[0]["winner"] is None
    assert mesh.seat(stage="over", session=id)["result"] == "drawn"
    check_same(mesh.player, mesh.gate, id)


@pytest.mark.slow
def test_another_game_with_the_other_colour(mesh: Mesh, web: Web) -> None:
    """The table opens another round; the player comes by challenging again, and has Black then."""
    table = web.host("chess", HostSettings(turn_timeout=60, rematch=True))
    id = mesh.challenge("chess")
    mesh.seat(stage="waiting", session=id)
    ann = web.agent(table)
    first = table.id
    plays = web.plays(ann, script("f7f6", "g7g5", "f2f3", "g2g4"), rounds=2)
    mesh.move(id, "e4", "d4", "Qh5#")
    assert mesh.ended(id)["winner"] == mesh.player.identity
    until(lambda: any("wants another game" in text for text in mesh.texts()), "the player is invited")
    again = mesh.challenge("chess")
    mesh.move(again, "e5", "Qh4#")
    assert mesh.ended(again)["winner"] == mesh.player.identity
    assert len(plays.result(90)) == 2
    assert table.id != first
    third = mesh.seat(stage="settling", session=again)
    assert third["result"] is None, "a third game is open for a minute"
    check_same(mesh.player, mesh.gate, again)
    # Else the next challenge of the player to chess would take the seat in it.
    until(lambda: sum("wants another game" in text for text in mesh.texts()) == 2, "the player is invited")
    mesh.gate.call("gateway.leave", id=third["id"])
    assert mesh.seat(stage="over", session=again)["result"] == "won"


@pytest.mark.slow
def test_the_agent_s_time_is_up(mesh: Mesh, web: Web) -> None:
    table = web.host("chess", HostSettings(turn_timeout=1, rematch=False))
    web.agent(table)
    id = mesh.challenge("chess")
    assert mesh.ended(id)["winner"] == mesh.player.identity
    assert mesh.seat(stage="over", session=id)["reason"].startswith("won (timeout)")


@pytest.mark.slow
def test_the_player_s_time_is_up(mesh: Mesh, web: Web) -> None:
    table = web.host("chess", HostSettings(turn_timeout=2, rematch=False))
    ann = web.agent(table)
    web.plays(ann, script("e2e4"))
    id = mesh.challenge("chess")
    mesh.turn(id, 1)
    seat = mesh.seat(stage="over", session=id)
    assert (seat["result"], seat["reason"].startswith("lost (timeout)")) == ("lost", True)
    until(lambda: any("Your time at the table is up" in text for text in mesh.texts()), "the player is told")
    # The player's program still shows the game. What it does there is answered with the reason.
    mesh.player.call("game.move", id=id, move="e7e5")
    error = mesh.player.events.wait("game.error", id=id)
    assert "time at the table is up" in error["msg"]


@pytest.mark.slow
def test_the_arcade_is_started_anew(mesh: Mesh, web: Web) -> None:
    """All sessions are lost (410): the player is told and does not lose by it."""
    table = web.host("chess")
    ann = web.agent(table)
    plays = web.plays(ann, script("e2e4"))
    id = mesh.challenge("chess")
    mesh.turn(id, 1)
    plays.cancel()
    web.run(web.town.restart())
    assert mesh.ended(id)["winner"] == mesh.player.identity
    assert mesh.seat(stage="over", session=id)["result"] == "none"
    until(lambda: any("The table is lost" in text for text in mesh.texts()), "the player is told")


@pytest.mark.slow
def test_no_table(mesh: Mesh, web: Web) -> None:
    id = mesh.challenge("four_in_a_row")
    assert mesh.ended(id)["status"] == "declined"
    until(lambda: any("No seat for you" in text for text in mesh.texts()), "the player is told")


@pytest.mark.slow
def test_killed_and_started_in_the_middle(mesh: Mesh, web: Web) -> None:
    table = web.host("chess")
    ann = web.agent(table)
    plays = web.plays(ann, script("f2f3", "g2g4"))
    id = mesh.challenge("chess")
    mesh.turn(id, 1)
    mesh.gate.restart()
    mesh.move(id, "e7e5")
    mesh.turn(id, 3)
    mesh.gate.kill()
    # Said while nobody is there: it is sent again when the gateway is heard.
    mesh.player.call("game.move", id=id, move="d8h4")
    mesh.gate.start()
    assert mesh.ended(id)["reason"] == "checkmate"
    assert plays.result(90)[0]["winner"]
    assert mesh.seat(stage="over", session=id)["result"] == "won"
    check_same(mesh.player, mesh.gate, id)


@pytest.mark.slow
def test_status_tables_and_seats(mesh: Mesh, web: Web, tmp_path: Path) -> None:
    table = web.host("chess")
    tables = mesh.gate.call("gateway.tables", app="chess")["tables"]
    assert [(one["id"], one["platform"], one["players"]) for one in tables] == [(table.id, "rcadia", 0)]
    status = mesh.gate.call("gateway.status")
    assert status["routes"]["chess"] == "rcadia"
    assert [one["name"] for one in status["platforms"]] == ["rcadia"]
    accounts = mesh.gate.call("gateway.account.list")["accounts"]
    assert [(one["name"], one["source"]) for one in accounts] == [("main", "file")]

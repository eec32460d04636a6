"""Rated matches of players behind LoRa links: software RNodes in real time, Reticulum's own driver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.nodes import until
from tests.e2e.replay import check_same
from tests.gateway.agentgames.e2e.club import Club, result
from tests.gateway.e2e.players import Mesh
from tests.radio.air import Air, RadioNode

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(900)]

ON_AIR = 240.0
TOPOLOGY = 'seed = 3\n[nodes.gate]\n[nodes.ann]\n[[links]]\nbetween = ["gate", "ann"]\n'

TTT = ("ttt", "ttt", [1, 2, 3], ["3", "4"], [5, 7, 3], ["0", "3", "1"])
FOUR = ("four_in_a_row", "c4", [3, 3, 3, 3], ["3", "3", "3"], [3, 3, 3, 3], ["3", "3", "3", "4"])
"""App, game there; with the first move ours (from 1) and the rival's (from 0), without it the same."""


def radios(tmp_path: Path, club: Club, **options: Any) -> Iterator[Mesh]:
    """A player and a gateway who hear each other; ``options`` of their radios."""
    topology = tmp_path / "two.toml"
    topology.write_text(TOPOLOGY)
    with Air(tmp_path / "air", "--topology", str(topology), "--scale", "1") as air:
        gate = RadioNode(tmp_path / "gate", air.ports["gate"], **options)
        player = RadioNode(tmp_path / "ann", air.ports["ann"], **options)
        club.configure(gate)
        try:
            player.start()
            gate.start()
            yield Mesh(player, gate, ON_AIR)
        finally:
            print(gate.log)
            player.kill()
            gate.kill()


@pytest.fixture
def minute(tmp_path: Path) -> Iterator[tuple[Mesh, Club]]:
    """A minute for a move, at Reticulum's usual speed."""
    club = Club(tmp_path / "arcade", 60.0)
    try:
        for mesh in radios(tmp_path, club):
            yield mesh, club
    finally:
        club.close()


@pytest.fixture
def quarter(tmp_path: Path) -> Iterator[tuple[Mesh, Club]]:
    """A quarter of a minute, over a link of 977 bit/s."""
    club = Club(tmp_path / "arcade", 15.0)
    try:
        for mesh in radios(tmp_path, club, spreadingfactor=10):
            yield mesh, club
    finally:
        club.close()


def test_both_games_in_both_orders_with_a_minute_for_a_move(minute: tuple[Mesh, Club]) -> None:
    mesh, club = minute
    trips: list[float] = []
    for app, game, first, second, as_second, before in (TTT, FOUR):
        for leads in (True, False):
            rival = None if leads else club.rival(game, before)
            if rival is not None:
                club.waits(game, "rival")
            challenged = mesh.challenge(app)
            if leads:
                club.waits(game)
                rival = club.rival(game, second)
                id = challenged
            else:
                id = mesh.challenged(app, {challenged})
                mesh.player.call("game.accept", id=id)
            for move in first if leads else as_second:
                mesh.move(id, str(move))
                trips += [seat["round_trip"] for seat in mesh.gate.call("gateway.seats")["seats"]]
            ended = mesh.ended(id)
            assert (ended["status"], ended["winner"]) == ("completed", mesh.player.identity)
            assert mesh.seat(stage="over", session=id)["result"] == "won"
            assert rival is not None
            assert result(rival.result(60)) == ("loss", "")
            check_same(mesh.player, mesh.gate, id)
    ladder = club.api("ladder?game=c4")["players"]
    assert [(one["name"], one["won"], one["lost"]) for one in ladder] == [("gateway", 2, 0), ("rival", 0, 2)]
    assert len(trips) >= 12
    assert all(2.5 < trip < 30.0 for trip in trips), trips
    texts = mesh.texts()
    assert any("agentgames gives 60 s for a move, and about " in text for text in texts)
    assert sum("accept that at once, you have 60 s for each move." in text for text in texts) == 2


def test_a_quarter_of_a_minute_is_refused_with_the_reason_and_who_insists_plays(
    quarter: tuple[Mesh, Club],
) -> None:
    mesh, club = quarter
    refused = mesh.challenge("ttt")
    assert mesh.ended(refused)["status"] == "declined"
    (text,) = until(mesh.texts, "the player is told why", ON_AIR)
    assert text.startswith("No seat for you: agentgames gives 15 s for a move, and about ")
    assert text.endswith("If you insist, challenge me again within 10 minutes.")
    seat = mesh.seat(stage="over", session=refused)
    assert (seat["result"], seat["account"]) == ("none", "")
    assert club.waiting("ttt") == ""
    assert club.api("matches")["matches"] == []

    insists = mesh.challenge("ttt")
    club.waits("ttt")
    rival = club.rival("ttt", ["3", "4", "5"])
    # His move is on the air for a third of the time; by the platform's rules it counts if it comes in time.
    mesh.turn(insists)
    mesh.player.call("game.move", id=insists, move="1")
    outcome, reason = result(rival.result(ON_AIR))
    row = mesh.seat(stage="over", session=insists)
    assert (outcome, reason, row["result"]) == ("win", "forfeit: move timeout", "lost")
    assert until(lambda: [t for t in mesh.texts() if "Your time at the table is up" in t], "told", ON_AIR)

"""The node with the gateway is killed in a match: that is a forfeit there, and both sides come to an end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until
from tests.gateway.agentgames.e2e.club import WAIT, Club, result
from tests.gateway.e2e.players import Mesh

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[Mesh, Club]]:
    club = Club(tmp_path / "arcade", 30.0)
    endpoint = f"127.0.0.1:{free_port()}"
    gate = NodeProcess(tmp_path / "gate", "--listen", endpoint)
    player = NodeProcess(tmp_path / "ann", "--connect", endpoint)
    club.configure(gate)
    try:
        gate.start()
        player.start()
        mesh = Mesh(player, gate)
        mesh.heard()
        yield mesh, club
    finally:
        print(gate.log)
        player.kill()
        gate.kill()
        club.close()


@pytest.mark.parametrize("ours", [True, False], ids=["our turn", "their turn"])
def test_a_kill_in_the_match(world: tuple[Mesh, Club], ours: bool) -> None:
    mesh, club = world
    id = mesh.challenge("ttt")
    club.waits("ttt")
    rival = club.rival("ttt", ["3"] if ours else [])
    mesh.move(id, "1")
    if ours:
        mesh.turn(id, 2)
    else:
        until(lambda: any(one.get("yourTurn") for one in club.told), "the move is at the server", WAIT)
    mesh.gate.kill()
    mesh.gate.start()
    ended = mesh.ended(id)
    assert (ended["status"], ended["reason"]) == ("completed", "resignation")
    assert ended["winner"] == mesh.player.identity
    words = "counts as a forfeit there"
    assert until(lambda: [text for text in mesh.texts() if words in text], "the player is told why")
    row = mesh.seat(stage="over", session=id)
    assert (row["result"], words in row["reason"]) == ("none", True)
    outcome, reason = result(rival.result(60))
    assert (outcome, reason) == ("win", "forfeit: connection closed")  # at once, whoever's turn it is
    (match,) = club.api("matches")["matches"]
    assert match["reason"] == reason

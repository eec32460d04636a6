"""SIGKILL at every moment of a seat: it is taken once, each move is made once, both sides come to an end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess
from tests.e2e.replay import check_same
from tests.gateway.e2e.players import Mesh
from tests.gateway.e2e.test_three_processes import world  # noqa: F401 - the same three processes
from tests.gateway.e2e.web import Web
from tests.gateway.rcadia.hosting.arcade import script

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(600)]

DOOMED = [sys.executable, str(Path(__file__).with_name("doomed_gateway.py"))]

BEFORE_THE_GAME = ("bridge begun", "seat noted", "seat taken", "in accept", "accepted")
IN_THE_GAME = ("move committed", "move made", "settled")


def doom(gate: NodeProcess, moment: str) -> None:
    gate.kill()
    gate.start(DOOMED, DOOM=moment)


@pytest.mark.parametrize("moment", [*BEFORE_THE_GAME, *IN_THE_GAME])
def test_a_kill(world: tuple[Mesh, Web], moment: str) -> None:  # noqa: F811 - the fixture
    mesh, web = world
    table = web.host("chess")
    ann = web.agent(table)
    plays = web.plays(ann, script("f2f3", "g2g4"))
    seats = len(mesh.gate.call("gateway.seats", ended=True)["seats"])
    try:
        doom(mesh.gate, moment)
        id = mesh.challenge("chess")
        if moment in BEFORE_THE_GAME:
            assert mesh.gate.gone() == -9
            mesh.gate.start()
            mesh.turn(id, 1)
            mesh.player.call("game.move", id=id, move="e7e5")
        elif moment != "settled":
            mesh.turn(id, 1)
            mesh.player.call("game.move", id=id, move="e7e5")
            assert mesh.gate.gone() == -9
            mesh.gate.start()
        else:
            mesh.move(id, "e7e5")
        mesh.turn(id, 3)
        mesh.player.call("game.move", id=id, move="d8h4")
        if moment == "settled":
            assert mesh.gate.gone() == -9
            mesh.gate.start()
        assert mesh.ended(id)["reason"] == "checkmate"
        assert plays.result(90)[0]["winner"] not in (None, ann.snapshots[-1]["playerId"])
        seat = mesh.seat(stage="over", session=id)
        assert seat["result"] == "won"
        check_same(mesh.player, mesh.gate, id)
        assert len(mesh.gate.call("gateway.seats", ended=True)["seats"]) == seats + 1
        assert len(table.players) == 2
        assert ann.rejections == []
        assert len([one for one in ann.snapshots if one["yourTurn"]]) == 2
    finally:
        web.close_tables()

"""The same with the player behind a LoRa link: software RNodes, Reticulum's own driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.replay import check_same
from tests.gateway.e2e.players import Mesh, configure
from tests.gateway.e2e.web import Web
from tests.gateway.rcadia.hosting.arcade import script
from tests.radio.air import Air, RadioNode

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(900)]

ON_AIR = 240.0
"""LXMF sends what is lost again after 10 s, the node after a minute."""


def test_a_game_of_a_lora_player_with_the_web(tmp_path: Path) -> None:
    """Frames are lost, the gateway is killed in the middle, and the player mates all the same."""
    web = Web(tmp_path / "arcade")
    topology = tmp_path / "lossy.toml"
    topology.write_text(
        'seed = 3\n[nodes.gate]\n[nodes.ann]\n[[links]]\nbetween = ["gate", "ann"]\nloss = 0.1\n'
    )
    with Air(tmp_path / "air", "--topology", str(topology), "--scale", "20") as air:
        gate = RadioNode(tmp_path / "gate", air.ports["gate"])
        player = RadioNode(tmp_path / "ann", air.ports["ann"])
        configure(gate, web)
        try:
            player.start()
            gate.start()
            mesh = Mesh(player, gate, ON_AIR)
            # That an announce is heard is not certain by radio; the challenge goes to an address.
            table = web.host("chess")
            ann = web.agent(table)
            plays = web.plays(ann, script("f2f3", "g2g4"))
            id = mesh.challenge("chess")
            mesh.turn(id, 1)
            gate.kill()
            player.call("game.move", id=id, move="e7e5")
            gate.start()
            mesh.turn(id, 3)
            player.call("game.move", id=id, move="d8h4")
            assert mesh.ended(id)["reason"] == "checkmate"
            assert plays.result(ON_AIR)[0]["winner"]
            assert mesh.seat(stage="over", session=id)["result"] == "won"
            check_same(player, gate, id)
        finally:
            print(gate.log)
            player.kill()
            gate.kill()
            web.close()

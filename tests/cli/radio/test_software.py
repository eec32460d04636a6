"""The commands on software RNodes, and Reticulum's unmodified driver on what they wrote."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.radio.conftest import Bench
from tests.e2e.nodes import NodeProcess, free_port, until
from tests.e2e.table import Table
from tests.radio.air import Air

pytestmark = pytest.mark.node

# (region, preset) and what must be on the air: Hz, Hz, SF, CR
AIR = {
    ("EU868", "medium-fast"): (869_525_000, 250_000, 9, 5),
    ("US915", "wide-medium"): (914_875_000, 500_000, 9, 5),
}


@pytest.fixture
def rns(tmp_path: Path) -> Path:
    """A configuration that meets no other Reticulum of this machine."""
    directory = tmp_path / "private"
    directory.mkdir()
    (directory / "config").write_text("[reticulum]\nshare_instance = no\nenable_transport = no\n")
    return directory


@pytest.mark.parametrize(
    ("region", "preset"),
    [("EU868", "medium-fast"), pytest.param("US915", "wide-medium", marks=pytest.mark.slow)],
)
def test_the_driver_sends_what_was_set_up(
    bench: Bench, tmp_path: Path, rns: Path, region: str, preset: str
) -> None:
    with Air(tmp_path / "air", "alice", "--scale", "20") as air:
        port = air.ports["alice"]
        found = bench.json("probe", port)
        assert (found["board"]["name"], found["accepted"]) == ("Heltec LoRa32 v3", True)
        words = ["--region", region, "--preset", preset, "--port", port, "--config-dir", str(rns)]
        assert bench.json("setup", *words)["written"]
        node = NodeProcess(tmp_path / "alice", "--rns-config", str(rns))
        node.spawn()
        try:
            node.ready()
            # The first thing a node says on a free medium is who it is.
            frame = until(lambda: air.trace("frame"), "the announce is on the air", 40)[0]
            assert (frame["frequency"], frame["bandwidth"], frame["sf"], frame["cr"]) == AIR[region, preset]
            assert frame["power"] == 22
            # Now it is in use: nobody else speaks to it.
            code, _, err = bench.run("probe", port)
            assert code == 1
            assert f"has {port} open" in err
        finally:
            node.kill()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_gateway_keeps_the_announces_of_its_network_off_the_air(
    bench: Bench, tmp_path: Path, rns: Path
) -> None:
    """But who is on the air finds who is not, and plays with them."""
    gate_rns, net = tmp_path / "gate-rns", free_port()
    gate_rns.mkdir()
    (gate_rns / "config").write_text(
        "[reticulum]\nshare_instance = no\nenable_transport = yes\n[interfaces]\n[[Net]]\n"
        f"type = TCPServerInterface\nenabled = yes\nlisten_ip = 127.0.0.1\nlisten_port = {net}\n"
        "mode = boundary\n"
    )
    with Air(tmp_path / "air", "gate", "hill", "--scale", "20") as air, ExitStack() as stack:
        for name, role, directory in (("gate", "gateway", gate_rns), ("hill", "node", rns)):
            words = ["--port", air.ports[name], "--config-dir", str(directory), "--role", role]
            assert bench.json("setup", "--region", "EU868", *words)["written"]
        gate = stack.enter_context(NodeProcess(tmp_path / "gate", "--rns-config", str(gate_rns)))
        until(lambda: air.trace("frame"), "the gateway is on the air", 60)
        town = stack.enter_context(NodeProcess(tmp_path / "town", "--connect", f"127.0.0.1:{net}"))
        gate.hears(town, 60)
        hill = stack.enter_context(NodeProcess(tmp_path / "hill", "--rns-config", str(rns)))
        # What the gateway would have passed on it would have passed on before it heard of somebody later.
        gate.hears(hill, 60)
        assert not [row for row in air.trace("frame") if town.identity in row["host"]]
        table = Table(hill, town, "ttt", 120.0)
        table.accept()
        table.play(*"14253")
        table.check_ended("win", hill)

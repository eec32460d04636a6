"""The commands on software RNodes, and Reticulum's unmodified driver on what they wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.radio.conftest import Bench
from tests.e2e.nodes import NodeProcess, until
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


@pytest.mark.parametrize(("region", "preset"), AIR)
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

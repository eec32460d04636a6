"""Identities in a real terminal, on a real node: kept, deleted, and brought in again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.tui.harness import ui_on

pytestmark = pytest.mark.node


def test_an_identity_is_kept_deleted_and_brought_in(ann: NodeProcess, tmp_path: Path) -> None:
    key = tmp_path / "dora.key"
    made = ann.call("identity.create", name="Dora")
    ann.call("game.challenge", identity="Dora", peer="house", app="ttt")
    with ui_on(ann) as ui:
        ui.until("Games of").keys("i").until("Dora").keys("end").until(made["hash"])
        ui.keys("k").until("Write the private key").keys("ctrl u").type(str(key)).keys("enter")
        ui.until("Keep it from")
        assert (key.stat().st_mode & 0o777, key.stat().st_size) == (0o600, 64)
        # What is there is left alone.
        ui.keys("k").until("Write the private key").keys("ctrl u").type(str(key)).keys("enter")
        ui.until("is left alone")
        ui.keys("x").until("Type its").type("Nora").keys("enter").until("nothing was deleted")
        ui.keys("x").until("Type its").type("Dora").keys("enter").until("all the same?")
        ui.keys("enter").gone("all the same?")
        assert made["hash"] in {one["hash"] for one in ann.call("identity.list")["identities"]}
        ui.keys("x").until("Type its").type("Dora").keys("enter").until("all the same?").keys("y")
        ui.until("Dora is deleted").until(lambda ui: "(" + made["hash"][:8] not in ui.text)
        ui.keys("b").until("Bring in").type(str(tmp_path)).keys("enter").until("Cannot read")
        ui.keys("b").until("Bring in").type(str(key)).keys("enter").until("What to call it")
        ui.keys("ctrl u").type("Dora II").keys("enter").until("Dora II is here").until("Dora II (")
        back = ann.call("identity.show", identity="Dora II")
        assert back["hash"] == made["hash"]
        ui.keys("end").until(made["hash"]).keys("e").until("off the mesh?").keys("y").until("is off the mesh")
        until(lambda: not ann.call("identity.show", identity="Dora II")["enabled"], "it is off the mesh")
        ui.keys("ctrl l").gone("is off the mesh").same_after_redraw()
    ann.call("identity.delete", identity="Dora II", force=True)

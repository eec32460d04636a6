"""A third party's game in the terminal UI, which knows nothing of it but its view."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.tui.harness import SIZES, lone_node, ui_on

pytestmark = [pytest.mark.node, pytest.mark.slow]

SALT = "0f" * 16


@pytest.fixture
def node(installed: Path) -> Iterator[NodeProcess]:
    """A node with the example package."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        node = lone_node(Path(folder) / "ann")
        node.start(PYTHONPATH=str(installed))
        try:
            yield node
        finally:
            node.kill()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_game_that_the_interface_does_not_know_is_played(node: NodeProcess, size: tuple[int, int]) -> None:
    me = node.identity
    eve = node.call("identity.create", name="Eve")["hash"]
    throw = {"f": 3, "k": SALT}
    id = node.call("game.challenge", identity=eve, peer=me, app="odd_even", intent=throw)["id"]
    with ui_on(node, "--as", me[:12], size=size) as ui:
        ui.until("Invitations").until("Odds and E").keys("enter").until("you are c").same_after_redraw()
        ui.keys("a").until("Waiting for the reveal").until("delivered").keys("ctrl l").gone("Done")
        ui.same_after_redraw()
        # What the interface has no field for, the other side sends.
        node.call("game.move", identity=eve, id=id, intent=throw)
        until(lambda: node.call("game.show", identity=me, id=id)["status"] == "completed", "the reveal")
        ui.until(lambda ui: "you win" in ui.text or "you lose" in ui.text).until("n play again")
        ui.keys("esc").until("Finished")
        ui.keys("n").until("New game").keys("t").until("Challenge an address").type(eve).keys("enter")
        ui.until("Odds and Evens").same_after_redraw()

"""Network, settings and identities in a real terminal, on a real node."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.radio.air import Air, RadioNode
from tests.tui.harness import SIZES, Program, ui_on
from tests.tui.test_terminals import resized

pytestmark = pytest.mark.node

AWAY = "fe" * 16
NODE = "d4" * 16
TABS = {
    "1": "interface",
    "2": "Propagation nodes",
    "3": "announced",
    "4": "on its way",
    "5": "level",
    "6": "gateway is off",
}


def test_the_network_the_settings_and_another_identity(ann: NodeProcess) -> None:
    with ui_on(ann) as ui:
        ui.until("Games of ann").keys("w").until("[1 Links]").until("Listen: online")
        ui.keys("tab").until("[2 Mail]").until("No propagation node")
        ui.keys("3").until("ann: just now").keys("a").until("announced.")
        ui.keys("left").until("[2 Mail]").keys("5").until("[5 Log]").until("the node is running")
        # A new line is there without a key.
        ann.call("identity.create", name="Bea")
        ui.until("Bea, enabled")
        ui.keys("?").until("Network: Log").keys("esc").gone("Network: Log").keys("esc").until("Games of ann")
        ui.keys("o").until("Challenges taken").keys("enter").until("Anybody who hears").keys("ctrl u")
        ui.type("Annie").keys("enter").until("It is called Annie now").until("You: Annie")
        ui.keys("down", "enter").until("Whose challenges").keys("4").until("Changed.").until("contacts only")
        assert ann.call("identity.policy", identity="Annie")["policy"] == "contacts"
        ui.keys("esc").until("Games of Annie").keys("i").until("shown: Annie").until("Bea (")
        ui.keys("down", "enter").until("Games of Bea").until("Play at once")
        ui.keys("n").until("New game as Bea").keys("esc").until("Games of Bea")
        ui.keys("i").until("shown: Bea").keys("c").until("New identity").type("Cleo").keys("enter")
        ui.until("Cleo is made").until("Cleo (")
    names = {one["name"] for one in ann.call("identity.list")["identities"]}
    assert {"Annie", "Bea", "Cleo"} <= names
    ann.call("identity.rename", identity="Annie", name="ann")
    ann.call("identity.policy", identity="ann", clear=True)
    for name in ("Bea", "Cleo"):
        ann.call("identity.delete", identity=name)


def test_what_is_on_its_way_is_sent_again_and_cancelled(ann: NodeProcess) -> None:
    game = ann.call("game.challenge", identity="ann", peer=AWAY, app="ttt")
    with ui_on(ann) as ui:
        ui.until("Waiting for the other").keys("w").until("Links").keys("4").until(f"challenge to {AWAY[:8]}")
        ui.until("1 not there yet")
        ui.keys("r").until("Sending 1 again")
        # The safe answer is the one of Enter.
        ui.keys("x").until("Cancel your challenge").keys("enter").gone("Cancel your challenge")
        assert len(ann.call("outbox.list")["messages"]) == 1
        ui.keys("x").until("Cancel your challenge").keys("y")
        ui.until("Nothing is on its way")
    assert ann.call("outbox.list")["messages"] == []
    ann.call("game.abandon", identity="ann", id=game["id"])


@pytest.mark.slow
def test_propagation_nodes_are_added_used_and_taken_out(ann: NodeProcess) -> None:
    def listed() -> list[str]:
        return [one["hash"] for one in ann.call("propagation.status")["nodes"]]

    with ui_on(ann, size=(40, 20)) as ui:
        ui.until("Games of ann").keys("w").until("[Links]").keys("2").until("[Mail]")
        ui.keys("a").until("Add a propagation").type("nonsense").keys("enter").until("32 characters")
        ui.keys("a").until("Add a propagation").type(NODE).keys("enter").until("d4d4d4d4")
        ui.until("never heard")
        assert listed() == [NODE]
        ui.keys("enter").until("before all others")
        ui.keys("x").until("Take out the").keys("y").until("Propagation nodes (0)")
        assert listed() == []
        ui.keys("esc").until("Games of ann").keys("o").until("Propagation nodes").until("not set")
        # The list of the settings is for the next start.
        ui.keys(*["down"] * 4, "enter").until("at most 16").type(NODE).keys("enter").until("starts again")
        ui.until("d4d4d4d4").keys("u").until("not set")
        ui.keys("down", "enter").until("Whether propagation").keys("n").until("starts again")
        # The same words were there already, of the setting before.
        until(lambda: "auto = false" in (ann.data / "lrgpnode.toml").read_text(), "the setting is written")
    ann.call("node.config_unset", key="propagation.auto")


def redrawn(ui: Program, text: str) -> None:
    """Shown, with everything that is loaded, and the same after a full redraw."""
    ui.until(text).until(lambda ui: "Loading" not in ui.text and "loading" not in ui.text)
    ui.same_after_redraw()


def helped(ui: Program, text: str) -> None:
    """The help, down to the last line of its frame, and away again."""
    ui.keys("?").until(text).until(lambda ui: "┘" in ui.text or ui.text.count("+-") == 2)
    ui.same_after_redraw().keys("esc").gone(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "term", "lang"),
    [
        (SIZES[0], "xterm-256color", "C.UTF-8"),
        (SIZES[1], "xterm-256color", "C.UTF-8"),
        (SIZES[1], "vt100", "C"),
    ],
    ids=str,
)
def test_every_part_is_what_a_full_redraw_shows(
    ann: NodeProcess, size: tuple[int, int], term: str, lang: str
) -> None:
    with ui_on(ann, size=size, term=term, lang=lang) as ui:
        ui.until("Games of ann").keys("w")
        for key, text in TABS.items():
            ui.keys(key)
            redrawn(ui, text)
            helped(ui, "Network:")
        ui.keys("esc").until("Games of").keys("o")
        redrawn(ui, "Challenges taken")
        ui.keys("end", "up", "page up")
        helped(ui, "take it out of the settings")
        ui.keys("esc").until("Games of").keys("i")
        redrawn(ui, "shown now")
        if lang == "C":
            assert ui.text.isascii()
        resized(ui, ((30, 10), (120, 40), size))


@pytest.mark.slow
def test_a_node_that_is_started_again_is_read_anew(tmp_path: Path, ann: NodeProcess) -> None:
    with ui_on(ann) as ui:
        ui.until("Games of ann").keys("w").until("Listen: online").keys("5").until("the node is running")
        ann.kill()
        ui.until("gone away")
        ann.start()
        ui.until(lambda ui: "gone away" not in ui.text and "the node is running" in ui.text, 60)
        ui.keys("1").until("Listen: online")


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_radio_with_its_figures_and_its_trouble(tmp_path: Path) -> None:
    with Air(tmp_path / "air", "ann", "--scale", "10") as air:
        node = RadioNode(tmp_path / "ann", air.ports["ann"])
        settings = node.data / "lrgpnode.toml"
        settings.write_text(settings.read_text().replace("limit_percent = 100", "limit_percent = 50"))
        with node, ui_on(node) as ui:
            ui.until("Games of", 60).keys("w").until("Radio: online", 90)
            for text in ("868.1 MHz", "SF8 BW125 CR4/5", "channel load", "of 1800.0 s an hour"):
                ui.until(text)
            ui.resize(40, 20).until("[Links]").until("868.1 MHz")
            ui.resize(80, 24).until("channel load")
            air.tell("unplug ann")
            # Told by an event, not by the next look.
            ui.until("is not plugged in", 90)
            air.tell("plug ann")
            ui.until("Radio: online", 90)
            until(lambda: node.call("radio.status")["radios"][0]["state"] == "online", "the radio is back")

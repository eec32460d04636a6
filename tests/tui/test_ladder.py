"""The ladder in the terminal: from the node's own arcade, and from another one over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.agentgames.server import rules
from gateway.agentgames.server.records import MatchStore
from gateway.arcade.store import FILE_NAME, ArcadeStore
from lrgpnode.control.client import CallFailed
from tests.e2e.nodes import NodeProcess, free_port
from tests.gateway.agentgames.matches import WON, season
from tests.gateway.web.arcade import add_people
from tests.tui.harness import SIZES, ui_on

pytestmark = pytest.mark.node


def furnished(folder: Path) -> dict[str, int]:
    """An arcade's database with some matches; their numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    add_people(folder)
    store = ArcadeStore(folder / FILE_NAME)
    try:
        return season(MatchStore(store.database), {one.name: one.id for one in store.accounts()})
    finally:
        store.close()


def node(folder: Path, settings: str) -> NodeProcess:
    made = NodeProcess(folder, "--listen", f"127.0.0.1:{free_port()}")
    with (made.data / "lrgpnode.toml").open("a") as file:
        file.write(settings)
    return made


@pytest.fixture(scope="module")
def nodes(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[NodeProcess, NodeProcess, dict[str, int]]]:
    """A node with an arcade, another that shows the ladder of that, and the numbers of the matches."""
    base, port = tmp_path_factory.mktemp("ladder"), free_port()
    here = node(base / "here", f'[arcade]\nenabled = true\nlisten = "127.0.0.1:{port}"\n')
    numbers = furnished(here.data)
    there = node(base / "there", f'[arcade]\nladder_url = "http://127.0.0.1:{port}"\n')
    with here, there:
        yield here, there, numbers


@pytest.mark.parametrize("source", ["here", pytest.param("there", marks=pytest.mark.slow)])
def test_a_match_is_stepped_through(
    nodes: tuple[NodeProcess, NodeProcess, dict[str, int]], source: str
) -> None:
    here, there, numbers = nodes
    with ui_on(here if source == "here" else there) as ui:
        ui.until("Play at once").keys("l").until("Ladder: Tic-Tac-Toe").until("Ann - one: Ann won")
        assert "Ann - two" not in ui.text, "that was another game"
        if source == "there":
            ui.until("http://127.0.0.1:")
        ui.keys("tab").until("Ladder: Connect 4").until("two won on time")
        ui.until("void").same_after_redraw()
        ui.keys("tab").until("Ladder: Chess").until("one - two: one won")
        ui.keys("end", "enter").until("The beginning, 33 moves ago").until("one against two")
        labels = ("e4", "e5", "Nf3", "d6")
        for ply, label in enumerate(labels, 1):
            ui.keys("right").until(f"After move {ply} of 33").until(label)
        ui.same_after_redraw()
        ui.keys("end").until("One won.").until("Rd8#")
        ui.keys("f").until("h  g  f").keys("f").until("a  b  c")
        ui.keys("left").until("After move 32 of 33").keys("home").until("The beginning")
        ui.keys("?").until("turn the board").keys("esc").until("The beginning")
        ui.keys("esc").until("Ratings").keys("esc").until("Play at once")
    assert numbers["chess"] == 4


@pytest.mark.slow
def test_small_and_plain(nodes: tuple[NodeProcess, NodeProcess, dict[str, int]]) -> None:
    here, _, _ = nodes
    with ui_on(here, size=SIZES[1], term="vt100", lang="C") as ui:
        ui.until("Play at once").keys("l").until("Ladder: Tic-Tac-Toe").until("1516")
        # A player's matches, and those of all again.
        ui.keys("home", "enter").until("Matches of Ann").keys("esc").until(
            lambda ui: "Matches of" not in ui.text and "Matches" in ui.text
        )
        ui.same_after_redraw()
        ui.keys("end", "enter").until("The beginning, 5 moves ago")
        ui.keys("]").until("After move 1 of 5").keys("end").until("Ann won.")
        ui.same_after_redraw()
        assert ui.raw.isascii()
        ui.keys("esc").until("Ratings").keys("tab").until("Connect 4")
        ui.keys("end", "up", "enter").until("The beginning, 3 moves ago")


@pytest.mark.slow
def test_where_there_is_none_it_says_so(tmp_path: Path) -> None:
    with node(tmp_path / "none", "") as plain, ui_on(plain) as ui:
        ui.until("Play at once").keys("l").until("This node shows no ladder.")
        ui.keys("?").until("arcade.ladder_url")
    gone = f'[arcade]\nladder_url = "http://127.0.0.1:{free_port()}"\n'
    with node(tmp_path / "gone", gone) as lost, ui_on(lost) as ui:
        ui.until("Play at once").keys("l").until("cannot be reached")
        with pytest.raises(CallFailed, match="no connection"):
            lost.call("ladder.replay", number=1)


def test_every_position_is_that_of_the_rules(nodes: tuple[NodeProcess, NodeProcess, dict[str, int]]) -> None:
    """Through both nodes, every board of every match is that of the arena's rules."""
    here, there, numbers = nodes
    for game in ("ttt", "c4", "chess"):
        rows = [position.rows() for position in rules.replay(game, WON[game].split())]
        letters = {"A": "X", "B": "O"} if game == "c4" else {}
        for source in (here, there):
            found = source.call("ladder.replay", number=numbers[game])
            grids = [frame["grid"] for frame in found["frames"]]
            shown = [
                tuple("".join(letters.get(cell, cell) or "." for cell in row) for row in grid)
                for grid in grids
            ]
            assert shown == rows
            assert (found["more"], len(found["view"]["history"])) == (False, len(rows) - 1)
    assert here.call("ladder.show", game="four_in_a_row") == there.call("ladder.show", game="c4") | {
        "source": ""
    }
    both = [source.call("ladder.matches", limit=2) for source in (here, there)]
    assert both[0] == both[1] | {"source": ""}
    assert both[0]["more"]

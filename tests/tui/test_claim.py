"""A draw by rule, a promotion, and the game as a file, in a real terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.tui.harness import ui_on
from tests.tui.test_play import square

pytestmark = pytest.mark.node

REPETITION = ("Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8")
PROMOTION = ("a4", "h5", "a5", "h4", "a6", "h3", "axb7", "hxg2")


@pytest.fixture
def eve(ann: NodeProcess) -> Iterator[str]:
    """Somebody else on the same node."""
    made: str = ann.call("identity.create", name="Eve")["hash"]
    yield made
    ann.call("identity.delete", identity=made, force=True)


def played(ann: NodeProcess, eve: str, moves: tuple[str, ...]) -> tuple[str, str]:
    """A game of chess between the two, as far as these moves; its id, and who is to move then."""
    me = ann.identity
    id: str = ann.call("game.challenge", identity=me, peer=eve, app="chess")["id"]
    until(lambda: ann.call("game.list", identity=eve, filter="pending")["games"], "the challenge")
    ann.call("game.accept", identity=eve, id=id)
    until(lambda: ann.call("game.show", identity=me, id=id)["status"] == "active", "the acceptance")
    mover, other = (me, eve) if ann.call("game.show", identity=me, id=id)["view"]["my_turn"] else (eve, me)
    for ply, move in enumerate(moves, 1):
        ann.call("game.move", identity=mover, id=id, move=move)
        until(
            lambda who=other, ply=ply: ann.call("game.show", identity=who, id=id)["view"]["ply"] == ply, move
        )
        mover, other = other, mover
    return id, mover


def test_a_draw_is_claimed_and_the_game_exported(ann: NodeProcess, eve: str, tmp_path: Path) -> None:
    id, mover = played(ann, eve, REPETITION)
    with ui_on(ann, "--as", mover[:12], "tui", "--session", id) as ui:
        ui.until("You can claim a draw").until("c claim draw").same_after_redraw()
        ui.keys("c").until("Claim a draw?").keys("enter").gone("Claim a draw?").keys("c").until("Claim").keys(
            "y"
        )
        ui.until("threefold").until("n play again").until("delivered").keys("ctrl l").gone("Done")
        ui.same_after_redraw()
        assert "You can claim" not in ui.text
        assert ann.call("game.show", identity=mover, id=id)["status"] == "completed"
        for key, name in (("p", "game.pgn"), ("j", "game.json"), ("s", "signed.pgn")):
            ui.keys("e").until("Export this game").keys(key).until("Write to the file")
            ui.keys("ctrl u").type(str(tmp_path / name)).keys("enter").until("Written to").keys("ctrl l")
            ui.gone("Written to")
        pgn = (tmp_path / "game.pgn").read_text()
        assert '[Result "1/2-1/2"]' in pgn
        assert "1. Nf3 Nf6 2. Ng1 Ng8" in pgn
        journal = json.loads((tmp_path / "game.json").read_text())
        assert sum(one["command"] == "move" for one in journal["actions"]) == len(REPETITION)
        # What is there is replaced only after a question.
        ui.keys("e").until("Export").keys("j").until("Write").keys("ctrl u")
        ui.type(str(tmp_path / "game.pgn")).keys("enter").until("exists. Replace it?").keys("enter")
        assert (tmp_path / "game.pgn").read_text() == pgn


def test_a_promotion_is_asked_for(ann: NodeProcess, eve: str) -> None:
    id, mover = played(ann, eve, PROMOTION)
    with ui_on(ann, "--as", mover[:12], "tui", "--session", id, size=(40, 20)) as ui:
        ui.until("Your turn").same_after_redraw()
        ui.click(*square(ui, "b7")).until("From b7 to")
        column, row = square(ui, "a7")
        ui.click(column, row - 1).until("n  bxa8=N").same_after_redraw()
        ui.keys("n").gone("Which one?").until("bxa8=N")
        assert ann.call("game.show", identity=mover, id=id)["view"]["history"][-1] == "bxa8=N"
        # What was captured is shown.
        ui.until("lost")
    ann.call("game.resign", identity=mover, id=id)

"""Playing in a real terminal, on real nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Pair, pair as pair
from tests.e2e.nodes import NodeProcess, until
from tests.tui.harness import SIZES, Program, ui_on

pytestmark = pytest.mark.node

THINKING = 60.0


@pytest.fixture(autouse=True)
def _no_game_goes_on(ann: NodeProcess) -> None:
    for game in ann.call("game.list", filter="live")["games"]:
        ann.call("game.resign", id=game["id"])


def begin(ui: Program, downs: int) -> None:
    """From the list of a newcomer, against the house at its first level."""
    ui.until("Play at once")
    ui.keys(*["down"] * downs, "enter").until("1  ").keys("1")


def my_turn(ui: Program, node: NodeProcess, id: str, ply: int) -> None:
    """Until the screen shows that a move is asked, ``ply`` moves into the game; or that the game is over."""

    def ready() -> bool:
        game = node.call("game.show", id=id)
        view = game["view"]
        return game["status"] != "active" or (bool(view["my_turn"]) and view["ply"] >= ply)

    until(ready, f"move {ply} of {id}", THINKING)
    view = node.call("game.show", id=id)["view"]
    last = view["history"][-1] if view["history"] else ""
    ui.until(lambda ui: view["status_line"].split(".")[0] in ui.text and last in ui.text)


def redrawn(ui: Program) -> None:
    """Every change so far has left what a full redraw shows. Nothing is on its way meanwhile."""
    ui.keys("ctrl l").until(lambda ui: "Played" not in ui.text and "delivered" in ui.text)
    ui.same_after_redraw()


@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.slow)], ids=str)
def test_a_newcomer_finishes_a_game_against_the_house(ann: NodeProcess, size: tuple[int, int]) -> None:
    """By the keys that the screen names; nothing was read before."""
    with ui_on(ann, size=size) as ui:
        begin(ui, 0)
        ui.until("Your turn").until("Press 1 to 9")
        (game,) = ann.call("game.list", filter="live")["games"]
        ply = 0
        while (shown := ann.call("game.show", id=game["id"]))["status"] == "active":
            label = shown["view"]["legal"][0]["label"]
            ui.keys(label)
            ply += 2
            my_turn(ui, ann, game["id"], ply)
            ui.until(
                lambda ui, ply=ply: (
                    ("Your turn" in ui.text and f"{ply}. " in ui.text) or "n play again" in ui.text
                )
            )
        end = shown["view"]["status_line"]
        ui.until(end.split(".")[0])
        record = shown["record"]
        ui.until(f"won {record['won']}, drawn {record['drawn']}, lost {record['lost']}")
        redrawn(ui)
        ui.keys("esc").until("Finished")


@pytest.mark.slow
def test_chess_by_text_and_by_cursor(ann: NodeProcess) -> None:
    with ui_on(ann) as ui:
        begin(ui, 2)
        ui.until("Your turn")
        (game,) = ann.call("game.list", filter="live")["games"]
        detail = ann.call("game.show", id=game["id"])
        ply = detail["view"]["ply"]
        text, cursor = ("Nf3", "d2") if detail["view"]["seat"] == "white" else ("Nf6", "d7")
        # By text, after something that is no move.
        ui.keys("tab").until("Nf3, e2e4").type("--").until("No legal move")
        ui.keys("enter").until("Type a move such as")
        ui.keys("ctrl u").type("n").until("Nh").type(text[1:]).until(f"Enter plays {text}").keys("enter")
        my_turn(ui, ann, game["id"], ply + 2)
        ui.until(lambda ui: text in ui.text and "Your turn" in ui.text)
        # By mouse: the piece, then where it goes.
        column, row = square(ui, cursor)
        ui.click(column, row).until(f"From {cursor} to")
        step = -2 if row > 6 else 2
        ui.click(column, row + step)
        my_turn(ui, ann, game["id"], ply + 4)
        moves = ann.call("game.show", id=game["id"])["view"]["history"]
        assert moves[ply] == text
        assert moves[ply + 2][0] == "d"
        ui.until("Your turn")
        # Back in time, and forward again.
        ui.keys("[").until("After move").keys("home").until("The beginning")
        redrawn(ui)
        ui.keys("esc").until("Your turn")
        ui.keys("f").until(lambda ui: ui.find("a  b  c") if "h  g  f" not in ui.text else ui.find("h  g  f"))
        ui.keys("r").until("▸ n").keys("y").until("You resigned")
        assert ann.call("game.show", id=game["id"])["status"] == "completed"


def square(ui: Program, name: str) -> tuple[int, int]:
    """Where a square of the chess board is on the screen."""
    row = next(number for number, line in enumerate(ui.lines) if line.strip().startswith(name[1]))
    labels = next(line for line in ui.lines if line.split()[:8] in (list("abcdefgh"), list("hgfedcba")))
    return labels.index(name[0]), row


@pytest.mark.slow
def test_four_in_a_row_by_cursor(ann: NodeProcess) -> None:
    with ui_on(ann, size=(40, 20)) as ui:
        begin(ui, 1)
        ui.until("Your turn").until("Press 1 to 7")
        (game,) = ann.call("game.list", filter="live")["games"]
        ui.keys("left", "up", "enter")
        until(lambda: ann.call("game.show", id=game["id"])["view"]["ply"] >= 1, "the move is made")
        assert ann.call("game.show", id=game["id"])["view"]["history"][0] == "3"
        my_turn(ui, ann, game["id"], 2)
        ui.until("Your turn")
        ui.keys("r").until("▸ n").keys("y").until("You resigned")


@pytest.mark.slow
def test_an_invitation_is_accepted_and_the_game_played(pair: Pair, tmp_path: Path) -> None:
    alice, bob = pair
    with ui_on(alice) as a, ui_on(bob, size=(40, 20)) as b:
        a.until("Play at once").keys("n").until("bob").keys("end", "enter").until("Which game")
        row = next(line for line in a.lines if "Tic-Tac-Toe" in line and "│" in line)
        a.keys(row.replace("│", " ").replace("▸", " ").split()[0]).until("Waiting for an answer")
        b.until("Invitations").keys("a").until("Waiting for the other").until("alice")
        a.until("Your turn").keys("5")
        b.until("Your turn")
        redrawn(b)
        b.keys("1")
        a.until(lambda ui: "Your turn" in ui.text and "'O" in ui.text)
        a.keys("d").until("Offer a draw?").keys("y").until("You offered")
        b.until("A draw is offered").keys("a").until("Accept the draw").keys("y").until("Draw by agreement")
        a.until("Draw by agreement").until("won 0, drawn 1, lost 0")
        # On the list of people as well, and for the other one.
        a.keys("esc").until("Finished").keys("n").until("bob").keys("home").until("won 0, drawn 1, lost 0")
        a.keys("esc").until("Finished").keys("w").until("Links").keys("3").until("Heard (1)")
        a.until("drawn 1, lost 0").keys("esc").until("Finished").keys("end", "enter").until("n play again")
        b.until("won 0, drawn 1, lost 0")
        a.keys("e").until("Export").keys("j").until("Write to the file")
        file = tmp_path / "game.json"
        a.keys("ctrl u").type(str(file)).keys("enter").until("Written to")
        assert '"draw_offer"' in file.read_text()


def test_the_node_is_killed_and_comes_back(ann: NodeProcess) -> None:
    with ui_on(ann) as ui:
        begin(ui, 0)
        ui.until("Your turn")
        ann.kill()
        ui.until("The node has gone away").keys("5").until("The node")
        ann.start()
        ui.gone("The node has gone away", 60)
        ui.keys("5").until(lambda ui: "X" in ui.text and "Your turn" in ui.text, THINKING)
        ui.keys("r").until("▸ n").keys("y").until("You resigned")
        ui.keys("esc").until("Finished").keys("q")
        assert ui.ended() == 0
        assert ann.process is not None
        assert ann.process.poll() is None, "the node goes on without the interface"

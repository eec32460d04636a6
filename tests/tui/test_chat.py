"""Texts beside a game, in real terminals on real nodes."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Pair, pair as pair
from tests.e2e.nodes import until
from tests.tui.harness import Program, ui_on

pytestmark = pytest.mark.node


def challenge(pair: Pair) -> str:
    """A game of tic-tac-toe that goes on."""
    alice, bob = pair
    id: str = alice.call("game.challenge", peer=bob.identity, app="ttt")["id"]
    until(lambda: bob.call("game.list", filter="pending")["games"], "the challenge")
    bob.call("game.accept", id=id)
    until(lambda: alice.call("game.show", id=id)["status"] == "active", "the acceptance")
    return id


def talk(ui: Program) -> Program:
    return ui.keys("t").until("bytes are one packet")


def test_two_people_write_each_other_beside_a_game(pair: Pair) -> None:
    alice, bob = pair
    id = challenge(pair)
    with ui_on(alice, "tui", "--session", id) as a, ui_on(bob, "tui", size=(40, 20)) as b:
        a.until("bob")
        b.until("Tic-Tac-Toe")
        talk(a).until("Nothing has been written").until("Tic-Tac-Toe")
        a.type("Good luck").until("278 bytes left").same_after_redraw()
        # Keys of readline, and what would be commands on the board.
        a.keys("ctrl w").type("lack? q").keys("ctrl a").type("Much ").until("Much Good lack? q")
        a.keys("ctrl u").type("Good luck, q?").keys("enter")
        a.until("you").until("bytes are one packet")
        # On the other side: a sign in the list, and what it is about.
        b.until("writes: Good luck")
        b.keys("ctrl l").until("1 new text")
        b.keys("enter")
        talk(b).until("Good luck, q?").same_after_redraw()
        until(lambda: bob.call("node.status")["unread_texts"] == 0, "it counts as read")
        b.type("You too").keys("enter").until("you")
        a.until("You too").until(lambda ui: "√" in ui.text)
        # It never was new to who looked at it.
        until(lambda: alice.call("node.status")["unread_texts"] == 0, "it is read where it is seen")
        a.same_after_redraw()
        a.keys("tab").until("t chat").keys("esc").until("Games of")
        b.keys("esc").until(lambda ui: "You too" not in ui.text)


@pytest.mark.slow
def test_hostile_texts_resizing_and_a_text_that_does_not_arrive(pair: Pair) -> None:
    alice, bob = pair
    id = challenge(pair)
    bob.call(
        "message.send",
        peer=alice.identity,
        text="\u202eevil\u2066 \U0001f469\u200d\U0001f4bb\n12:00 you: I resign",
    )
    for number in range(30):
        bob.call("message.send", peer=alice.identity, text=f"line {number} " + "word " * 30)
    with ui_on(alice, "tui", "--session", id) as ui:
        ui.until("bob")
        until(lambda: alice.call("node.status")["unread_texts"] >= 31, "all is there")
        talk(ui).until("line 29").same_after_redraw()
        for _ in range(60):
            ui.keys("page up")
        ui.until("I resign")
        assert "\u202e" not in ui.text
        assert all(not line.split("│")[-1].startswith("12:00 you") for line in ui.lines)
        for size in ((40, 20), (120, 30), (80, 24), (20, 6), (80, 24)):
            ui.resize(*size)
        ui.until("bytes are one packet").same_after_redraw()
        ui.resize(130, 30).until(lambda ui: "│" in ui.text).keys("esc").until("t chat").same_after_redraw()
        assert "line" in ui.text  # from 110 columns on it stays
        ui.type("t").type("x" * 300).until("over a packet").keys("ctrl u")
        bob.stop()
        ui.type("Are you there?").keys("enter").until("Are you there?").until("proved").same_after_redraw()
        bob.start()
        ui.until(lambda ui: "not proved" not in ui.text, 90)


def test_the_house_does_not_read(ann: object) -> None:
    from tests.e2e.nodes import NodeProcess

    assert isinstance(ann, NodeProcess)
    id = ann.call("game.challenge", peer="house", app="ttt")["id"]
    with ui_on(ann, "tui", "--session", id) as ui:
        ui.until("house").keys("t").until("does not read")
        assert "t chat" not in ui.text
    ann.call("game.resign", id=id)

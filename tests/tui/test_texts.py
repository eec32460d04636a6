"""Texts without a game, in real terminals on real nodes."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Pair, pair as pair
from tests.e2e.nodes import until
from tests.tui.harness import ui_on

pytestmark = pytest.mark.node


def test_texts_of_somebody_without_a_game(pair: Pair) -> None:
    alice, bob = pair
    with ui_on(bob, size=(40, 20)) as b:
        b.until("Play at once")
        alice.call("message.send", peer=bob.identity, text="Fancy a game?\u202e")
        b.until("New texts").until("alice")
        b.keys("home", "enter").until("Fancy a game?").until("bytes are one packet").gone("1 new")
        b.same_after_redraw()
        assert "\u202e".encode() not in b.raw
        until(lambda: not bob.call("node.status")["unread_texts"], "it counts as read")
        b.type("Yes, q").keys("enter").until("you").keys("esc").until("you: Yes, q")
        b.until("√").same_after_redraw()
        b.keys("esc").until("Games of").gone("New texts")
        assert "Fancy" not in b.text
    with ui_on(alice) as a:
        a.until("New texts").until("t texts (1 new)").keys("t").until("1 new text").until("Yes, q")
        a.keys("enter").until("bytes are one packet").until("Fancy a game").gone("1 new")
        a.same_after_redraw()
        # Both sides have what was said, and the list stays beside it.
        a.until("│").keys("tab").until("Enter open").keys("esc").gone("bytes are one packet").keys("n")
        a.until("w write").keys("end", "w").until("bytes are one packet").until("Yes, q")
        for size in ((40, 20), (130, 30), (20, 6), (80, 24)):
            a.resize(*size)
        a.until("bytes are one packet").same_after_redraw()

"""Strangers and what they write: nothing of it reaches the terminal raw, and each can be dealt with."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.e2e.nodes import NodeProcess
from tests.e2e.raw import RawPeer, envelope
from tests.tui.harness import Program, ui_on

pytestmark = [pytest.mark.node, pytest.mark.slow]

NAME = "\x1b]0;pwned\x07\u202eeve\U0001f600\u0301\u0301\u0301\u0301"
TEXT = "[LRGP Go] Play?\x1b[2J\x1b[31m\u202e\nsecond line"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NodeProcess, RawPeer]]:
    """Bob's node with the settings of a newcomer, and somebody with a name made to do harm."""
    base = tmp_path_factory.mktemp("strangers")
    with RawPeer(base / "eve", NAME) as eve:
        bob = NodeProcess(base / "bob", "--connect", eve.endpoint)
        (bob.data / "lrgpnode.toml").write_text("[announce]\nat_start_seconds = 0\n")
        with bob:
            eve.wait("heard", peer=bob.identity)
            eve.tell("announce")
            bob.events.wait("peer.heard", peer=eve.identity)
            yield bob, eve


def harmless(ui: Program) -> None:
    """What was written holds none of what the stranger sent to steer the terminal."""
    for bad in (b"pwned\x07", b"\x1b[2J\x1b[31m", "\u202e".encode(), "\U0001f600".encode()):
        assert bad not in bytes(ui.raw)


@pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=str)
def test_a_game_that_is_not_installed_is_told_with_its_text(
    scene: tuple[NodeProcess, RawPeer], size: tuple[int, int]
) -> None:
    bob, eve = scene
    with ui_on(bob, size=size) as ui:
        ui.until("Play at once")
        id = secrets.token_hex(8)
        eve.send(bob.identity, envelope("challenge", id, {}, a="go.1"), content=TEXT)
        ui.until("Not playable here").until("go.1")
        ui.keys("home", "enter").until("x forgets it").until("second line")
        harmless(ui)
        ui.keys("enter").gone("x forgets it")
        told = ui.text.count("(" + eve.identity[:4])
        ui.keys("x").until(lambda ui: ui.text.count("(" + eve.identity[:4]) < told)
    # What came before the interface was opened is shown as well.
    with ui_on(bob, size=size) as ui:
        ui.until("Not playable here").same_after_redraw()


def test_a_stranger_is_let_in_or_forgotten(scene: tuple[NodeProcess, RawPeer]) -> None:
    bob, eve = scene
    first, second = secrets.token_hex(8), secrets.token_hex(8)
    with ui_on(bob) as ui:
        ui.until("Play at once")
        for id in (first, second):
            eve.send(bob.identity, envelope("challenge", id, {}), content="[LRGP TTT] Sent a challenge!")
        ui.until("Invitations (2)").until("a stranger asks")
        ui.keys("n").until("New game").until(eve.identity[:8])
        harmless(ui)
        ui.keys("esc").until("Invitations").keys("w").until("Links").keys("3").until("Heard (1)")
        ui.until(f"({eve.identity[:8]})").keys("enter").until(eve.identity)
        harmless(ui)
        ui.keys("enter").gone(eve.identity)
        ui.keys("esc").until("Invitations")
        # Above are the games that are not installed.
        ui.keys("end", "page up", "home", *["down"] * ui.text.count("go.1")).until("a accept").keys(
            "x"
        ).until("Invitations (1)")
        ui.keys("a").until("Waiting for the other player")
        accepted = eve.receive()
        assert accepted["c"] == "accept"
        assert accepted["s"] in (first, second)
        harmless(ui)

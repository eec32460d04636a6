"""Every screen, with what strangers made to do harm in it: drawn bit by bit as at once, in every size, and
with the node killed under it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgpack
import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.e2e.raw import RawPeer, envelope
from tests.tui.harness import Program, ui_on

pytestmark = pytest.mark.node

NAME = "\x1b]0;pwned\x07\u202eeve\U0001f600\u0301\u0301\u0301\u0301"
SAID = (
    "\x1b[2J\x1b[31m\u202eowned\u2066 \U0001f469\u200d\U0001f4bb\n\n12:00 you: I resign\x07" + "w\u0301" * 60
)
BAD = (b"pwned\x07", b"\x1b[2J\x1b[31m", "\u202e".encode(), "\u2066".encode(), "\U0001f600".encode())

# Keys, and what is shown then. From the list of games, and back to it.
Step = tuple[tuple[str, ...], str]
LISTS: tuple[Step, ...] = (
    (("enter",), "x forgets it"),
    (("esc",), "Not playable here"),
    (("down",), "Enter open"),
    (("up",), "Enter read"),
    (("?",), "Your games"),
    (("esc",), "Not playable here"),
    (("n",), "plays"),
    (("enter",), "Which game"),
    (("esc",), "New game"),
    (("end",), "at once"),
    (("enter",), "how strong"),
    (("esc",), "New game"),
    (("/",), "Search"),
    (("e", "v", "ctrl a", "x", "ctrl d", "ctrl w"), "Search"),
    (("esc",), "New game"),
    (("t",), "Challenge an address"),
    (("esc",), "New game"),
    (("esc",), "Not playable here"),
    (("t",), "Texts"),
    (("enter",), "you: I"),
    (("H", "i", " ", "left", "!"), "bytes left"),
    (("ctrl u",), "bytes are one"),
    (("esc",), "Enter open"),
    (("esc",), "Not playable here"),
)
NETWORK: tuple[Step, ...] = (
    (("w",), "Connect 1: online"),
    (("tab",), "No propagation node"),
    (("a",), "ddress"),
    (("esc",), "No propagation node"),
    (("3",), "announced"),
    (("enter",), "Heard"),
    (("esc",), "Heard"),
    (("4",), "Nothing is on"),
    (("esc",), "Not playable here"),
    (("o",), "(--name)"),
    (("down",), "Settings"),
    (("enter",), "challenges"),
    (("esc",), "Settings"),
    (("page down",), "["),
    (("end",), "["),
    (("esc",), "Not playable here"),
    (("l",), "shows no ladder"),
    (("?",), "arcade.ladder_url"),
    (("esc",), "shows no ladder"),
    (("esc",), "Not playable here"),
    (("i",), "Identities"),
    (("c",), "New identity"),
    (("esc",), "Identities"),
    (("?",), "Identities"),
    (("esc",), "Identities"),
    (("esc",), "Not playable here"),
)
GAME: tuple[Step, ...] = (
    (("left",), "Your turn"),
    (("up",), "Your turn"),
    (("f",), "Your turn"),
    (("tab",), "Move:"),
    (("x", "y", "z"), "xyz"),
    (("ctrl u", "n"), "n"),
    (("esc",), "Your turn"),
    (("r",), "Resign this"),
    (("right",), "Resign this"),
    (("esc",), "Your turn"),
    (("d",), "Offer a draw"),
    (("esc",), "Your turn"),
    (("[",), "After move"),
    (("home",), "beginning"),
    (("]",), "After move"),
    (("esc",), "Your turn"),
    (("o",), "Which command"),
    (("esc",), "Your turn"),
    (("e",), "Export"),
    (("down",), "Export"),
    (("esc",), "Your turn"),
    (("?",), "A game"),
    (("esc",), "Your turn"),
    (("t",), "you: I"),
    (("esc",), "Your turn"),
)
SCREENS = (("n", "New game"), ("w", "Links"), ("o", "Settings"), ("i", "Identities"), ("t", "Texts"))
TERMINALS = (
    pytest.param((80, 24), "xterm-256color", "C.UTF-8", id="wide"),
    pytest.param((40, 20), "linux", "C.UTF-8", id="linux", marks=pytest.mark.slow),
    pytest.param((80, 24), "vt100", "C", id="vt100", marks=pytest.mark.slow),
    pytest.param((40, 20), "xterm-256color", "C.UTF-8", id="narrow", marks=pytest.mark.slow),
    pytest.param((132, 43), "screen-256color", "C.UTF-8", id="large", marks=pytest.mark.slow),
)
SIZES = ((40, 20), (132, 43), (20, 6), (80, 24))

LONG_AGO = 2 * 86_400.0 + 5.5 * 3600.0

Scene = tuple[NodeProcess, RawPeer, str]


def _bob(folder: Path, eve: RawPeer) -> NodeProcess:
    node = NodeProcess(folder, "--connect", eve.endpoint)
    with (node.data / "lrgpnode.toml").open("a") as settings:
        settings.write("[test]\nclock = true\n")
    return node


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Bob, a stranger with a game of chess in which Bob is to move, and everything else that is harmful."""
    base = tmp_path_factory.mktemp("screens")
    with RawPeer(base / "eve", NAME) as eve, _bob(base / "bob", eve) as bob:
        # Ages change only every hour then, not while two screens are compared.
        bob.call("test.clock", jump=-LONG_AGO, synchronised=True)
        eve.wait("heard", peer=bob.identity)
        eve.tell("announce")
        bob.events.wait("peer.heard", peer=eve.identity)
        go = secrets.token_hex(8)
        eve.send(bob.identity, envelope("challenge", go, {}, a="go.1"), content=f"[LRGP Go] {SAID}")
        game = bob.call("game.challenge", peer=eve.identity, app="chess")["id"]
        chess = partial(envelope, session=game, a="chess.1")
        eve.send(bob.identity, chess("accept", payload={"w": eve.identity}))
        eve.send(bob.identity, chess("move", payload={"m": "e2e4", "n": 0, "x": ""}))
        until(lambda: bob.call("game.show", id=game)["view"]["my_turn"], "the first move")
        bob.call("game.move", id=game, move="d5")
        eve.send(bob.identity, chess("move", payload={"m": "e4d5", "n": 2, "x": ""}))
        until(lambda: bob.call("game.show", id=game)["view"]["ply"] == 3, "the capture")
        for _ in range(3):
            eve.tell("send", ref=1000, to=bob.identity, fields=msgpack.packb({}).hex(), content=SAID)
        until(lambda: bob.call("node.status")["unread_texts"] == 3, "what she says")
        yield bob, eve, game


def press(ui: Program, keys: tuple[str, ...], shown: str) -> None:
    """Press keys that change something, and wait for that: after an Esc nothing may follow at once."""
    before = len(ui.drain().raw)
    ui.keys(*keys).until(lambda ui: len(ui.raw) > before and shown in ui.text)
    # What is shown may be the first half of what is written.
    ui.wakeups()


def walk(ui: Program, steps: tuple[Step, ...]) -> None:
    """Through the steps; after each the screen is what a full redraw shows, and nothing of it is harmful."""
    for keys, shown in steps:
        press(ui, keys, shown)
        ui.same_after_redraw()
    assert not [bad for bad in BAD if bad in ui.raw]


@pytest.mark.parametrize(("size", "term", "lang"), TERMINALS)
def test_what_is_drawn_bit_by_bit_is_a_full_redraw(
    scene: Scene, size: tuple[int, int], term: str, lang: str
) -> None:
    bob, _, game = scene
    with ui_on(bob, size=size, term=term, lang=lang) as ui:
        ui.until("Not playable here")
        walk(ui, LISTS)
        walk(ui, NETWORK)
        if lang == "C":
            assert ui.raw.isascii()
    with ui_on(bob, "tui", "--session", game, size=size, term=term, lang=lang) as ui:
        ui.until("Your turn")
        walk(ui, GAME)


@pytest.mark.slow
def test_every_screen_is_resized(scene: Scene) -> None:
    bob, _, game = scene
    for words, steps in (((), LISTS), ((), NETWORK), (("tui", "--session", game), GAME)):
        with ui_on(bob, *words) as ui:
            ui.until("Your turn")
            for keys, shown in steps:
                press(ui, keys, shown)
                for columns, rows in SIZES:
                    before = len(ui.raw)
                    ui.resize(columns, rows)
                    ui.until(partial(_drawn, before=before)).wakeups()
                    ui.same_after_redraw()
                ui.until(shown)
            assert not [bad for bad in BAD if bad in ui.raw]


def _drawn(ui: Program, before: int) -> bool:
    return len(ui.raw) > before


@pytest.mark.slow
def test_the_node_is_killed_under_every_screen(scene: Scene) -> None:
    bob, _, _ = scene
    for key, shown in (
        ("n", "New game"),
        ("w", "Links"),
        ("o", "Settings"),
        ("i", "Identities"),
        ("t", "Texts"),
    ):
        with ui_on(bob, size=(40, 20)) as ui:
            ui.until("Your turn").keys(key).until(shown)
            bob.kill()
            ui.until("has gone away").keys("down", "?").until("┌─").keys("esc").gone("┌─")
            ui.keys("enter", "esc").until("has gone away").keys("ctrl l")
            bob.start()
            ui.gone("has gone away", 60.0)
            while "Games of" not in ui.text:
                press(ui, ("esc",), "")
            ui.until("Your turn").wakeups()
            ui.same_after_redraw()
            assert ui.process.poll() is None

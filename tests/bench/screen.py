"""The terminal UI: what it writes for a move, how soon a key is answered, and what it needs of memory."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from games.tictactoe import TicTacToe
from lrgpnode.protocol.session import SessionKey
from storage.model import Commit
from storage.store import Store
from tests.tui.harness import Program

from .loopback import applied, open_game
from .processes import LRGPNODE, NodeProcess, Watcher, free_port, node_pair, pss
from .timing import Row

Until = str | Callable[[Program], object]

BARE: Final = Path(__file__).with_name("bare_urwid.py")
QUIET_SECONDS: Final = 0.1
"""When nothing was written for so long, a change is on the screen as a whole."""

KILOBYTE: Final = 1000
STORED: Final = (20, 2000)
LIVE_EACH: Final = 4
"""One of so many stored games is an invitation, the others are over."""

ROUNDS: Final = 15

# Kasparov against Topalov, Wijk aan Zee 1999: both castle, many checks and captures, a king on a walk.
GAME: Final = """
e4 d6 d4 Nf6 Nc3 g6 Be3 Bg7 Qd2 c6 f3 b5 Nge2 Nbd7 Bh6 Bxh6 Qxh6 Bb7 a3 e5 O-O-O Qe7 Kb1 a6 Nc1 O-O-O
Nb3 exd4 Rxd4 c5 Rd1 Nb6 g3 Kb8 Na5 Ba8 Bh3 d5 Qf4+ Ka7 Rhe1 d4 Nd5 Nbxd5 exd5 Qd6 Rxd4 cxd4 Re7+ Kb6
Qxd4+ Kxa5 b4+ Ka4 Qc3 Qxd5 Ra7 Bb7 Rxb7 Qc4 Qxf6 Kxa3 Qxa6+ Kxb4 c3+ Kxc3 Qa1+ Kd2 Qb2+ Kd1 Bf1 Rd2
Rd7 Rxd7 Bxc4 bxc4 Qxh8 Rd3 Qa8 c3 Qa4+ Ke1 f4 f5 Kc1 Rd2 Qa7
"""


def screen(directory: Path) -> list[Row]:
    """All of it: bytes and memory over a game of chess, then keys with few and with many games."""
    return [*a_game(directory / "game"), *keys(directory / "keys")]


def a_game(directory: Path) -> list[Row]:
    """Both players look at the same game, so that each of its moves is an opponent's on one screen."""
    with node_pair(directory) as (x, y), ExitStack() as ends:
        watch_x, watch_y = Watcher(x.socket), Watcher(y.socket)
        ends.callback(watch_x.close)
        ends.callback(watch_y.close)
        id = open_game(x, y, watch_x, watch_y, "chess")
        seats = [(x, watch_x), (y, watch_y)]
        if not x.client.call("game.show", id=id)["view"]["my_turn"]:
            seats.reverse()
        windows = [ends.enter_context(window(node, "--session", id)) for node, _ in seats]
        for ui in windows:
            ui.until("Chess, you are")
            quiet(ui)
        written = []
        for ply, move in enumerate(GAME.split(), 1):
            (mover, _), (_, watch) = seats[(ply - 1) % 2], seats[ply % 2]
            before = len(windows[ply % 2].raw)
            mover.client.call("game.move", id=id, move=move)
            watch.until(applied(id, "move", ply))
            windows[ply % 2].until(shows(move))
            for ui in windows:
                quiet(ui)
            written.append((len(windows[ply % 2].raw) - before) / KILOBYTE)
        memory = max(pss(ui.process.pid) for ui in windows)
    with Program([sys.executable, str(BARE)]) as bare:
        bare.until("row 10")
        least = pss(bare.process.pid)
    return [
        Row(
            name="written for a move of the opponent's, chess at 256 colours, median",
            value=statistics.median(written),
            baseline=0,
            unit="KB",
            limit=1.2,
            slack=True,
        ),
        Row(
            name="the same, maximum of a game",
            value=max(written),
            baseline=0,
            unit="KB",
            limit=2.2,
            slack=True,
        ),
        Row(
            name="PSS of the terminal UI after that game / a bare urwid program",
            value=memory,
            baseline=least,
            unit="MiB",
            limit=15,
            slack=True,
        ),
    ]


def keys(directory: Path) -> list[Row]:
    """Key to screen, in the list and into a game and back, with 2,000 stored games against 20."""
    with ExitStack() as ends:
        windows = {}
        for count in STORED:
            folder = directory / str(count)
            node = NodeProcess(folder, "--listen", f"127.0.0.1:{free_port()}")
            identity = node.hash
            node.process.terminate()
            node.process.wait()
            with Store(folder / "lrgpnode.db") as store:
                fill(store, identity, count)
            node = NodeProcess(folder, "--listen", f"127.0.0.1:{free_port()}")
            ends.callback(node.stop)
            ui = windows[count] = ends.enter_context(window(node))
            ui.until("Invitations")
            # The live ones are there; those that are over come when one looks for them.
            for _ in range(8):
                ui.keys("end")
                quiet(ui)
            ui.keys("home")
            quiet(ui)
        taken: dict[int, list[float]] = {count: [] for count in STORED}
        for _ in range(ROUNDS):
            for count, ui in windows.items():
                taken[count] += strokes(ui)
    few, many = STORED
    return [
        Row(
            name="key to screen, 2,000 stored games / 20",
            value=statistics.median(taken[many]),
            baseline=statistics.median(taken[few]),
            unit="ms",
            limit=1.3,
        )
    ]


def strokes(ui: Program) -> Iterator[float]:
    """Milliseconds from each key of a usual path to its effect, beginning and ending on top of the list."""
    for key, shown in (
        ("down", chosen(1)),
        ("down", chosen(2)),
        ("up", chosen(1)),
        ("enter", "accept"),
        ("esc", chosen(1)),
        ("n", "New game"),
        ("esc", chosen(1)),
        ("?", "Your games"),
        ("esc", chosen(1)),
        ("up", chosen(0)),
    ):
        began = time.perf_counter()
        ui.keys(key).until(shown)
        yield (time.perf_counter() - began) * 1000
        quiet(ui)


def chosen(place: int) -> Until:
    """Whether the list of games is shown, with nothing over it, and has the cursor on this game."""
    return lambda ui: (
        ui.lines[0].startswith(" Games")
        and "Your games" not in ui.text
        and ui.lines[2 + place].startswith("\u25b8")
    )


def shows(move: str) -> Until:
    """Whether a window shows that this was the last move, and that it is answered or the game goes on."""
    return lambda ui: f" {move}" in ui.text and "Your turn" in ui.text


def quiet(ui: Program) -> None:
    """Read until nothing has come for a while."""
    while True:
        written = len(ui.raw)
        try:
            ui.until(lambda ui, written=written: len(ui.raw) > written, QUIET_SECONDS)
        except AssertionError:
            return


def window(node: NodeProcess, *words: str) -> Program:
    """The terminal UI on a node, at 80x24 in 256 colours."""
    place = ["--socket", str(node.socket), "tui", *words]
    return Program([*LRGPNODE, *place], HOME=str(node.socket.parent))


def fill(store: Store, identity: str, count: int) -> None:
    """Challenges of many peers, most of them declined."""
    game, now = TicTacToe(), time.time()
    for number in range(count):
        peer, at = f"{number + 1:032x}", now - count + number
        opened = game.open(SessionKey(identity, f"{number:016x}"), peer, peer, at)
        over = number % LIVE_EACH > 0
        store.commit(Commit(insert=game.apply(opened, identity, "decline", {}, at) if over else opened))

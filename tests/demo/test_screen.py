"""`lrgpnode demo` in a terminal: the interface, and the air in it, twenty times as fast."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.demo.test_demo import DEADLINE, DEMO, folder as folder, processes
from tests.tui.harness import Program

pytestmark = pytest.mark.node


def demonstrate(folder: Path, *more: str, size: tuple[int, int] = (80, 24), **env: str) -> Program:
    return Program([*DEMO, *more], size, TMPDIR=str(folder), **env)


def nothing_left(folder: Path) -> None:
    until = time.monotonic() + DEADLINE
    while processes(folder):
        assert time.monotonic() < until, "something of it is left"
        time.sleep(0.05)


@pytest.mark.parametrize("size", [(80, 24), pytest.param((40, 20), marks=pytest.mark.slow)], ids=str)
def test_a_move_goes_over_the_air_in_the_interface(folder: Path, size: tuple[int, int]) -> None:
    wide = size[0] == 80
    with demonstrate(folder, size=size) as ui:
        ui.until("Your turn", DEADLINE)
        ui.keys("5").until("Your move: 2 frames" if wide else "move 255", DEADLINE)
        ui.until(lambda ui: ("'O" in ui.text or "'X" in ui.text) and "Your turn" in ui.text, DEADLINE)
        ui.until("proved after" if wide else "proof ", DEADLINE)
        ui.keys("v").until("Your move is proved" if wide else "─ On the air")
        ui.until("hill 84 bytes").until("proof of")
        ui.keys("esc").gone("─ On the air").keys("esc").until("Games of you").keys("q")
        assert ui.ended(DEADLINE) == 0
        assert "nothing is left" in ui.text
    assert list(folder.iterdir()) == []
    assert processes(folder) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_it_ends_all_of_it(folder: Path, number: signal.Signals) -> None:
    with demonstrate(folder) as ui:
        ui.until("you are", DEADLINE)
        assert len(processes(folder)) == 3
        os.kill(ui.process.pid, number)
        assert ui.ended(DEADLINE) == (-number if number is signal.SIGKILL else 128 + number)
        nothing_left(folder)


@pytest.mark.slow
def test_line_by_line_where_it_is_asked_for_or_nothing_else_is_possible(folder: Path) -> None:
    for words, env in (("--text",), {}), ((), {"term": "dumb"}):
        with demonstrate(folder, *words, **env) as ui:
            ui.until("Your move (", DEADLINE).type("q\n")
            assert ui.ended(DEADLINE) == 0
            assert b"\x1b[?1049h" not in ui.raw
    assert processes(folder) == []

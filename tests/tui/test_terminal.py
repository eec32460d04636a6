"""The kit in a real pseudo-terminal, by way of a small program made of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tui.harness import ROOT, SIZES, Program

COMMAND = [sys.executable, "-m", "tests.tui.kit.demo"]
WIDE, NARROW = SIZES
WAYS = (
    (WIDE, {"term": "xterm-256color"}),
    (NARROW, {"term": "xterm-256color", "COLORTERM": "truecolor"}),
    (NARROW, {"term": "linux"}),
    (WIDE, {"term": "vt100", "lang": "C"}),
    (WIDE, {"term": "screen-256color"}),
    (NARROW, {"term": "xterm", "NO_COLOR": "1"}),
)


def demo(*words: str, size: tuple[int, int] = (80, 24), **how: str) -> Program:
    return Program([*COMMAND, *words], size, **how)


def assert_restored(ui: Program) -> None:
    assert ui.terminal == ui.settings
    for mode in ("?1049", "?7", "?2004", "?1000", "?1006", "?25"):
        on, off = ui.raw.rfind(f"\x1b[{mode}h".encode()), ui.raw.rfind(f"\x1b[{mode}l".encode())
        # Autowrap and the cursor are on in a terminal, all the others off.
        assert (on > off) == (mode in ("?7", "?25")), mode
    assert ui.raw.rfind(b"\x1b[0;39;49m") > ui.raw.rfind(b"\x1b[H")


@pytest.mark.slow
@pytest.mark.parametrize(("size", "how"), WAYS, ids=str)
def test_what_is_drawn_bit_by_bit_is_what_is_drawn_at_once(
    size: tuple[int, int], how: dict[str, str]
) -> None:
    with demo(size=size, **how) as ui:
        ui.until("quit")
        # Nothing is asked: over a slow line the answers would come when nobody reads them.
        assert b"$p" not in ui.raw
        ui.keys("down", "page down", "end").until("row 9999").same_after_redraw()
        ui.keys("home", "e").type("漢字 äb").keys("ctrl b", "ctrl w").until(
            lambda ui: re.fullmatch(r"Say: (漢字|\?\?) b", ui.lines[-2])
        )
        assert "Part 0" in ui.text
        ui.same_after_redraw()
        ui.keys("esc").until(lambda ui: ui.cursor is None)
        ui.keys("?").until("A note.").same_after_redraw()
        ui.keys("esc").gone("A note.").keys("ctrl t").until("Leave it").same_after_redraw()
        ui.keys("esc").gone("Leave it").same_after_redraw()
        if how.get("lang") == "C":
            assert ui.raw.isascii()
        assert ui.keys("q").ended() == 3
        assert_restored(ui)


def test_resizing_under_everything() -> None:
    with demo() as ui:
        ui.until("quit").keys("?").until("A note.")
        for columns, rows in ((40, 20), (132, 50), (20, 6), (3, 2), (80, 24)):
            ui.resize(columns, rows)
            ui.keys("ctrl l").until(lambda ui, rows=rows: ui.lines[rows - 1].strip() != "" or rows < 4)
        ui.until("A note.").same_after_redraw()
        ui.keys("esc").gone("A note.").same_after_redraw()


def test_little_is_written_and_nothing_when_idle() -> None:
    with demo() as ui:
        ui.until("quit").drain()
        assert len(ui.raw) < 2000
        assert ui.spent(lambda: ui.keys("down"), "▸ row 2") < 120
        ui.keys("e").until(lambda ui: ui.cursor is not None)
        assert ui.spent(lambda: ui.type("x"), "Say: x") < 40
        before, bytes_before = ui.wakeups(), len(ui.raw)
        with pytest.raises(AssertionError, match="not within"):
            ui.until("never", deadline=1.0)
        assert (ui.wakeups(), len(ui.raw)) == (before, bytes_before)


def test_keys_that_terminals_keep_for_themselves_arrive() -> None:
    with demo() as ui:
        ui.until("quit")
        for key in ("ctrl s", "ctrl q", "ctrl z", "ctrl v", "ctrl o", "ctrl w"):
            ui.keys(key).until(f"key {key}")
        assert ui.keys("ctrl c").ended() == 3


def test_mouse() -> None:
    with demo() as ui:
        ui.until("quit")
        ui.click(3, 5).until("▸ row 4").click(3, 5).until("opened 4")
        ui.wheel(3, 5).until("▸ row 7")
        ui.click(*ui.find("help")).until("A note.").keys("esc").gone("A note.")
        ui.click(*ui.find("ask")).until("Do it").click(*ui.find("Do it")).until("it is done")
        ui.click(*ui.find("quit"))
        assert ui.ended() == 3


def test_only_what_is_shown_is_asked_for() -> None:
    with demo() as ui:
        ui.until("quit").keys("end").until("row 9999").keys("d").until("drawn ")
        assert int(ui.lines[0].split()[1]) <= 3 * 24


def test_what_is_pasted_does_nothing_but_stand_there() -> None:
    with demo() as ui:
        ui.until("quit").paste("q\rx").keys("down").until("▸ row 2")
        assert ui.lines[0].startswith(" ready")
        ui.keys("e").paste("one\rtwo\x1b[2J\x07").until("Say: one two")
        assert ui.lines[0].startswith(" ready")
        ui.keys("enter").until("said one two").keys("up").until("Say: one two")


@pytest.mark.parametrize(
    ("notices", "title", "bells"),
    [("none", "", 0), ("plain", "Your turn", 1), ("full", "Ana \ufffd]2;evil\ufffd has moved", 1)],
)
def test_bell_and_title_tell_no_more_than_allowed(notices: str, title: str, bells: int) -> None:
    with demo(notices) as ui:
        ui.until("quit").keys("b", "d").until("drawn")
        assert (ui.title, ui.bells) == (title, bells)
        assert ui.keys("q").ended() == 3
        assert (b"\x1b[23;0t" in ui.raw) == bool(title)


def test_no_title_where_it_would_be_shown_as_text() -> None:
    with demo(term="linux") as ui:
        ui.until("quit").keys("b", "d").until("drawn")
        assert b"\x1b]" not in ui.raw
        assert ui.bells == 1


def test_another_theme_while_it_runs() -> None:
    with demo() as ui:
        ui.until("quit")
        before = ui.cell(0, 10).bg
        ui.keys("t").until(lambda ui: ui.cell(0, 10).bg != before).same_after_redraw()


@pytest.mark.parametrize("key", ["x", "a"])
def test_an_exception_leaves_a_terminal_that_works(key: str) -> None:
    with demo() as ui:
        ui.until("quit").keys(key)
        assert ui.ended() == 1
        assert_restored(ui)
        assert ui.raw.rfind(b"ValueError: as wanted") > ui.raw.rfind(b"\x1b[?1049l")


def test_a_warning_waits_until_the_screen_is_gone() -> None:
    with demo() as ui:
        ui.until("quit").keys("w").until("warned")
        assert b"a warning" not in ui.raw
        assert ui.keys("q").ended() == 3
        assert ui.raw.rfind(b"a warning") > ui.raw.rfind(b"\x1b[?1049l")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_signals_end_it(number: signal.Signals) -> None:
    with demo() as ui:
        ui.until("quit").signal(number)
        assert ui.ended() == 128 + number
        assert_restored(ui)


def test_a_terminal_that_goes_away_ends_it() -> None:
    with demo() as ui:
        ui.until("quit").hang_up()
        assert ui.ended() == 128 + signal.SIGHUP


def test_suspended_and_continued() -> None:
    with Program(["bash", "--norc", "-i"], PS1="shell> ") as ui:
        ui.until("shell>").type(" ".join(COMMAND) + "\n").until("quit")
        for number in (signal.SIGTSTP, signal.SIGSTOP):
            # A plain stop cannot be seen coming; the shell takes its terminal back all the same.
            os.kill(job_of(ui), number)
            ui.until("Stopped").keys("enter").until("shell>")
            before = len(ui.raw)
            ui.type("fg\n").until(lambda ui, before=before: b" quit" in ui.raw[before:])
            ui.keys("down").until("▸ row 2" if number == signal.SIGTSTP else "▸ row 3").same_after_redraw()
        ui.keys("q").until("shell>").type("stty -a; exit\n")
        assert ui.ended() == 0
        assert "ixon" in ui.text
        assert "-ixon" not in ui.text


def job_of(ui: Program) -> int:
    """What runs in a shell."""
    shell = ui.process.pid
    return int(Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])


def test_without_a_terminal_one_line_names_the_commands() -> None:
    ran = subprocess.run(
        COMMAND, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert "lrgpnode --help" in ran.stderr
    with demo(term="dumb") as ui:
        assert ui.ended() == 1
        assert "lrgpnode --help" in ui.text.replace("\n", "")
        assert b"\x1b" not in ui.raw

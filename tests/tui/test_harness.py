from __future__ import annotations

import sys

import pytest

from tests.tui.harness import Program

ECHO = """
import sys, tty, shutil, signal
tty.setraw(0)
def size(*_):
    print(shutil.get_terminal_size(), end="", flush=True)
signal.signal(signal.SIGWINCH, size)
print("ready", end="", flush=True)
while (char := sys.stdin.buffer.raw.read(64)) != b"q":
    print(ascii(char), end="", flush=True)
"""


@pytest.fixture
def echo() -> Program:
    return Program([sys.executable, "-c", ECHO], (40, 20))


def test_keys_resizing_and_the_end(echo: Program) -> None:
    with echo:
        echo.until("ready")
        echo.keys("ctrl s", "meta b", "up")
        echo.until(r"b'\x13\x1bb\x1b[A'")
        echo.click(3, 4).until("[<0;4;5m'")
        assert echo.spent(lambda: echo.type("ab"), "b'ab'") == 5
        echo.resize(100, 30).until("columns=100, lines=30")
        assert echo.keys("q").ended() == 0
        assert echo.terminal != echo.settings


def test_what_does_not_come_fails(echo: Program) -> None:
    with echo:
        echo.until("ready")
        with pytest.raises(AssertionError, match="not within"):
            echo.until("never", deadline=0.1)
        echo.keys("q")
        with pytest.raises(AssertionError, match="ended with 0"):
            echo.until("never")

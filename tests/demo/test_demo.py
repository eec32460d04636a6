"""`lrgpnode demo` as a person runs it, with the air twenty times as fast."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.node

DEMO = [
    sys.executable,
    "-c",
    "import sys; from lrgpnode.cli import main; sys.exit(main())",
    "demo",
    "--speed",
    "20",
]
DEADLINE = 90.0


@pytest.fixture
def folder() -> Iterator[Path]:
    """For the temporary files; its path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="demo-", dir="/tmp") as made:
        yield Path(made)


def processes(folder: Path) -> list[int]:
    """Those that were started for a demonstration whose temporary files are here."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes() if entry.name.isdecimal() else b""
        except OSError:
            continue
        if os.fsencode(folder) in words:
            found.append(int(entry.name))
    return found


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {"TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}


def demonstrate(folder: Path, *more: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DEMO, *more],
        check=False,
        input=said,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        env=environment(folder),
    )


@pytest.mark.slow
def test_a_game_over_the_air_and_nothing_is_left(folder: Path) -> None:
    moves = "".join(f"{cell}\n" for cell in list(range(1, 10)) * 3)
    ran = demonstrate(folder, said=moves)
    assert ran.returncode == 0, ran.stderr
    assert "You challenge the house" in ran.stdout
    assert "announce" in ran.stdout
    # A challenge and at least three moves, each with its frames, its proof and when it was delivered.
    assert ran.stdout.count("proof of delivery") >= 4
    assert ran.stdout.count("delivered ") >= 4
    assert "On the air in this game" in ran.stdout
    assert list(folder.iterdir()) == []
    assert processes(folder) == []


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_everything_ends_with_it(folder: Path, number: signal.Signals) -> None:
    run = subprocess.Popen(
        DEMO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(folder)
    )
    assert run.stdout is not None
    for line in run.stdout:
        if "Both radios are on" in line:
            break
    assert len(processes(folder)) == 3
    run.send_signal(number)
    run.communicate(timeout=DEADLINE)
    assert run.returncode == (0 if number is signal.SIGINT else -signal.SIGKILL)
    until = time.monotonic() + 20.0
    while processes(folder):
        assert time.monotonic() < until, "something of it is left"
        time.sleep(0.05)


def test_what_keeps_it_from_starting_is_said(tmp_path: Path) -> None:
    """Sockets have no room for long paths."""
    long = tmp_path / ("x" * 100)
    long.mkdir()
    ran = demonstrate(long)
    assert ran.returncode == 1
    assert "too long for a socket" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert list(long.iterdir()) == []


def test_an_unknown_preset_is_named(folder: Path) -> None:
    ran = demonstrate(folder, "--preset", "warp")
    assert ran.returncode == 2
    assert "warp" in ran.stderr

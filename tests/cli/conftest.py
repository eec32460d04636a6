from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.cli.root import main
from tests.cli.fakes import FakeNode


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.count("\n") == 1, self.out
        assert self.out.isascii()
        return json.loads(self.out)


ROOT = Path(__file__).parents[2]

Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        patch.setenv("COLUMNS", "80")
        patch.delenv("LRGPNODE_DATA", raising=False)
        patch.delenv("LRGPNODE_SOCKET", raising=False)
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def short_path() -> Iterator[Path]:
    # Not tmp_path: under a long base directory its paths exceed what a socket may have.
    with tempfile.TemporaryDirectory(prefix="lrgp") as folder:
        yield Path(folder)


@pytest.fixture
def node(short_path: Path) -> Iterator[FakeNode]:
    node = FakeNode(short_path / "s")
    yield node
    node.stop()


@pytest.fixture
def run(short_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, on the socket of ``node``."""

    def run(*args: str) -> Ran:
        code = main(["--data", str(short_path), "--socket", str(short_path / "s"), *args])
        out, err = capfd.readouterr()
        return Ran(int(code), out, err)

    return run


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def program(short_path: Path) -> str:
    """How the command line says to call the program for the node that ``run`` is told to use."""
    return f"lrgpnode --data {short_path} --socket {short_path / 's'}"


@pytest.fixture
def start(short_path: Path) -> Iterator[Start]:
    """Start a command as a process of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(*args: str, **more: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.cli.command", "--socket", str(short_path / "s"), *args]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, cwd=ROOT, text=True, **pipes | more)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()

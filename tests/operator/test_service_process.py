"""A real node as systemd starts it: READY only when it answers, signs of life, STOPPING."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import pytest

from lrgpnode.control.client import Client
from tests.e2e.nodes import ROOT

pytestmark = pytest.mark.node

DEADLINE = 20.0


class Systemd:
    """Starts the service and hears what it says, as systemd does."""

    def __init__(self, folder: Path) -> None:
        self.state, self.runtime = folder / "state", folder / "run"
        self.state.mkdir(mode=0o700)
        self.runtime.mkdir(mode=0o750)
        (self.state / "lrgpnode.toml").write_text("[announce]\nat_start_seconds = 0\n")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        self._socket.settimeout(DEADLINE)
        self.log = folder / "log"
        self._address = str(folder / "notify")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str, watchdog: float = 60.0) -> subprocess.Popen[bytes]:
        service = {
            "NOTIFY_SOCKET": self._address,
            "WATCHDOG_USEC": str(int(watchdog * 1_000_000)),
            "STATE_DIRECTORY": str(self.state),
            "RUNTIME_DIRECTORY": str(self.runtime),
            "HOME": str(self.state),
        }
        words = ["run", "--service", "--listen", "127.0.0.1:0", "--name", "Harbour", *options]
        with self.log.open("wb") as log:
            status = os.fstat(log.fileno())
            service["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.cli.command", *words],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | service,
            )
        return self.process

    def hear(self) -> dict[str, str]:
        """The next message."""
        return dict(line.split("=", 1) for line in self._socket.recv(4096).decode().splitlines())

    def hear_until(self, name: str) -> list[dict[str, str]]:
        """Messages up to the first that has the variable ``name``."""
        heard = [self.hear()]
        while name not in heard[-1]:
            heard.append(self.hear())
        return heard

    def beats_for(self, seconds: float) -> list[float]:
        """When signs of life came within this time."""
        end, beats = time.monotonic() + seconds, []
        while (left := end - time.monotonic()) > 0:
            self._socket.settimeout(left)
            with suppress(TimeoutError):
                if "WATCHDOG" in self.hear():
                    beats.append(time.monotonic())
        self._socket.settimeout(DEADLINE)
        return beats

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(DEADLINE)
        self._socket.close()


@pytest.fixture
def systemd() -> Iterator[Systemd]:
    with tempfile.TemporaryDirectory(prefix="sd") as folder:
        systemd = Systemd(Path(folder))
        yield systemd
        systemd.close()


def test_a_whole_life(systemd: Systemd) -> None:
    process = systemd.start(watchdog=1.2)
    path = systemd.runtime / "control.sock"
    ready = systemd.hear_until("READY")[-1]
    # Ready means that the store, the mesh and the socket are there.
    with Client(path) as client:
        status = client.call("node.status")
    assert status["data"] == str(systemd.state)
    assert status["pid"] == process.pid == int(ready["MAINPID"])
    assert (systemd.state / "lrgpnode.db").exists()
    assert ready["STATUS"] == "Harbour: 0 live games, 0 actions on their way, 1 of 1 interfaces online"
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    beats = systemd.beats_for(1.3)
    assert len(beats) >= 3
    assert max(later - earlier for earlier, later in pairwise(beats)) < 1.2
    process.terminate()
    assert systemd.hear_until("STOPPING")[-1]["STATUS"] == "SIGTERM"
    assert process.wait(DEADLINE) == 0
    log = systemd.log.read_text()
    assert "<6>lrgpnode: the node is running" in log
    assert all(line.startswith("<") for line in log.splitlines()), log


def test_a_thread_that_hangs_is_no_sign_of_life(systemd: Systemd) -> None:
    """The database is locked from outside, so that a commit keeps its thread waiting."""
    systemd.start(watchdog=0.8)
    systemd.hear_until("READY")
    systemd.hear_until("WATCHDOG")
    with (
        closing(sqlite3.connect(systemd.state / "lrgpnode.db", isolation_level=None)) as other,
        socket.socket(socket.AF_UNIX) as client,
    ):
        other.execute("BEGIN IMMEDIATE")
        request = {"method": "game.challenge", "params": {"peer": "ab" * 16, "app": "ttt"}}
        client.connect(str(systemd.runtime / "control.sock"))
        client.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, **request}).encode() + b"\n")
        beats = systemd.beats_for(1.5)
        assert len(beats) <= 2, "only what was on its way before the commit began"
        assert "the database's thread has not answered for 0.2 s" in systemd.log.read_text()
        other.execute("ROLLBACK")
        systemd.hear_until("WATCHDOG")
        client.settimeout(DEADLINE)
        assert "result" in json.loads(client.makefile().readline())


def test_why_it_does_not_start_is_in_the_status(systemd: Systemd) -> None:
    (systemd.state / "lrgpnode.toml").write_text("[node]\nnmae = 'x'\n")
    assert systemd.start().wait(DEADLINE) == 5
    assert "did you mean node.name?" in systemd.hear()["STATUS"]
    (systemd.state / "lrgpnode.toml").unlink()
    (systemd.state / "lrgpnode.db").write_bytes(b"something else entirely, " * 500)
    assert systemd.start().wait(DEADLINE) == 4
    assert "READY" not in systemd.hear_until("STATUS")[-1]

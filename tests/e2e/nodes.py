"""Real nodes for the tests: each in a process of its own, driven over its control socket.

Nothing here sleeps to let something happen: every wait has a condition and a deadline.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import lrgpnode.cli
from lrgpnode.control.client import CallFailed, Client, Disconnected, NotRunning

ROOT = Path(__file__).parents[2]
DEADLINE = 20.0
STARTS = 60.0
"""Seconds for a start: seven at a time on a busy machine take more than one of them alone."""
POLL = 0.01

Json = dict[str, Any]
T = TypeVar("T")

_LIBRARY_RUN = """
import sys
from pathlib import Path
from lrgpnode.app import run
from lrgpnode.config import RunOptions
_, data, _, _, name, option, endpoint = sys.argv[1:]
way = {"listen": endpoint} if option == "--listen" else {"connect": (endpoint,)}
sys.exit(run(RunOptions(data=Path(data), name=name, **way)))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(condition: Callable[[], T], what: str, deadline: float = DEADLINE) -> T:
    """The first true value of ``condition``; fails the test when the deadline has passed."""
    end = time.monotonic() + deadline
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline:g} s: {what}")
        time.sleep(POLL)
    return value


def _command() -> list[str]:
    script = Path(sys.executable).with_name("lrgpnode")
    if script.exists() and hasattr(lrgpnode.cli, "main"):
        return [str(script)]
    return [sys.executable, "-c", _LIBRARY_RUN]


class Events:
    """What a node has told since it started; read by a thread, waited for with a deadline."""

    def __init__(self, client: Client) -> None:
        self._stream = client.events(after=0)
        self._all: list[Json] = []
        self._news = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Read to the end, once the node is gone."""
        self._thread.join(DEADLINE)

    def _read(self) -> None:
        for event in self._stream:
            with self._news:
                self._all.append(event)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def all(self) -> list[Json]:
        """Everything so far, in order."""
        with self._news:
            return list(self._all)

    def of(self, type: str, **fields: Any) -> list[Json]:
        """Data of the events so far of this type and with these fields."""
        with self._news:
            return [
                event["data"] for event in self._all if event["type"] == type and _has(event["data"], fields)
            ]

    def wait(self, type: str, *, deadline: float = DEADLINE, **fields: Any) -> Json:
        """Data of the first such event, now or later."""
        with self._news:

            def found() -> Json | None:
                return next(
                    (e["data"] for e in self._all if e["type"] == type and _has(e["data"], fields)), None
                )

            self._news.wait_for(lambda: found() or self._ended, deadline)
            event = found()
        if event is None:
            raise AssertionError(f"no event {type} {fields} within {deadline:g} s")
        return event


def _has(data: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    return all(data.get(name) == value for name, value in fields.items())


class NodeProcess:
    """One node. ``command`` replaces the program, e.g. by one that kills itself."""

    def __init__(self, data: Path, *way: str, command: list[str] | None = None) -> None:
        self.data = data
        self.name = data.name
        self.log_file = data / "log"
        self.socket = data / "control.sock"
        self.way = way
        self._command = command
        self.process: subprocess.Popen[bytes] | None = None
        self._clients: dict[int, Client] = {}
        self._events: Events | None = None
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / "lrgpnode.toml").write_text('[announce]\nat_start_seconds = 0\n[accept]\nfrom = "open"\n')

    @property
    def database(self) -> Path:
        return self.data / "lrgpnode.db"

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def spawn(self, command: list[str] | None = None, **env: str) -> subprocess.Popen[bytes]:
        """Start the process and return at once."""
        assert self.process is None or self.process.poll() is not None
        words = [*(command or self._command or _command()), "--data", str(self.data), "run"]
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [*words, "--name", self.name, *self.way],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ
                | {"HOME": str(self.data), "LRGPNODE_SOCKET": str(self.socket), "PYTHONPATH": str(ROOT)}
                | env,
            )
        return self.process

    def start(self, command: list[str] | None = None, **env: str) -> Self:
        """Start and wait until the node answers."""
        self.spawn(command, **env)
        self.ready()
        return self

    def ready(self) -> None:
        assert self.process is not None
        process = self.process
        self._clients = {}
        client = self.client

        def answers() -> Json | None:
            if process.poll() is not None:
                raise AssertionError(f"{self.name} ended with {process.returncode}:\n{self.log}")
            try:
                return client.call("node.status")
            except (NotRunning, Disconnected):
                return None

        until(answers, f"{self.name} answers", STARTS)
        self._events = Events(client)
        self.identity: str = client.call("identity.list")["identities"][0]["hash"]

    @property
    def client(self) -> Client:
        """The calling thread's own connection."""
        return self._clients.setdefault(threading.get_ident(), Client(self.socket, timeout=DEADLINE))

    @property
    def events(self) -> Events:
        assert self._events is not None
        return self._events

    def call(self, method: str, **params: Any) -> Json:
        return self.client.call(method, **params)

    def stop(self, deadline: float = 10.0) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.terminate()
        code = self.process.wait(deadline)
        self._let_go()
        return code

    def gone(self, deadline: float = DEADLINE) -> int:
        """Wait until it has ended by itself; the exit code, negative for a signal."""
        assert self.process is not None
        code = self.process.wait(deadline)
        self._let_go()
        return code

    def _let_go(self) -> None:
        for client in self._clients.values():
            client.close()
        if self._events is not None:
            self._events.join()

    def kill(self) -> None:
        """As a power cut would; no error if it is gone already."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(10)
        self._let_go()

    def restart(self, command: list[str] | None = None, **env: str) -> Self:
        """Kill and start again on the same data."""
        self.kill()
        return self.start(command, **env)

    # What tests ask most

    def hears(self, other: NodeProcess, deadline: float = DEADLINE) -> None:
        until(
            lambda: any(p["peer"] == other.identity for p in self.call("peer.list")["peers"]),
            f"{self.name} hears {other.name}",
            deadline,
        )

    def game(self, id: str) -> Json | None:
        """The session, or None where there is none (yet)."""
        try:
            return self.call("game.show", id=id)
        except CallFailed as error:
            if error.kind not in ("not_found", "session_not_found"):
                raise
            return None

    def actions(self, id: str) -> list[Json]:
        actions: list[Json] = self.call("game.actions", id=id)["actions"]
        return actions

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        if kind is not None:
            print(f"--- log of {self.name}\n{self.log}")

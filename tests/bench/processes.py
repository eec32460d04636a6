"""Real processes for the benchmarks: bare RNS + LXMF pairs and pairs of nodes, on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lrgpnode.control.client import Client

BARE = Path(__file__).with_name("bare.py")
DEADLINE = 30.0
LRGPNODE = [sys.executable, "-c", "from lrgpnode.cli import main; main()"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def pss(pid: int) -> float:
    """Proportional set size of a process and its children, MiB."""
    total = 0
    for process in [pid, *children(pid)]:
        with contextlib.suppress(FileNotFoundError):
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total / 1024


def cpu(pid: int) -> float:
    """Seconds of processor time that a process and its living children have used."""
    total = 0
    for process in [pid, *children(pid)]:
        with contextlib.suppress(FileNotFoundError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children(child)]
    return found


class Bare:
    """One ``bare.py`` process."""

    def __init__(self, directory: Path, role: str, port: int, routers: int = 1) -> None:
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, str(BARE), str(directory), role, str(port), str(routers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        ready = self.wait("ready")
        self.startup = ready["at"] - self.began
        self.hash: str = ready["hash"]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._events.put(json.loads(line))

    def command(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def wait(self, event: str, seconds: float = DEADLINE) -> dict[str, Any]:
        """Raises ``queue.Empty``."""
        while True:
            found = self._events.get(timeout=seconds)
            if found["event"] == event:
                return found

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


class NodeProcess:
    """One ``lrgpnode run``."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "lrgpnode.toml").write_text(
            "[announce]\nat_start_seconds = 0\n[accept]\nfrom = 'open'\n"
        )
        self.socket = directory / "control.sock"
        self.began = time.monotonic()
        options = ["--data", str(directory), "--socket", str(self.socket)]
        self.process = subprocess.Popen(
            [*LRGPNODE, *options, "run", *arguments],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if "the node is running" in line:
                break
        else:
            raise RuntimeError("the node did not start")
        self.startup = time.monotonic() - self.began
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.client = Client(self.socket)
        self.hash: str = self.client.call("identity.show")["hash"]

    def past_events(self) -> list[dict[str, Any]]:
        """Every event since the start that the node still has."""
        last = self.client.call("node.status")["seq"]
        found = []
        with self.client.events(after=0) as events:
            for event in events:
                found.append(event)
                if event["seq"] >= last:
                    break
        return found

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


class Watcher:
    """The events of a node, from its start on."""

    def __init__(self, path: Path) -> None:
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue()
        self._stream = Client(path).events(after=0)  # everything since the start
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for event in self._stream:
            self._queue.put(event)

    def until(self, matches: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            event = self._queue.get(timeout=DEADLINE)
            if matches(event):
                return event

    def close(self) -> None:
        self._stream.close()


@contextlib.contextmanager
def bare_pair(directory: Path) -> Iterator[tuple[Bare, Bare]]:
    port = free_port()
    a = Bare(directory / "a", "listen", port)
    try:
        b = Bare(directory / "b", "connect", port)
        try:
            a.wait("heard")
            a.command("announce")
            b.wait("heard")
            yield a, b
        finally:
            b.stop()
    finally:
        a.stop()


@contextlib.contextmanager
def node_pair(directory: Path) -> Iterator[tuple[NodeProcess, NodeProcess]]:
    endpoint = f"127.0.0.1:{free_port()}"
    a = NodeProcess(directory / "a", "--listen", endpoint)
    try:
        b = NodeProcess(directory / "b", "--connect", endpoint)
        try:
            for node, other in ((a, b), (b, a)):
                Watcher(node.socket).until(
                    lambda event, other=other: (
                        event["type"] == "peer.heard" and event["data"]["peer"] == other.hash
                    )
                )
            yield a, b
        finally:
            b.stop()
    finally:
        a.stop()

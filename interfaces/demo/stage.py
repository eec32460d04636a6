"""The processes of a demonstration: the radios in software, the user's node, and one with an opponent."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

from firmware_configs.catalogue import Preset
from interfaces.demo.air import Air, Packet
from lrgpnode.control.client import Client, EventStream

YOU, HILL = "you", "hill"
FREQUENCY: Final = 869_525_000
"""Nothing is really sent; it is where half a watt is allowed in Europe."""

START_SECONDS: Final = 60.0
END_SECONDS: Final = 5.0

_RETICULUM: Final = """\
[reticulum]
  share_instance = no
  enable_transport = no
[interfaces]
  [[Radio]]
    type = RNodeInterface
    enabled = yes
    port = {port}
    frequency = {frequency}
    bandwidth = {bandwidth}
    spreadingfactor = {spreading_factor}
    codingrate = {coding_rate}
    txpower = 14
    flow_control = no
"""

_SETTINGS: Final = {
    YOU: "[announce]\nat_start_seconds = 0\n[house]\nenabled = false\n",
    HILL: "[announce]\nat_start_seconds = 0\n[house]\nopen_to_peers = true\nlevel = {level}\n",
}


class StageError(Exception):
    """Why the demonstration cannot go on, in a sentence."""


class Stage:
    """Starts all when it is entered; whatever was started ends with it. ``news`` gets what goes over the
    air and the events of the user's node. ``speed``: how many times faster than real the air is."""

    def __init__(self, preset: Preset, level: int, name: str, speed: float = 1.0) -> None:
        self.preset = preset
        self._speed = speed
        self.news: queue.SimpleQueue[Packet | Mapping[str, Any] | None] = queue.SimpleQueue()
        self._level = level
        self._name = name
        self._parts: dict[str, subprocess.Popen[bytes]] = {}
        self._up: dict[str, socket.socket] = {}
        self._ends = contextlib.ExitStack()
        self._folder: Path

    def __enter__(self) -> Self:
        try:
            folder = tempfile.TemporaryDirectory(prefix="lrgpnode-demo-")
            self._folder = Path(self._ends.enter_context(folder))
            self._ends.callback(self._stop)
            self._radios()
            for name in (HILL, YOU):
                self._node(name)
        except BaseException:
            self._ends.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    @property
    def data(self) -> Path:
        """The data directory of the user's node, as for ``lrgpnode --data``."""
        return self._folder / YOU

    def client(self, name: str = YOU) -> Client:
        return Client(self._folder / name / "control.sock")

    def wait_until_up(self) -> None:
        """Until both nodes are up; ``news`` has the events of the user's from its start on. Raises
        ``StageError``."""
        waiting, until = {HILL, YOU}, time.monotonic() + START_SECONDS
        while waiting:
            waiting -= self._said_ready(until)
        events = self.client().events(after=0)
        self._ends.callback(events.close)
        Thread(target=self._follow, args=(events,), name="demo-events", daemon=True).start()

    def _said_ready(self, until: float) -> set[str]:
        """Who says next that it is up."""
        ends = {part.stdout: name for name, part in self._parts.items() if part.stdout is not None}
        sources: list[Any] = [*ends, *self._up.values()]
        readable = select.select(sources, [], [], max(0.0, until - time.monotonic()))[0]
        if not readable:
            raise StageError("the nodes do not start; " + self._last_words(YOU))
        gone = [ends[stream] for stream in readable if stream in ends]
        if gone:
            raise StageError(f"the part {gone[0]!r} has ended: {self._last_words(gone[0])}")
        said = {name for name, up in self._up.items() if up in readable}
        return {name for name in said if b"READY=1" in self._up[name].recv(4096)}

    def _follow(self, events: EventStream) -> None:
        for event in events:
            self.news.put(event)
        self.news.put(None)

    def _radios(self) -> None:
        pipe = self._folder / "air"
        os.mkfifo(pipe, 0o600)
        Air(pipe, self.news)
        simulate = ["radio", "simulate", YOU, HILL, "--dir", str(self._folder / "radios")]
        scale = ["--scale", str(self._speed)]
        part = self._start("radios", [*simulate, *scale, "--trace", str(pipe), "--json", "--stdin"])
        assert part.stdout is not None
        readable, _, _ = select.select([part.stdout], [], [], START_SECONDS)
        line = part.stdout.readline() if readable else b""
        if not line:
            raise StageError(f"the radios in software do not start: {self._last_words('radios')}")
        said = json.loads(line)
        if "ports" not in said:
            raise StageError(f"the radios in software do not start: {said['error']['message']}")
        self._ports: dict[str, str] = said["ports"]

    def _node(self, name: str) -> None:
        data = self._folder / name
        reticulum = data / "reticulum"
        reticulum.mkdir(parents=True)
        (reticulum / "config").write_text(
            _RETICULUM.format(
                port=self._ports[name],
                frequency=FREQUENCY,
                bandwidth=self.preset.bandwidth,
                spreading_factor=self.preset.spreading_factor,
                coding_rate=self.preset.coding_rate,
            )
        )
        (data / "lrgpnode.toml").write_text(_SETTINGS[name].format(level=self._level))
        where = ["--data", str(data), "--socket", str(data / "control.sock")]
        called = self._name if name == YOU else name
        up = self._up[name] = self._ends.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        up.bind(str(data / "up.sock"))
        arguments = [*where, "run", "--rns-config", str(reticulum), "--name", called]
        self._start(name, arguments, NOTIFY_SOCKET=str(data / "up.sock"))

    def _start(self, name: str, arguments: Sequence[str], **more: str) -> subprocess.Popen[bytes]:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LRGPNODE_")}
        command = [sys.executable, "-m", "lrgpnode.cli.child", str(os.getpid()), *arguments]
        with self._log(name).open("wb") as log:
            part = subprocess.Popen(  # noqa: S603 - a module of ours, with arguments of ours
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,  # its end is the part's end
                stderr=log,
                env=environment | more,
                start_new_session=True,  # Ctrl-C is for the demonstration, which ends them in order
            )
        self._parts[name] = part
        return part

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def _last_words(self, name: str) -> str:
        lines = self._log(name).read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def _stop(self) -> None:
        for name in (YOU, HILL, "radios"):
            part = self._parts.get(name)
            if part is not None and part.poll() is None:
                part.terminate()
        for part in self._parts.values():
            try:
                part.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                part.kill()
                part.wait()
            for stream in (part.stdin, part.stdout):
                if stream is not None:
                    stream.close()

"""A control server in a thread with a loop of its own, so that tests can talk to it synchronously."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from lrgpnode.control.events import Events
from lrgpnode.control.models import Model, NodeStopping, Nothing
from lrgpnode.control.server import ControlError, ControlServer, Methods

DEADLINE = 5.0


class EchoParams(Model, frozen=True, kw_only=True):
    text: str
    count: Annotated[int, Meta(ge=0, le=10)] = 1


class EchoResult(Model, frozen=True, kw_only=True):
    text: str


class FailParams(Model, frozen=True, kw_only=True):
    how: str


class Translated(Exception):
    """An exception of another room."""


def make_methods(release: asyncio.Event, called: threading.Event) -> Methods:
    def translate(error: Exception) -> ControlError | None:
        return ControlError("translated", str(error), "a hint") if isinstance(error, Translated) else None

    async def echo(params: EchoParams) -> EchoResult:
        return EchoResult(text=params.text * params.count)

    async def fail(params: FailParams) -> Nothing:
        if params.how == "control":
            raise ControlError("illegal", "That is not allowed.", "Do something else.")
        if params.how == "translated":
            raise Translated("words of another room")
        if params.how == "wrong":
            return EchoResult(text="not what was promised")  # type: ignore[return-value]
        raise RuntimeError("a secret detail")

    async def wait(_params: Nothing) -> Nothing:
        called.set()
        await release.wait()
        return Nothing()

    methods = Methods(translate)
    methods.add("test.echo", EchoParams, EchoResult, echo)
    methods.add("test.fail", FailParams, Nothing, fail)
    methods.add("test.wait", Nothing, Nothing, wait)
    return methods


class Served:
    """A running server; ``run`` does something on its loop."""

    def __init__(self, path: Path, *, ring: int = 1000) -> None:
        self.path = path
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.events = Events(size=ring)
        self.release = asyncio.Event()
        self.called = threading.Event()
        self.server = ControlServer(path, make_methods(self.release, self.called), self.events)
        self._connections: list[Raw] = []
        try:
            self.run(self.server.start())
        except BaseException:
            self.stop()
            raise

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(DEADLINE)

    def do(self, work: Callable[[], Any]) -> Any:
        async def main() -> Any:
            return work()

        return self.run(main())

    async def set_released(self) -> None:
        self.release.set()

    def publish(self, count: int = 1, reason: str = "test") -> None:
        self.do(
            lambda: [self.events.publish("node.stopping", NodeStopping(reason=reason)) for _ in range(count)]
        )

    def connect(self) -> Raw:
        raw = Raw(self.path)
        self._connections.append(raw)
        return raw

    def stop(self) -> None:
        for raw in self._connections:
            raw.close()
        self.run(self.server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE)
        self._loop.close()


class Raw:
    """A connection that sends whatever a test wants."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(str(path))
        self._file = self.socket.makefile("rb")

    def close(self) -> None:
        # A socket is really closed only with its last file.
        self._file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        # The server may refuse and close before it has read everything.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)

    def line(self) -> dict[str, Any] | None:
        try:
            line = self._file.readline()
        except ConnectionResetError:
            return None
        return json.loads(line) if line else None

    def ask(self, request: Any) -> dict[str, Any]:
        self.send(msgspec.json.encode(request) + b"\n")
        answer = self.line()
        assert answer is not None
        return answer

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self.ask({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})

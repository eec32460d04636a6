"""Starting ``runner.py`` and waiting for its events with deadlines."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

RUNNER = Path(__file__).with_name("runner.py")
PLAIN = Path(__file__).with_name("plain_node.py")
DEADLINE = 10.0

Event = dict[str, Any]


class Node:
    """One mesh process. Events that no one waited for yet are kept, in order."""

    def __init__(self, data: Path, *, program: Path = RUNNER, **settings: Any) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.data = data
        self.events: list[Event] = []
        self._buffer = b""
        self._log = (data / "stderr").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, str(program), json.dumps({"data": str(data), **settings})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=os.environ | {"HOME": str(data)},
        )
        try:
            ready = self.wait("ready")
        except AssertionError:
            self.__exit__(None, None, None)
            raise
        self.identities: list[str] = ready["identities"]
        self.identity = self.identities[0]
        self.port = ready["port"]

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return (self.data / "stderr").read_text()

    def tell(self, do: str, **values: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **values}).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, ref: int, to: str, message: bytes, **values: Any) -> None:
        self.tell(
            "send",
            **{
                "ref": ref,
                "identity": self.identity,
                "peer": to,
                "envelope": message.hex(),
                "content": "[LRGP] text",
                "delivery": "opportunistic",
            }
            | values,
        )

    def wait(self, event: str, *, deadline: float = DEADLINE, **values: Any) -> Event:
        """Take the first event with these values, waiting for it."""
        until = time.monotonic() + deadline

        def matches(item: Event) -> bool:
            return item["event"] == event and all(item[key] == value for key, value in values.items())

        while True:
            for item in self.events:
                if matches(item):
                    self.events.remove(item)
                    return item
            if not self._read(until - time.monotonic()) or time.monotonic() > until:
                raise AssertionError(
                    f"no {event} {values} within {deadline} s; had {self.events}\n{self.log[-3000:]}"
                )

    def seen(self, event: str, **values: Any) -> list[Event]:
        """What has arrived and was not waited for."""
        while self._read(0):
            pass
        found = [item for item in self.events if item["event"] == event]
        return [item for item in found if all(item[key] == value for key, value in values.items())]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def terminate(self) -> tuple[int, float]:
        """(return code, seconds it took)."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=DEADLINE)
        return code, time.monotonic() - started

    def __enter__(self) -> Node:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout, self._log):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def _read(self, timeout: float) -> bool:
        stdout = self.process.stdout
        assert stdout is not None
        if not select.select([stdout], [], [], max(0.0, timeout))[0]:
            return False
        data = os.read(stdout.fileno(), 1 << 16)
        if not data:
            return False
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        self.events += map(json.loads, lines)
        return True


def hear_each_other(alice: Node, bob: Node) -> None:
    alice.wait("heard", peer=bob.identity)
    bob.wait("heard", peer=alice.identity)

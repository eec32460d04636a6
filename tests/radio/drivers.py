"""Starting ``driver.py`` and waiting for what it tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.radio.air import interface_settings

PROGRAM = Path(__file__).with_name("driver.py")
DEADLINE = 60.0

Json = dict[str, Any]


class Drivers:
    """``ports``: the port of each interface. ``options`` hold for all of them."""

    def __init__(self, folder: Path, ports: dict[str, str], **options: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "logfile"
        self._errors = (folder / "driver.err").open("w+")
        self._events: list[Json] = []
        self._news = threading.Condition()
        self.process = subprocess.Popen(
            [
                *(sys.executable, str(PROGRAM)),
                json.dumps({name: interface_settings(port) | options for name, port in ports.items()}),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"HOME": str(folder)},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self._events.append(json.loads(line))
                self._news.notify_all()
        with self._news:
            self._news.notify_all()

    @property
    def log(self) -> str:
        self._errors.seek(0)
        return (self._log.read_text() if self._log.exists() else "") + self._errors.read()

    def tell(self, name: str, do: str, **values: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"name": name, "do": do, **values}) + "\n")
        self.process.stdin.flush()

    def send(self, name: str, data: bytes) -> None:
        self.tell(name, "send", data=data.hex())

    def show(self, name: str, *what: str) -> Json:
        """Attributes of an interface."""
        since = len(self._events)
        self.tell(name, "show", what=what)
        return self.wait("shown", name, since=since)

    def wait(self, event: str, name: str, *, since: int = 0, **values: Any) -> Json:
        """The first such event from the ``since``-th on, now or later."""

        def found() -> Json | None:
            return next(
                (
                    row
                    for row in self._events[since:]
                    if (row["event"], row["name"]) == (event, name)
                    and all(row[key] == value for key, value in values.items())
                ),
                None,
            )

        end = time.monotonic() + DEADLINE
        with self._news:
            while (row := found()) is None:
                left = end - time.monotonic()
                if left < 0 or self.process.poll() is not None or not self._news.wait(left):
                    raise AssertionError(f"no {event} of {name} with {values}\n{self.log[-3000:]}")
        return row

    def online(self, *names: str, since: int = 0) -> None:
        for name in names:
            self.wait("state", name, since=since, online=True)

    @property
    def now(self) -> int:
        """For ``since``: only what comes after this moment."""
        return len(self._events)

    def events(self, event: str, name: str) -> list[Json]:
        with self._news:
            return [row for row in self._events if (row["event"], row["name"]) == (event, name)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self._reader.join(10)
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()

"""A real arcade in a process of its own, spoken to with the standard library's HTTP client.

Nothing here knows our models: requests and answers are JSON as the protocol's text has it.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from gateway.arcade.accounts import Accounts
from gateway.arcade.store import FILE_NAME, ArcadeStore
from lrgpnode.cli.root import main

Json = dict[str, Any]
T = TypeVar("T")

LRGPNODE: Final = [sys.executable, "-c", "from lrgpnode.cli import main; import sys; sys.exit(main())"]
DEADLINE: Final = 60.0

LOOK_AGAIN: Final = 1.2
"""Seconds after which the arcade has seen what another process has changed."""

CONFIG: Final[Json] = {
    "minPlayers": 2,
    "maxPlayers": 2,
    "turnBased": True,
    "simultaneous": False,
    "gameType": "test",
    "sdkVersion": "2.0.0",
}
AGENT: Final = "/api/v1/agent/sessions"
BRIDGE: Final = "/api/v1/agent/bridge/sessions"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def code(self) -> Any:
        return self.body.get("code")


def until(look: Callable[[], T], good: Callable[[T], bool]) -> T:
    """What ``look`` finds once it is good; fails when the deadline has passed."""
    end = time.monotonic() + DEADLINE
    while not good(found := look()):
        assert time.monotonic() < end, found
        time.sleep(0.02)
    return found


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def run(data: Path, *words: str, typed: str = "") -> Done:
    """A command of the arcade, in this process."""
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(typed)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["--data", str(data), "arcade", *words])
    finally:
        sys.stdin = before
    return Done(code, out.getvalue(), err.getvalue())


def made_token(data: Path, account: str, *scopes: str, house: bool = False) -> str:
    """A new token, of an account that is made if it does not exist; quicker than by the command."""
    store = ArcadeStore(data / FILE_NAME)
    try:
        accounts = Accounts(store)
        if account not in [one.name for one in accounts.all()]:
            accounts.add(account, house=house)
        return accounts.new_token(account, scopes)[0]
    finally:
        store.close()


class Arcade:
    """``log`` is everything it has written."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self._clients: list[Client] = []
        self.process = subprocess.Popen(
            [*LRGPNODE, "--data", str(data), "arcade", "run", "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found, (line, self.process.stderr.read() if self.process.stderr else "")
        self.port = int(found[1])
        self.log: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=(stream,), daemon=True)
            for stream in (self.process.stdout, self.process.stderr)
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, stream: Any) -> None:
        self.log.extend(stream)

    def stop(self) -> int:
        """The exit code. May be called again."""
        for client in self._clients:
            client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(DEADLINE)
        finally:
            self.process.kill()
        for reader in self._readers:
            reader.join(DEADLINE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code

    def client(self, token: str = "") -> Client:
        made = Client(self.port, token)
        self._clients.append(made)
        return made


class Client:
    """One kept connection of one account."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.token = token
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        sent = dict(headers or {})
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        self._connection.request(method, path, data, sent)
        response = self._connection.getresponse()
        got = response.read()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, got)

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.call("POST", path, {} if body is None else body)

    def ok(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.call(method, path, body)
        assert answer.status == status, (answer.status, answer.raw)
        return answer.body

    def close(self) -> None:
        self._connection.close()


class Later(threading.Thread):
    """A call on a connection of its own, which may take a while; ``answer`` waits for it."""

    def __init__(self, client: Client, method: str, path: str, body: Any = None) -> None:
        super().__init__(daemon=True)
        self._call = (method, path, body)
        self._client = Client(client.port, client.token)
        self._answer: Answer | None = None
        self.start()

    def run(self) -> None:
        try:
            self._answer = self._client.call(*self._call)
        except (OSError, http.client.HTTPException) as error:
            self._error: Exception = error
        finally:
            self._client.close()

    def answer(self) -> Answer:
        self.join(DEADLINE)
        assert self._answer is not None, getattr(self, "_error", "not answered")
        return self._answer

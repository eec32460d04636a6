"""One connection to the control socket that never blocks the screen.

Requests are answered in their order; events come in between on the same connection. When the connection is
lost, every request that waits fails, and the link tries again until the node is there.
"""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from lrgpnode.control.client import CallFailed, ClientError, Disconnected, NotRunning, failure

from .needs import Cancel, Loop

Json = Mapping[str, Any]
Done = Callable[[Json], object]
Failed = Callable[[ClientError], object]

ANSWER_SECONDS: Final = 30.0
"""How long the node may take for an answer before it is given up."""

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 3.0
"""Seconds between two tries to reach a node that is gone."""

LONGEST_LINE: Final = 16 * 1024 * 1024
_CHUNK: Final = 262_144


class Listener(Protocol):
    """Who is told what happens on the link."""

    def connected(self, seq: int, missed: bool) -> None:
        """Events come from now on, and those after the last one seen; ``missed``: some of them are lost."""
        ...

    def lost(self, why: ClientError) -> None:
        """The connection is gone, or could not be made. Told once until it is there again."""
        ...

    def event(self, event: Json) -> None: ...


class _Waiting:
    __slots__ = ("done", "failed", "method")

    def __init__(self, method: str, done: Done, failed: Failed) -> None:
        self.method = method
        self.done = done
        self.failed = failed


class Link:
    """``path`` is asked for every try: a node that starts again may answer elsewhere."""

    def __init__(self, loop: Loop, path: Callable[[], Path], listener: Listener) -> None:
        self._loop = loop
        self._path = path
        self._listener = listener
        self._socket: socket.socket | None = None
        self._buffer = bytearray()
        self._waiting: deque[tuple[int, _Waiting]] = deque()
        self._id = 0
        self._seq: int | None = None
        self._pause = FIRST_PAUSE
        self._told = False
        self._stopped = False
        self._unwatch: Cancel | None = None
        self._alarm: Cancel | None = None
        self._retry: Cancel | None = None

    @property
    def up(self) -> bool:
        return self._socket is not None

    def start(self) -> None:
        """Connect now; returns at once. The listener is told how it went."""
        if self._stopped or self._socket is not None:
            return
        self._cancel_retry()
        try:
            self._connect()
        except ClientError as error:
            self._lose(error)

    def stop(self) -> None:
        """Close for good; nobody is told."""
        self._stopped = True
        self._cancel_retry()
        self._close()
        self._waiting.clear()

    def call(self, method: str, params: Json, done: Done, failed: Failed) -> None:
        """Ask the node. Parameters that are None are left out. One of the callbacks follows, later."""
        if self._socket is None:
            failed(NotRunning(self._path()))
            return
        self._id += 1
        self._waiting.append((self._id, _Waiting(method, done, failed)))
        given = {name: value for name, value in params.items() if value is not None}
        request = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": given}
        line = json.dumps(request).encode() + b"\n"
        try:
            sent = self._socket.send(line)
        except (BlockingIOError, OSError):
            sent = 0
        if sent < len(line):
            # Requests are short and few: a node that does not take one does not read any more.
            self._lose(Disconnected("the node does not take requests any more"))
            return
        if self._alarm is None:
            self._alarm = self._loop.after(ANSWER_SECONDS, self._overdue)

    # The connection

    def _connect(self) -> None:
        path = self._path()
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.setblocking(False)
        try:
            connection.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            raise NotRunning(path) from None
        except OSError as error:
            connection.close()
            raise NotRunning(path, error.strerror or str(error)) from error
        self._socket = connection
        self._buffer.clear()
        self._unwatch = self._loop.watch(connection.fileno(), self._readable)
        after = 0 if self._seq is None else self._seq
        self.call("events.subscribe", {"after": after}, self._subscribed, self._refused)

    def _subscribed(self, result: Json) -> None:
        first = self._seq is None
        self._pause = FIRST_PAUSE
        self._told = False
        if first or result["missed"]:
            # Events that are still known come now; none of them may be taken for older than the last seen.
            self._seq = 0
        self._listener.connected(int(result["seq"]), bool(result["missed"]) and not first)

    def _refused(self, error: ClientError) -> None:
        self._lose(error)

    def _readable(self) -> None:
        assert self._socket is not None
        try:
            chunk = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(Disconnected(f"the connection to the node broke: {error.strerror or error}"))
            return
        if not chunk or len(self._buffer) > LONGEST_LINE:
            self._lose(Disconnected("the node has closed the connection"))
            return
        self._buffer += chunk
        while (end := self._buffer.find(b"\n")) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            if not self._take(line):
                return

    def _take(self, line: bytes) -> bool:
        """Handle one message; False where the connection is gone after it."""
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self._lose(Disconnected("what answers is no node"))
            return False
        if message.get("method") == "event":
            event = message["params"]
            self._seq = int(event["seq"])
            self._listener.event(event)
        elif self._waiting and message.get("id") == self._waiting[0][0]:
            _, waiting = self._waiting.popleft()
            self._rearm()
            if "error" in message:
                waiting.failed(failure(message["error"]))
            else:
                waiting.done(message["result"])
        elif "error" in message:
            self._lose(failure(message["error"]))
        return self._socket is not None

    def _rearm(self) -> None:
        if self._alarm is not None:
            self._alarm()
            self._alarm = None
        if self._waiting:
            self._alarm = self._loop.after(ANSWER_SECONDS, self._overdue)

    def _overdue(self) -> None:
        self._alarm = None
        method = self._waiting[0][1].method if self._waiting else "anything"
        self._lose(Disconnected(f"the node did not answer {method}"))

    def _lose(self, error: ClientError) -> None:
        self._close()
        waiting, self._waiting = self._waiting, deque()
        if self._stopped:
            return
        if self._retry is None:
            self._retry = self._loop.after(self._pause, self._again)
            self._pause = min(self._pause * 1.6, LONGEST_PAUSE)
        if not self._told:
            self._told = True
            self._listener.lost(error)
        gone = error if isinstance(error, CallFailed) else Disconnected("The node went away meanwhile.")
        for _, one in waiting:
            if one.method != "events.subscribe":
                one.failed(gone)

    def _again(self) -> None:
        self._retry = None
        self.start()

    def _close(self) -> None:
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        if self._alarm is not None:
            self._alarm()
            self._alarm = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _cancel_retry(self) -> None:
        if self._retry is not None:
            self._retry()
            self._retry = None

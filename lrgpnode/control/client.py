"""A synchronous client of the control socket. Imports nothing heavy: commands must start fast."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_CHUNK = 65536


class ClientError(Exception):
    """Base of what a client raises; ``str()`` is a sentence for a person."""


class NotRunning(ClientError):
    """Nobody answers on the socket."""

    def __init__(self, path: Path, why: str = "") -> None:
        super().__init__(f"no node is running at {path}" + (f" ({why})" if why else ""))
        self.path = path


class Disconnected(ClientError):
    """The connection ended or timed out before the answer came; the request may have been carried out."""


class CallFailed(ClientError):
    """The node refused the request. ``kind`` is ``rpc`` plus the code where the request was malformed."""

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


class Client:
    """One connection, opened by the first use; not for several threads. ``timeout`` is for answers."""

    def __init__(self, path: Path | str, *, timeout: float = 30.0) -> None:
        self.path = Path(path)
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._buffer = bytearray()
        self._id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._buffer.clear()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a method. Parameters that are None are left out.

        Raises ``NotRunning``, ``CallFailed`` or ``Disconnected``.
        """
        given = {name: value for name, value in params.items() if value is not None}
        self._id += 1
        request = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": given}
        try:
            self._send(json.dumps(request).encode() + b"\n")
            while (answer := self.receive()).get("id") != self._id:
                # An error without an id is about the connection itself, and the last thing it says.
                if "error" in answer:
                    self.close()
                    break
        except (ConnectionError, TimeoutError) as error:
            # What comes later on this connection would answer the wrong question.
            self.close()
            raise Disconnected(f"the node at {self.path} did not answer {method}: {error}") from error
        except BaseException:
            self.close()
            raise
        if "error" in answer:
            raise failure(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    def events(self, after: int | None = None) -> EventStream:
        """Events from now on, or later than number ``after``: ``{seq, at, type, data}`` each.

        Subscribes at once, over a connection of its own.
        """
        return EventStream(Client(self.path, timeout=self._timeout), after)

    def _send(self, line: bytes) -> None:
        if self._socket is None:
            self._socket = self._connect()
        try:
            self._socket.sendall(line)
        except (BrokenPipeError, ConnectionResetError):
            # A server that refuses a connection says why before it closes it.
            if not self._buffer and not self._fill():
                raise

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(self._timeout)
        try:
            connection.connect(str(self.path))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            raise NotRunning(self.path) from None
        except OSError as error:
            connection.close()
            raise NotRunning(self.path, error.strerror or str(error)) from error
        return connection

    def wait_forever(self) -> None:
        """Let ``receive`` wait without a limit."""
        if self._socket is not None:
            self._socket.settimeout(None)

    def receive(self) -> dict[str, Any]:
        """The next message of the node. Raises ``ConnectionError`` at the end."""
        while (end := self._buffer.find(b"\n")) < 0:
            if not self._fill():
                raise ConnectionError("the connection was closed")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise ConnectionError("the answer is not JSON-RPC")
        return message

    def _fill(self) -> bool:
        """Read more; False at the end."""
        if self._socket is None:
            raise ConnectionError("the connection is closed")
        chunk = self._socket.recv(_CHUNK)
        self._buffer += chunk
        return bool(chunk)


class EventStream(Iterator[dict[str, Any]]):
    """An iterator over events; ends when the node stops or drops the connection.

    ``seq`` was the last event when it began, ``missed`` tells that some after ``after`` are lost.
    """

    def __init__(self, client: Client, after: int | None) -> None:
        self._client = client
        try:
            result = client.call("events.subscribe", after=after)
        except CallFailed:
            client.close()
            raise
        self.seq: int = result["seq"]
        self.missed: bool = result["missed"]
        client.wait_forever()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __next__(self) -> dict[str, Any]:
        try:
            while True:
                message = self._client.receive()
                if message.get("method") == "event":
                    event: dict[str, Any] = message["params"]
                    return event
        except ConnectionError:
            self.close()
            raise StopIteration from None

    def close(self) -> None:
        self._client.close()


def failure(error: Any) -> CallFailed:
    """The ``error`` of a response as an exception."""
    if not isinstance(error, dict):
        return CallFailed("rpc", str(error))
    data = error.get("data")
    message = str(error.get("message", "the node gave no reason"))
    if isinstance(data, dict) and "kind" in data:
        return CallFailed(str(data["kind"]), message, str(data.get("hint", "")))
    return CallFailed(f"rpc{error.get('code', '')}", message)

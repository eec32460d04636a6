"""An HTTP client that costs little, so that what is measured is the server."""

from __future__ import annotations

import json
import selectors
import socket
import time
from typing import Any


def request(method: str, path: str, token: str = "", body: Any = None) -> bytes:
    """A request as it goes over the wire."""
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


class Connection:
    """One connection that stays open."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, data: bytes) -> bytes:
        """Send a request, and wait for the body of the answer."""
        self.socket.sendall(data)
        return self.read()

    def ask(self, method: str, path: str, token: str = "", body: Any = None) -> Any:
        return json.loads(self.call(request(method, path, token, body)))

    def read(self) -> bytes:
        """The body of the next answer, whose status must be below 300."""
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, rest = got.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 2"), got
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(rest) < length:
            rest += self._more()
        return rest

    def _more(self) -> bytes:
        more = self.socket.recv(65536)
        assert more, "the server closed the connection"
        return more

    def close(self) -> None:
        self.socket.close()


class Crowd:
    """Connections that wait at the same time. ``arrivals`` are when each got its answer."""

    def __init__(self, port: int, count: int) -> None:
        self.members = [Connection(port) for _ in range(count)]
        self._selector = selectors.EpollSelector()
        for member in self.members:
            self._selector.register(member.socket, selectors.EVENT_READ, member)

    def quiet(self, seconds: float) -> bool:
        """Whether nobody has an answer within that time."""
        return not self._selector.select(seconds)

    def arrivals(self, seconds: float) -> list[float]:
        """Wait for all answers; the times at which they came, by ``time.perf_counter``."""
        found: list[float] = []
        end = time.perf_counter() + seconds
        while len(found) < len(self.members):
            ready = self._selector.select(max(0.0, end - time.perf_counter()))
            assert ready, f"{len(self.members) - len(found)} of {len(self.members)} were not woken"
            for key, _ in ready:
                got = key.data.socket.recv(65536)
                assert got.startswith(b"HTTP/1.1 200"), got
                found.append(time.perf_counter())
        return found

    def close(self) -> None:
        for member in self.members:
            member.close()
        self._selector.close()

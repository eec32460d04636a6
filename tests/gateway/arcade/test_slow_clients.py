"""Clients that take their time, and more of them than there is place for. An arcade in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.arcade import connections
from gateway.arcade.app import Arcade, ArcadeSettings
from gateway.rcadia.server.web import requests
from tests.gateway.arcade.served import AGENT, BRIDGE, made_token

DEADLINE = 30.0

SMALL = b"GET /skill.md HTTP/1.1\r\nHost: a\r\n\r\n"


class Line:
    """A connection that is written by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def answer(self) -> tuple[int, bytes]:
        async with asyncio.timeout(DEADLINE):
            head = await self._reader.readuntil(b"\r\n\r\n")
            size = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            )
            return int(head.split()[1]), await self._reader.readexactly(size)

    async def rest(self) -> bytes:
        """What comes until the server closes the connection."""
        async with asyncio.timeout(DEADLINE):
            try:
                return await self._reader.read()
            except ConnectionError:
                return b""


class Dial:
    """Connections to one arcade."""

    def __init__(self, running: Arcade) -> None:
        self._running = running
        self.lines: list[Line] = []

    async def __call__(self) -> Line:
        self.lines.append(Line(*await asyncio.open_connection(*self._running.address)))
        return self.lines[-1]

    async def see(self, count: int) -> None:
        """Wait until the arcade has so many connections."""
        runner = self._running._runner
        assert runner is not None
        assert runner.server is not None
        async with asyncio.timeout(DEADLINE):
            while len(runner.server.connections) != count:  # noqa: ASYNC110 - nothing tells it
                await asyncio.sleep(0.01)


@asynccontextmanager
async def arcade(data: Path) -> AsyncIterator[Dial]:
    running = Arcade(ArcadeSettings(data=data, port=0))
    await running.start()
    dial = Dial(running)
    try:
        yield dial
    finally:
        for line in dial.lines:
            line.writer.close()
        await running.stop()


def post(token: str, path: str, *, size: int, more: str = "") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nContent-Length: {size}\r\n"
    return f"{head}{more}\r\n".encode()


def test_a_first_request_that_does_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with arcade(tmp_path) as dial:
            good = await dial()
            good.send(SMALL)
            assert (await good.answer())[0] == 200
            monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
            slow, silent = await dial(), await dial()
            slow.send(SMALL[:20])
            assert await slow.rest() == await silent.rest() == b""
            # Whoever has asked something may think before the next question.
            good.send(SMALL)
            assert (await good.answer())[0] == 200

    asyncio.run(main())


def test_a_body_that_does_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "BODY_SECONDS", 0.3)
    token = made_token(tmp_path, "cat", "host")

    async def main() -> None:
        async with arcade(tmp_path) as dial:
            line = await dial()
            line.send(post(token, BRIDGE, size=100))
            line.send(b'{"con')
            status, body = await line.answer()
            assert (status, json.loads(body)["code"]) == (408, "request_timeout")
            line.writer.write_eof()
            assert await line.rest() == b""
            # The place of that body is free again.
            assert requests._coming._bytes == 0

    asyncio.run(main())


def test_bodies_under_way_have_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MAX_COMING", 150)
    token = made_token(tmp_path, "cat", "host")
    body = b'{"config": {"minPlayers": 2, "maxPlayers": 2}}'.ljust(100)

    async def main() -> None:
        async with arcade(tmp_path) as dial:
            first, second = await dial(), await dial()
            first.send(post(token, BRIDGE, size=len(body)) + body[:10])
            async with asyncio.timeout(DEADLINE):
                while requests._coming._bytes == 0:  # noqa: ASYNC110 - what changes it runs meanwhile
                    await asyncio.sleep(0)
            second.send(post(token, BRIDGE, size=len(body)) + body[:10])
            status, answer = await second.answer()
            assert (status, json.loads(answer)["code"]) == (429, "server_full")
            first.send(body[10:])
            assert (await first.answer())[0] == 201
            third = await dial()
            third.send(post(token, BRIDGE, size=len(body)) + body)
            assert (await third.answer())[0] == 201

    asyncio.run(main())


def test_there_is_place_for_so_many_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 2)

    async def main() -> None:
        async with arcade(tmp_path) as dial:
            first, second = await dial(), await dial()
            for line in (first, second):
                line.send(SMALL)
                assert (await line.answer())[0] == 200
            assert await (await dial()).rest() == b""
            first.send(SMALL)
            assert (await first.answer())[0] == 200
            first.writer.write_eof()
            assert await first.rest() == b""
            again = await dial()
            again.send(SMALL)
            assert (await again.answer())[0] == 200

    asyncio.run(main())


def test_answers_that_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that asks on and reads nothing; what is kept for it is bounded in time and in size."""
    token = made_token(tmp_path, "cat", "host")
    large = json.dumps({"state": "x" * 400_000}).encode()

    async def main() -> None:
        async with arcade(tmp_path) as dial:
            host = await dial()
            body = b'{"config": {"minPlayers": 2, "maxPlayers": 2}}'
            host.send(post(token, BRIDGE, size=len(body)) + body)
            id = json.loads((await host.answer())[1])["sessionId"]
            head = post(token, f"{BRIDGE}/{id}/state", size=len(large)).replace(b"POST", b"PATCH")
            host.send(head + large)
            assert (await host.answer())[0] == 200
            ask = f"GET {AGENT}/{id}/public HTTP/1.1\r\nHost: a\r\n\r\n".encode()
            for name, value in (("UNREAD_SECONDS", 0.3), ("MAX_UNREAD", 0)):
                with monkeypatch.context() as patched:
                    patched.setattr(connections, name, value)
                    deaf = await dial()
                    await dial.see(2)
                    # More than the system keeps for the two ends of a connection on this machine.
                    deaf.send(ask * 40)
                    await dial.see(1)
            # Somebody who reads gets all of it.
            good = await dial()
            good.send(ask * 40)
            for _ in range(40):
                status, answer = await good.answer()
                assert (status, len(json.loads(answer)["state"])) == (200, 400_000)

    asyncio.run(main())


def test_a_strange_origin_and_a_large_password(tmp_path: Path) -> None:
    path = "/api/v1/arcade/account"

    async def main() -> None:
        async with arcade(tmp_path) as dial:
            line = await dial()
            for origin in ("http://[::1", "http://a\u2100b/", "null", ""):
                for method in ("POST", "DELETE"):
                    head = f"{method} {path} HTTP/1.1\r\nHost: a\r\nOrigin: {origin}\r\n"
                    line.send(head.encode() + b"Content-Length: 2\r\n\r\n{}")
                    status, answer = await line.answer()
                    assert (status, json.loads(answer)["code"]) == (403, "cross_origin")
            line = await dial()
            line.send(post("", path, size=100_000, more="Origin: http://a\r\n"))
            status, answer = await line.answer()
            assert (status, json.loads(answer)["code"]) == (413, "too_large")

    asyncio.run(main())

"""An arcade in this process, and a client of AgentGames that knows only the protocol's text.

What is sent and awaited here is written from the specification and the facts; none of our models is used.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

from gateway.agentgames.server.arena import Arena, ArenaSettings
from gateway.agentgames.server.keys import Keys
from gateway.arcade.accounts import Accounts
from gateway.arcade.app import Arcade, ArcadeSettings
from gateway.arcade.secret import token_hash
from gateway.arcade.store import FILE_NAME, ArcadeStore

Json = dict[str, Any]

DEADLINE: Final = 30.0
"""Seconds for anything that must happen."""

SOON: Final = 0.3
"""Seconds in which what must not happen would have."""


class Rig:
    """``tokens`` by the names of the accounts."""

    def __init__(
        self, arcade: Arcade, http: aiohttp.ClientSession, data: Path, tokens: dict[str, str]
    ) -> None:
        self.arcade = arcade
        self.http = http
        self.data = data
        self.tokens = tokens
        self._open: list[Ws] = []

    @property
    def url(self) -> str:
        return self.arcade.url

    @property
    def arena(self) -> Arena:
        assert self.arcade.arena is not None
        return self.arcade.arena

    def service_holds(self, number: int) -> bool:
        """Whether so many requests wait at tables."""
        assert self.arcade._service is not None
        return self.arcade._service.holding.count == number

    async def ws(self, name: str, query: str = "game=ttt", **more: Any) -> Ws:
        headers = {"Authorization": f"Bearer {self.tokens[name]}", **more.pop("headers", {})}
        options = {"max_msg_size": 0, "autoping": False, **more}
        made = Ws(await self.http.ws_connect(f"{self.url}/play?{query}", headers=headers, **options))
        self._open.append(made)
        return made

    async def pair(self, query: str = "game=ttt", names: tuple[str, str] = ("ann", "ben")) -> tuple[Ws, Ws]:
        """Two who have met and were shown the first position, player 0 first."""
        first = await self.ws(names[0], query)
        assert (await first.get())["type"] == "queued"
        second = await self.ws(names[1], query)
        assert (await second.get())["type"] == "queued"
        for each in (first, second):
            assert (await each.get())["type"] == "hello"
            assert (await each.get())["type"] == "state"
        return first, second

    async def get(self, path: str, **more: Any) -> tuple[int, str]:
        async with self.http.get(self.url + path, **more) as answer:
            return answer.status, await answer.text()

    async def api(self, path: str) -> Json:
        status, text = await self.get(f"/api/v1/arcade/{path}")
        assert status == 200, text
        found: Json = json.loads(text)
        return found

    async def close(self) -> None:
        for each in self._open:
            await each.drop()


class Ws:
    """One connection. Messages are read as they come."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def frame(self) -> aiohttp.WSMessage:
        async with asyncio.timeout(DEADLINE):
            return await self.socket.receive()

    async def get(self) -> Json:
        """The next message, which is a text frame with one JSON object and a newline."""
        frame = await self.frame()
        assert frame.type is aiohttp.WSMsgType.TEXT, frame
        assert frame.data.endswith("\n")
        assert "\n" not in frame.data[:-1]
        found: Json = json.loads(frame.data)
        return found

    async def closed(self) -> int | None:
        """The close code, once the server has closed properly; nothing else comes before."""
        frame = await self.frame()
        assert frame.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED), frame
        return self.socket.close_code

    async def silent(self) -> None:
        """Nothing comes for a while."""
        try:
            frame = await asyncio.wait_for(self.socket.receive(), SOON)
        except TimeoutError:
            return
        raise AssertionError(frame)

    async def send(self, message: Any) -> None:
        await self.socket.send_str(json.dumps(message))

    async def move(self, token: Any) -> None:
        await self.send({"type": "move", "move": token})

    async def drop(self) -> None:
        """The TCP connection ends without a word."""
        connection = self.socket._response.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()
        self.socket._response.close()
        await asyncio.sleep(0)


async def until(true: Callable[[], object]) -> None:
    """Wait for what no message tells of."""
    async with asyncio.timeout(DEADLINE):
        while not true():  # noqa: ASYNC110 - it is the server's own state, of which there is no event
            await asyncio.sleep(0.01)


def play(
    tmp_path: Path,
    scene: Callable[[Rig], Awaitable[None]],
    *,
    names: tuple[str, ...] = ("ann", "ben", "cat"),
    keys: dict[str, str] | None = None,
    disabled: tuple[str, ...] = (),
    ssh: bool = False,
    patience: float = DEADLINE * 3,
    **settings: Any,
) -> None:
    """Run a scene in an arcade of its own. ``keys``: public SSH keys by account."""

    async def run() -> None:
        async with rig(tmp_path, names, keys or {}, disabled, ssh, settings) as made:
            async with asyncio.timeout(patience):
                await scene(made)

    asyncio.run(run())


@asynccontextmanager
async def rig(
    data: Path,
    names: tuple[str, ...],
    keys: dict[str, str],
    disabled: tuple[str, ...],
    ssh: bool,
    settings: Json,
) -> AsyncIterator[Rig]:
    tokens = accounts(data, names, keys, disabled)
    chosen = ArenaSettings(**{"move_seconds": 20.0, **settings})
    arcade = Arcade(ArcadeSettings(data=data, port=0, arena=chosen, ssh=("127.0.0.1", 0) if ssh else None))
    await arcade.start()
    try:
        async with aiohttp.ClientSession() as http:
            made = Rig(arcade, http, data, tokens)
            try:
                yield made
            finally:
                await made.close()
    finally:
        await arcade.stop()


def accounts(
    data: Path, names: tuple[str, ...], keys: dict[str, str] | None = None, disabled: tuple[str, ...] = ()
) -> dict[str, str]:
    """Tokens of accounts that are made where they are missing."""
    store = ArcadeStore(data / FILE_NAME)
    try:
        kept = Accounts(store)
        known = {one.name for one in kept.all()}
        for name in names:
            if name not in known:
                kept.add(name)
        ids = {one.name: one.id for one in kept.all()}
        tokens = {name: f"arc_{secrets.token_hex(24)}" for name in names}
        for name, token in tokens.items():
            # As `Accounts.new_token`, without reading all of them again for each of hundreds.
            hashed, id = token_hash(token), secrets.token_hex(6)
            store.add_token(id, ids[name], hashed, ["play"], kind="agent", label="", now=1.0)
        for name, line in (keys or {}).items():
            Keys(store.database).add(kept.find(name), line)
        for name in disabled:
            kept.set_disabled(name, disabled=True)
        return tokens
    finally:
        store.close()

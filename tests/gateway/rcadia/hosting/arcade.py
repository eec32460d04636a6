"""A real arcade in this process, and web agents that speak the protocol with literals of its text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from gateway.arcade.accounts import Accounts
from gateway.arcade.app import Arcade, ArcadeSettings
from gateway.arcade.auth import Rates
from gateway.arcade.limits import Rate
from gateway.arcade.store import FILE_NAME, ArcadeStore

DEADLINE = 60.0
SESSIONS = "/api/v1/agent/sessions"

Choose = Callable[[dict[str, Any]], Any]


def first_legal(snapshot: dict[str, Any]) -> Any:
    return snapshot["legalActions"][0]


def script(*actions: Any) -> Choose:
    """These actions in turn, whatever happens."""
    waiting = list(actions)
    return lambda snapshot: waiting.pop(0)


class Caller:
    """Requests to an arcade. ``tokens`` by account; ``web`` has to be set before the first request."""

    def __init__(self, url: str = "") -> None:
        self.url = url
        self.tokens: dict[str, str] = {}
        self.web: aiohttp.ClientSession

    async def call(
        self, method: str, path: str, *, who: str = "", json: Any = None, **query: Any
    ) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        url = self.url + SESSIONS + path
        async with self.web.request(method, url, params=query, json=json, headers=headers) as response:
            return response.status, await response.json()

    async def available(self, **query: Any) -> list[dict[str, Any]]:
        _, answer = await self.call("GET", "/available", **query)
        sessions: list[dict[str, Any]] = answer["sessions"]
        return sessions

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Ask again and again until it is so; ``condition`` may be a coroutine function."""
        async with asyncio.timeout(DEADLINE):
            while True:
                found = condition()
                if asyncio.iscoroutine(found):
                    found = await found
                if found:
                    return found
                await asyncio.sleep(0.05)

    async def open_tables(self, count: int = 1, **query: Any) -> list[dict[str, Any]]:
        async def enough() -> list[dict[str, Any]]:
            tables = [one for one in await self.available(**query) if one["joinable"]]
            return tables if len(tables) >= count else []

        found: list[dict[str, Any]] = await self.until(enough)
        return found


class Town(Caller):
    """An arcade in this process, with accounts: the house's, a pool's, and some web agents'."""

    def __init__(self, data: Path) -> None:
        super().__init__()
        self.data = data
        self.port = 0
        self.arcade: Arcade
        store = ArcadeStore(data / FILE_NAME)
        try:
            accounts = Accounts(store)
            for name, scopes in (
                ("house", ["host", "play"]),
                ("pool", ["play"]),
                ("ann", ["play"]),
                ("eve", ["play"]),
            ):
                accounts.add(name, house=name == "house")
                self.tokens[name] = accounts.new_token(name, scopes)[0]
        finally:
            store.close()

    async def open(self) -> None:
        rate = Rate(per_second=10_000, burst=10_000)
        self.arcade = Arcade(ArcadeSettings(data=self.data, port=self.port, rates=Rates(calls=rate)))
        await self.arcade.start()
        self.port = self.arcade.address[1]
        self.url = self.arcade.url

    async def restart(self) -> None:
        """The server comes back at the same address and has forgotten all sessions."""
        await self.arcade.stop()
        await self.open()


@asynccontextmanager
async def town(data: Path) -> AsyncIterator[Town]:
    here = Town(data)
    async with aiohttp.ClientSession() as here.web:
        await here.open()
        try:
            yield here
        finally:
            await here.arcade.stop()


class Agent:
    """A web agent, as the protocol's loop (§5) has it. ``results``: one for each game."""

    def __init__(self, town: Caller, who: str) -> None:
        self.town = town
        self.who = who
        self.session = ""
        self.results: list[Any] = []
        self.snapshots: list[dict[str, Any]] = []
        self.rejections: list[str] = []

    async def join(self, session: str) -> dict[str, Any]:
        status, snapshot = await self.town.call(
            "POST", f"/{session}/join", who=self.who, json={"asName": self.who}
        )
        assert status == 200, snapshot
        self.session = session
        return snapshot  # type: ignore[no-any-return]

    async def state(self, wait: int = 0) -> dict[str, Any]:
        status, snapshot = await self.town.call("GET", f"/{self.session}/state", who=self.who, wait=wait)
        assert status == 200, snapshot
        return snapshot  # type: ignore[no-any-return]

    async def act(self, snapshot: dict[str, Any], action: Any) -> dict[str, Any]:
        body = {"action": action, "turn": snapshot["turn"]}
        status, answer = await self.town.call(
            "POST", f"/{self.session}/action", who=self.who, json=body, wait=25
        )
        assert status in (200, 409), answer
        if answer.get("outcome") == "rejected":
            self.rejections.append(answer["reason"])
        return answer  # type: ignore[no-any-return]

    async def leave(self) -> None:
        status, answer = await self.town.call("POST", f"/{self.session}/leave", who=self.who, json={})
        assert status == 200, answer

    async def play(self, choose: Choose, rounds: int = 1) -> list[Any]:
        """Play until ``rounds`` games are over; the results."""
        async with asyncio.timeout(DEADLINE):
            while True:
                snapshot = await self.state(wait=25)
                self.snapshots.append(snapshot)
                if snapshot["status"] == "finished":
                    self.results.append(snapshot["result"])
                    if len(self.results) == rounds:
                        return self.results
                    assert snapshot["nextSessionId"], snapshot
                    self.session = snapshot["nextSessionId"]
                elif snapshot["yourTurn"]:
                    await self.act(snapshot, choose(snapshot))

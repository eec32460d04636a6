"""An arcade with a few people, and who speaks to it over plain HTTP: agents and a host, by the protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from gateway.agentgames.server.records import MatchStore
from gateway.arcade.accounts import Accounts
from gateway.arcade.app import Arcade, ArcadeSettings
from gateway.arcade.store import FILE_NAME, ArcadeStore
from tests.gateway.web.page import Page

PASSWORD = "correct horse battery"
DEADLINE = 60.0
AGENT = "/api/v1/agent"


@dataclass
class Caller:
    """Somebody with a token."""

    http: aiohttp.ClientSession
    base: str
    token: str

    async def call(self, method: str, path: str, body: Any = None, *, expect: int = 200) -> Any:
        async with self.http.request(
            method, self.base + path, json=body, headers={"Authorization": f"Bearer {self.token}"}
        ) as answer:
            said = await answer.json()
            assert answer.status == expect, (method, path, answer.status, said)
            return said

    async def state(self, session: str, wait: int = 25) -> Any:
        return await self.call("GET", f"{AGENT}/sessions/{session}/state?wait={wait}")

    async def join(self, session: str, name: str) -> Any:
        return await self.call("POST", f"{AGENT}/sessions/{session}/join", {"asName": name})

    async def act(self, session: str, action: Any, turn: int | None = None) -> Any:
        return await self.call(
            "POST", f"{AGENT}/sessions/{session}/action?wait=20", {"action": action, "turn": turn}
        )

    # As a host

    async def open(self, title: str = "Chess", **config: Any) -> str:
        given = {"minPlayers": 2, "maxPlayers": 2, "gameType": "test", "sdkVersion": "2.0.0"} | config
        body = {"config": given, "gameTitle": title}
        return str((await self.call("POST", f"{AGENT}/bridge/sessions", body, expect=201))["sessionId"])

    async def ops(self, session: str, *ops: dict[str, Any]) -> Any:
        return await self.call("POST", f"{AGENT}/bridge/sessions/{session}/ops", {"ops": list(ops)})

    async def next_entry(self, session: str, after: int = 0) -> Any:
        """The first entry after that one; waits for it."""
        while True:
            path = f"{AGENT}/bridge/sessions/{session}/pending-actions?after={after}&wait=20"
            found = (await self.call("GET", path))["actions"]
            if found:
                return found[0]


@dataclass
class Village:
    """A running arcade: Ann has a password; ``agents`` may play, ``host`` may play and host."""

    folder: Path
    arcade: Arcade | None
    http: aiohttp.ClientSession
    tokens: dict[str, str]
    address: str = ""

    @classmethod
    def elsewhere(cls, address: str, http: aiohttp.ClientSession) -> Village:
        """An arcade that runs in another process."""
        return cls(Path(), None, http, {}, address)

    @property
    def base(self) -> str:
        return self.address if self.arcade is None else self.arcade.url

    def caller(self, name: str) -> Caller:
        return Caller(self.http, self.base, self.tokens[name])

    async def get(self, path: str) -> Any:
        async with self.http.get(self.base + path) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()

    async def tables(self) -> list[Any]:
        found = (await self.get(f"{AGENT}/sessions/available?all=1"))["sessions"]
        assert isinstance(found, list)
        return found

    async def public(self, session: str) -> Any:
        return await self.get(f"{AGENT}/sessions/{session}/public")

    async def until(self, session: str, status: str) -> Any:
        """The public view as soon as it has that status."""
        async with asyncio.timeout(DEADLINE):
            view = await self.public(session)
            while view["status"] != status:
                since = view["version"]
                view = await self.get(f"{AGENT}/sessions/{session}/public?since={since}&wait=20")
            return view

    def ladder(self) -> tuple[MatchStore, dict[str, str]]:
        """The matches of the ladder, and the accounts by name."""
        assert self.arcade is not None
        assert self.arcade.arena is not None
        assert self.arcade._store is not None
        return self.arcade.arena.store, {one.name: one.id for one in self.arcade._store.accounts()}

    async def restart(self) -> None:
        """The arcade anew at the same address: sessions are gone, accounts and results are not."""
        assert self.arcade is not None
        port = self.arcade.address[1]
        await self.arcade.stop()
        self.arcade = Arcade(ArcadeSettings(data=self.folder, port=port))
        await self.arcade.start()

    async def sign_in(self, page: Page, path: str) -> None:
        """Ann signs in on the page for it and comes back to ``path``."""
        await page.open(f"{self.base}/sign-in#{path.replace('/', '%2F')}")
        await page.type("#name", "Ann")
        await page.type("#password", PASSWORD)
        loaded = page.browser.event("Page.loadEventFired", page.session)
        await page.click("#by-password button")
        await asyncio.wait_for(loaded, DEADLINE)
        await page.until(f"location.pathname === '{path}'")


@contextlib.asynccontextmanager
async def village(folder: Path) -> AsyncIterator[Village]:
    tokens = await asyncio.to_thread(add_people, folder)
    arcade = Arcade(ArcadeSettings(data=folder, port=0))
    await arcade.start()
    async with aiohttp.ClientSession() as http:
        there = Village(folder, arcade, http, tokens)
        try:
            yield there
        finally:
            if there.arcade is not None:
                await there.arcade.stop()


def add_people(folder: Path) -> dict[str, str]:
    """Accounts at an arcade, whether it runs or not; the tokens of those that have one."""
    store = ArcadeStore(folder / FILE_NAME)
    try:
        accounts = Accounts(store)
        accounts.add("Ann", password=PASSWORD)
        tokens = {}
        for name in ("one", "two"):
            accounts.add(name)
            tokens[name], _ = accounts.new_token(name, ["play"])
        accounts.add("host")
        tokens["host"], _ = accounts.new_token("host", ["play", "host"])
        return tokens
    finally:
        store.close()

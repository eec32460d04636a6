"""The arcade's server of rated matches in a thread, rivals that know only the protocol's text, and gateways.

What a rival sends and awaits is literal JSON; none of our models is used.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final, TypeVar

import aiohttp

from gateway.agentgames.server.arena import ArenaSettings
from gateway.arcade.app import Arcade, ArcadeSettings
from tests.e2e.nodes import NodeProcess, until
from tests.gateway.agentgames.server.rig import accounts

T = TypeVar("T")
Json = dict[str, Any]

OURS: Final = "gateway"
"""The account that the node plays with."""

WAIT: Final = 60.0


class Club:
    """``move_seconds``: the time for a move there."""

    def __init__(self, data: Path, move_seconds: float) -> None:
        data.mkdir(parents=True)
        self.move_seconds = move_seconds
        self.tokens = accounts(data, (OURS, "rival"))
        self.told: list[Json] = []
        """What the last rival was told so far."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        arena = ArenaSettings(move_seconds=move_seconds, queue_seconds=120.0)
        self.arcade = Arcade(ArcadeSettings(data=data, port=0, arena=arena))
        self.run(self._open())

    async def _open(self) -> None:
        await self.arcade.start()
        self._http = aiohttp.ClientSession()

    def run(self, work: Coroutine[Any, Any, T], seconds: float = WAIT) -> T:
        return self.begin(work).result(seconds)

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def rival(self, game: str, moves: Sequence[str]) -> Future[list[Json]]:
        """Somebody joins the queue and plays these moves, then none; all that it was told, when it is over.

        "*" is the last of those that are offered.
        """
        return self.begin(self._rival(game, list(moves)))

    async def _rival(self, game: str, moves: list[str]) -> list[Json]:
        headers = {"Authorization": f"Bearer {self.tokens['rival']}"}
        url = f"{self.arcade.url}/play?game={game}"
        told = self.told = []
        async with self._http.ws_connect(url, headers=headers, autoping=True) as socket:
            async for frame in socket:
                told.append(json.loads(frame.data))
                if told[-1]["type"] == "state" and told[-1]["yourTurn"] and moves:
                    move = moves.pop(0)
                    move = told[-1]["observation"]["legal"][-1] if move == "*" else move
                    await socket.send_str(f'{{"type":"move","move":"{move}"}}')
        return told

    def waiting(self, game: str) -> str:
        """Who waits in a queue, or ""."""

        async def look() -> str:
            assert self.arcade.arena is not None
            return next(one.waiting for one in self.arcade.arena.activity() if one.game == game)

        return self.run(look())

    def waits(self, game: str, name: str = OURS) -> None:
        """Wait until somebody waits in a queue."""
        until(lambda: self.waiting(game) == name, f"{name} waits for {game}", 240.0)

    def api(self, path: str) -> Json:
        async def get() -> Json:
            async with self._http.get(f"{self.arcade.url}/api/v1/arcade/{path}") as answer:
                found: Json = await answer.json()
                return found

        return self.run(get())

    def close(self) -> None:
        async def end() -> None:
            await self._http.close()
            await self.arcade.stop()

        self.run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def configure(self, node: NodeProcess, **gateway: int) -> None:
        """Make a gateway to this server of a node that has not been started."""
        more = "".join(f"{name} = {value}\n" for name, value in gateway.items())
        with (node.data / "lrgpnode.toml").open("a") as file:
            file.write(
                f'[gateway]\nenabled = true\nplayers = "everyone"\nseats_per_day = 1000\n{more}'
                'routes = ["ttt=agentgames", "four_in_a_row=agentgames"]\n'
                f'[agentgames]\nurl = "ws{self.arcade.url.removeprefix("http")}"\n'
                f"move_seconds = {round(self.move_seconds)}\n[house]\nenabled = false\n"
            )
        account = node.data / "gateway-tokens" / "agentgames" / "main"
        account.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        account.write_text(self.tokens[OURS])
        account.chmod(0o600)


def result(told: list[Json]) -> tuple[str, str]:
    """How a match ended for a rival, and why."""
    assert [one["type"] for one in told[:3]] == ["queued", "hello", "state"]
    last = told[-1]
    assert last["type"] == "result"
    return last["outcome"], last.get("reason", "")

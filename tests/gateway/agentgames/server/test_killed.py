"""kill -9 while matches are played: what was told is kept, what was played is void, nothing is half."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from tests.gateway.agentgames.server.rig import accounts
from tests.gateway.arcade.served import DEADLINE, Arcade, Client

PAIRS = 12


async def swarm(arcade: Arcade, tokens: dict[str, str]) -> list[dict[str, Any]]:
    """Results that were told, until the arcade is killed in the middle of it."""
    told: list[dict[str, Any]] = []
    enough = asyncio.Event()
    rng = random.Random(3)

    async def program(http: aiohttp.ClientSession, name: str) -> None:
        url = f"http://127.0.0.1:{arcade.port}/play?game=ttt&token={tokens[name]}"
        while True:
            mine: dict[str, Any] = {"name": name}
            async with http.ws_connect(url) as socket:
                async for frame in socket:
                    message = json.loads(frame.data)
                    if message["type"] == "state" and message["yourTurn"]:
                        token = rng.choice(message["observation"]["legal"])
                        await socket.send_json({"type": "move", "move": token})
                    if message["type"] == "result":
                        told.append({**mine, **message})
                        if len(told) >= 120:
                            enough.set()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        tasks = [asyncio.create_task(program(http, name)) for name in tokens]
        async with asyncio.timeout(DEADLINE):
            await enough.wait()
        arcade.process.send_signal(signal.SIGKILL)
        await asyncio.gather(*tasks, return_exceptions=True)
    return told


def test_kill_9_in_the_middle(tmp_path: Path, start: Callable[..., Arcade]) -> None:
    tokens = accounts(tmp_path, tuple(f"p{number}" for number in range(2 * PAIRS)))
    first = start(tmp_path)
    told = asyncio.run(swarm(first, tokens))
    assert len(told) >= 120
    client = start(tmp_path).client()
    kept = everything(client)
    states = [one["state"] for one in kept]
    assert "playing" not in states
    assert "void" in states  # there were some in the middle of a match
    # Each result that was told is there, with that rating.
    after = {
        (player["name"], player["ratingAfter"])
        for one in kept
        if one["winner"] is not None
        for player in one["players"]
    }
    for one in told:
        assert (one["name"], one["rating"]) in after
    # The ladder is what the matches make of it, to the last bit.
    ratings: dict[str, float] = {}
    for one in sorted((one for one in kept if one["state"] == "over"), key=lambda one: one["endedAt"]):
        for player in one["players"]:
            ratings.setdefault(player["name"], player["ratingBefore"])
    assert ratings
    assert set(ratings.values()) == {1500.0}
    rows = client.ok("GET", "/api/v1/arcade/ladder?game=ttt")["players"]
    played = sum(row["played"] for row in rows)
    assert played == 2 * states.count("over")
    assert {(row["name"], row["rating"]) for row in rows} <= after
    assert abs(sum(row["rating"] for row in rows) - 1500 * len(rows)) < 1e-6
    # Whatever is void has no moves and no rating; whatever is over is a whole game.
    for one in kept:
        shown = client.ok("GET", f"/api/v1/arcade/matches/{one['number']}")
        assert len(shown["steps"]) == one["plies"]
        if one["state"] == "void":
            assert (shown["steps"], one["players"][0]["ratingAfter"]) == ([], None)
        elif one["reason"] is None:
            assert one["plies"] >= 5


def everything(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    query = ""
    while True:
        page = client.ok("GET", f"/api/v1/arcade/matches?limit=50{query}")
        found += page["matches"]
        if page["before"] is None:
            return found
        query = f"&before={page['before']}"

"""Many programs at a time over WebSocket, in a process beside the arcade's.

``python crowd.py PORT PAUSE GAME SECONDS < tokens``: pairs of tokens, a line each. Each pair plays match
after match until the seconds are over, with that pause before a move on average; for each player of each
match a line of JSON says what the last message was, and what the states after its moves took.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from typing import Any

import aiohttp

Json = dict[str, Any]


class Player:
    """Plays one match at random. ``delays``: seconds from each own move to what the server said next."""

    def __init__(self, url: str, token: str, rng: random.Random, pause: float) -> None:
        self._url = url
        self._token = token
        self._rng = rng
        self._pause = pause
        self.last: Json = {}
        self.sent_at = 0.0
        self.delays: list[float] = []

    async def play(self, http: aiohttp.ClientSession, game: str) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        async with http.ws_connect(f"{self._url}/play?game={game}", headers=headers) as socket:
            async for frame in socket:
                message = json.loads(frame.data)
                self.last = message
                if self.sent_at:
                    self.delays.append(time.perf_counter() - self.sent_at)
                    self.sent_at = 0.0
                if message["type"] == "state" and message["yourTurn"]:
                    await asyncio.sleep(self._rng.random() * 2 * self._pause)
                    token = self._rng.choice(message["observation"]["legal"])
                    self.sent_at = time.perf_counter()
                    await socket.send_json({"type": "move", "move": token})


async def one_after_the_other(
    url: str, tokens: list[str], game: str, pause: float, until: float, seed: int
) -> list[Player]:
    """Two programs that play match after match against whoever comes, until it is that time."""
    rng = random.Random(seed)
    done = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        while time.monotonic() < until:
            pair = [Player(url, token, rng, pause) for token in tokens]
            await asyncio.gather(*(each.play(http, game) for each in pair))
            done += pair
    return done


async def main(port: int, pause: float, game: str, seconds: float, pairs: list[list[str]]) -> None:
    until = time.monotonic() + seconds
    found = await asyncio.gather(
        *(
            one_after_the_other(f"http://127.0.0.1:{port}", pair, game, pause, until, seed)
            for seed, pair in enumerate(pairs)
        )
    )
    for players in found:
        for one in players:
            sys.stdout.write(json.dumps({"last": one.last, "delays": one.delays}) + "\n")


if __name__ == "__main__":
    _, port, pause, game, seconds = sys.argv
    given = [line.split() for line in sys.stdin.read().splitlines()]
    asyncio.run(main(int(port), float(pause), game, float(seconds), given))

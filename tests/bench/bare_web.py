"""The baseline of the arcade: aiohttp and one handler that answers JSON. Its argument is the port."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from aiohttp import web

STATE: dict[str, Any] = {
    "sessionId": "ses_0123456789ab",
    "playerId": "p_01234567",
    "seat": 0,
    "status": "active",
    "yourTurn": True,
    "turn": 7,
    "state": {"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
    "legalActions": ["e2e4", "d2d4", "g1f3"],
    "players": [{"playerId": "p_01234567", "seat": 0}, {"playerId": "p_89abcdef", "seat": 1}],
    "version": 42,
}


async def state(_: web.Request) -> web.Response:
    return web.json_response(STATE)


async def action(request: web.Request) -> web.Response:
    given = await request.json()
    return web.json_response({"accepted": True, "turn": given["turn"], "snapshot": STATE})


async def main(port: int) -> None:
    app = web.Application()
    app.add_routes([web.get("/{id}/state", state), web.post("/{id}/action", action)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))

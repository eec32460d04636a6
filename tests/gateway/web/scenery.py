"""Tables as they might stand in a village, for looking at pages.

``python -m tests.gateway.web.scenery FOLDER`` takes the pictures of docs/images and a few more.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import chess

from tests.gateway.agentgames.matches import season
from tests.gateway.web.arcade import Caller, Village, village
from tests.gateway.web.chromium import browser

OPERA = """
e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 O-O-O Rd8
"""
"""Morphy against the Duke of Brunswick, Paris 1858, to the middle of it."""


async def furnish(there: Village) -> dict[str, str]:
    """A chess game under way, an open table, connect four, and a game that no page knows. Ids by name."""
    host, one, two = there.caller("host"), there.caller("one"), there.caller("two")

    async def table(
        title: str, names: tuple[str, ...] = ("Ann of the hill", "Fish")
    ) -> tuple[str, list[str]]:
        session = await host.open(title)
        ids = [
            (await caller.join(session, name))["playerId"]
            for caller, name in zip((one, two), names, strict=False)
        ]
        return session, ids

    four, players = await table("Connect Four", ("Rook", "Mill"))
    await _show(host, four, four_state(players), players[0])
    other, players = await table("Auction", ("Ada", "Bo"))
    await _show(host, other, {"pot": 12, "bids": [{"by": "Ada", "amount": 5}], "round": "second"}, players[1])
    game, players = await table("Chess")
    await _show(host, game, chess_state(players), players[0])
    empty, _ = await table("Tic-Tac-Toe", ("Bo",))
    return {"chess": game, "four": four, "other": other, "open": empty}


async def _show(host: Caller, session: str, state: Any, turn: str) -> None:
    await host.ops(
        session,
        {"op": "state", "state": state},
        {"op": "legal_actions", "playerId": turn, "actions": [0]},
    )


def chess_state(players: list[str]) -> dict[str, Any]:
    board = chess.Board()
    moves = OPERA.split()
    for san in moves:
        move = board.push_san(san)
    last = {"from": chess.square_name(move.from_square), "to": chess.square_name(move.to_square)}
    return {"fen": board.fen(), "san": moves, "white": players[0], "black": players[1], "lastMove": last}


def four_state(players: list[str]) -> dict[str, Any]:
    rows: list[list[str | None]] = [[None] * 7 for _ in range(6)]
    for number, column in enumerate((3, 3, 2, 4, 3, 1, 4, 2, 0)):
        row = max(row for row in range(6) if rows[row][column] is None)
        rows[row][column] = "AB"[number % 2]
    return {"board": rows, "A": players[0], "B": players[1], "lastMove": {"column": 0}}


async def _pictures(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as data:
        async with village(Path(data)) as there, browser() as running:
            tables, matches = await furnish(there), season(*there.ladder())
            page = await running.page()
            await there.sign_in(page, "/")
            for size in ((1200, 800, False), (375, 740, True)):
                await page.size(size[0], size[1], phone=size[2])
                for name, path, ready in (
                    ("lobby", "/", ".cards"),
                    ("chess", f"/table/{tables['chess']}", ".board"),
                    ("four", f"/table/{tables['four']}", ".board"),
                    ("other", f"/table/{tables['other']}", ".state"),
                    ("open", f"/table/{tables['open']}", ".join"),
                    ("results", "/results", ".empty"),
                    ("sign-in", "/sign-in", "form"),
                    ("host", "/host", ".cards"),
                    ("ladder", "/ladder/c4", ".ranks tbody tr"),
                    ("replay", f"/replay/{matches['chess']}#25", ".board"),
                    ("match", "/match/chess", ".choices"),
                ):
                    for dark in (False, True):
                        await page.dark(dark)
                        await page.open("about:blank")
                        await page.open(there.base + path)
                        await page.until(f"document.querySelector({ready!r})")
                        shade = "-dark" if dark else ""
                        await page.picture(folder / f"{name}-{'phone' if size[2] else 'desktop'}{shade}.png")


if __name__ == "__main__":
    asyncio.run(_pictures(Path(sys.argv[1])))

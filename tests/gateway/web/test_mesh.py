"""A tab hosts chess at a node's arcade, and a player of the mesh plays whoever sits at that browser."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.nodes import Json, NodeProcess, free_port, until
from tests.gateway.web.arcade import Village, add_people
from tests.gateway.web.chromium import Browser
from tests.gateway.web.conftest import Runner

pytestmark = [pytest.mark.node, pytest.mark.slow]

PATIENCE = 60.0


def settings(port: int) -> str:
    return f"""
[arcade]
enabled = true
listen = "127.0.0.1:{port}"
[gateway]
enabled = true
players = "everyone"
routes = ["chess=arcade"]
"""


@pytest.mark.timeout(300)
def test_a_mesh_player_at_a_table_in_a_browser(in_browser: Runner, tmp_path: Path) -> None:
    port, way = free_port(), f"127.0.0.1:{free_port()}"
    gate = NodeProcess(tmp_path / "gate", "--listen", way)
    mesh = NodeProcess(tmp_path / "mesh", "--connect", way)
    config = gate.data / "lrgpnode.toml"
    config.write_text(config.read_text() + settings(port))
    add_people(gate.data)
    try:
        gate.start()
        mesh.start()
        gateway = gate.call("gateway.status")["identity"]
        until(
            lambda: any(peer["peer"] == gateway for peer in mesh.call("peer.list")["peers"]),
            "the player hears the gateway",
            PATIENCE,
        )
        in_browser.alone(lambda browser: play(browser, f"http://127.0.0.1:{port}", mesh, gateway))
    finally:
        gate.kill()
        mesh.kill()


async def play(browser: Browser, base: str, mesh: NodeProcess, gateway: str) -> None:
    """Ann hosts, sits down as White, and is mated by the player of the mesh."""
    page = await browser.page()
    async with aiohttp.ClientSession() as http:
        there = Village.elsewhere(base, http)
        await there.sign_in(page, "/host/chess")
        await page.click(".join button")
        await page.until("document.body.innerText.includes('Ann (you)')")
        (table,) = await there.tables()

        game = (await asyncio.to_thread(mesh.call, "game.challenge", peer=gateway, app="chess"))["id"]
        await asyncio.to_thread(
            mesh.events.wait, "game.applied", deadline=PATIENCE, id=game, command="accept"
        )
        for (origin, target), answer in ((("f2", "f3"), "e5"), (("g2", "g4"), "Qh4#")):
            await page.until("document.querySelector('.table .says').innerText === 'Your move.'")
            await page.click(f"[aria-label^='{origin}']")
            await page.click(f"[aria-label^='{target}']")
            await asyncio.to_thread(until, lambda: to_move(mesh, game), "the player's turn", PATIENCE)
            await asyncio.to_thread(mesh.call, "game.move", id=game, move=answer)
        await page.until("document.querySelector('.table .says').innerText.endsWith('wins by checkmate.')")
        ended = await there.until(table["sessionId"], "finished")
        assert ended["state"]["san"] == ["f3", "e5", "g4", "Qh4#"]
        assert ended["result"]["winner"] == ended["players"][1]["playerId"]
        assert page.complaints == []

    view = await asyncio.to_thread(shown, mesh, game)
    assert view["result"]["reason"] == "checkmate"
    assert view["result"]["winner"] == mesh.identity


def shown(node: NodeProcess, id: str) -> Json:
    game = node.game(id)
    assert game is not None
    view: Json = game["view"]
    return view


def to_move(node: NodeProcess, id: str) -> bool:
    return bool(shown(node, id)["my_turn"])

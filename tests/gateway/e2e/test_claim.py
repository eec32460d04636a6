"""A player claims a draw at a table that knows claims, at the real arcade; its host is written from the
protocol's text, as any program's would be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.replay import check_same
from tests.gateway.e2e.players import Mesh, configure, meshed
from tests.gateway.e2e.web import Web
from tests.gateway.rcadia.hosting.arcade import Agent, script
from tests.gateway.rcadia.table_games import ChessGame

pytestmark = [pytest.mark.node, pytest.mark.slow]

BRIDGE = "/api/v1/agent/bridge/sessions"
CLAIM = {"type": "claim_draw"}
CONFIG = {
    "minPlayers": 2,
    "maxPlayers": 2,
    "turnBased": True,
    "simultaneous": False,
    "gameType": "chess",
    "sdkVersion": "2.0.0",
    "turnTimeout": 60,
}


class Host:
    """Chess as a foreign host keeps it: repetition does not end the game, it can be claimed."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.game = ChessGame()
        self.players: list[str] = []
        self.claims: list[str] = []
        self.id = ""

    async def call(self, method: str, path: str, **how: Any) -> Any:
        town = self.web.town
        headers = {"Authorization": f"Bearer {town.tokens['house']}"}
        async with town.web.request(method, town.url + BRIDGE + path, headers=headers, **how) as answer:
            assert answer.status in (200, 201), await answer.text()
            return await answer.json()

    async def open(self) -> str:
        body = {"config": CONFIG, "gameTitle": "Chess"}
        self.id = (await self.call("POST", "", json=body))["sessionId"]
        return self.id

    async def run(self) -> Any:
        """Until the game is over; its result."""
        after = 0
        while True:
            query = {"after": after, "wait": 25}
            polled = await self.call("GET", f"/{self.id}/pending-actions", params=query)
            if polled["status"] == "finished":
                return polled["result"]
            for entry in polled["actions"]:
                ops = self.heard(entry)
                if ops:
                    await self.call("POST", f"/{self.id}/ops", json={"ops": ops})
                after = entry["seq"]

    def heard(self, entry: dict[str, Any]) -> list[dict[str, Any]]:
        if entry["type"] == "system" and entry["event"] == "game_start":
            self.players = entry["players"]
        elif entry["type"] == "action" and entry["action"] == CLAIM and self.repeated:
            self.claims.append(entry["playerId"])
            return [{"op": "end", "result": {"winner": None, "reason": "threefold_repetition"}}]
        elif entry["type"] == "action":
            self.game.play(entry["action"])
        else:
            return []
        actions = [*self.game.legal().values(), *([CLAIM] if self.repeated else [])]
        mover = self.players[self.game.mover()]
        return [
            {"op": "state", "state": {"fen": self.game.board.fen(), "moves": self.game.moves}},
            {"op": "legal_actions", "playerId": mover, "actions": actions},
        ]

    @property
    def repeated(self) -> bool:
        return self.game.board.is_repetition(3)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[Mesh, Web]]:
    web = Web(tmp_path / "arcade")
    try:
        with meshed(tmp_path, lambda gate: configure(gate, web)) as mesh:
            yield mesh, web
    finally:
        web.close()


def test_the_player_claims_a_draw_at_the_table(world: tuple[Mesh, Web]) -> None:
    mesh, web = world
    host = Host(web)
    web.run(host.open())
    hosting = web.begin(host.run())
    id = mesh.challenge("chess")
    mesh.seat(stage="waiting", session=id)
    ann = Agent(web.town, "ann")
    web.run(ann.join(host.id))
    web.plays(ann, script("g8f6", "f6g8", "g8f6", "f6g8"))
    mesh.move(id, "Nf3", "Ng1", "Nf3", "Ng1")
    mesh.turn(id, 8)
    mesh.player.call("game.draw", id=id, what="claim")
    assert mesh.ended(id)["reason"] == "threefold_repetition"
    assert hosting.result(60) == {"winner": None, "reason": "threefold_repetition"}
    assert host.claims == [host.players[0]], "it was claimed with the table's own word, once"
    seat = mesh.seat(stage="over", session=id)
    assert seat["result"] == "drawn"
    assert not any("claim" in text for text in mesh.texts())
    check_same(mesh.player, mesh.gate, id)

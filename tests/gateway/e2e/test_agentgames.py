"""Rated matches of a player's node through a node with a gateway, as processes, over both transports."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.e2e.replay import check_same
from tests.gateway.agentgames.fake_server import Bot, FakeServer
from tests.gateway.agentgames.serving import (
    CLIENT_KEY,
    HOST_KEY,
    PEM,
    TOKEN,
    listening,
    public,
    ssh_listening,
    web_app,
)
from tests.gateway.e2e.players import Mesh, meshed
from tests.radio.air import Air, RadioNode

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(900)]

T = TypeVar("T")

Given = tuple[str, str, list[int], list[str], list[int], list[str]]

TTT: Given = ("ttt", "ttt", [1, 2, 3], ["3", "4"], [5, 7, 3], ["0", "3", "1"])
FOUR: Given = ("four_in_a_row", "c4", [3, 3, 3, 3], ["3", "3", "3"], [3, 3, 3, 3], ["3", "3", "3", "4"])
"""App, the server's game; with the first move the player's and the other side's, without it the same."""


class Club:
    """A server on a loop of its own, over WebSocket and SSH at once. ``move``: seconds for one."""

    def __init__(self, move: float) -> None:
        self.server = FakeServer(move=move, queue=120)
        self.server.accounts = {TOKEN: "alice", public(CLIENT_KEY): "alice"}
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.web = self._run(self._stack.enter_async_context(listening(web_app(self.server))))
        self.ssh = self._run(self._stack.enter_async_context(ssh_listening(self.server, HOST_KEY)))

    def waits(self, game: str) -> bool:
        return bool(self.server.waits(game))

    def bot(self, game: str, moves: list[str]) -> Bot:
        async def come() -> Bot:
            return self.server.bot(game, moves)

        return self._run(come())

    def close(self) -> None:
        self._run(self.server.stop())
        self._run(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)


def configure(node: NodeProcess, club: Club, *, ssh: bool = False) -> None:
    """Make a gateway of a node that has not been started."""
    address = f'ssh = "127.0.0.1:{club.ssh}"' if ssh else f'url = "ws://127.0.0.1:{club.web}"'
    seconds = round(club.server.move_seconds)
    with (node.data / "lrgpnode.toml").open("a") as file:
        file.write(
            '[gateway]\nenabled = true\nplayers = "everyone"\nseats_per_day = 1000\n'
            'routes = ["ttt=agentgames", "four_in_a_row=agentgames"]\n'
            f"[agentgames]\n{address}\nmove_seconds = {seconds}\n[house]\nenabled = false\n"
        )
    account = node.data / "gateway-tokens" / "agentgames" / "main"
    account.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    account.write_text(PEM if ssh else TOKEN)
    account.chmod(0o600)


@pytest.fixture(scope="module", params=["websocket", "ssh"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Mesh, Club]]:
    base = tmp_path_factory.mktemp("club")
    club = Club(60.0)
    try:
        with meshed(base, lambda gate: configure(gate, club, ssh=request.param == "ssh")) as mesh:
            yield mesh, club
            assert TOKEN not in mesh.gate.log
            assert PEM.splitlines()[2] not in mesh.gate.log
            assert club.server.wrongs == []
    finally:
        club.close()


def a_match(mesh: Mesh, club: Club, game: Given, first: bool) -> None:
    """A match that the player wins, with the first move or without."""
    app, name, ours, second, as_second, before = game
    if not first:
        club.bot(name, before)
    challenged = mesh.challenge(app)
    if first:
        until(lambda: club.waits(name), "the gateway waits", mesh.deadline)
        club.bot(name, second)
        id = challenged
    else:
        id = mesh.challenged(app, {challenged})
        mesh.player.call("game.accept", id=id)
    for move in ours if first else as_second:
        mesh.move(id, str(move))
    result = mesh.ended(id)
    assert (result["status"], result["winner"]) == ("completed", mesh.player.identity)
    seat = mesh.seat(stage="over", result="won", session=id)
    assert seat["reason"] == "won (board): rated 1516"
    check_same(mesh.player, mesh.gate, id)


@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
@pytest.mark.parametrize("game", [TTT, FOUR], ids=["ttt", "four"])
def test_a_whole_match(world: tuple[Mesh, Club], game: Given, first: bool) -> None:
    a_match(*world, game, first)


def test_matches_of_a_lora_player_with_a_minute_for_each_move(tmp_path: Path) -> None:
    """Software radios in real time: both games, both orders."""
    club = Club(60.0)
    topology = tmp_path / "two.toml"
    topology.write_text('seed = 3\n[nodes.gate]\n[nodes.ann]\n[[links]]\nbetween = ["gate", "ann"]\n')
    with Air(tmp_path / "air", "--topology", str(topology), "--scale", "1") as air:
        gate = RadioNode(tmp_path / "gate", air.ports["gate"])
        player = RadioNode(tmp_path / "ann", air.ports["ann"])
        configure(gate, club)
        try:
            player.start()
            gate.start()
            mesh = Mesh(player, gate, 240.0)
            for game in (TTT, FOUR):
                for first in (True, False):
                    a_match(mesh, club, game, first)
            assert club.server.wrongs == []
        finally:
            print(gate.log)
            player.kill()
            gate.kill()
            club.close()

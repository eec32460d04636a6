"""A player's node and a node with a gateway as processes, at a server that is strict about its client.

The games there write their states in other forms than our own house, and requests get lost.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import pytest

from tests.e2e.replay import check_same
from tests.gateway.e2e.players import Mesh, configure, meshed
from tests.gateway.e2e.web import Web
from tests.gateway.rcadia.strict_server import StrictServer, Table, serving
from tests.gateway.rcadia.table_games import ChessGame, FourGame, TableGame, TicTacToeGame

pytestmark = [pytest.mark.node, pytest.mark.slow]

T = TypeVar("T")
TOKEN = "tok_sentinel_e2e_5d1f"


@dataclass
class Place:
    url: str = ""


class Strict:
    """The server on a loop of its own; ``town`` and ``token`` are what ``configure`` asks for."""

    def __init__(self) -> None:
        self.token = TOKEN
        self.town = Place()
        self.server = StrictServer({TOKEN: "us"})
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.town.url = self.run(self._stack.enter_async_context(serving(self.server)))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def do(self, what: Callable[[], T]) -> T:
        """Call ``what`` on the loop of the server."""

        async def call() -> T:
            return what()

        return self.run(call())

    def table(self, game: Callable[[], TableGame]) -> Table:
        return self.do(lambda: self.server.table(game))

    def plays(self, table: Table, script: list[str]) -> None:
        """Somebody sits down there and plays the moves of the script that are its own."""

        async def play() -> None:
            seat = table.seats.index(table.sit("Fish"))
            while table.status != "finished":
                changed, ply = table.changed, len(table.game.moves)
                if table.status == "active" and table.on_turn == seat and ply < len(script):
                    table.play(script[ply])
                else:
                    await changed.wait()

        def start() -> None:
            self._tasks.append(asyncio.ensure_future(play()))

        self.do(start)

    def close(self) -> None:
        self.do(lambda: [task.cancel() for task in self._tasks])
        self.run(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Mesh, Strict]]:
    base = tmp_path_factory.mktemp("strict")
    strict = Strict()
    try:
        with meshed(base, lambda gate: configure(gate, cast("Web", strict))) as mesh:
            yield mesh, strict
            assert TOKEN not in mesh.gate.log
    finally:
        strict.close()


def faults(strict: Strict) -> None:
    for call, how in (("POST action", "unanswered"), ("GET state", "lost"), ("GET public", "unanswered")):
        strict.server.fail(call, how, nth=2)


GAMES = [
    ("chess", lambda: ChessGame("chess.js", "san"), ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]),
    ("chess", lambda: ChessGame("from black", "rows"), ["f2f3", "e7e5", "g2g4", "d8h4"]),
    ("ttt", lambda: TicTacToeGame("object from 1", "position from 1"), ["0", "3", "1", "4", "2"]),
    ("four_in_a_row", lambda: FourGame("stacks", "1 to 7"), ["3", "2", "3", "2", "3", "2", "3"]),
]


@pytest.mark.parametrize(("app", "game", "script"), GAMES, ids=["mated", "mating", "ttt", "four"])
def test_a_whole_game(
    world: tuple[Mesh, Strict], app: str, game: Callable[[], TableGame], script: list[str]
) -> None:
    mesh, strict = world
    table = strict.table(game)
    us = 0 if len(script) % 2 else 1
    if us == 1:
        strict.plays(table, script)
    id = mesh.challenge(app)
    if us == 0:
        mesh.seat(stage="waiting", session=id)
        strict.plays(table, script)
    faults(strict)
    for move in script[us::2]:
        mesh.move(id, move if app == "chess" else str(int(move) + 1))
    result = mesh.ended(id)
    assert result["status"] == "completed"
    assert result["winner"] == mesh.player.identity
    assert mesh.seat(stage="over", session=id)["result"] == "won"
    assert [str(move) for move in table.game.moves] == script
    assert strict.server.violations == []
    check_same(mesh.player, mesh.gate, id)


def test_a_table_in_an_unknown_form(world: tuple[Mesh, Strict]) -> None:
    mesh, strict = world
    table = strict.table(TicTacToeGame)
    strict.do(lambda: setattr(table, "state", {"hexes": ["amber"], "layout": "axial-7-rings"}))
    id = mesh.challenge("ttt")
    assert mesh.ended(id)["status"] == "declined"
    assert table.seats == []
    assert strict.server.violations == []

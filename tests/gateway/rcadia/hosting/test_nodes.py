"""Real processes: an arcade, a node with tables there, a peer on the mesh, and an agent from the web."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from gateway.arcade.accounts import Accounts
from gateway.arcade.store import FILE_NAME, ArcadeStore
from tests.e2e.nodes import Json, NodeProcess, free_port, until
from tests.gateway.rcadia.hosting.arcade import Agent, Caller, first_legal

pytestmark = [pytest.mark.node, pytest.mark.slow]

PATIENCE = 60.0

SETTINGS = """
[gateway]
enabled = true
players = "everyone"
[rcadia]
url = "http://127.0.0.1:{port}"
[hosting]
platform = "rcadia"
games = ["chess", "ttt"]
house_after_seconds = {house_after}
turn_seconds = {turn}
"""


class Arcade(Caller):
    """`lrgpnode arcade run`, with accounts."""

    def __init__(self, data: Path) -> None:
        self.port = free_port()
        super().__init__(f"http://127.0.0.1:{self.port}")
        self.data = data
        self.process: subprocess.Popen[bytes] | None = None
        data.mkdir(mode=0o700)
        store = ArcadeStore(data / FILE_NAME)
        try:
            accounts = Accounts(store)
            for name, scopes in (("host", ["host", "play"]), ("ann", ["play"])):
                accounts.add(name, house=name == "host")
                self.tokens[name] = accounts.new_token(name, scopes)[0]
        finally:
            store.close()

    def start(self) -> None:
        script = Path(sys.executable).with_name("lrgpnode")
        command = [
            str(script),
            "--data",
            str(self.data),
            "arcade",
            "run",
            "--listen",
            f"127.0.0.1:{self.port}",
        ]
        environ = os.environ | {"HOME": str(self.data)}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environ)
        assert self.process.stdout is not None
        assert b"open at" in self.process.stdout.readline()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)
            assert self.process.stdout is not None
            self.process.stdout.close()


class Village:
    """Alice has a radio only; the hill hosts tables at the arcade."""

    def __init__(self, base: Path, turn: int = 600, house_after: int = 0) -> None:
        endpoint = f"127.0.0.1:{free_port()}"
        self.arcade = Arcade(base / "arcade")
        self.hill = NodeProcess(base / "hill", "--listen", endpoint)
        self.alice = NodeProcess(base / "alice", "--connect", endpoint)
        with (self.hill.data / "lrgpnode.toml").open("a") as file:
            file.write(SETTINGS.format(port=self.arcade.port, turn=turn, house_after=house_after))
        tokens = self.hill.data / "gateway-tokens" / "rcadia"
        tokens.mkdir(mode=0o700, parents=True)
        tokens.parent.chmod(0o700)
        token = tokens / "host"
        token.touch(mode=0o600)
        token.write_text(self.arcade.tokens["host"] + "\n")

    def start(self) -> None:
        self.arcade.start()
        self.hill.start()
        self.alice.start()
        self.alice.hears(self.hill)
        self.gateway: str = self.hill.call("gateway.status")["identity"]
        until(lambda: self.gateway in self.heard(), "alice has heard the gateway")

    def heard(self) -> set[str]:
        return {peer["peer"] for peer in self.alice.call("peer.list")["peers"]}

    def stop(self) -> None:
        self.alice.kill()
        self.hill.kill()
        self.arcade.stop()

    def tables(self) -> list[Json]:
        (host,) = self.hill.call("gateway.status")["hosts"]
        return host["tables"]  # type: ignore[no-any-return]

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[Agent]:
        async with aiohttp.ClientSession() as self.arcade.web:
            yield Agent(self.arcade, "ann")

    async def until(self, condition: Any) -> Any:
        """As ``tests.e2e.nodes.until``, in a thread."""
        return await asyncio.to_thread(until, condition, "in time", PATIENCE)


@pytest.fixture(scope="module")
def village(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Village]:
    village = Village(tmp_path_factory.mktemp("v"))
    try:
        village.start()
        yield village
    finally:
        village.stop()


def challenges(node: NodeProcess) -> list[Json]:
    return [game for game in node.call("game.list", filter="live")["games"] if game["status"] == "pending"]


def game(node: NodeProcess, id: str) -> Json:
    return node.call("game.show", id=id)


def test_the_house_plays_who_comes_from_the_web(village: Village) -> None:
    async def play() -> None:
        async with village.agent() as ann:
            tables = await village.arcade.open_tables(2)
            assert {table["gameTitle"] for table in tables} == {"Chess", "Tic-Tac-Toe"}
            assert {table["host"] for table in tables} == {"house"}
            await ann.join(next(t["sessionId"] for t in tables if t["gameTitle"] == "Tic-Tac-Toe"))
            await ann.play(first_legal)
            assert ann.results[0]["reason"] in ("win", "board_full")
            await ann.leave()

    asyncio.run(play())


def test_a_player_of_the_mesh_plays_twice_with_colours_changed(village: Village) -> None:
    """Over a kill of the node that hosts the table, in the middle of the first game."""
    alice, hill = village.alice, village.hill

    def my_move(id: str) -> Json | None:
        shown = game(alice, id)
        return shown if shown["view"]["my_turn"] or shown["status"] == "completed" else None

    async def answers(id: str, moves: int) -> None:
        for _ in range(moves):
            shown = await village.until(lambda: my_move(id))
            if shown["status"] == "completed":
                return
            legal = shown["view"]["legal"][0]["intent"]
            await asyncio.to_thread(alice.call, "game.move", id=id, intent=legal)

    async def moves(ann: Agent, count: int) -> Json:
        for _ in range(count):
            snapshot = await ann.state(wait=25)
            while not snapshot["yourTurn"]:
                snapshot = await ann.state(wait=25)
            await ann.act(snapshot, first_legal(snapshot))
        return await ann.state()

    async def play() -> None:
        async with village.agent() as ann:
            hill.call("gateway.seek", peer=alice.identity, app="chess")
            (status,) = hill.call("gateway.status")["hosts"]
            assert [seek["peer"] for seek in status["seeks"]] == [alice.identity]
            tables = await village.arcade.open_tables(2)
            await ann.join(next(t["sessionId"] for t in tables if t["gameTitle"] == "Chess"))
            (pending,) = await village.until(lambda: challenges(alice))
            assert pending["peer"] == village.gateway
            id = pending["id"]
            alice.call("game.accept", id=id)
            await asyncio.gather(answers(id, 2), moves(ann, 2))
            hill.kill()
            hill.start()
            await asyncio.gather(answers(id, 2), moves(ann, 2))
            white = game(alice, id)["view"]["seat"] == "white"
            await answers(id, int(white))
            snapshot = await ann.state(wait=25)
            while not snapshot["yourTurn"]:
                snapshot = await ann.state(wait=25)
            assert snapshot["state"]["ply"] >= 8
            await ann.act(snapshot, "resign")
            over = await village.until(
                lambda: game(alice, id) if game(alice, id)["status"] == "completed" else None
            )
            assert over["view"]["result"] == {"reason": "resignation", "winner": alice.identity}
            finished = await ann.state()
            ann.session = finished["nextSessionId"]
            await ann.state()
            again = alice.call("game.challenge", peer=village.gateway, app="chess")["id"]
            await village.until(lambda: game(alice, again)["status"] == "active")
            assert (game(alice, again)["view"]["seat"] == "white") is not white
            await asyncio.gather(answers(again, 1), moves(ann, 1))
            alice.call("game.resign", id=again)  # at whoever's turn
            results = await ann.play(first_legal)
            assert results[0]["reason"] == "resignation"
            assert results[0]["winner"] == ann.snapshots[-1]["playerId"]
            await ann.leave()

    asyncio.run(play())


def test_a_restart_of_the_arcade_ends_both_sides(village: Village) -> None:
    alice, hill = village.alice, village.hill

    def playing() -> list[Json]:
        return [seat for seat in hill.call("gateway.seats")["seats"] if seat["stage"] == "playing"]

    async def play() -> None:
        async with village.agent() as ann:
            # Until the table has seen her resign, alice has a seat, and the house would take this one.
            await village.until(lambda: not playing())
            hill.call("gateway.seek", peer=alice.identity, app="ttt")
            tables = await village.arcade.open_tables(2)
            await ann.join(next(t["sessionId"] for t in tables if t["gameTitle"] == "Tic-Tac-Toe"))
            (pending,) = await village.until(lambda: challenges(alice))
            alice.call("game.accept", id=pending["id"])
            snapshot = await ann.state(wait=25)
            assert snapshot["yourTurn"]
            await ann.act(snapshot, 4)
            await village.until(lambda: game(alice, pending["id"])["view"]["my_turn"])
            village.arcade.stop()
            village.arcade.start()
            await village.until(lambda: game(alice, pending["id"])["status"] == "completed")
            status, answer = await village.arcade.call("GET", f"/{ann.session}/state", who="ann")
            assert (status, answer["code"]) == (410, "server_restarted")
            assert len(await village.arcade.open_tables(2)) == 2

    asyncio.run(play())


def test_a_player_of_the_mesh_lets_the_clock_run_out(tmp_path: Path) -> None:
    """The platform ends the game, and the player is told: LRGP has no action for it."""
    village = Village(tmp_path, turn=2)

    async def play() -> None:
        async with village.agent() as ann:
            village.hill.call("gateway.seek", peer=village.alice.identity, app="ttt")
            tables = await village.arcade.open_tables(2)
            await ann.join(next(t["sessionId"] for t in tables if t["gameTitle"] == "Tic-Tac-Toe"))
            (pending,) = await village.until(lambda: challenges(village.alice))
            village.alice.call("game.accept", id=pending["id"])
            results = await ann.play(first_legal)
            assert results[0]["reason"] == "timeout"
            assert results[0]["winner"] == ann.snapshots[-1]["playerId"]
            await ann.leave()

            def texts() -> list[str]:
                told = village.alice.events.of("message.received", peer=village.gateway)
                return [one["text"] for one in told] if len(told) > 1 else []

            # On a busy machine the invitation to the next game comes before the agent has left that.
            warned, ended = (await village.until(texts))[:2]
            assert "clock" in warned
            assert "time" in ended
            (seat,) = village.hill.call("gateway.seats", ended=True)["seats"]
            assert seat["hosted"]
            assert seat["stage"] in ("settling", "over")

    try:
        village.start()
        asyncio.run(play())
    finally:
        village.stop()


def test_a_challenge_finds_who_waits_and_the_next_game_changes_sides(tmp_path: Path) -> None:
    """Without `seek`: somebody from the web waits, and a player of the mesh challenges the gateway."""
    village = Village(tmp_path, house_after=3600)
    alice = village.alice

    async def play() -> None:
        async with village.agent() as ann:
            tables = await village.arcade.open_tables(2)
            await ann.join(next(t["sessionId"] for t in tables if t["gameTitle"] == "Tic-Tac-Toe"))
            await village.until(lambda: any(table["players"] for table in village.tables()))
            first = alice.call("game.challenge", peer=village.gateway, app="ttt")["id"]
            await village.until(lambda: game(alice, first)["view"]["my_turn"])
            alice.call("game.move", id=first, move="5")
            snapshot = await ann.state(wait=25)
            assert snapshot["state"]["moves"] == [4]
            alice.call("game.resign", id=first)
            assert (await ann.play(first_legal))[0]["reason"] == "resignation"
            ann.session = ann.snapshots[-1]["nextSessionId"]
            assert (await ann.state())["status"] == "waiting"
            told = alice.events.of
            invited = lambda: [t for t in told("message.received") if "another game" in t["text"]]  # noqa: E731
            await village.until(invited)
            again = alice.call("game.challenge", peer=village.gateway, app="ttt")["id"]
            await village.until(lambda: game(alice, again)["status"] == "declined")
            (pending,) = await village.until(lambda: challenges(alice))
            alice.call("game.accept", id=pending["id"])
            snapshot = await ann.state(wait=25)
            assert snapshot["yourTurn"]
            assert snapshot["state"]["ply"] == 0
            await ann.act(snapshot, {"cell": 0})
            await village.until(lambda: game(alice, pending["id"])["view"]["my_turn"])
            await ann.leave()

    try:
        village.start()
        asyncio.run(play())
    finally:
        village.stop()

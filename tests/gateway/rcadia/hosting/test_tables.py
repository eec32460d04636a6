"""Tables of ours at a real arcade, with web agents that speak the protocol with literals."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.address import parse_address
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.client.transport import Connections, Transport
from gateway.rcadia.hosting.catalogue import words
from gateway.rcadia.hosting.plan import HostSettings
from gateway.rcadia.hosting.table import Table, TableKey
from gateway.rcadia.wire import PublicView
from gateway.secret import Secret
from tests.games.table import words as moved
from tests.gateway.rcadia.hosting.arcade import Agent, Town, first_legal, script, town

WORDS = words()
SETTINGS = HostSettings(games=("chess",), turn_timeout=60)


class Hall:
    """One table at the arcade, run as a host runs it."""

    def __init__(self, here: Town) -> None:
        self.town = here
        self.connections = Connections(parse_address(here.url))
        self.api = HostApi(Transport(self.connections, Secret(here.tokens["house"])))
        self.table: Table
        self.task: asyncio.Task[None]

    def host(self, app: str, settings: HostSettings = SETTINGS, key: TableKey | None = None) -> Table:
        self.table = Table(self.api, WORDS[app], settings, lambda: None, key=key)
        self.task = asyncio.get_running_loop().create_task(self.table.run())
        return self.table

    async def agents(self, app: str, settings: HostSettings = SETTINGS) -> tuple[Agent, Agent]:
        """Two web agents at a new table; the first one has the first seat."""
        self.host(app, settings)
        (listed,) = await self.town.open_tables()
        ann, eve = Agent(self.town, "ann"), Agent(self.town, "eve")
        for agent in (ann, eve):
            await agent.join(listed["sessionId"])
        return ann, eve

    async def kill(self) -> None:
        """As if the process had died: nothing is said to the platform."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@asynccontextmanager
async def hall(data: Path) -> AsyncIterator[Hall]:
    async with town(data) as here:
        hall = Hall(here)
        try:
            yield hall
        finally:
            await hall.kill()
            await hall.connections.close()


async def both(*plays: Any) -> list[Any]:
    return list(await asyncio.gather(*plays))


def test_a_server_that_does_not_hold_requests_is_not_asked_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public, asked = HostApi.public, []

    async def at_once(api: HostApi, session: str, since: int | None = None, wait: int = 25) -> PublicView:
        asked.append(since)
        return await public(api, session)

    async def play() -> None:
        async with hall(tmp_path) as here:
            here.host("chess")
            (listed,) = await here.town.open_tables()
            await here.town.until(lambda: len(asked) > 2)
            before = len(asked)
            await asyncio.sleep(0.5)
            assert len(asked) <= before + 2
            # Who sits down is seen all the same.
            await Agent(here.town, "ann").join(listed["sessionId"])
            await here.town.until(lambda: here.table.players)

    monkeypatch.setattr(HostApi, "public", at_once)
    asyncio.run(play())


def test_a_table_is_listed_as_the_house(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path) as here:
            here.host("chess")
            (listed,) = await here.town.open_tables()
            assert (listed["gameTitle"], listed["host"], listed["status"]) == ("Chess", "house", "waiting")
            assert (listed["minPlayers"], listed["maxPlayers"], listed["currentPlayers"]) == (2, 2, 0)
            assert listed["config"]["gameType"] == "chess"
            _, public = await here.town.call("GET", f"/{listed['sessionId']}/public", since=0, wait=5)
            assert public["state"]["fen"].startswith("rnbqkbnr/pppppppp/8/8")
            await here.table.leave()
            async with asyncio.timeout(20):
                await here.task
            assert await here.town.available(all=1) == []

    asyncio.run(play())


@pytest.mark.parametrize(
    "app",
    [
        "chess",
        pytest.param("ttt", marks=pytest.mark.slow),
        pytest.param("four_in_a_row", marks=pytest.mark.slow),
    ],
)
def test_a_series_with_alternating_colours(tmp_path: Path, app: str) -> None:
    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, eve = await here.agents(app)
            resigns = {"chess": {"type": "resign"}, "ttt": "resign", "four_in_a_row": {"type": "resign"}}[app]
            first = ("white", "X", "A")[("chess", "ttt", "four_in_a_row").index(app)]
            await both(ann.play(lambda s: resigns, 2), eve.play(lambda s: resigns, 2))
            winners = [result["winner"] for result in ann.results]
            ids = {one["playerId"]: one["asName"] for one in ann.snapshots[-1]["players"]}
            # Whoever moves first resigns: in round one that is the first seat, then the second.
            assert [ids[winner] for winner in winners] == ["eve", "ann"]
            assert [result["reason"] for result in ann.results] == ["resignation"] * 2
            assert ann.results == eve.results
            rounds = {
                one["state"]["round"]: ids[one["state"][first]]
                for one in ann.snapshots
                if one["state"][first]
            }
            assert rounds == {1: "ann", 2: "eve"}

    asyncio.run(play())


def test_a_whole_game_in_many_shapes_of_action(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, eve = await here.agents("chess", replace(SETTINGS, rematch=False))
            promotes = {"move": {"from": "b7", "to": "a8", "promotion": "queen"}}
            white = ("a2a4", {"move": "a4b5"}, {"san": "bxa6"}, {"from": "a6", "to": "b7"}, promotes, "Qxb8")
            black = (
                {"uci": "b7b5"},
                "a6",
                {"type": "move", "uci": "c8b7"},
                "h7h5",
                "h5h4",
                {"type": "resign"},
            )
            await both(ann.play(script(*white)), eve.play(script(*black)))
            assert ann.results == eve.results
            assert ann.results[0] == {
                "winner": ann.snapshots[-1]["playerId"],
                "reason": "resignation",
                "draw": False,
            }
            assert ann.rejections == eve.rejections == []
            moves = eve.snapshots[-1]["state"]["moves"]
            assert moves == list(moved("a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h5 b7a8q h5h4 a8b8"))

    asyncio.run(play())


def test_an_illegal_action_is_rejected_and_the_turn_stays(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, _ = await here.agents("ttt")
            snapshot = await ann.state(wait=25)
            for action in ({"cell": 9}, {"cell": -1}, "hello", None, [], {"type": "accept_draw"}):
                answer = await ann.act(snapshot, action)
                assert answer["outcome"] == "rejected", action
                snapshot = answer["snapshot"]
                assert snapshot["yourTurn"]
            assert len(ann.rejections) == 6
            answer = await ann.act(snapshot, {"cell": 4})
            assert answer["outcome"] == "applied"

    asyncio.run(play())


def test_the_platform_s_clock_ends_a_game_and_the_series_goes_on(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, eve = await here.agents("ttt", replace(SETTINGS, turn_timeout=1, strikes=1))
            snapshot = await ann.state(wait=25)
            assert snapshot["yourTurn"]
            await eve.play(first_legal)
            assert eve.results[0]["reason"] == "timeout"
            assert eve.results[0]["forfeitedBy"] == snapshot["playerId"]
            assert await here.table.moved_on(eve.session)
            assert here.table.game.round == 2
            assert here.table.game.phase == "waiting"

    asyncio.run(play())


def test_who_leaves_loses(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, eve = await here.agents("chess")
            await ann.state(wait=25)
            await ann.leave()
            await eve.play(first_legal)
            assert eve.results[0]["reason"] == "left"
            async with asyncio.timeout(20):
                await here.task  # somebody left, so there is no other round
            assert here.table.game.phase == "over"

    asyncio.run(play())


def test_leaving_right_after_an_end_leaves_no_next_round_behind(tmp_path: Path) -> None:
    """The platform has opened the next round (§6) before we have heard of it."""

    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, _ = await here.agents("ttt")
            await here.town.until(lambda: here.table.game.players)
            here.table.stop("host_error")
            await here.table.leave()
            assert (await ann.state())["status"] == "finished"
            assert await here.town.available(all=1) == []
            await asyncio.wait_for(here.task, 20)

    asyncio.run(play())


def test_a_game_is_taken_up_after_a_restart_of_the_host(tmp_path: Path) -> None:
    """The host dies at every ply, and before it has heard of an action; the players notice nothing."""

    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, eve = await here.agents("ttt", replace(SETTINGS, rematch=False))

            async def acted() -> bool:
                """Whoever is on turn has acted while nobody is there to hear it."""
                return not any([(await agent.state())["yourTurn"] for agent in (ann, eve)])

            async def mortal() -> None:
                for _ in range(6):
                    ply = here.table.game.ply
                    await here.kill()
                    await here.town.until(acted)
                    here.host("ttt", replace(SETTINGS, rematch=False), here.table.key)
                    await here.town.until(lambda ply=ply: here.table.game.ply > ply or here.task.done())

            killer = asyncio.get_running_loop().create_task(mortal())
            await both(ann.play(first_legal), eve.play(first_legal))
            await killer
            assert ann.results == eve.results
            assert ann.results[0]["reason"] == "win"
            assert ann.rejections == eve.rejections == []
            assert ann.snapshots[-1]["state"]["moves"] == [0, 1, 2, 3, 4, 5, 6]

    asyncio.run(play())


def test_an_order_that_was_settled_before_a_restart_is_said(tmp_path: Path) -> None:
    """A player of the mesh has given up, and the host was killed before it could begin the game."""

    async def play() -> None:
        async with hall(tmp_path) as here:
            here.host("ttt").hold(True)
            (listed,) = await here.town.open_tables()
            ann, eve = Agent(here.town, "ann"), Agent(here.town, "eve")
            for agent in (ann, eve):
                await agent.join(listed["sessionId"])
            await here.town.until(lambda: here.table.game.players)
            assert here.table.game.phase == "waiting"
            key = here.table.key
            assert key.hold
            await here.kill()
            here.host("ttt", key=replace(key, hold=False))
            assert (await ann.state(wait=25))["yourTurn"]

    asyncio.run(play())


def test_a_restart_of_the_server_ends_the_table(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path) as here:
            ann, _ = await here.agents("chess")
            await ann.act(await ann.state(wait=25), "e2e4")
            await here.town.restart()
            async with asyncio.timeout(30):
                await here.task
            status, answer = await here.town.call("GET", f"/{ann.session}/state", who="ann")
            assert (status, answer["code"]) == (410, "server_restarted")

    asyncio.run(play())

"""The house host at a real arcade: who sits down with whom, and what a restart leaves."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.rcadia.hosting.plan import HostSettings
from gateway.seat import (
    Account,
    Finished,
    HostedSeat,
    Joined,
    OpponentMoved,
    Rematch,
    ResumeKey,
    Said,
    SeatLost,
    Side,
    Winner,
    Word,
    YourTurn,
)
from gateway.seeking import Seek, Unwanted
from tests.gateway.rcadia.hosting.arcade import Agent, first_legal
from tests.gateway.rcadia.hosting.house import FakeMesh, House, gives_up, house, to_order, until

TTT = HostSettings(games=("ttt",), house_after=0.0, turn_timeout=120)
CHESS = replace(TTT, games=("chess",))
PEER = "c3" * 16


async def joined(one: House, who: str = "ann") -> Agent:
    """A web agent at an open table."""
    agent = Agent(one.town, who)
    (listed, *_) = await one.town.open_tables()
    await agent.join(listed["sessionId"])
    return agent


async def seated(one: House, who: str) -> None:
    await one.town.until(lambda: any(table.seated == who for table in one.host.tables()))


class Ordered(FakeMesh):
    """``ordered``: the first player may say the order. ``keys``: of the seats."""

    def __init__(self) -> None:
        super().__init__(self._sits)
        self.ordered = asyncio.Event()
        self.keys: list[ResumeKey] = []

    async def _sits(self, seek: Seek, seat: HostedSeat) -> None:
        await until(seat.events(), to_order)
        self.keys.append(seat.resume_key)
        self.ordered.set()


def test_open_tables_are_kept_for_every_game(tmp_path: Path) -> None:
    async def play() -> None:
        settings = HostSettings(
            games=("ttt", "chess", "four_in_a_row"), min_open=2, max_tables=3, house=False
        )
        async with house(tmp_path, settings) as one:
            tables = await one.town.open_tables(6)
            assert len(tables) == 6
            ann, eve = Agent(one.town, "ann"), Agent(one.town, "eve")
            table = next(table for table in tables if table["gameTitle"] == "Chess")
            for agent in (ann, eve):
                await agent.join(table["sessionId"])
            await one.town.open_tables(6)  # a third one for chess
            assert len(await one.town.available(all=1)) == 7

    asyncio.run(play())


@pytest.mark.slow
@pytest.mark.parametrize("app", ["ttt", "four_in_a_row", "chess"])
def test_the_house_plays_who_has_waited(tmp_path: Path, app: str) -> None:
    async def play() -> None:
        settings = HostSettings(games=(app,), house_after=0.2, turn_timeout=120, rematch=False)
        async with house(tmp_path, settings) as one:
            ann = await joined(one)
            results = await ann.play(lambda s: first_legal(s) if s["state"]["ply"] < 30 else "resign")
            assert results[0]["winner"] in {one["playerId"] for one in ann.snapshots[-1]["players"]} | {None}
            names = [player["asName"] for player in ann.snapshots[-1]["players"]]
            assert names == ["ann", "the house"]

    asyncio.run(play())


def test_a_series_against_the_house_alternates(tmp_path: Path) -> None:
    async def play() -> None:
        async with house(tmp_path, TTT) as one:
            ann = await joined(one)
            results = await ann.play(first_legal, rounds=2)
            assert len(results) == 2
            crosses = {s["state"]["round"]: s["state"]["X"] for s in ann.snapshots if s["state"]["X"]}
            assert len(set(crosses.values())) == 2

    asyncio.run(play())


def test_a_player_of_the_mesh_takes_the_seat_and_says_who_begins(tmp_path: Path) -> None:
    """The player of the mesh has White although the web player sat down first."""

    async def plays(seek: Seek, seat: HostedSeat) -> None:
        events = seat.events()
        await until(events, to_order)
        await seat.begin(Side.US)
        async for event in events:
            match event:
                case YourTurn():
                    assert event.board is not None
                    assert event.board.moves is not None
                    ply = len(event.board.moves)
                    await seat.act({"m": {0: "f2f3", 2: "g2g4"}[ply]}, event.turn)
                case Finished():
                    over.set_result(event)
                    return

    over: asyncio.Future[Finished]

    async def play() -> None:
        nonlocal over
        over = asyncio.get_running_loop().create_future()
        mesh = FakeMesh(plays)
        async with house(tmp_path, replace(CHESS, house_after=60), mesh) as one:
            text = await one.host.seek(PEER, "chess")
            assert "Chess" in text
            ann = await joined(one)
            await ann.play(lambda s: {1: "e7e5", 3: "d8h4"}[s["state"]["ply"]])
            assert ann.results[0]["winner"] == ann.snapshots[-1]["playerId"]
            finished = await asyncio.wait_for(over, 20)
            assert finished.winner is Winner.THEM
            assert [seek.peer for seek in mesh.seated] == [PEER]
            assert one.host.seeks() == ()
            assert ann.snapshots[-1]["state"]["black"] == ann.snapshots[-1]["playerId"]

    asyncio.run(play())


@pytest.mark.slow
def test_a_rematch_with_a_player_of_the_mesh_has_its_order_said_again(tmp_path: Path) -> None:
    async def plays(seek: Seek, seat: HostedSeat) -> None:
        for first in (Side.THEM, Side.US):
            events = seat.events()
            await until(events, to_order)
            await seat.begin(first)
            await until(events, lambda event: isinstance(event, YourTurn))
            await seat.say(Word.RESIGN)
            await until(events, lambda event: isinstance(event, Rematch))
            seat = await seat.rematch()  # type: ignore[assignment]  # of a hosted seat it is one as well

    async def play() -> None:
        mesh = FakeMesh(plays)
        async with house(tmp_path, replace(TTT, house=False), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            results = await ann.play(first_legal, rounds=2)
            assert [result["reason"] for result in results] == ["resignation", "resignation"]
            me = ann.snapshots[-1]["playerId"]
            assert [result["winner"] for result in results] == [me, me]
            crosses = {s["state"]["round"]: s["state"]["X"] == me for s in ann.snapshots if s["state"]["X"]}
            assert crosses == {1: True, 2: False}

    asyncio.run(play())


def test_draws_are_offered_and_answered_out_of_turn(tmp_path: Path) -> None:
    async def plays(seek: Seek, seat: HostedSeat) -> None:
        events = seat.events()
        await until(events, to_order)
        await seat.begin(Side.THEM)
        await until(events, lambda event: isinstance(event, Said))
        await seat.say(Word.DRAW_DECLINE)
        await until(events, lambda event: isinstance(event, YourTurn))
        await seat.act({"m": "e7e5"})
        await until(events, lambda event: isinstance(event, OpponentMoved) and event.ply == 2)
        await seat.say(Word.DRAW_OFFER)

    async def play() -> None:
        mesh = FakeMesh(plays)
        async with house(tmp_path, CHESS, mesh) as one:
            await one.host.seek(PEER, "chess")
            ann = await joined(one)
            offering = {"uci": "e2e4", "offerDraw": True}
            snapshot = await ann.state(wait=25)
            await ann.act(snapshot, offering)
            snapshot = await ann.state(wait=25)
            assert snapshot["state"]["drawOffer"] is None
            await ann.act(snapshot, "g1f3")
            await mesh.tasks[0]
            # It is the mesh player's turn, who has offered a draw with it.
            _, public = await one.town.call("GET", f"/{ann.session}/public")
            them = next(p["playerId"] for p in public["players"] if p["asName"] != "ann")
            assert public["state"]["drawOffer"] == them

    asyncio.run(play())


@pytest.mark.parametrize("how", ["does not come", "is not wanted"])
def test_the_house_takes_the_place_of_a_player_who(tmp_path: Path, how: str) -> None:
    async def plays(seek: Seek, seat: HostedSeat) -> None:
        events = seat.events()
        await until(events, to_order)
        await seat.leave()

    async def play() -> None:
        mesh = FakeMesh(plays, refuses="" if how == "does not come" else "you play already")
        async with house(tmp_path, replace(TTT, rematch=False), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            results = await ann.play(first_legal)
            assert results[0]["reason"] in ("win", "board_full")
            assert one.host.seeks() == ()

    asyncio.run(play())


def test_who_is_never_heard_of_gives_the_seat_to_the_house(tmp_path: Path) -> None:
    """The player sleeps, and the web player must not wait for ever. What the service does then is late."""

    async def plays(seek: Seek, seat: HostedSeat) -> None:
        seats.append(seat)

    seats: list[HostedSeat] = []

    async def play() -> None:
        mesh = FakeMesh(plays)
        async with house(tmp_path, replace(TTT, order_seconds=0.3, rematch=False), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            await one.town.until(lambda: seats)
            await seated(one, "house")
            with pytest.raises(SeatLost):
                await one.host.reopen(seats[0].resume_key)
            await seats[0].leave()
            results = await ann.play(first_legal)
            assert results[0]["reason"] in ("win", "board_full")
            assert len(mesh.seated) == 1

    asyncio.run(play())


@pytest.mark.slow
def test_in_chess_a_rematch_with_a_player_of_the_mesh_changes_colours(tmp_path: Path) -> None:
    async def plays(seek: Seek, seat: HostedSeat) -> None:
        events = seat.events()
        await until(events, to_order)
        await seat.begin(Side.US)
        await until(events, lambda event: isinstance(event, YourTurn))
        await seat.say(Word.RESIGN)
        await until(events, lambda event: isinstance(event, Rematch))
        again = await seat.rematch()
        event = await until(
            again.events(), lambda event: isinstance(event, Joined) and event.first is not None
        )
        assert isinstance(event, Joined)
        assert event.first is Side.THEM

    async def play() -> None:
        mesh = FakeMesh(plays)
        async with house(tmp_path, replace(CHESS, house=False), mesh) as one:
            await one.host.seek(PEER, "chess")
            ann = await joined(one)
            await ann.play(lambda s: "resign", rounds=2)
            whites = {s["state"]["round"]: s["state"]["white"] for s in ann.snapshots if s["state"]["white"]}
            assert whites[2] == ann.snapshots[-1]["playerId"] != whites[1]
            await mesh.tasks[0]

    asyncio.run(play())


@pytest.mark.slow
def test_the_house_makes_room_for_a_player_of_the_mesh(tmp_path: Path) -> None:
    async def plays(seek: Seek, seat: HostedSeat) -> None:
        events = seat.events()
        await until(events, to_order)
        await seat.begin(Side.US)
        await until(events, lambda event: isinstance(event, YourTurn))
        await seat.say(Word.RESIGN)

    async def play() -> None:
        mesh = FakeMesh(plays)
        async with house(tmp_path, TTT, mesh) as one:
            ann = await joined(one)
            snapshot = await ann.state(wait=25)
            assert snapshot["yourTurn"]
            await one.host.seek(PEER, "ttt")
            results = await ann.play(first_legal, rounds=2)
            assert results[1]["reason"] == "resignation"
            assert [player["asName"] for player in ann.snapshots[-1]["players"]] == ["ann", f"mesh-{PEER}"]

    asyncio.run(play())


def test_the_queue(tmp_path: Path) -> None:
    async def play() -> None:
        mesh = FakeMesh()
        settings = replace(TTT, most_seeks=2, seek_seconds=60)
        async with house(tmp_path, settings, mesh) as one:
            with pytest.raises(Unwanted):
                await one.host.seek(PEER, "chess")
            await one.host.seek(PEER, "ttt")
            await one.host.seek("d4" * 16, "ttt")
            await one.host.seek(PEER, "ttt")  # again: no second place, but the last one
            with pytest.raises(Unwanted, match="Too many"):
                await one.host.seek("e5" * 16, "ttt")
            assert [seek.peer for seek in one.host.seeks()] == ["d4" * 16, PEER]
            assert await one.host.unseek("d4" * 16)
            assert not await one.host.unseek("d4" * 16)
            await one.kill()
            await one.start()
            assert [seek.peer for seek in one.host.seeks()] == [PEER]
            one.wall += 61
            one.host.changed()
            await one.town.until(lambda: mesh.texts)
            assert mesh.texts[0][0] == PEER
            assert "Nobody has come" in mesh.texts[0][1]
            assert one.host.seeks() == ()

    asyncio.run(play())


def test_a_game_against_the_house_survives_a_kill(tmp_path: Path) -> None:
    async def play() -> None:
        async with house(tmp_path, replace(TTT, rematch=False)) as one:
            ann = await joined(one)
            playing = asyncio.ensure_future(ann.play(first_legal))
            await seated(one, "house")
            for _ in range(3):
                before = len(ann.snapshots)
                await one.kill()
                await one.start()
                await one.town.until(lambda before=before: playing.done() or len(ann.snapshots) > before)
            results = await playing
            assert results[0]["reason"] in ("win", "board_full")
            assert ann.rejections == []

    asyncio.run(play())


def test_a_seat_of_the_mesh_is_reopened_after_a_kill(tmp_path: Path) -> None:
    async def play() -> None:
        mesh = Ordered()
        async with house(tmp_path, replace(TTT, house=False), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            await asyncio.wait_for(mesh.ordered.wait(), 20)
            await one.kill()
            await one.start()
            seat = await one.host.reopen(mesh.keys[0])
            events = seat.events()
            await until(events, to_order)
            await seat.begin(Side.THEM)
            snapshot = await ann.state(wait=25)
            await ann.act(snapshot, {"cell": 4})
            event = await until(events, lambda event: isinstance(event, YourTurn))
            assert event.board is not None
            assert event.board.moves == ({"i": 4},)

    asyncio.run(play())


@pytest.mark.parametrize("line", ["in line", "gone"])
def test_a_kill_before_the_seat_is_stored_does_not_keep_who_came_waiting(tmp_path: Path, line: str) -> None:
    """Patience would be ten minutes: the seat is brought to who is in line, else the house takes it."""

    class Slow(FakeMesh):
        async def seat(self, seek: Seek, seat: HostedSeat, account: Account) -> None:
            if not stored.is_set():
                asked.set()
                await asyncio.Event().wait()
            await super().seat(seek, seat, account)
            sessions.append(str(seat.resume_key["hosted"]))

    async def play() -> None:
        mesh = Slow(gives_up)
        async with house(tmp_path, replace(TTT, rematch=False, house_after=600.0), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            await asyncio.wait_for(asked.wait(), 20)
            await one.kill()
            stored.set()
            await one.start()
            if line == "gone":
                await one.host.unseek(PEER)
            one.host.reconcile(())
            [result] = await ann.play(first_legal)
            if line == "gone":
                assert result["reason"] in ("win", "board_full")
                assert mesh.seated == []
            else:
                assert result["reason"] == "resignation"
                assert [seek.peer for seek in mesh.seated] == [PEER]
                assert sessions == [ann.session]
                assert one.host.seeks() == ()

    asked, stored, sessions = asyncio.Event(), asyncio.Event(), list[str]()
    asyncio.run(play())


def test_a_seat_that_a_bridge_knows_of_is_left_to_it(tmp_path: Path) -> None:
    async def play() -> None:
        mesh = Ordered()
        async with house(tmp_path, replace(TTT, house_after=600.0), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            await asyncio.wait_for(mesh.ordered.wait(), 20)
            await one.kill()
            await one.start()
            one.host.reconcile({ann.session})
            seat = await one.host.reopen(mesh.keys[0])
            await until(seat.events(), to_order)
            assert [table.seated for table in one.host.tables() if table.id == ann.session] == ["mesh"]

    asyncio.run(play())


@pytest.mark.slow
def test_the_next_game_of_a_series_is_taken_after_a_kill(tmp_path: Path) -> None:
    """We end between two games: the seat in the old one still leads to the next."""

    async def play() -> None:
        over = asyncio.Event()
        keys = []

        async def plays(seek: Seek, seat: HostedSeat) -> None:
            events = seat.events()
            await until(events, to_order)
            await seat.begin(Side.US)
            await until(events, lambda event: isinstance(event, YourTurn))
            keys.append(seat.resume_key)
            await seat.say(Word.RESIGN)
            over.set()

        mesh = FakeMesh(plays)
        async with house(tmp_path, replace(TTT, house=False), mesh) as one:
            await one.host.seek(PEER, "ttt")
            ann = await joined(one)
            await ann.play(first_legal)
            await asyncio.wait_for(over.wait(), 20)
            following = ann.snapshots[-1]["nextSessionId"]
            kept = lambda: json.loads(one.shelf.load() or "{}").get("tables", [])  # noqa: E731
            await one.town.until(lambda: any(table["session"] == following for table in kept()))
            await one.kill()
            await one.start()
            seat = await one.host.reopen(keys[0])
            await until(seat.events(), lambda event: isinstance(event, Rematch))
            again = await seat.rematch()
            ann.session = following
            await ann.state()
            events = again.events()
            await until(events, to_order)
            await again.begin(Side.THEM)  # type: ignore[attr-defined]  # of a hosted seat it is one as well
            await ann.act(await ann.state(wait=25), {"cell": 4})
            await until(events, lambda event: isinstance(event, YourTurn))

    asyncio.run(play())


@pytest.mark.slow
def test_a_restart_of_the_server_opens_new_tables(tmp_path: Path) -> None:
    async def play() -> None:
        async with house(tmp_path, TTT) as one:
            ann = await joined(one)
            await seated(one, "house")
            await one.town.restart()
            (listed,) = await one.town.open_tables()
            assert listed["sessionId"] != ann.session
            await (await joined(one, "eve")).play(first_legal)

    asyncio.run(play())


def test_stopping_closes_empty_tables_and_leaves_games(tmp_path: Path) -> None:
    async def play() -> None:
        async with house(tmp_path, replace(TTT, house=False)) as one:
            ann, eve = await joined(one), Agent(one.town, "eve")
            await eve.join(ann.session)
            await one.town.open_tables()
            await one.host.stop()
            listed = await one.town.available(all=1)
            assert [table["sessionId"] for table in listed] == [ann.session]
            await one.start()
            await asyncio.gather(ann.play(first_legal), eve.play(first_legal))
            assert ann.results == eve.results

    asyncio.run(play())


def test_a_token_that_is_not_taken_is_trouble(tmp_path: Path) -> None:
    async def play() -> None:
        async with house(tmp_path, TTT) as one:
            await one.host.close_tables()
            one.town.tokens["house"] = "nonsense"
            await one.start()
            await one.town.until(one.host.trouble)
            assert "token" in one.host.trouble()
            assert "nonsense" not in one.host.trouble()
            assert one.host.tables() == ()

    asyncio.run(play())

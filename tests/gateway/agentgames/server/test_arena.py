"""Seats of programs in this process, and what happens where the disk does not do its part."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.agentgames import wire
from gateway.agentgames.server import arena as arena_module
from gateway.agentgames.server.arena import Arena, ArenaSettings, TooMany
from gateway.agentgames.server.records import MatchStore
from gateway.agentgames.server.seat import Player, Seat
from gateway.arcade.accounts import Accounts
from gateway.arcade.limits import Rate
from gateway.arcade.store import ArcadeStore, StoreError
from lrgpnode.house.question import Answer, Question
from lrgpnode.house.worker import ThinkError
from tests.gateway.agentgames.server.rig import DEADLINE, Rig, play


class Thinker:
    """Plays the first free cell, or fails."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.asked: list[Question] = []

    async def think(self, question: Question) -> Answer:
        self.asked.append(question)
        if self.fails:
            raise ThinkError("no process to think in")
        assert isinstance(question.state, str)
        return Answer(move=question.state.index("_"), score=0, nodes=1)


class Scene:
    def __init__(self, path: Path, thinker: Thinker | None = None) -> None:
        self.store = ArcadeStore(path / "arcade.db")
        self.players = [
            Player(account=Accounts(self.store).add(name).id, name=name) for name in ("ann", "ben")
        ]
        self.matches = MatchStore(self.store.database)
        self.arena = Arena(self.matches, ArenaSettings(level=3), thinker=thinker)

    def seats(self) -> tuple[Seat, Seat]:
        one, two = (self.arena.seat(player) for player in self.players)
        return one, two

    async def __aenter__(self) -> Scene:
        await self.arena.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.arena.stop()
        self.store.close()


async def types(seat: Seat) -> list[str]:
    async with asyncio.timeout(DEADLINE):
        return [type(message).__name__ async for message in seat.messages()]


def test_a_match_in_this_process(tmp_path: Path) -> None:
    async def run() -> None:
        async with Scene(tmp_path) as scene:
            ann, ben = scene.seats()
            ann.join("ttt")
            ann.join("c4")  # once only
            assert [one.waiting for one in scene.arena.activity()] == ["ann", "", ""]
            ben.join("ttt")
            for token in "012":
                ann.move(token)
            for token in "34":
                ben.move(token)
            expected = ["Queued", "Hello", *["State"] * 5, "Result"]
            assert await types(ann) == expected
            assert await types(ben) == expected
            assert (ann.played, ann.over) == (True, True)
            ann.leave()
            ben.leave()
            ann.leave()
            assert [row.name for row in scene.matches.ladder("ttt", 9)] == ["ann", "ben"]

    asyncio.run(run())


def test_players_of_this_process(tmp_path: Path) -> None:
    async def run(rig: Rig) -> None:
        ann = await rig.arcade.player("ANN")
        assert ann.name == "ann"
        made = await rig.arcade.player("zoe", make=True)
        assert await rig.arcade.player("zoe") == made
        for name, word in (("nobody", "no account"), ("cat", "disabled")):
            with pytest.raises(StoreError, match=word):
                await rig.arcade.player(name)

    play(tmp_path, run, disabled=("cat",))


def test_an_account_takes_seats_so_often_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_module, "MATCHES", Rate(per_second=0.001, burst=3))

    async def run() -> None:
        async with Scene(tmp_path) as scene:
            for _ in range(3):
                scene.arena.seat(scene.players[0]).leave()
            with pytest.raises(TooMany):
                scene.arena.seat(scene.players[0])
            scene.arena.seat(scene.players[1]).leave()

    asyncio.run(run())


def test_whoever_leaves_while_the_match_is_being_written_forfeits(tmp_path: Path) -> None:
    async def run() -> None:
        async with Scene(tmp_path) as scene:
            ann, ben = scene.seats()
            ann.join("ttt")
            ben.join("ttt")
            ann.leave()  # paired, and the row is on its way to the disk
            seen = [message async for message in ben.messages()]
            last = seen[-1]
            assert isinstance(last, wire.Result)
            assert (last.outcome, last.reason) == ("win", "forfeit: connection closed")
            ben.leave()

    asyncio.run(run())


@pytest.mark.parametrize("fails_at", ["begin", "finish"])
def test_a_disk_that_cannot_be_written(
    tmp_path: Path, fails_at: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with Scene(tmp_path) as scene:

            def full(_: object) -> list[int]:
                raise StoreError("The disk is full.")

            good = getattr(scene.matches, fails_at)
            target = scene.arena.recorder
            batches = target._begins if fails_at == "begin" else target._ends
            monkeypatch.setattr(batches, "_write", full)
            ann, ben = scene.seats()
            ann.join("ttt")
            ben.join("ttt")
            for token in "012":
                ann.move(token)
            for token in "34":
                ben.move(token)
            for seat in (ann, ben):
                seen = [message async for message in seat.messages()]
                text = "the arcade cannot record matches now — try again later"
                assert seen[-1] == wire.Error(error=text)
                seat.leave()
            assert "The disk is full." in caplog.text
            assert scene.matches.ladder("ttt", 9) == []
            # It works again, and the next match counts.
            monkeypatch.setattr(batches, "_write", good)
            ann, ben = scene.seats()
            ann.join("ttt")
            ben.join("ttt")
            ann.move("x")
            assert (await types(ann))[-1] == "Result"
            for seat in (ann, ben):
                seat.leave()

    asyncio.run(run())


def test_the_house_plays_at_the_level_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        thinker = Thinker()
        async with Scene(tmp_path, thinker) as scene:
            ann, ben = scene.seats()
            ann.practise("ttt", 0)
            for token in "864":
                ann.move(token)
            ben.practise("ttt", 2)
            ben.move("8")
            assert (await types(ann))[-1] == "UnratedResult"
            monkeypatch.setattr(arena_module, "MAX_PRACTICE", 1)
            other = scene.arena.seat(scene.players[0])
            other.practise("c4", 0)
            assert await types(other) == ["Error"]
            for seat in (ann, ben, other):
                seat.leave()
            assert {question.level for question in thinker.asked} == {2, 3}
            assert thinker.asked[0].state == "________X"
            assert scene.matches.matches(9) == []

    asyncio.run(run())


def test_one_account_does_not_take_the_whole_house(tmp_path: Path) -> None:
    async def run() -> None:
        async with Scene(tmp_path, Thinker()) as scene:
            ann = [scene.arena.seat(scene.players[0]) for _ in range(9)]
            ben = scene.arena.seat(scene.players[1])
            for seat in (*ann, ben):
                seat.practise("ttt", 1)
            refused = [message async for message in ann[8].messages()]
            assert refused == [
                wire.Error(error="you practise as often as one account may \u2014 end a match first")
            ]
            assert not any(seat.over for seat in (*ann[:8], ben))
            assert [type(await ann[0].receive()).__name__ for _ in range(3)] == [
                "Queued",
                "UnratedHello",
                "State",
            ]
            table = ann[0].table
            assert table is not None
            ann[0].leave()
            async with asyncio.timeout(DEADLINE):
                await table.seats[1].until_over()
            again = scene.arena.seat(scene.players[0])
            again.practise("ttt", 1)
            assert not again.over
            for seat in (*ann, ben, again):
                seat.leave()

    asyncio.run(run())


def test_a_house_that_cannot_think(tmp_path: Path) -> None:
    async def run() -> None:
        async with Scene(tmp_path, Thinker(fails=True)) as scene:
            ann, _ = scene.seats()
            ann.practise("ttt", 1)
            ann.move("4")
            seen = [message async for message in ann.messages()]
            assert seen[-1] == wire.Error(error="the house cannot play now — try again later")
            ann.leave()

    asyncio.run(run())

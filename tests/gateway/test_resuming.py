"""Kills at every moment, lost links, a platform that is away: each game goes on, or ends for both sides."""

from __future__ import annotations

import asyncio
import random
from typing import NoReturn

import pytest

from gateway.seat import Account, AccountRefused, Reason, ResumeKey, Side, Unreachable, Winner
from lrgpnode.protocol.session import Status
from storage import errors
from tests.gateway.fake_platform import FakePlatform, moves
from tests.gateway.scene import Scene, play
from tests.node.network import ROUGH
from tests.node.players import A, B

SCHOLARS = ({"m": "e7e5"}, {"m": "b8c6"}, {"m": "g8f6"})


async def plays(scene: Scene, id: str, *moves: str) -> None:
    for move in moves:
        await scene.turn(id)
        await scene.ann.act(id, "move", m=move)


@pytest.mark.parametrize("moment", ["noted", "taken"])
def test_a_kill_while_the_seat_is_taken(moment: str) -> None:
    """Whether the platform has it or not: the seat is taken once."""

    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        killed: list[str] = []

        def crash(now: str) -> None:
            if now == moment and not killed:
                killed.append(now)
                scene.host.crash()
                raise asyncio.CancelledError  # nothing that is left of the task does anything more

        scene.host.platform.crash = crash
        id = await scene.ann.challenge(B, "chess")
        await scene.until(lambda: killed)
        await scene.host.start()
        await plays(scene, id, "e2e4", "f1c4", "d1h5", "h5f7")
        assert (await scene.over()).result == "won"
        assert table.joins == 1
        assert len(scene.host.store.gateway.newest()) == 1

    play(main)


def test_a_kill_before_the_move_goes_out() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await scene.ann.challenge(B, "chess")
        await scene.turn(id)
        scene.world.down = True
        await scene.ann.act(id, "move", m="e2e4")
        await scene.until(lambda: scene.host.session(id).metadata["moves"] == ["e2e4"])  # type: ignore[union-attr]
        await scene.host.restart()
        scene.world.down = False
        await plays(scene, id, "f1c4", "d1h5", "h5f7")
        assert (await scene.over()).result == "won"
        assert [move["m"] for move in table.acted] == ["e2e4", "f1c4", "d1h5", "h5f7"]

    play(main)


def test_a_kill_between_the_move_and_its_outcome() -> None:
    """The platform has the move, and we do not know it: it is not made twice."""

    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        killed: list[int] = []

        def kill() -> None:
            killed.append(len(table.line))
            scene.host.crash()
            raise asyncio.CancelledError

        scene.world.after_act = kill
        id = await scene.ann.challenge(B, "chess")
        for move in ("e2e4", "f1c4", "d1h5", "h5f7"):
            await scene.turn(id)
            count = len(killed)
            await scene.ann.act(id, "move", m=move)
            await scene.until(lambda count=count: len(killed) > count)
            await scene.host.start()
        assert (await scene.over()).result == "won"
        assert [move["m"] for move in table.acted] == ["e2e4", "f1c4", "d1h5", "h5f7"]

    play(main)


@pytest.mark.parametrize("shows_moves", [True, False])
def test_restarts_after_every_move(shows_moves: bool) -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS), shows_moves=shows_moves)
        id = await scene.ann.challenge(B, "chess")
        for move in ("e2e4", "f1c4", "d1h5", "h5f7"):
            await scene.turn(id)
            await scene.host.restart()
            await scene.ann.act(id, "move", m=move)
            await scene.host.restart()
        assert (await scene.over()).result == "won"
        assert len(table.acted) == 4
        assert table.joins == 1
        await scene.until(lambda: scene.host.state(id) == scene.ann.state(id))

    play(main)


def test_the_game_at_the_table_ends_while_we_are_down() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await scene.ann.challenge(B, "chess")
        await plays(scene, id, "e2e4")
        await scene.turn(id)
        scene.host.crash()
        table.end(Winner.US, Reason.TIMEOUT)
        await scene.host.start()
        assert (await scene.ends(id)).metadata["winner"] == A
        assert (await scene.over()).result == "won"

    play(main)


def test_the_table_is_lost_while_we_are_down() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await scene.ann.challenge(B, "chess")
        await plays(scene, id, "e2e4")
        await scene.turn(id)
        scene.host.crash()
        table.lost = "the platform was restarted"
        await scene.host.start()
        assert (await scene.ends(id)).metadata["winner"] == A
        assert (await scene.over()).result == "none"

    play(main)


def test_kills_around_our_own_challenge() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("ttt", first=Side.THEM, script=moves({"i": 0}, {"i": 1}, {"i": 2}))
        first = await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: scene.host.session(first) is not None)
        for _ in range(8):
            await scene.host.restart()
            await scene.quiet(0.05)
        id = await scene.until(lambda: scene.new_game("ttt", first))
        await scene.host.restart()
        await scene.ann.act(id, "accept")
        await scene.host.restart()
        for cell in (4, 5):
            await scene.turn(id)
            await scene.ann.act(id, "move", i=cell)
        assert (await scene.ends(id)).metadata["winner"] == B
        assert (await scene.over()).result == "lost"
        assert table.joins == 1
        games = list(scene.ann.node.router.list(A, "ttt", scene.ann.node.now()))
        assert len(games) == 2

    play(main)


def test_the_platform_is_away_in_the_middle() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await scene.ann.challenge(B, "chess")
        await plays(scene, id, "e2e4", "f1c4")
        await scene.turn(id)
        scene.world.down, scene.world.retry_after = True, 600.0
        table.touch()
        await scene.until(lambda: scene.host.gateway.bridges[1].trouble)
        await scene.ann.act(id, "move", m="d1h5")
        before = len(scene.world.asked)
        await scene.quiet(500)
        assert len(scene.world.asked) == before, "it was told to wait"
        # Also over a restart.
        await scene.host.restart()
        await scene.quiet(60)
        assert len(scene.world.asked) == before
        scene.world.down = False
        await plays(scene, id, "h5f7")
        assert (await scene.over()).result == "won"
        assert len(table.acted) == 4
        assert scene.host.store.gateway.pauses() == []

    play(main)


def test_a_platform_that_stays_away_for_a_day() -> None:
    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await scene.ann.challenge(B, "chess")
        await plays(scene, id, "e2e4")
        await scene.turn(id)
        scene.world.down = True
        table.touch()
        await scene.until(lambda: scene.game(id).status.ended, 2 * 86_400, every=600)
        assert scene.game(id).metadata["winner"] == A
        row = await scene.over()
        assert row.reason == "fake could not be reached for a day"

    play(main)


def test_a_platform_that_is_away_when_a_seat_is_wanted() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess")
        scene.world.down = True
        id = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(id)).status is Status.DECLINED
        row = await scene.over()
        assert (row.result, row.reason) == ("none", "the platform does not answer")
        assert scene.host.told_player() == ["No seat for you: the platform does not answer."]
        assert scene.host.store.gateway.used() == {}

    play(main)


@pytest.mark.parametrize("back", [False, True])
def test_a_seat_that_was_noted_when_the_platform_went_away_is_given_back_when_it_returns(back: bool) -> None:
    """Whether it was taken nobody knows: attempts to leave it become rarer, and end."""

    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", comes=False)

        def crash(now: str) -> None:
            if now == "taken":
                scene.world.down = True
                raise Unreachable("the platform does not answer")

        scene.host.platform.crash = crash
        id = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(id)).status is Status.DECLINED
        asked = len(scene.world.asked)
        await scene.quiet(3600)
        assert len(scene.world.asked) - asked < 40
        if back:
            scene.world.down = False
            await scene.over()
            assert table.left
        else:
            await scene.until(lambda: scene.host.stage() == "over", 90_000, every=60.0)
        assert scene.host.bridge().result == "none"
        assert scene.host.store.gateway.used() == {}

    play(main)


def test_an_account_that_is_refused_when_the_seat_was_noted() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("chess")

        def crash(now: str) -> None:
            raise AccountRefused("the platform does not take the token")

        scene.host.platform.crash = crash
        resumed: list[ResumeKey] = []

        async def resume(key: ResumeKey, account: Account) -> NoReturn:
            resumed.append(key)
            raise AccountRefused("the platform does not take the token")

        scene.host.platform.resume = resume  # type: ignore[method-assign]
        id = await scene.ann.challenge(B, "chess")
        assert (await scene.ends(id)).status is Status.DECLINED
        row = await scene.over()
        assert (row.result, row.reason) == ("none", "the platform does not take the token")
        await scene.quiet(600)
        assert len(resumed) <= 2

    play(main)


def test_turns_that_come_twice_move_once() -> None:
    async def main(scene: Scene) -> None:
        def prepare(platform: FakePlatform) -> None:
            platform.stale = True

        scene.host.prepare = prepare
        prepare(scene.host.platform)
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await scene.ann.challenge(B, "chess")
        await plays(scene, id, "e2e4", "f1c4", "d1h5", "h5f7")
        assert (await scene.over()).result == "won"
        assert len(table.acted) == 4

    play(main)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_over_a_rough_link(seed: int) -> None:
    """Messages are lost, doubled, delayed and reordered, and the gateway is killed now and then."""

    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        id = await scene.ann.challenge(B, "chess")
        for number, move in enumerate(("e2e4", "f1c4", "d1h5", "h5f7")):
            await scene.until(
                lambda: scene.game(id).status is Status.ACTIVE and scene.game(id).metadata["turn"] == A,
                7 * 86_400,
                every=10,
            )
            if number == seed:
                await scene.host.restart()
            await scene.ann.act(id, "move", m=move)
        await scene.until(lambda: scene.host.stage() == "over", 7 * 86_400, every=10)
        assert scene.host.bridge().result == "won"
        assert len(table.acted) == 4
        assert scene.host.session(id).metadata["winner"] == A  # type: ignore[union-attr]

    play(main, faults=ROUGH, seed=seed)


def test_a_database_that_is_busy_for_a_while() -> None:
    """Whatever cannot be stored is not done either, and is done later."""

    async def main(scene: Scene) -> None:
        table = scene.world.table("chess", script=moves(*SCHOLARS))
        failed: list[float] = []
        chance = random.Random(7)

        def fault() -> None:
            if scene.loop.time() < until and chance.random() < 0.5:
                failed.append(scene.loop.time())
                raise errors.Busy("the database is busy")

        until = scene.loop.time() + 600
        id = await scene.ann.challenge(B, "chess")
        scene.host.writer.fault = fault
        await plays(scene, id, "e2e4", "f1c4", "d1h5", "h5f7")
        until = 0.0
        assert (await scene.over()).result == "won"
        assert len(failed) > 5
        assert len(table.acted) == 4
        assert table.joins == 1

    play(main)

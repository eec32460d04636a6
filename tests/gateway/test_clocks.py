"""Platforms that limit each move: who is told, who gets no seat, and how it ends when the time is up."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.seat import Side
from lrgpnode.airtime.roundtrip import RoundTrip
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.session import Status
from tests.gateway.fake_platform import FakePlatform, FakeTable, moves
from tests.gateway.scene import Scene, play
from tests.node.players import A, B

FAST, SLOW = RoundTrip(travel=3.2, measured=4), RoundTrip(travel=17.5)
KEY = {"ttt": "i", "four_in_a_row": "c"}

LIMIT = (
    "fake gives {} s for a move, and about {} s go by on the way to and from you. A move that comes too late "
    "loses the game there."
)
REFUSED = (
    "No seat for you: fake gives 15 s for a move, and about 18 s go by on the way to and from you. If you "
    "insist, challenge me again within 10 minutes."
)


async def timed(scene: Scene, seconds: float, trip: RoundTrip | None, **table: Any) -> FakeTable:
    """The platform has a clock for all tables."""

    def prepare(platform: FakePlatform) -> None:
        platform.move_seconds = seconds

    scene.host.prepare, scene.host.trip = prepare, trip
    prepare(scene.host.platform)
    table.setdefault("app", "ttt")
    return scene.world.table(move_seconds=seconds, **table)


async def refused(scene: Scene, app: str = "ttt") -> None:
    id = await scene.ann.challenge(B, app)
    await scene.until(lambda: scene.game(id).status is Status.DECLINED)


@pytest.mark.parametrize(("trip", "seconds"), [(FAST, 60), (FAST, 15), (None, 15)])
def test_who_gets_a_seat_is_told_of_the_clock_before_he_is_queued(
    trip: RoundTrip | None, seconds: int
) -> None:
    async def main(scene: Scene) -> None:
        await timed(scene, seconds, trip)
        told: list[list[str]] = []
        scene.host.platform.crash = lambda moment: told.append(scene.host.told_player())
        id = await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: scene.game(id).status is Status.ACTIVE)
        expected = LIMIT.format(seconds, 4)
        if trip is None:
            expected = expected.replace(", and about 4 s go by on the way to and from you", "")
        assert told[0] == [expected]
        assert scene.host.told_player() == [expected]
        (seat,) = scene.host.desk.seats()
        assert (seat.move_seconds, seat.round_trip) == (seconds, None if trip is None else 3.2)
        assert scene.host.desk.status().platforms[0].move_seconds == seconds

    play(main)


def test_nobody_is_told_of_a_clock_where_there_is_none() -> None:
    async def main(scene: Scene) -> None:
        scene.world.table("ttt")
        scene.host.trip = SLOW
        id = await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: scene.game(id).status is Status.ACTIVE)
        assert scene.host.told_player() == []

    play(main)


def test_a_link_that_is_too_slow_gets_no_seat_and_nothing_is_queued() -> None:
    async def main(scene: Scene) -> None:
        table = await timed(scene, 15, SLOW)
        await refused(scene)
        row = await scene.over()
        assert scene.host.told_player() == [REFUSED]
        assert (row.result, row.account, row.seat) == ("none", "", "")
        assert "open" not in scene.world.asked
        assert table.joins == 0
        assert scene.host.store.gateway.used() == {}

    play(main)


@pytest.mark.parametrize("restart", [False, True])
def test_who_challenges_again_insists(restart: bool) -> None:
    async def main(scene: Scene) -> None:
        await timed(scene, 15, SLOW)
        await refused(scene)
        await scene.over()
        if restart:
            scene.host.crash()
            await scene.host.start()
        await scene.quiet(540)
        id = await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: scene.game(id).status is Status.ACTIVE)
        assert scene.host.told_player() == [REFUSED, LIMIT.format(15, 18)]
        # That was once: the next game is another question.
        await scene.ann.act(id, "resign")
        await scene.over(2)
        await timed(scene, 15, SLOW)
        await refused(scene)

    play(main)


def test_what_is_no_insisting() -> None:
    """Too late, or another game."""

    async def main(scene: Scene) -> None:
        await timed(scene, 15, SLOW)
        await refused(scene)
        await refused(scene, "four_in_a_row")
        await scene.quiet(660)
        await refused(scene)
        assert "open" not in scene.world.asked
        assert scene.host.told_player() == [REFUSED] * 3

    play(main)


@pytest.mark.parametrize("app", KEY)
def test_who_is_first_at_the_table_is_told_what_the_clock_means_for_accepting(app: str) -> None:
    """The clock runs while our challenge waits for the player, and while what he does is on its way."""

    async def main(scene: Scene) -> None:
        key = KEY[app]
        script = moves({key: 0}, {key: 1}, {key: 0}, {key: 1})
        table = await timed(scene, 60, FAST, app=app, first=Side.THEM, script=script)
        first = await scene.ann.challenge(B, app)
        await scene.until(lambda: scene.game(first).status is Status.DECLINED)
        id = await scene.until(lambda: scene.new_game(app, first))
        assert scene.game(id).initiator == B
        assert scene.host.told_player()[1].endswith("accept that at once, you have 60 s for each move.")
        await scene.quiet(20)
        await scene.ann.act(id, "accept")
        await scene.turn(id)
        assert table.deadline is not None
        assert table.deadline - scene.host.node.now() < 41
        turn = scene.host.of("gateway.turn")[-1].fields
        assert (turn["platform"], turn["deadline"]) == ("fake", table.deadline)
        for value in (5, 6):
            await scene.turn(id)
            await scene.ann.act(id, "move", **{key: value})
        await scene.until(lambda: len(table.acted) == 2)
        assert table.finished is None
        assert [next(iter(move.values())) for move in table.acted] == [5, 6]

    play(main)


def test_who_does_not_accept_in_time_loses_and_is_told() -> None:
    async def main(scene: Scene) -> None:
        table = await timed(scene, 15, FAST, first=Side.THEM, script=moves({"i": 0}))
        first = await scene.ann.challenge(B, "ttt")
        id = await scene.until(lambda: scene.new_game("ttt", first))
        row = await scene.over()
        assert (row.result, row.reason) == ("lost", "the game at the table is over: lost (timeout)")
        assert scene.host.told_player()[2:] == ["Your time at the table is up: the game is lost there."]
        await scene.until(lambda: scene.game(id).status is Status.DECLINED)
        assert not table.left
        assert scene.host.store.gateway.used() == {}

    play(main)


def test_the_accept_that_comes_too_late() -> None:
    """It crosses our decline: he hears why, and nothing goes on."""

    async def main(scene: Scene) -> None:
        await timed(scene, 15, FAST, first=Side.THEM, script=moves({"i": 0}))
        first = await scene.ann.challenge(B, "ttt")
        id = await scene.until(lambda: scene.new_game("ttt", first))
        await scene.until(lambda: scene.host.bridge().result, every=0.01)
        if scene.game(id).status is Status.PENDING:
            await scene.ann.act(id, "accept")
        await scene.quiet()
        mine = scene.host.session(id)
        assert mine is not None
        assert mine.status is Status.DECLINED
        assert scene.host.told_player()[-1] == "Your time at the table is up: the game is lost there."

    play(main)


def test_the_opponent_goes_before_our_challenge_is_out() -> None:
    async def main(scene: Scene) -> None:
        table = await timed(scene, 15, FAST, first=Side.THEM)
        id = await scene.ann.challenge(B, "ttt")  # whose opponent never moves
        row = await scene.over()
        assert (row.result, row.reason) == ("won", "the game at the table is over: won (timeout)")
        assert scene.host.told_player()[-1] == "Your opponent's time is up: you have won."
        assert scene.game(id).status is Status.DECLINED
        assert table.acted == []

    play(main)


def test_the_players_time_is_up_in_the_game() -> None:
    async def main(scene: Scene) -> None:
        await timed(scene, 15, FAST, script=moves({"i": 4}))
        id = await scene.ann.challenge(B, "ttt")
        await scene.turn(id)
        await scene.ann.act(id, "move", i=0)
        row = await scene.over()
        assert (row.result, row.reason) == ("lost", "lost (timeout)")
        said = "Your time at the table is up: the game is lost there."
        assert scene.host.told_player()[1:] == [said]
        await scene.ann.act(id, "move", i=1)
        errors = await scene.until(lambda: scene.ann.of("game.error"))
        assert errors[0].fields["msg"] == said
        mine = scene.host.session(id)
        assert mine is not None
        assert mine.status is Status.EXPIRED

    play(main)


def test_the_opponents_time_is_up_in_the_game() -> None:
    async def main(scene: Scene) -> None:
        await timed(scene, 15, FAST)
        id = await scene.ann.challenge(B, "ttt")
        await scene.turn(id)
        await scene.ann.act(id, "move", i=0)
        ended = await scene.ends(id)
        assert (ended.metadata["winner"], ended.metadata["terminal"]) == (A, "resign")
        assert (await scene.over()).result == "won"
        assert scene.host.told_player()[1:] == ["Your opponent's time is up: you have won."]

    play(main)


def test_asked_for_by_text_and_insisted_on() -> None:
    async def main(scene: Scene) -> None:
        await timed(scene, 15, SLOW)
        with pytest.raises(CallerError, match=r"Too slow: fake gives 15 s for a move.*Add the word anyway"):
            await scene.host.desk.request(A, "ttt", platform="fake")
        assert scene.host.desk.seats() == []
        await scene.host.desk.request(A, "ttt", platform="fake", insists=True)
        id = await scene.ann.challenge(B, "ttt")
        await scene.until(lambda: scene.game(id).status is Status.ACTIVE)
        assert scene.host.told_player() == [LIMIT.format(15, 18)]

    play(main)

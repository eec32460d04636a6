"""The player: what it accepts, when it moves, draws, overtaken thoughts, failures, restarts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from lrgpnode.house import player as module
from lrgpnode.house.manners import Limits
from lrgpnode.house.player import Player
from lrgpnode.house.question import Answer
from lrgpnode.house.worker import ThinkError
from lrgpnode.protocol.session import Status
from storage.errors import StorageError
from tests.house.seats import ANN, DEADLINE, EVE, HOUSE, Desk, Head, Memory, seated

Scene = Callable[[Desk, Head, Memory], Awaitable[None]]
OPEN = Limits(open=True, pause=0.0)


@asynccontextmanager
async def playing(player: Player) -> AsyncIterator[Player]:
    player.start()
    try:
        yield player
    finally:
        await player.stop()


def run(scene: Scene) -> None:
    async def main() -> None:
        async with asyncio.timeout(3 * DEADLINE):
            await scene(Desk(), Head(), Memory())

    asyncio.run(main())


def test_a_game_is_accepted_and_played_to_its_end() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        async with playing(seated(desk, head, memory)):
            key = desk.challenge("g1", "ttt")
            assert await desk.until_acts(1) == [("g1", "accept", {})]
            for count, (mine, reply) in enumerate(((0, 3), (1, 4)), 2):
                head.answers["ttt"] = Answer(move=reply, score=0, nodes=1)
                desk.peer(key, "move", {"i": mine})
                assert (await desk.until_acts(count))[-1] == ("g1", "move", {"i": reply})
            desk.peer(key, "move", {"i": 2})
        assert desk.session(key).status is Status.COMPLETED
        assert [(asked.state, asked.level, asked.seed) for asked in head.asked] == [
            ("X________", 2, 7),
            ("XX_O_____", 2, 7),
        ]

    run(scene)


def test_with_white_it_begins() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["chess"] = Answer(move="e2e4", score=10, nodes=1)
        desk.white = HOUSE
        async with playing(seated(desk, head, memory)):
            desk.challenge("g1", "chess")
            assert await desk.until_acts(2) == [("g1", "accept", {}), ("g1", "move", {"m": "e2e4"})]

    run(scene)


def test_a_restart_goes_on_where_it_is_the_houses_turn() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = Answer(move=4, score=0, nodes=1)
        async with playing(seated(desk, head, memory)) as player:
            await player.levels.choose("g1", 3)
            key = desk.challenge("g1", "ttt")
            await desk.until_acts(1)
        desk.peer(key, "move", {"i": 0})  # while the house is not there
        desk.challenge("g2", "four_in_a_row")
        async with playing(seated(desk, head, memory, level=1)):
            acts = await desk.until_acts(3)
        assert acts[1:] == [("g1", "move", {"i": 4}), ("g2", "accept", {})]
        assert head.asked[-1].level == 3

    run(scene)


def test_two_games_are_thought_about_one_after_the_other_in_turn() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = Answer(move=8, score=0, nodes=1)
        head.answers["four_in_a_row"] = Answer(move=3, score=0, nodes=1)
        async with playing(seated(desk, head, memory)):
            games = [desk.challenge("g1", "ttt"), desk.challenge("g2", "four_in_a_row")]
            games.append(desk.challenge("g3", "ttt"))
            await desk.until_acts(3)
            for key in games:
                desk.peer(key, "move", {"c": 0} if desk.session(key).app_id == "four_in_a_row" else {"i": 0})
                desk.player.told("game.applied", {"id": key.session_id, "identity": HOUSE, "peer": ANN})
            acts = await desk.until_acts(6)
        assert [act[0] for act in acts[3:]] == ["g1", "g2", "g3"]
        assert head.most_at_once == 1
        assert len(head.asked) == 3

    run(scene)


@pytest.mark.parametrize(("score", "answer"), [(0, "draw_accept"), (-500, "draw_accept"), (40, "move")])
def test_a_draw_offered_at_its_turn(score: int, answer: str) -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = Answer(move=8, score=score, nodes=1)
        async with playing(seated(desk, head, memory)):
            key = desk.challenge("g1", "ttt")
            await desk.until_acts(1)
            head.hold = True
            desk.peer(key, "move", {"i": 0})
            await head.begun.wait()
            desk.peer(key, "draw_offer")  # while it is thinking
            head.let_go.set()
            head.hold = False
            assert (await desk.until_acts(2))[1][1] == answer
            assert not desk.session(key).metadata["draw_offered"]
        assert len(head.asked) == 1

    run(scene)


@pytest.mark.parametrize(("score", "answer"), [(-40, "draw_decline"), (0, "draw_accept")])
def test_a_draw_offered_at_the_others_turn(score: int, answer: str) -> None:
    """The score is then that of the other side."""

    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = Answer(move=8, score=score, nodes=1)
        async with playing(seated(desk, head, memory)):
            key = desk.challenge("g1", "ttt")
            await desk.until_acts(1)
            desk.peer(key, "draw_offer")
            assert (await desk.until_acts(2))[1][1] == answer
            if answer == "draw_decline":
                desk.peer(key, "draw_offer")  # once more at the same ply: no second answer
                desk.peer(key, "move", {"i": 0})
                assert (await desk.until_acts(3))[2][1] == "move"

    run(scene)


def test_a_draw_in_the_opening_is_not_agreed_unless_it_stands_badly() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["four_in_a_row"] = Answer(move=3, score=0, nodes=1)
        async with playing(seated(desk, head, memory)):
            for number, (score, answer) in enumerate(((0, "draw_decline"), (300, "draw_accept"))):
                head.answers["four_in_a_row"] = Answer(move=3, score=score, nodes=1)
                key = desk.challenge(f"g{number}", "four_in_a_row")
                await desk.until_acts(2 * number + 1)
                desk.peer(key, "draw_offer")
                assert (await desk.until_acts(2 * number + 2))[-1][1] == answer

    run(scene)


@pytest.mark.parametrize(("score", "command"), [(0, "draw_offer"), (50, "move")])
def test_a_draw_is_claimed_where_the_house_is_not_better(score: int, command: str) -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        # Knights go out and home: the start is there for the third time, and the house to move.
        moves = ("g1f3", "g8f6", "f3g1", "f6g8") * 2
        key = desk.begun("g1", "chess", *({"m": move} for move in moves), white=HOUSE)
        head.answers["chess"] = Answer(move="e2e4", score=score, nodes=1, claim="3fr")
        async with playing(seated(desk, head, memory)):
            assert (await desk.until_acts(1))[0][1] == command
        assert desk.session(key).status.ended == (command == "draw_offer")

    run(scene)


def test_a_game_that_ends_ends_the_thought_about_it() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = Answer(move=8, score=0, nodes=1)
        async with playing(seated(desk, head, memory)):
            key, other = desk.challenge("g1", "ttt"), desk.challenge("g2", "ttt")
            await desk.until_acts(2)
            head.hold = True
            desk.peer(key, "move", {"i": 0})
            await head.begun.wait()
            desk.peer(other, "move", {"i": 0})
            head.hold = False
            desk.peer(key, "resign")
            acts = await desk.until_acts(3)
        assert acts[2:] == [("g2", "move", {"i": 8})]
        assert head.cancelled == 1

    run(scene)


def test_stopping_ends_the_thought() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        async with playing(seated(desk, head, memory)):
            key = desk.challenge("g1", "ttt")
            await desk.until_acts(1)
            head.hold = True
            desk.peer(key, "move", {"i": 0})
            await head.begun.wait()
        assert head.cancelled == 1
        assert len(desk.acts) == 1

    run(scene)


@pytest.mark.parametrize("failure", [ThinkError("out of memory"), StorageError("disk full"), KeyError("x")])
def test_after_a_failure_it_tries_again(failure: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", (0.01, 0.01))

    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = Answer(move=8, score=0, nodes=1)
        async with playing(seated(desk, head, memory)):
            key = desk.challenge("g1", "ttt")
            await desk.until_acts(1)
            desk.failing = [failure, failure]
            desk.peer(key, "move", {"i": 0})
            assert (await desk.until_acts(2))[1] == ("g1", "move", {"i": 8})
        assert len(head.asked) == 3

    run(scene)


def test_news_of_a_peer_on_the_mesh_do_not_wait_for_a_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", (3600.0,))

    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = ThinkError("no process to think in")
        async with playing(seated(desk, head, memory, Limits(open=True, pause=0.01))) as player:
            key = desk.challenge("e1", "ttt", EVE)
            await desk.until_acts(1)
            desk.peer(key, "move", {"i": 0})
            await head.begun.wait()
            for _ in range(20):
                await asyncio.sleep(0)  # until the failure is known
            assert key in player._timers
            head.answers["ttt"] = Answer(move=8, score=1, nodes=1)
            desk.peer(key, "draw_offer")
            assert (await desk.until_acts(2))[1][1] == "move"

    run(scene)


def test_it_gives_up_for_now_but_not_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", ())

    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = ThinkError("no process to think in")
        async with playing(seated(desk, head, memory)):
            key, other = desk.challenge("g1", "ttt"), desk.challenge("g2", "ttt")
            await desk.until_acts(2)
            desk.peer(key, "move", {"i": 0})
            await head.begun.wait()
            await asyncio.sleep(0)
            head.answers["ttt"] = Answer(move=8, score=0, nodes=1)
            desk.peer(other, "move", {"i": 0})
            assert (await desk.until_acts(3))[2][0] == "g2"
            desk.peer(key, "draw_offer")
            assert (await desk.until_acts(4))[3][:2] == ("g1", "draw_accept")

    run(scene)


def test_peers_on_the_mesh_get_no_answer_unless_the_house_is_open() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        async with playing(seated(desk, head, memory, Limits(pause=0.0))):
            desk.challenge("far", "ttt", EVE)
            desk.challenge("near", "ttt")
            assert await desk.until_acts(1) == [("near", "accept", {})]

    run(scene)


def test_an_open_house_keeps_its_limits() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        limits = Limits(open=True, pause=0.0, games=2, peer_games=1)
        async with playing(seated(desk, head, memory, limits, daily=3)):
            first = desk.challenge("e1", "ttt", EVE)
            await desk.until_acts(1)
            desk.challenge("e2", "ttt", EVE)  # one game a peer
            await desk.until_acts(2)
            desk.challenge("f1", "ttt", "f1" * 16)
            await desk.until_acts(3)
            desk.challenge("f2", "ttt", "f2" * 16)  # two games in all
            await desk.until_acts(4)
            desk.challenge("near", "ttt")  # whoever uses the node plays anyway
            await desk.until_acts(5)
            desk.peer(first, "resign")
            third = desk.challenge("e3", "ttt", EVE)
            await desk.until_acts(6)
            desk.peer(third, "resign")
        # A restart does not begin the day anew.
        async with playing(seated(desk, head, memory, limits, daily=3)):
            desk.challenge("e4", "ttt", EVE)  # the fourth of the day
            desk.challenge("last", "ttt")
            acts = await desk.until_acts(7)
        verdicts = {id: command for id, command, _ in acts}
        assert verdicts == {
            "e1": "accept",
            "e2": "decline",
            "f1": "accept",
            "f2": "decline",
            "near": "accept",
            "e3": "accept",
            "last": "accept",
        }

    run(scene)


def test_a_peer_on_the_mesh_waits_a_moment() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        limits = Limits(open=True, pause=0.2)
        async with playing(seated(desk, head, memory, limits)):
            began = asyncio.get_running_loop().time()
            desk.challenge("e1", "ttt", EVE)
            await desk.until_acts(1)
            assert asyncio.get_running_loop().time() - began >= 0.19

    run(scene)


def test_a_level_chosen_with_the_challenge_holds_from_the_first_move() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        head.answers["ttt"] = Answer(move=8, score=0, nodes=1)
        async with playing(seated(desk, head, memory)) as player:
            async with player.gate:
                key = desk.challenge("g1", "ttt")  # arrives before its level is known
                await asyncio.sleep(0)
                assert desk.acts == []
                await player.levels.choose("g1", 3)
            await desk.until_acts(1)
            desk.peer(key, "move", {"i": 0})
            await desk.until_acts(2)
        assert head.asked[0].level == 3

    run(scene)


def test_the_default_level_of_a_game_is_settled_when_it_begins() -> None:
    async def scene(desk: Desk, head: Head, memory: Memory) -> None:
        async with playing(seated(desk, head, memory, level=99)):
            desk.challenge("g1", "ttt")
            await desk.until_acts(1)
        again = seated(desk, head, memory, level=1)
        assert again.levels.of("g1", "ttt") == 3
        assert again.levels.of("g2", "ttt") == 1

    run(scene)

"""How games with peers have ended is kept here and goes nowhere."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from lrgpnode.mesh.transport import Outgoing
from lrgpnode.protocol.session import Status
from tests.node.network import ROUGH, Air
from tests.node.players import A, B, Player, pair
from tests.node.scenes import envelope, on_air, started, throw
from tests.node.test_random_games import Bot, settled
from tests.node.virtual import VirtualLoop, run

COUNTED = 7_654_321


def score(player: Player, peer: Player) -> tuple[int, int, int] | None:
    found = player.store.scores.of_game(player.name, peer.name, "ttt")
    return None if found is None else (found.won, found.drawn, found.lost)


def test_both_sides_count_each_for_itself() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        for move, mover in enumerate((a, b, a, b, a)):
            assert score(a, b) is score(b, a) is None
            await mover.act(id, "move", i=(0, 3, 1, 4, 2)[move])
            await asyncio.sleep(2)
        assert (score(a, b), score(b, a)) == ((1, 0, 0), (0, 0, 1))
        id = await started(b, a)
        await b.act(id, "draw_offer")
        await asyncio.sleep(2)
        await a.act(id, "draw_accept")
        await asyncio.sleep(2)
        id = await started(b, a)
        await a.act(id, "resign")
        await asyncio.sleep(2)
        assert (score(a, b), score(b, a)) == ((1, 1, 1), (1, 1, 1))
        await a.node.repair.delete(a.key(id))
        assert score(a, b) == (1, 1, 1)

    on_air(scene)


def test_what_was_given_up_does_not_count_and_a_sore_loser_changes_nothing() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        await a.node.repair.abandon(a.key(id))
        assert score(a, b) is None
        id = await started(a, b)
        await b.act(id, "resign")
        await asyncio.sleep(2)
        assert score(a, b) == (1, 0, 0)
        await throw(air, b.name, a, envelope("ttt", "move", id, {"i": 8, "b": "________X", "n": 1, "t": A}))
        assert "out_of_sync" in a.flags(id)
        assert score(a, b) == (1, 0, 0)

    on_air(scene)


def test_a_game_that_ends_out_of_sync_does_not_count() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        # Not its turn, and no predecessor is missing: both cannot see the same game.
        await throw(air, b.name, a, envelope("ttt", "move", id, {"i": 8, "b": "________X", "n": 1, "t": A}))
        assert "out_of_sync" in a.flags(id)
        await a.act(id, "resign")
        await asyncio.sleep(2)
        assert a.session(id).status is Status.COMPLETED  # type: ignore[union-attr]
        assert score(a, b) is None

    on_air(scene)


def _all_that_is_sent(counted: int) -> tuple[Sequence[Outgoing], Sequence[str], int]:
    """Games with everything that goes wrong, between two who have played ``counted`` games already."""
    air = Air(4711, ROUGH, propagation=True)

    async def scene(loop: VirtualLoop) -> int:
        rng = random.Random(air.seed)
        players = await pair(air, loop)
        if counted:
            for player, peer in zip(players, (B, A), strict=True):
                with player.store.database.transaction() as connection:
                    for app in ("ttt", "chess", "four_in_a_row"):
                        row = (player.name, peer, app, *[counted] * 3)
                        connection.execute("INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?)", row)
        bots = [Bot(player, rng) for player in players]
        ids = [await players[n % 2].challenge((B, A)[n % 2], "ttt") for n in range(4)]
        while not settled(players, ids):
            await asyncio.sleep(rng.uniform(5, 900))
            for bot in bots:
                for id in ids:
                    await bot.step(id)
        games = sum(one.games for one in players[0].store.scores.rivals(A))
        for player in players:
            await player.stop()
        return games

    found: list[int] = []

    async def main(loop: VirtualLoop) -> None:
        found.append(await scene(loop))

    run(main)
    return air.sent, air.announced, found[0]


def test_nothing_of_it_is_in_what_is_sent() -> None:
    """Whoever has played millions of games sends the same bytes as whoever has played none."""
    plain, announced, few = _all_that_is_sent(0)
    boasting, boasted, many = _all_that_is_sent(COUNTED)
    assert many - few == 9 * COUNTED
    assert few >= 1
    assert len(plain) > 30
    assert list(plain) == list(boasting)
    assert announced == boasted

"""Random games over an air that does everything wrong end equal on both sides."""

from __future__ import annotations

import asyncio
import random
from functools import partial

import pytest

from lrgpnode.protocol.session import Status
from tests.node.network import ROUGH, Air
from tests.node.players import A, B, Player, pair
from tests.node.virtual import VirtualLoop, run

PLIES = {"ttt": 9, "four_in_a_row": 42, "chess": 40}
LONGEST = 30 * 86_400.0


class Bot:
    """Plays what is to be played; now and then offers a draw or resigns, when it is its turn."""

    def __init__(self, player: Player, rng: random.Random) -> None:
        self.player = player
        self.rng = rng

    async def step(self, id: str) -> None:
        player, rng = self.player, self.rng
        session = player.session(id)
        if session is None or session.status.ended:
            return
        view = player.games[session.app_id].view(session, player.name)
        if session.status is Status.PENDING:
            if session.initiator != player.name:
                await player.tries(id, "accept" if rng.random() < 0.95 else "decline")
        elif view.draw_offered_by and view.draw_offered_by != player.name:
            await player.tries(id, "draw_accept" if rng.random() < 0.3 else "draw_decline")
        elif view.my_turn and not view.draw_offered_by:
            dice = rng.random()
            if dice < 0.03 or view.ply >= PLIES[session.app_id]:
                await player.tries(id, "resign")
            elif dice < 0.1 and len(view.history) > 2 and not self.offered(id):
                await player.tries(id, "draw_offer")
            else:
                await player.tries(id, "move", **rng.choice(view.legal).intent)

    def offered(self, id: str) -> bool:
        """One offer a game is enough."""
        return any(row.command == "draw_offer" for row in self.player.rows(id))


async def play(loop: VirtualLoop, air: Air, app: str, *, count: int, restarts: bool = False) -> None:
    rng = random.Random(air.seed)
    players = await pair(air, loop)
    bots = [Bot(player, rng) for player in players]
    ids = [await players[n % 2].challenge((B, A)[n % 2], app) for n in range(count)]
    until = loop.time() + LONGEST
    # A bot steps when its clock says so, not when something arrives: people are like that.
    while loop.time() < until and not settled(players, ids):
        await asyncio.sleep(rng.uniform(5, 900))
        for bot in bots:
            for id in ids:
                await bot.step(id)
        for player in players:
            if rng.random() < 0.1:
                player.endpoint.announce()
            if restarts and rng.random() < 0.01:
                await player.restart()
    a, b = players
    for id in ids:
        assert a.state(id) == b.state(id), (air.seed, id, a.flags(id), b.flags(id))
        assert sorted(map(bytes, a.journal(id))) == sorted(map(bytes, b.journal(id)))
        assert a.journal(id) == b.journal(id)
        session = a.session(id)
        assert session is not None
        assert session.status in (Status.COMPLETED, Status.DECLINED)
        for player in players:
            assert not [row for row in player.rows(id) if row.state.open], (air.seed, id)
            # An offer that comes while the proof of our move is lost may have crossed it: nobody can know.
            assert not player.flags(id) or "crossed" in player.flags(id)["out_of_sync"]
    for player in players:
        check_record(player)
        await player.stop()


def check_record(player: Player) -> None:
    """Each finished game is counted once; of one that is out of sync now, nobody knows here since when."""
    sure, doubtful = 0, 0
    for session in player.store.sessions.list(player.name):
        if session.status is Status.COMPLETED:
            flagged = bool(player.flags(session.key.session_id))
            sure, doubtful = sure + (not flagged), doubtful + flagged
    counted = sum(one.games for one in player.store.scores.rivals(player.name))
    assert sure <= counted <= sure + doubtful


def settled(players: tuple[Player, Player], ids: list[str]) -> bool:
    """Nothing more can happen."""
    for player in players:
        for id in ids:
            session = player.session(id)
            if session is None or not session.status.ended:
                return False
        if player.store.outbox.counts():
            return False
    return True


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row", "chess"])
@pytest.mark.parametrize("seed", range(2))
def test_games_over_a_rough_air_end_equal(app: str, seed: int) -> None:
    air = Air(seed, ROUGH, propagation=bool(seed % 2))
    run(lambda loop: play(loop, air, app, count=4 if app != "chess" else 1))


def test_games_over_a_rough_air_survive_restarts() -> None:
    run(lambda loop: play(loop, Air(77, ROUGH, propagation=True), "ttt", count=4, restarts=True))


@pytest.mark.parametrize(("app", "count"), [("four_in_a_row", 5), ("chess", 2)])
def test_a_move_at_a_propagation_node_when_the_game_ends(app: str, count: int) -> None:
    """The end is delivered before the peer has fetched it: it is not forgotten."""
    run(partial(play, air=Air(3003, ROUGH, propagation=True), app=app, count=count))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_games_and_a_hundred_of_chess(part: int) -> None:
    """In ten parts: 1,000 games of tic-tac-toe and four in a row, 100 of chess."""
    for app, count, rounds in (("ttt", 5, 10), ("four_in_a_row", 5, 10), ("chess", 2, 5)):
        for n in range(rounds):
            seed = 1000 * part + n
            air = Air(seed, ROUGH, propagation=bool(seed % 2))
            run(partial(play, air=air, app=app, count=count, restarts=bool(seed % 3)))

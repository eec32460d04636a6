"""Who gets a seat, and when a platform is asked again."""

from __future__ import annotations

import asyncio

import pytest

from gateway.gates import PlatformGate
from gateway.limiter import FAILURE_PAUSES, LONGEST, Limiter
from gateway.policy import GatePolicy, Players, Standing, Verdict, judge
from gateway.settings import RouteError, routes
from storage.gateway_model import Pause

PEER = "a" * 32


@pytest.mark.parametrize(
    ("players", "standing", "verdict"),
    [
        (Players.EVERYONE, Standing(), Verdict.TAKE),
        (Players.CONTACTS, Standing(), Verdict.IGNORE),
        (Players.CONTACTS, Standing(contact=True), Verdict.TAKE),
        (Players.LISTED, Standing(contact=True), Verdict.IGNORE),
        (Players.LISTED, Standing(local=True), Verdict.TAKE),
        (Players.EVERYONE, Standing(local=True, house=True), Verdict.DECLINE),
    ],
)
def test_who_gets_a_seat(players: Players, standing: Standing, verdict: Verdict) -> None:
    assert judge(PEER, standing, GatePolicy(players=players)).verdict is verdict


def test_lists_go_first() -> None:
    listed = frozenset((PEER,))
    assert judge(PEER, Standing(), GatePolicy(players=Players.LISTED, allow=listed)).verdict is Verdict.TAKE
    both = GatePolicy(players=Players.EVERYONE, allow=listed, block=listed)
    assert judge(PEER, Standing(local=True), both).verdict is Verdict.IGNORE


def test_routes() -> None:
    assert routes(("chess=rcadia", " ttt = arcade ")) == {"chess": "rcadia", "ttt": "arcade"}
    for wrong in ("chess", "chess=", "draughts=rcadia"):
        with pytest.raises(RouteError):
            routes((wrong,))


class Shelf:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Pause] = {}

    async def put(self, pause: Pause) -> None:
        self.kept[pause.platform, pause.account] = pause

    async def drop(self, platform: str, account: str) -> None:
        del self.kept[platform, account]


def test_what_a_platform_says_holds_over_a_restart() -> None:
    async def main() -> None:
        shelf = Shelf()
        limiter = Limiter((), shelf)
        await limiter.told("rcadia", "main", 120.0, "busy", 1000.0)
        again = Limiter(shelf.kept.values(), shelf)
        assert again.wait("rcadia", "main", 1010.0) == 110.0
        assert again.wait("rcadia", "other", 1010.0) == 0.0
        assert again.wait("rcadia", "main", 1121.0) == 0.0
        await again.worked("rcadia", "main")
        assert shelf.kept == {}

    asyncio.run(main())


def test_a_pause_of_the_platform_holds_for_every_account() -> None:
    async def main() -> None:
        limiter = Limiter((), Shelf())
        await limiter.told("rcadia", "", 60.0, "busy", 0.0)
        assert limiter.wait("rcadia", "main", 1.0) == 59.0

    asyncio.run(main())


def test_failures_make_the_pauses_longer() -> None:
    async def main() -> None:
        shelf, waits = Shelf(), []
        limiter = Limiter((), shelf)
        for _ in range(len(FAILURE_PAUSES) + 2):
            await limiter.failed("rcadia", "main", "no answer", 1000.0)
            waits.append(limiter.wait("rcadia", "main", 1000.0))
        assert waits == sorted(waits)
        assert waits[-1] == FAILURE_PAUSES[-1]
        await limiter.worked("rcadia", "main")
        await limiter.failed("rcadia", "main", "no answer", 1000.0)
        assert limiter.wait("rcadia", "main", 1000.0) == FAILURE_PAUSES[1]

    asyncio.run(main())


def test_neither_a_platform_nor_a_clock_keeps_us_away_for_ever() -> None:
    async def main() -> None:
        limiter = Limiter((), Shelf())
        await limiter.told("rcadia", "main", 1e12, "go away", 1000.0)
        assert limiter.wait("rcadia", "main", 1000.0) == LONGEST
        assert limiter.wait("rcadia", "main", -1e9) == LONGEST

    asyncio.run(main())


def test_the_gate_of_a_client() -> None:
    async def main() -> None:
        shelf, tasks = Shelf(), []
        limiter = Limiter((), shelf)
        now = 1000.0
        gate = PlatformGate(
            limiter, "rcadia", lambda: now, lambda work: tasks.append(asyncio.create_task(work))
        )
        assert gate.remaining() == 0.0
        gate.hold(30.0)
        assert gate.remaining() == 30.0
        await asyncio.gather(*tasks)
        assert shelf.kept["rcadia", ""].until == 1030.0

    asyncio.run(main())

"""Crossing: both act before either has heard of the other's action.

Both sides must end equal, or each side that differs must say so; none may be silently different.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.session import Status
from tests.node.network import Air, Faults
from tests.node.players import A, B, Player, pair
from tests.node.virtual import VirtualLoop, run

DAY = 86_400.0

COMMANDS = ("accept", "decline", "move", "resign", "draw_offer", "claim", "draw_accept", "draw_decline")


@dataclass(frozen=True)
class Situation:
    """Before the crossing: how far the game is, and who has offered a draw."""

    started: bool
    moves: int = 0
    offer: str = ""


SITUATIONS = {
    "pending": Situation(started=False),
    "a to move": Situation(started=True),
    "b to move": Situation(started=True, moves=1),
    "a to move, offer of a": Situation(started=True, offer=A),
    "a to move, offer of b": Situation(started=True, offer=B),
    "b to move, offer of a": Situation(started=True, moves=1, offer=A),
    "b to move, offer of b": Situation(started=True, moves=1, offer=B),
    "one move before the end": Situation(started=True, moves=4),
}


async def arrive(a: Player, b: Player, app: str, situation: Situation) -> str:
    id = await a.challenge(B, app)
    await asyncio.sleep(2)
    if situation.started:
        await b.act(id, "accept")
        await asyncio.sleep(2)
    # White in chess is drawn by lot: whoever is to move first is `a` of the situation's name.
    session = a.session(id)
    assert session is not None
    first, second = a, b
    if situation.started and not a.games[app].view(session, A).my_turn:
        first, second = b, a
    for n in range(situation.moves):
        mover = (first, second)[n % 2]
        await move(mover, id, n)
        await asyncio.sleep(2)
    if situation.offer:
        await (first if situation.offer == A else second).act(id, "draw_offer")
        await asyncio.sleep(2)
    return id


async def move(player: Player, id: str, n: int = 0) -> bool:
    session = player.session(id)
    assert session is not None
    legal = player.games[session.app_id].view(session, player.name).legal
    if not legal:
        return False
    # In tic-tac-toe the first player fills the upper row: its third move wins.
    pick = {"ttt": (0, 3, 1, 4, 2)}.get(session.app_id)
    intent = dict(legal[0].intent)
    if pick is not None and n < len(pick) and {"i": pick[n]} in [dict(m.intent) for m in legal]:
        intent = {"i": pick[n]}
    return await player.tries(id, "move", **intent)


def allowed(player: Player, id: str, command: str) -> bool:
    """Without doing it."""
    session = player.session(id)
    assert session is not None
    name, intent = command, {}
    if command == "move":
        legal = player.games[session.app_id].view(session, player.name).legal
        if not legal:
            return False
        intent = dict(legal[0].intent)
    elif command == "claim":
        name, intent = "draw_offer", {"r": "rep"}
    now = player.node.now()
    try:
        player.node.router.prepare(player.name, session.peer, session.app_id, name, intent, id, now)
    except CallerError:
        return False
    return True


async def do(player: Player, id: str, command: str, n: int) -> bool:
    if command == "move":
        return await move(player, id, n)
    if command == "claim":
        session = player.session(id)
        assert session is not None
        return await player.tries(id, "draw_offer", r="rep")
    return await player.tries(id, command)


def check(a: Player, b: Player, id: str, what: Any) -> None:
    """Equal, or declared wherever somebody can do something about it."""
    one, other = a.session(id), b.session(id)
    assert one is not None
    assert other is not None
    same = a.state(id) == b.state(id) or ended_alike(a, b, id)
    flags = [("out_of_sync" in player.flags(id)) for player in (a, b)]
    if not same:
        story = (what, a.state(id), b.state(id), a.flags(id), b.flags(id))
        assert any(flags), story
        # Where it goes on for one and not for the other, both are told.
        assert all(flags) or one.status.ended == other.status.ended, story


def ended_alike(a: Player, b: Player, id: str) -> bool:
    one, other = a.session(id), b.session(id)
    assert one is not None
    assert other is not None
    if not (one.status.ended and one.status is other.status):
        return False
    game = a.games[one.app_id]
    return game.view(one, A).result == game.view(other, B).result


@pytest.mark.parametrize("name", SITUATIONS)
def test_crossed_pairs_of_all_commands(name: str) -> None:
    cross_all(name, "ttt", errors_lost=False)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("errors_lost", [False, True])
@pytest.mark.parametrize("app", ["ttt", "four_in_a_row", "chess"])
@pytest.mark.parametrize("name", SITUATIONS)
def test_crossed_pairs_of_all_commands_in_all_games(name: str, app: str, errors_lost: bool) -> None:
    cross_all(name, app, errors_lost=errors_lost)


def cross_all(name: str, app: str, *, errors_lost: bool) -> None:
    situation = SITUATIONS[name]
    crossed = 0

    async def possible(loop: VirtualLoop) -> tuple[list[str], list[str]]:
        a, b = await pair(Air(3), loop)
        id = await arrive(a, b, app, situation)
        both = [[command for command in COMMANDS if allowed(player, id, command)] for player in (a, b)]
        await a.stop()
        await b.stop()
        return both[0], both[1]

    async def main(loop: VirtualLoop, first: str, second: str) -> bool:
        air = Air(3)
        a, b = await pair(air, loop)
        id = await arrive(a, b, app, situation)
        done = await do(a, id, first, situation.moves) & await do(b, id, second, situation.moves)
        if errors_lost:
            # What an error answer would have said is lost for ever; the rest is tried again.
            for endpoint in (a.endpoint, b.endpoint):
                real = endpoint.send
                endpoint.send = lambda message, real=real: real(message) if message.ref else None  # type: ignore[method-assign]
        if done:
            await asyncio.sleep(5)
            for _ in range(8):
                await asyncio.sleep(3600)
                a.endpoint.announce()
                b.endpoint.announce()
            check(a, b, id, (first, second))
        await a.stop()
        await b.stop()
        return done

    of_a, of_b = run(possible)
    for first in of_a:
        for second in of_b:
            crossed += run(partial(main, first=first, second=second))
    assert crossed >= (2 if situation.started else 1)


@pytest.mark.parametrize("late", [0.0, 3.0])
def test_a_draw_that_both_claim_at_once_leaves_no_flag(late: float) -> None:
    """Each refuses the other's claim, as its own has ended the game: in the same way. ``late``: by which the
    second claim is on the way for longer, so that the peer's error comes before its claim."""

    async def main(loop: VirtualLoop) -> None:
        air = Air(3)
        a, b = await pair(air, loop)
        id = await a.challenge(B, "chess")
        await asyncio.sleep(2)
        await b.act(id, "accept")
        await asyncio.sleep(2)
        for move in ("g1f3", "g8f6", "f3g1", "f6g8") * 2:
            session = a.session(id)
            assert session is not None
            await (a if session.metadata["turn"] == A else b).act(id, "move", m=move)
            await asyncio.sleep(2)
        await a.act(id, "draw_offer", r="3fr")
        air.faults = Faults(delay=0.01 + late)
        await b.act(id, "draw_offer", r="3fr")
        for _ in range(8):
            await asyncio.sleep(3600)
            a.endpoint.announce()
            b.endpoint.announce()
        for player in (a, b):
            session = player.session(id)
            assert session is not None
            assert session.status is Status.COMPLETED
            assert session.metadata["reason"] == "3fr"
            assert player.flags(id) == {}
        await a.stop()
        await b.stop()

    run(main)


def test_the_flag_goes_with_the_next_accepted_action() -> None:
    async def main(loop: VirtualLoop) -> None:
        a, b = await pair(Air(1), loop)
        id = await arrive(a, b, "ttt", SITUATIONS["a to move"])
        await a.act(id, "draw_offer")
        await b.act(id, "draw_offer")
        await asyncio.sleep(2)
        for player in (a, b):
            assert "draw_offer" in player.flags(id)["out_of_sync"]
            assert len(player.of("game.out_of_sync")) == 1
        await a.act(id, "move", i=4)
        await asyncio.sleep(2)
        assert b.flags(id) == {}
        assert len(b.of("game.in_sync")) == 1
        await b.act(id, "move", i=0)
        await asyncio.sleep(2)
        assert a.flags(id) == {}
        assert a.state(id) == b.state(id)
        for player in (a, b):
            await player.stop()

    run(main)


def test_an_error_about_a_copy_counts_only_if_the_peer_stays_silent() -> None:
    async def main(loop: VirtualLoop, silent: bool) -> None:
        air = Air(1)
        a, b = await pair(air, loop)
        id = await arrive(a, b, "ttt", SITUATIONS["a to move"])
        # The proof is lost and the peer forgets the nonce: it answers the copy with an error.
        air.faults = Faults(proof_lost=1.0)
        await a.act(id, "move", i=4)
        await asyncio.sleep(5)
        air.faults = Faults()
        b.store.mail.handled = lambda key, nonce, message_hash: False  # type: ignore[method-assign]
        b.node.router._replay.remove(B, id)
        await asyncio.sleep(120)
        assert a.of("game.error")
        assert a.flags(id).keys() == {"doubt"}
        if silent:
            await a.restart()
            await asyncio.sleep(DAY / 4 + 60)
            assert a.flags(id).keys() == {"out_of_sync"}
            assert a.of("game.out_of_sync")
        else:
            await b.act(id, "move", i=0)
            await asyncio.sleep(2)
            assert a.flags(id) == {}
            await asyncio.sleep(DAY / 2)
            assert a.flags(id) == {}
            assert not a.of("game.out_of_sync")
        assert a.session(id).status is Status.ACTIVE  # type: ignore[union-attr]
        await a.stop()
        await b.stop()

    run(lambda loop: main(loop, silent=True))
    run(lambda loop: main(loop, silent=False))

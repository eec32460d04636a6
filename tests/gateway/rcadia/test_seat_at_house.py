"""The seat at tables of the real arcade, against the house: what their forms, words and rounds are to us."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.lines import line_of
from gateway.rcadia.hosting.plan import HostSettings
from gateway.rcadia.platform import RcadiaPlatform
from gateway.rcadia.seat import RcadiaSeat
from gateway.seat import Account, Finished, Joined, Reason, Rematch, Said, Winner, Word, YourTurn
from gateway.secret import Secret
from tests.gateway.rcadia.hosting.arcade import Agent
from tests.gateway.rcadia.hosting.house import House, house
from tests.gateway.rcadia.playing import QUICK, Player, of_kind

TTT = HostSettings(games=("ttt",), house_after=0.0, turn_timeout=120)
TIMING = replace(QUICK, rematch=3)


async def note(key: Any) -> None:
    """These tests do not restart."""


async def sit(one: House, app: str) -> RcadiaSeat:
    await one.town.open_tables()
    platform = RcadiaPlatform("rcadia", one.connections, timing=TIMING)
    account = Account(platform="rcadia", name="ann", token=Secret(one.town.tokens["ann"]))
    return await platform.open_seat(app, None, account, "Ann", note)


def first_legal(turn: YourTurn) -> Any:
    """A move that everything agrees on: the rules, the table, and the list of moves so far."""
    assert turn.board is not None
    assert turn.board.moves is not None
    line = line_of("ttt", [move["i"] for move in turn.board.moves])
    assert turn.legal == line_intents(turn)
    assert line.text() == turn.board.position
    return turn.legal[0]


def line_intents(turn: YourTurn) -> Any:
    assert turn.board is not None
    return tuple({"i": at} for at, cell in enumerate(turn.board.position) if cell == "_")


@pytest.mark.parametrize("app", ["chess", "four_in_a_row"])
def test_a_game_until_we_resign(tmp_path: Path, app: str) -> None:
    async def main() -> None:
        settings = HostSettings(games=(app,), house_after=0.0, turn_timeout=120)
        async with house(tmp_path, settings) as one:
            seat = await sit(one, app)
            player = Player(seat, lambda turn: turn.legal and turn.legal[-1] if turn.turn < 6 else None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn) and event.turn >= 6)
            await seat.say(Word.RESIGN)
            await running
            end = of_kind(player.events, Finished)[-1]
            assert end.winner is Winner.THEM
            assert end.reason is Reason.RESIGNED
            assert end.board is not None
            assert Word.DRAW_OFFER in of_kind(player.events, Joined)[-1].words

    asyncio.run(main())


@pytest.mark.slow
def test_two_rounds_with_the_order_swapped(tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path, TTT) as one:
            seat, firsts = await sit(one, "ttt"), []
            for _ in range(2):
                player = Player(seat, first_legal)
                await player.run()
                firsts.append(of_kind(player.events, Joined)[-1].first)
                assert isinstance(player.events[-2], Finished)
                assert player.events[-2].reason is Reason.BOARD
                assert isinstance(player.events[-1], Rematch)
                seat = await seat.rematch()
            await seat.leave()
            assert len(set(firsts)) == 2

    asyncio.run(main())


@pytest.mark.slow
def test_a_draw_is_offered_and_accepted(tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path, replace(TTT, house=False, rematch=False)) as one:
            seat = await sit(one, "ttt")
            other = Agent(one.town, "eve")
            await other.join(seat.resume_key["session"])
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn))
            await seat.say(Word.DRAW_OFFER)
            turn = await player.until(lambda event: isinstance(event, YourTurn) and event.turn == 2)
            assert isinstance(turn, YourTurn)
            await seat.act({"i": 4}, turn.turn)
            snapshot = await other.state(wait=20)
            assert snapshot["yourTurn"]
            assert {"type": "accept_draw"} in snapshot["legalActions"]
            await other.act(snapshot, {"type": "move", "cell": 0, "row": 0, "column": 0})
            later = await player.until(lambda event: isinstance(event, YourTurn) and event.turn > 2)
            assert isinstance(later, YourTurn)
            await seat.act({"i": 8}, later.turn)
            snapshot = await other.state(wait=20)
            await other.act(snapshot, {"type": "offer_draw"})
            snapshot = await other.state()
            await other.act(snapshot, {"type": "move", "cell": 1, "row": 0, "column": 1})
            await player.until(lambda event: isinstance(event, Said))
            await player.until(lambda event: isinstance(event, YourTurn) and event.turn > later.turn)
            await seat.say(Word.DRAW_ACCEPT)
            await running
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert (end.winner, end.reason) == (Winner.NONE, Reason.AGREED)

    asyncio.run(main())


def test_a_restart_of_the_arcade(tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path, TTT) as one:
            seat = await sit(one, "ttt")
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, Joined) and event.begun)
            await one.town.restart()
            events = await running
            assert "lost" in events[-1].reason  # type: ignore[attr-defined]

    asyncio.run(main())

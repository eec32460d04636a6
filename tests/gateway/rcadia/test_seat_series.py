"""Rematches (§6), tables that cannot be played, and what can be said beside moves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from gateway.seat import (
    CannotPlay,
    Finished,
    Joined,
    Lost,
    NoTable,
    Outcome,
    Reason,
    Rematch,
    Said,
    SeatLost,
    Side,
    Unreachable,
    Winner,
    Word,
    YourTurn,
)
from tests.gateway.rcadia import forms
from tests.gateway.rcadia.playing import QUICK, Player, Web, desk, of_kind, scripted
from tests.gateway.rcadia.table_games import ChessGame, TicTacToeGame

MATE = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
LATER = replace(QUICK, rematch=3)


def test_a_series_with_swapped_colours() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(ChessGame)
            table.auto_rematch = True
            seat = await d.sit(table, "chess")
            table.sit("Fish")
            firsts = []
            for round_ in (1, 2, 3):
                player = Player(seat, scripted("m", MATE))
                web = asyncio.ensure_future(Web(table, MATE, 1).run())
                await player.run()
                await web
                firsts.append(of_kind(player.events, Joined)[-1].first)
                end, invitation = player.events[-2:]
                assert isinstance(end, Finished)
                assert end.winner is (Winner.US if round_ % 2 else Winner.THEM)
                assert isinstance(invitation, Rematch)
                assert invitation.until is not None
                assert table.next is not None
                assert not table.next.seats[0].ready, "the next session was touched before the player agreed"
                table = table.next
                seat = await seat.rematch()
                assert table.seats[0].ready
            assert firsts == [Side.US, Side.THEM, Side.US]
            assert d.server.violations == []
            assert d.server.calls.count("POST join") == 1

    asyncio.run(main())


def test_a_rematch_that_the_game_asks_for_later() -> None:
    async def main() -> None:
        async with desk(LATER) as d:
            table = d.server.table(TicTacToeGame)
            seat = await d.sit(table, "ttt")
            table.sit("Fish")
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn))
            table.leave(table.seats[1])
            await player.until(lambda event: isinstance(event, Finished))
            table.seats[1].opted_out = False
            table.rematch()
            await running
            assert isinstance(player.events[-1], Rematch)

    asyncio.run(main())


def test_opting_out() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(TicTacToeGame)
            table.auto_rematch = True
            seat = await d.sit(table, "ttt")
            table.sit("Fish")
            player = Player(seat, scripted("i", [0, 3, 1, 4, 2]))
            web = asyncio.ensure_future(Web(table, ["0", "3", "1", "4", "2"], 1).run())
            await player.run()
            await web
            assert isinstance(player.events[-1], Rematch)
            await seat.leave()
            assert table.next is not None
            assert [one.name for one in table.next.seats] == ["Fish"]
            with pytest.raises(SeatLost):
                await seat.rematch()
            assert d.server.violations == []

    asyncio.run(main())


def test_a_reservation_that_is_over() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(TicTacToeGame)
            table.auto_rematch = True
            seat = await d.sit(table, "ttt")
            table.sit("Fish")
            player = Player(seat, scripted("i", [0, 3, 1, 4, 2]))
            web = asyncio.ensure_future(Web(table, ["0", "3", "1", "4", "2"], 1).run())
            await player.run()
            await web
            assert table.next is not None
            del table.next.seats[0]  # §6: players who never showed up lose their seat
            with pytest.raises(SeatLost):
                await seat.rematch()

    asyncio.run(main())


def test_a_series_goes_on_after_a_restart_of_ours() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(TicTacToeGame)
            table.auto_rematch = True
            seat = await d.sit(table, "ttt")
            table.sit("Fish")
            player = Player(seat, scripted("i", [0, 3, 1, 4, 2]))
            web = asyncio.ensure_future(Web(table, ["0", "3", "1", "4", "2"], 1).run())
            await player.run()
            await web
            again = await d.platform.resume(seat.resume_key, d.account)
            events = [event async for event in again.events()]
            assert [type(event) for event in events] == [Joined, Finished, Rematch]
            assert events[1].winner is Winner.US
            following = await again.rematch()
            assert following.resume_key["moves"] == []
            assert d.server.violations == []

    asyncio.run(main())


class Hexes(TicTacToeGame):
    """A game in a form that nobody knows."""

    def state(self) -> Any:
        return {"hexes": {"q0r0": "amber"}, "layout": "axial-7-rings"}


def test_an_unknown_form_before_the_game_takes_no_seat() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(Hexes)
            table.state = table.game.state()
            with pytest.raises(CannotPlay, match="cannot be played"):
                await d.sit(table, "ttt")
            assert d.server.calls.count("POST join") == 0
            assert table.seats == []
            assert d.keys == []

    asyncio.run(main())


@pytest.mark.parametrize("title", ["Chess Poker", "Go", ""])
def test_an_unknown_game_takes_no_seat(title: str) -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(TicTacToeGame)
            table.game.title = title  # type: ignore[misc]
            assert await d.platform.tables() == []
            with pytest.raises(CannotPlay):
                await d.sit(table, "ttt")
            assert d.server.calls.count("POST join") == 0

    asyncio.run(main())


def test_an_unknown_form_on_our_turn_gives_the_seat_back() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(Hexes)
            seat = await d.sit(table, "ttt")
            table.sit("Fish")
            player = Player(seat, lambda turn: None)
            events = await player.run()
            end = events[-1]
            assert isinstance(end, Lost)
            assert "cannot be played" in end.reason
            assert of_kind(events, YourTurn) == []
            assert table.status == "finished"
            assert table.result["reason"] == "left"
            assert table.accepted == []

    asyncio.run(main())


def test_a_seat_that_is_closed_meanwhile_is_not_given_back() -> None:
    async def main() -> None:
        async with desk(replace(QUICK, unreadable=(30.0, 30.0))) as d:
            table = d.server.table(Hexes)
            seat = await d.sit(table, "ttt")
            table.sit("Fish")
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, Joined) and event.begun)
            await seat.close()
            await running
            assert table.status == "active"
            assert "POST leave" not in d.server.calls

    asyncio.run(main())


def test_legal_actions_that_come_after_the_state() -> None:
    """A game may publish its state, and what may be done in it, one after the other."""

    async def main() -> None:
        async with desk(replace(QUICK, unreadable=(0.2,) * 50)) as d:
            table = d.server.table(TicTacToeGame)
            seat = await d.sit(table, "ttt")
            table.sit("Fish")
            table.legal = {"0": "nothing yet"}
            table.bump()
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await asyncio.sleep(0.1)  # some looks do not fit, a later one will
            table.legal = table.game.legal()
            table.bump()
            await player.until(lambda event: isinstance(event, YourTurn))
            await seat.close()
            await running
            assert of_kind(player.events, Lost) == []

    asyncio.run(main())


def test_tables_are_listed_with_somebody_waiting_first() -> None:
    async def main() -> None:
        async with desk() as d:
            empty = d.server.table(TicTacToeGame)
            chess = d.server.table(ChessGame)
            waiting = d.server.table(TicTacToeGame)
            waiting.sit("Fish")
            full = d.server.table(TicTacToeGame)
            full.sit("A")
            full.sit("B")
            listed = await d.platform.tables("ttt")
            assert [(one.id, one.players, one.seats, one.host) for one in listed] == [
                (waiting.id, 1, 2, "house"),
                (empty.id, 0, 2, "house"),
            ]
            assert {one.app for one in await d.platform.tables()} == {"ttt", "chess"}
            with pytest.raises(NoTable, match="no free seat"):
                await d.sit(full, "ttt")
            with pytest.raises(CannotPlay):
                await d.sit(chess, "ttt")
            with pytest.raises(NoTable):
                await d.platform.open_seat("ttt", "ses_123412345678", d.account, "Ann", d.note)
            seat = await d.platform.open_seat("ttt", None, d.account, "Ann", d.note)
            assert seat.resume_key["session"] == waiting.id
            other = await d.platform.open_seat("ttt", None, d.account, "Ann", d.note, avoid=[waiting.id])
            assert other.resume_key["session"] == empty.id
            with pytest.raises(NoTable):
                await d.platform.open_seat("four_in_a_row", None, d.account, "Ann", d.note)

    asyncio.run(main())


def test_the_check_of_an_account() -> None:
    async def main() -> None:
        async with desk() as d:
            await d.platform.check(None)
            await d.platform.check(d.account)
            d.server.fail("GET state", (503, {}))
            with pytest.raises(Unreachable):
                await d.platform.check(d.account)
            d.server.fail("GET available", (503, {"Retry-After": "7"}))
            with pytest.raises(Unreachable) as caught:
                await d.platform.check(None)
            assert caught.value.retry_after == 7

    asyncio.run(main())


class Polite(ChessGame):
    """Chess with more to say than moves."""

    drawn = False

    def legal(self) -> dict[str, Any]:
        return {**super().legal(), "resign": {"type": "resign"}, "draw": {"type": "offer_draw"}}

    def play(self, name: str) -> None:
        if name in ("resign", "draw"):
            self.drawn = True
        else:
            super().play(name)

    def state(self) -> Any:
        offer = {"drawOffer": "black"} if len(self.moves) == 2 else {}
        return {**forms.chess_state("fen", self.moves), **offer}

    def over(self) -> tuple[int | None, str] | None:
        return (None, "agreement") if self.drawn else super().over()


def test_words_that_the_game_takes() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(Polite)
            seat = await d.sit(table, "chess")
            table.sit("Fish")
            player = Player(seat, scripted("m", ["e2e4"]))
            player.choose = lambda turn: {"m": "e2e4"} if turn.turn == 1 else None
            running = asyncio.ensure_future(player.run())
            web = asyncio.ensure_future(Web(table, MATE[:2], 1).run())
            said = await player.until(lambda event: isinstance(event, Said))
            assert isinstance(said, Said)
            assert said.word is Word.DRAW_OFFER
            turn = await player.until(lambda event: isinstance(event, YourTurn) and event.turn == 3)
            assert isinstance(turn, YourTurn)
            assert {"m": "d1h5"} in (turn.legal or ())
            words = of_kind(player.events, Joined)[-1].words
            assert words == {Word.RESIGN, Word.DRAW_OFFER}
            assert await seat.say(Word.DRAW_OFFER) is Outcome.APPLIED
            await running
            await web
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert (end.winner, end.reason) == (Winner.NONE, Reason.AGREED)
            assert d.server.violations == []

    asyncio.run(main())

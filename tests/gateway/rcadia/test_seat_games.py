"""Whole games through the seat, against a server that is strict about its client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gateway.seat import (
    Finished,
    Joined,
    Lost,
    OpponentMoved,
    Reason,
    Side,
    Winner,
    Word,
    YourTurn,
)
from tests.gateway.rcadia.playing import Desk, Player, Web, desk, of_kind, scripted
from tests.gateway.rcadia.strict_server import Table
from tests.gateway.rcadia.table_games import ChessGame, FourGame, TableGame, TicTacToeGame

# ruff: noqa: SIM905 - games are easier to read in this form
MATE = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7".split()
PROMOTED_MATE = [
    *"e2e4 d7d5 e4e5 f7f5 e5f6 g8h6 f6g7 e8f7 g1f3 c8g4 f1e2 b8c6 e1g1 e7e5".split(),
    *"g7h8n f7g8 c2c3 g4h3 e2a6 h6g4 a2a3 g4e3 g1h1 d8d7 f3g1 h3g2".split(),
]
STALEMATE = [
    *"e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7".split(),
    *"d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6".split(),
]

DRAWN_ROW = [0, 4, 8, 1, 7, 6, 2, 5, 3]
ACROSS = [0, 3, 1, 4, 2]
FOUR_UP = [3, 2, 3, 2, 3, 2, 3]


async def play(d: Desk, table: Table, app: str, key: str, script: list[Any], us: int) -> Player:
    """The whole script, with us in seat ``us``."""
    if us == 1:
        table.sit("Fish")
    seat = await d.sit(table, app)
    player = Player(seat, scripted(key, script))
    if us == 0:
        table.sit("Fish")
    web = asyncio.ensure_future(Web(table, [str(move) for move in script], 1 - us).run())
    await player.run()
    await web
    return player


def whole(game: Callable[[], TableGame], app: str, key: str, script: list[Any], us: int) -> Player:
    async def main() -> Player:
        async with desk() as d:
            table = d.server.table(game)
            player = await play(d, table, app, key, script, us)
            assert [str(move) for move in table.game.moves] == [str(move) for move in script]
            assert d.server.violations == []
            turns = [turn for turn, _ in table.accepted]
            assert turns == sorted(set(turns)), "an action was sent twice"
            return player

    return asyncio.run(main())


@pytest.mark.parametrize("us", [0, 1])
@pytest.mark.parametrize(
    ("state", "action"),
    [("fen", "uci"), ("san", "san"), ("chess.js", "typed"), ("from black", "rows"), ("pgn", "in data")],
)
def test_chess_to_mate(state: str, action: str, us: int) -> None:
    player = whole(lambda: ChessGame(state, action), "chess", "m", MATE, us)
    joined = of_kind(player.events, Joined)
    assert joined[0].first is None or joined[0].begun
    assert joined[-1].first is (Side.US if us == 0 else Side.THEM)
    assert {one.name: one.side for one in joined[-1].players} == {"Ann": Side.US, "Fish": Side.THEM}
    assert Word.RESIGN in joined[-1].words
    moved = of_kind(player.events, OpponentMoved)
    assert [event.intent["m"] for event in moved] == MATE[1 - us :: 2]
    assert [event.ply for event in moved] == list(range(1 - us, len(MATE), 2))
    end = player.events[-1]
    assert isinstance(end, Finished)
    assert (end.winner, end.reason) == (Winner.US if us == 0 else Winner.THEM, Reason.BOARD)
    assert end.text == "checkmate"
    assert end.board is not None
    assert end.board.moves == tuple({"m": move} for move in MATE)


@pytest.mark.parametrize("state", ["fen", "two letters", "objects", "rows without turn"])
def test_castling_en_passant_and_a_knight_for_a_pawn(state: str) -> None:
    player = whole(lambda: ChessGame(state, "object"), "chess", "m", PROMOTED_MATE, 0)
    end = player.events[-1]
    assert isinstance(end, Finished)
    assert (end.winner, end.reason) == (Winner.THEM, Reason.BOARD)
    assert end.board is not None
    assert end.board.moves is not None
    assert {"m": "e1h1"} in end.board.moves  # castling as LRGP writes it
    assert {"m": "g7h8n"} in end.board.moves


def test_stalemate() -> None:
    end = whole(lambda: ChessGame("placement", "list"), "chess", "m", STALEMATE, 1).events[-1]
    assert isinstance(end, Finished)
    assert (end.winner, end.reason, end.text) == (Winner.NONE, Reason.BOARD, "stalemate")


TTT_FORMS = [("flat", "0 to 8"), ("object from 1", "position from 1"), ("rows", "list")]
FOUR_FORMS = [("rows", "column"), ("stacks", "1 to 7"), ("bottom first", "typed")]


@pytest.mark.parametrize("us", [0, 1])
@pytest.mark.parametrize(("state", "action"), TTT_FORMS)
def test_tic_tac_toe(state: str, action: str, us: int) -> None:
    player = whole(lambda: TicTacToeGame(state, action), "ttt", "i", ACROSS, us)
    end = player.events[-1]
    assert isinstance(end, Finished)
    assert (end.winner, end.reason) == (Winner.US if us == 0 else Winner.THEM, Reason.BOARD)
    assert end.board is not None
    assert end.board.position == "XXXOO____"


def test_a_drawn_game() -> None:
    end = whole(TicTacToeGame, "ttt", "i", DRAWN_ROW, 1).events[-1]
    assert isinstance(end, Finished)
    assert (end.winner, end.reason) == (Winner.NONE, Reason.BOARD)


@pytest.mark.parametrize("us", [0, 1])
@pytest.mark.parametrize(("state", "action"), FOUR_FORMS)
def test_connect_four(state: str, action: str, us: int) -> None:
    player = whole(lambda: FourGame(state, action), "four_in_a_row", "c", FOUR_UP, us)
    end = player.events[-1]
    assert isinstance(end, Finished)
    assert (end.winner, end.reason, end.text) == (
        Winner.US if us == 0 else Winner.THEM,
        Reason.BOARD,
        "connect four",
    )


def test_every_turn_is_told_once() -> None:
    player = whole(TicTacToeGame, "ttt", "i", ACROSS, 0)
    turns = of_kind(player.events, YourTurn)
    assert [event.turn for event in turns] == [1, 3, 5]
    assert turns[0].legal == tuple({"i": cell} for cell in range(9))
    assert turns[0].deadline is not None
    assert of_kind(player.events, Lost) == []


def test_whoever_listens_again_is_told_from_the_beginning() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(ChessGame)
            seat = await d.sit(table, "chess")
            table.sit("Fish")
            told = []
            for _ in range(2):
                kinds = []
                async for event in seat.events():
                    kinds.append(type(event))
                    if isinstance(event, YourTurn):
                        break
                told.append(kinds)
            assert told[0][0] is told[1][0] is Joined
            assert told[1] == [Joined, YourTurn]
            await seat.leave()
            ends = [[type(event) async for event in seat.events()] for _ in range(2)]
            assert [(kinds[0], kinds[-1]) for kinds in ends] == [(Joined, Finished)] * 2

    asyncio.run(asyncio.wait_for(main(), 60))

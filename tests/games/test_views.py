"""What a screen gets to show, for both players and in every status."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, replace
from typing import Any

import chess
import chess.pgn
import pytest

from games.chess import Chess
from lrgpnode.protocol.game import GameView, Reason
from lrgpnode.protocol.session import Status
from tests.games.table import ANN, APPS, BEN, FIRST, GAMES, NOW, Table, words
from tests.games.test_hydration import records

MATE = "f2f3 e7e5 g2g4 d8h4"
SHUFFLE = "g1f3 g8f6 f3g1 f6g8 "


def line(app: str, moves: str, *, white: str = ANN) -> Table:
    (key,) = FIRST[app]
    kind: Any = str if app == "chess" else int
    return Table.active(app, white=white).moves(*({key: kind(move)} for move in words(moves)))


def seen(table: Table, viewer: str) -> GameView:
    return table.game.view(table.sides[viewer], viewer)


@pytest.mark.parametrize("app", APPS)
def test_views_of_everything(app: str) -> None:
    rows, columns = {"ttt": (3, 3), "chess": (8, 8), "four_in_a_row": (6, 7)}[app]
    for session in records(app):
        for viewer in (ANN, BEN):
            view = GAMES[app].view(session, viewer)
            assert (len(view.grid), {len(row) for row in view.grid}) == (rows, {columns})
            assert (len(view.row_labels), len(view.column_labels)) == (rows, columns)
            assert {cell for row in view.grid for cell in row} - {""} <= view.tokens.keys()
            assert view.status_line.endswith(".")
            assert view.ply == len(view.history) == session.metadata["move_count"]
            assert (view.result is not None) is session.status.ended
            assert view.my_turn is (session.status is Status.ACTIVE and view.turn == viewer)
            assert bool(view.legal) is view.my_turn
            assert len(view.last_cells) == (0 if not view.ply else 2 if app == "chess" else 1)
            for row, column in view.last_cells:
                assert 0 <= row < rows
                assert 0 <= column < columns
            json.dumps(asdict(replace(view, tokens=dict(view.tokens), legal=())), allow_nan=False)
            for move in view.legal:
                json.dumps(dict(move.intent))
                assert move.target is not None
            if view.result is not None and view.result.winner:
                assert view.result.winner in session.participants


@pytest.mark.parametrize("app", APPS)
def test_the_words_of_a_challenge(app: str) -> None:
    table = Table.challenged(app)
    assert seen(table, ANN).status_line == "Waiting for an answer to your challenge."
    assert seen(table, BEN).status_line == "You are challenged: accept or decline."
    assert (seen(table, ANN).turn, seen(table, ANN).last_cells) == ("", ())
    seats = {"ttt": ("X", "O"), "chess": ("", ""), "four_in_a_row": ("A", "B")}[app]
    assert (seen(table, ANN).seat, seen(table, BEN).seat) == seats


@pytest.mark.parametrize("app", APPS)
def test_the_words_of_an_active_game(app: str) -> None:
    table = Table.active(app)
    assert seen(table, ANN).status_line == "Your turn."
    assert seen(table, BEN).status_line == "Waiting for the other player's move."
    table.play(ANN, "draw_offer")
    assert seen(table, ANN).status_line == "Your turn; you offered a draw."
    assert seen(table, BEN).status_line == "Waiting for the other player's move; a draw is offered to you."
    assert seen(table, BEN).draw_offered_by == ANN


@pytest.mark.parametrize("app", APPS)
def test_the_words_of_the_end(app: str) -> None:
    table = Table.active(app)
    table.play(BEN, "resign")
    for viewer, text in ((ANN, "You won: the other player resigned."), (BEN, "You resigned.")):
        view = seen(table, viewer)
        assert view.status_line == text
        assert view.result is not None
        assert (view.result.reason, view.result.winner) == (Reason.RESIGNATION, ANN)
    table = Table.active(app)
    table.play(ANN, "draw_offer")
    table.play(BEN, "draw_accept")
    assert reason(table) is Reason.AGREEMENT
    table = Table.challenged(app)
    table.play(BEN, "decline")
    assert reason(table) is Reason.DECLINED
    expired = GAMES[app].expire(Table.active(app).ann, NOW)
    assert GAMES[app].view(expired, ANN).status_line == "The game has expired."


def reason(table: Table) -> Reason:
    result = seen(table, ANN).result
    assert result is not None
    return result.reason


@pytest.mark.parametrize(
    ("app", "moves", "expected", "winner", "texts"),
    [
        ("ttt", "0 3 1 4 2", Reason.WIN, ANN, ("You won.", "You lost.")),
        ("ttt", "4 0 8 2 1 7 3 5 6", Reason.BOARD_FULL, "", ("Draw: the board is full.",) * 2),
        ("four_in_a_row", "6 0 6 0 6 0 5 0", Reason.WIN, BEN, ("You lost.", "You won.")),
        ("chess", MATE, Reason.CHECKMATE, BEN, ("You lost by checkmate.", "You won by checkmate.")),
    ],
)
def test_games_that_the_board_ends(
    app: str, moves: str, expected: Reason, winner: str, texts: tuple[str, str]
) -> None:
    table = line(app, moves)
    result = seen(table, ANN).result
    assert result is not None
    assert (result.reason, result.winner) == (expected, winner)
    assert (seen(table, ANN).status_line, seen(table, BEN).status_line) == texts


def test_tic_tac_toe() -> None:
    view = seen(line("ttt", "4 0"), ANN)
    assert view.grid == (("O", "", ""), ("", "X", ""), ("", "", ""))
    assert (view.row_labels, view.column_labels) == (("1", "2", "3"), ("a", "b", "c"))
    assert (view.last_cells, view.history) == (((0, 0),), ("b2", "a1"))
    assert [(move.intent["i"], move.label, move.target) for move in view.legal[:2]] == [
        (1, "2", (0, 1)),
        (2, "3", (0, 2)),
    ]


def test_four_in_a_row() -> None:
    view = seen(line("four_in_a_row", "3 3 " + "0 0 0 0 0 0"), ANN)
    assert (view.grid[5][3], view.grid[4][3], view.grid[5][0], view.grid[0][0]) == ("A", "B", "A", "B")
    assert (view.last_cells, view.history[:3]) == (((0, 0),), ("4", "4", "1"))
    found = {(move.intent["c"], move.label, move.target) for move in view.legal}
    assert found == {(3, "4", (3, 3))} | {(c, str(c + 1), (5, c)) for c in (1, 2, 4, 5, 6)}


def test_a_chess_board_is_seen_from_white_whoever_looks() -> None:
    table = line("chess", "e2e4 e7e5 g1f3")
    for viewer in (ANN, BEN):
        view = seen(table, viewer)
        assert view.grid[0] == ("r", "n", "b", "q", "k", "b", "n", "r")
        assert view.grid[7] == ("R", "N", "B", "Q", "K", "B", "", "R")
        assert (view.row_labels[0], view.column_labels[0]) == ("8", "a")
        assert view.history == ("e4", "e5", "Nf3")
        assert view.last_cells == ((7, 6), (5, 5))
    assert (seen(table, ANN).seat, seen(table, BEN).seat) == ("white", "black")
    assert (seen(table, ANN).legal, len(seen(table, BEN).legal)) == ((), 29)
    knight = next(move for move in seen(table, BEN).legal if move.label == "Nc6")
    assert (knight.intent, knight.origin, knight.target) == ({"m": "b8c6"}, (0, 1), (2, 2))


def test_castling_is_listed_as_it_is_sent_and_shown_as_the_king_moves() -> None:
    table = line("chess", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5")
    castle = next(move for move in seen(table, ANN).legal if move.label == "O-O")
    assert (castle.intent, castle.origin, castle.target) == ({"m": "e1h1"}, (7, 4), (7, 6))
    table.moves({"m": "e1h1"})
    assert seen(table, BEN).last_cells == ((7, 4), (7, 6))


def test_check_captures_and_material() -> None:
    table = line("chess", "e2e4 d7d5 e4d5 d8d5 b1c3 d5e5")
    view = seen(table, ANN)
    assert (view.extras["check"], view.extras["check_cell"]) == (True, [7, 4])
    assert view.status_line == "Your turn, check."
    assert (view.extras["captured"], view.extras["material"]) == ({"white": "P", "black": "p"}, 0)
    table = line("chess", "e2e4 d7d5 e4d5")
    assert (seen(table, ANN).extras["captured"], seen(table, ANN).extras["material"]) == (
        {"white": "", "black": "p"},
        1,
    )
    assert (view.extras["fen"], view.extras["claimable"]) == (table_fen("e2e4 d7d5 e4d5 d8d5 b1c3 d5e5"), "")


def table_fen(moves: str) -> str:
    board = chess.Board()
    for move in words(moves):
        board.push_uci(move)
    return board.fen()


def test_what_can_be_claimed_is_shown_to_both() -> None:
    table = line("chess", SHUFFLE * 2)
    assert {seen(table, viewer).extras["claimable"] for viewer in (ANN, BEN)} == {"3fr"}


@pytest.mark.parametrize(
    ("moves", "claim", "expected"),
    [(SHUFFLE * 2, "3fr", Reason.THREEFOLD_REPETITION), (SHUFFLE * 25, "50m", Reason.FIFTY_MOVES)],
)
def test_claimed_draws(moves: str, claim: str, expected: Reason) -> None:
    table = line("chess", moves)
    table.play(ANN, "draw_offer", {"r": claim})
    assert reason(table) is expected


def test_a_stalemate_and_a_cancelled_challenge() -> None:
    stale = "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
    assert reason(line("chess", stale)) is Reason.STALEMATE
    table = Table.challenged("chess")
    table.play(ANN, "decline")
    assert reason(table) is Reason.CANCELLED


@pytest.mark.parametrize("app", APPS)
def test_the_public_state_has_the_words_of_the_conformance_driver(app: str) -> None:
    names = {
        "turn",
        "first_turn",
        "winner",
        "terminal",
        "draw_offered",
        "draw_offered_by",
        "move_count",
        "board",
    }
    for session in records(app):
        public = GAMES[app].public(session)
        assert names <= public.keys()
        if app == "chess":
            assert {"reason", "my_color"} <= public.keys()
            chess.Board(public["board"])


# PGN


def pgn(table: Table, *, white: str = "Ann", black: str = "Ben") -> str:
    assert isinstance(table.game, Chess)
    return table.game.pgn(table.ann, white=white, black=black, date="2026.11.30")


def resigned(who: str) -> Table:
    table = line("chess", "e2e4")
    table.play(who, "resign")
    return table


def agreed() -> Table:
    table = line("chess", "e2e4")
    table.play(ANN, "draw_offer")
    table.play(BEN, "draw_accept")
    return table


@pytest.mark.parametrize(
    ("table", "result"),
    [
        (lambda: line("chess", "e2e4 e7e5"), "*"),
        (lambda: line("chess", MATE), "0-1"),
        (lambda: line("chess", MATE, white=BEN), "0-1"),
        (lambda: resigned(ANN), "0-1"),
        (lambda: resigned(BEN), "1-0"),
        (agreed, "1/2-1/2"),
    ],
)
def test_the_result_of_a_pgn(table: Any, result: str) -> None:
    text = pgn(table())
    assert f'[Result "{result}"]' in text
    assert text.rstrip().endswith(result)


def test_a_pgn_is_read_back_by_others() -> None:
    table = line("chess", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8")
    game = chess.pgn.read_game(_lines(pgn(table)))
    assert game is not None
    assert game.errors == []
    assert game.end().board().fen() == table.game.public(table.ann)["board"]
    assert (game.headers["White"], game.headers["Black"], game.headers["Date"]) == (
        "Ann",
        "Ben",
        "2026.11.30",
    )


@pytest.mark.parametrize(
    "name", ['Ann "the Rook"', "a\\b", "two\nlines", 'x"]\n[Result "1-0', "é", "", "\x1b[31m"]
)
def test_a_name_in_a_pgn_stays_in_its_quotes(name: str) -> None:
    text = pgn(line("chess", "e2e4"), white=name)
    headers = [row for row in text.splitlines() if row.startswith("[")]
    assert len(headers) == 7
    assert text.isprintable() is False  # only for its line breaks
    assert all(row.isprintable() for row in text.splitlines())
    game = chess.pgn.read_game(_lines(text))
    assert game is not None
    assert game.headers["Result"] == "*"


def _lines(text: str) -> Any:
    return io.StringIO(text)

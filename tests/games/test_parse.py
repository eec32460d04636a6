"""What people type: tolerant in, one canonical intent out, and advice where it means nothing."""

from __future__ import annotations

import random
from typing import Any

import chess
import pytest
from hypothesis import given, settings, strategies as st

from games._chess_rules import Position, parse
from lrgpnode.protocol.errors import ErrorCode, Rejection
from tests.games.table import ANN, BEN, GAMES, Table, refusal, words

RULE = ErrorCode.INVALID_MOVE


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("1", 0),
        ("5", 4),
        ("9", 8),
        (" 7 ", 6),
        ("a1", 0),
        ("C1", 2),
        ("b2", 4),
        ("a3", 6),
        ("c3", 8),
        ("c2\n", 5),
    ],
)
def test_cells_of_tic_tac_toe(text: str, cell: int) -> None:
    assert GAMES["ttt"].parse(Table.active("ttt").ann, text) == {"i": cell}


def test_every_label_of_a_view_can_be_typed() -> None:
    for app, key in (("ttt", "i"), ("four_in_a_row", "c"), ("chess", "m")):
        table = Table.active(app)
        view = table.game.view(table.ann, ANN)
        assert view.legal
        for move in view.legal:
            assert table.game.parse(table.ann, move.label) == move.intent
            assert move.intent.keys() == {key}


@pytest.mark.parametrize("text", ["", "0", "10", "x", "d1", "a4", "1a", "5.", "-1", "５", "²", "a1 b2"])
def test_what_is_no_cell(text: str) -> None:
    message = refusal(lambda: GAMES["ttt"].parse(Table.active("ttt").ann, text), RULE)
    assert "1 to 9" in message


@pytest.mark.parametrize(("text", "column"), [("1", 0), ("7", 6), (" 4 ", 3)])
def test_columns_of_four_in_a_row(text: str, column: int) -> None:
    assert GAMES["four_in_a_row"].parse(Table.active("four_in_a_row").ann, text) == {"c": column}


@pytest.mark.parametrize("text", ["", "0", "8", "a", "12", "-1", "４"])
def test_what_is_no_column(text: str) -> None:
    message = refusal(lambda: GAMES["four_in_a_row"].parse(Table.active("four_in_a_row").ann, text), RULE)
    assert "1 to 7" in message


START = chess.STARTING_FEN
ITALIAN = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 0 5"
WIDE = "r3k2r/ppp2ppp/8/8/8/8/PPP2PPP/R3K2R w KQkq - 0 1"
PROMOTING = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1"
KNIGHTS = "4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1"
ROOKS = "R6R/8/4k3/8/8/8/8/R3K3 w - - 0 1"
PAWN_OR_BISHOP = "4k3/8/2p5/1P1B4/8/8/8/4K3 w - - 0 1"
BISHOP_ONLY = "4k3/8/2p5/3B4/8/8/8/4K3 w - - 0 1"
PASSING = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        (START, "e4", "e2e4"),
        (START, "e2e4", "e2e4"),
        (START, "e2-e4", "e2e4"),
        (START, " E2 E4 ", "e2e4"),
        (START, "e2:e4", "e2e4"),
        (START, "Nf3", "g1f3"),
        (START, "nf3", "g1f3"),
        (START, "N f3", "g1f3"),
        (START, "Ngf3", "g1f3"),
        (START, "Ng1f3", "g1f3"),
        (START, "Ng1-f3", "g1f3"),
        (START, "nc3!?", "b1c3"),
        (START, "Nf3+", "g1f3"),
        (ITALIAN, "O-O", "e1g1"),
        (ITALIAN, "o-o", "e1g1"),
        (ITALIAN, "0-0", "e1g1"),
        (ITALIAN, "0-0!", "e1g1"),
        (ITALIAN, "O-o", "e1g1"),
        (ITALIAN, "e1g1", "e1g1"),
        (ITALIAN, "e1h1", "e1g1"),
        (ITALIAN, "Bxf7+", "c4f7"),
        (ITALIAN, "bxf7", "c4f7"),
        (ITALIAN, "bf7", "c4f7"),
        (ITALIAN, "Bf7", "c4f7"),
        (ITALIAN, "b4", "b2b4"),
        (ITALIAN, "qd2", "d1d2"),
        (ITALIAN, "kd2", "e1d2"),
        (WIDE, "O-O-O", "e1c1"),
        (WIDE, "0-0-0", "e1c1"),
        (WIDE, "e1a1", "e1c1"),
        (PROMOTING, "e8=Q", "e7e8q"),
        (PROMOTING, "e8Q", "e7e8q"),
        (PROMOTING, "e8q", "e7e8q"),
        (PROMOTING, "e8(N)", "e7e8n"),
        (PROMOTING, "e8/R+", "e7e8r"),
        (PROMOTING, "e7e8q", "e7e8q"),
        (PROMOTING, "e7e8=B", "e7e8b"),
        (PROMOTING, "E7E8Q", "e7e8q"),
        (PROMOTING, "exd8=Q+", "e7d8q"),
        (PROMOTING, "exd8n", "e7d8n"),
        (PROMOTING, "ed8=R", "e7d8r"),
        (KNIGHTS, "Nce2", "c3e2"),
        (KNIGHTS, "nge2", "g1e2"),
        (KNIGHTS, "N3e2", "c3e2"),
        (ROOKS, "R1a4", "a1a4"),
        (ROOKS, "Rhf8", "h8f8"),
        (BISHOP_ONLY, "bc6", "d5c6"),
        (BISHOP_ONLY, "bxc6+", "d5c6"),
        (PAWN_OR_BISHOP, "Bxc6", "d5c6"),
        (PAWN_OR_BISHOP, "bxc6", "b5c6"),
        (PAWN_OR_BISHOP, "b5c6", "b5c6"),
        (PASSING, "exd6", "e5d6"),
        (PASSING, "exd6 e.p.", "e5d6"),
        (PASSING, "exd6ep", "e5d6"),
    ],
)
def test_chess_moves(fen: str, text: str, uci: str) -> None:
    assert parse(Position(chess.Board(fen), ()), text).uci() == uci


@pytest.mark.parametrize(
    ("fen", "text", "part"),
    [
        (START, "", "Type a move"),
        (START, "   ", "Type a move"),
        (START, "--", "Type a move"),
        (START, "0000", "Type a move"),
        (START, "Z0", "Type a move"),
        (START, "@@@@", "Type a move"),
        (START, "e2e2", "not a legal move"),
        (START, "e5", "not a legal move"),
        (START, "e2e5", "not a legal move"),
        (START, "O-O", "not a legal move"),
        (START, "e9", "not a legal move"),
        (START, "Nf3 Nf6", "not a legal move"),
        (START, "castle", "not a legal move"),
        (START, "e4=Q", "not a legal move"),
        (START, "é4", "not a legal move"),
        (PROMOTING, "e8", "e8=Q"),
        (PROMOTING, "e7e8", "e8=Q"),
        (PROMOTING, "exd8", "exd8=Q"),
        (PROMOTING, "e7d8", "exd8=Q"),
        (PROMOTING, "e8=K", "not a legal move"),
        (PROMOTING, "e8=P", "not a legal move"),
        (KNIGHTS, "Ne2", "Nce2 or Nge2"),
        (KNIGHTS, "ne2", "Nce2 or Nge2"),
        (PAWN_OR_BISHOP, "bc6", "Bxc6+ or bxc6"),
    ],
)
def test_what_is_no_chess_move_says_why(fen: str, text: str, part: str) -> None:
    position = Position(chess.Board(fen), ())
    message = refusal(lambda: parse(position, text), RULE)
    assert part in message


@pytest.mark.parametrize(
    ("fen", "text", "advice"),
    [
        (START, "Nd4", ": try Na3, Nc3, Nf3, Nh3"),
        (START, "e2e5", ": try e3, e4"),
        (START, "castle", ""),
        ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "O-O", ": you are in check; try Kd1, Kf1, Kxe2"),
    ],
)
def test_what_is_not_legal_names_what_is(fen: str, text: str, advice: str) -> None:
    position = Position(chess.Board(fen), ())
    message = refusal(lambda: parse(position, text), RULE)
    assert message.endswith(f"not a legal move here{advice}")


def test_castling_and_promotion_become_what_is_sent() -> None:
    table = Table.active("chess")
    table.moves(*({"m": move} for move in words("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5")))
    assert table.game.parse(table.ann, "0-0") == {"m": "e1h1"}


def test_a_move_typed_out_of_turn() -> None:
    table = Table.active("chess")
    refusal(lambda: table.game.parse(table.ben, "e5"), ErrorCode.NOT_YOUR_TURN)
    refusal(lambda: table.game.parse(Table.challenged("chess").ann, "e4"), RULE)
    assert table.moves({"m": "e2e4"}).game.parse(table.ben, "e5") == {"m": "e7e5"}


@settings(max_examples=80, deadline=None)
@given(
    st.text(max_size=12)
    | st.text("abcdefgh12345678xKQRBNO0-=+# ", max_size=8)
    | st.from_regex(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBNK])?", fullmatch=True)
)
def test_whatever_is_typed_gives_a_legal_move_or_advice(text: str) -> None:
    for fen in (START, ITALIAN, WIDE, PROMOTING, KNIGHTS, PAWN_OR_BISHOP):
        board = chess.Board(fen)
        try:
            move = parse(Position(board, ()), text)
        except Rejection as rejection:
            assert rejection.message.isascii()
            assert rejection.code is RULE
        else:
            assert move in board.legal_moves
    for app in ("ttt", "four_in_a_row"):
        table = Table.active(app)
        try:
            parsed: Any = table.game.parse(table.ann, text)
        except Rejection:
            continue
        table.play(ANN, "move", parsed)
        assert table.turn == BEN


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 90), st.integers(0, 1 << 32))
def test_every_san_of_a_random_position_is_read_back(plies: int, seed: int) -> None:
    board, dice = chess.Board(), random.Random(seed)
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(dice.choice(moves))
    position = Position(board.copy(stack=False), ())
    for move in board.legal_moves:
        for text in (board.san(move), move.uci(), board.lan(move), position.wire(move)):
            assert parse(position, text) == move, text

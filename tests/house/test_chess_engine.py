"""The chess engine: mates, scores kept along the line, won endings, draws, budgets."""

import random

import chess
import pytest
from hypothesis import given, strategies as st

from games import _chess_rules as rules
from lrgpnode.house import chess_engine
from lrgpnode.house.levels import LEVELS, MATE, Level

LEVEL = LEVELS["chess"]
TOP = LEVEL[-1]

MATES_IN_TWO = (
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",  # Paul Morphy's problem: a quiet move, and zugzwang
    "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 0",  # after Légal
    "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1",
    "1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 0",
    "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 0",  # Morphy's game at the opera
    "r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 0",
    "5rkr/pp2Rp2/1b1p1Pb1/3P2Q1/2n3P1/2p5/P4P2/4R1K1 w - - 1 0",
    "1r1kr3/Nbppn1pp/1b6/8/6Q1/3B1P2/Pq3P1P/3RR1K1 w - - 1 0",
    "5rk1/1p1q2bp/p2pN1p1/2pP2Bn/2P3P1/1P6/P4QKP/5R2 w - - 1 0",
    "r1nk3r/2b2ppp/p3b3/3NN3/Q2P3q/B2B4/P4PPP/4R1K1 w - - 1 0",
    "r4br1/3b1kpp/1q1P4/1pp1RP1N/p7/6Q1/PPB3PP/2KR4 w - - 1 0",
    "r2Rnk1r/1p2q1b1/7p/6pQ/4Ppb1/1BP5/PP3BPP/2K4R w - - 1 0",
    "8/1p6/1p2b1p1/4k3/4q3/6K1/8/8 b - - 7 59",  # quiet
    "6k1/5pp1/7p/pr5P/4K3/6r1/2p5/8 b - - 1 63",  # a pawn becomes a queen, quietly
    "2br1bnr/p1N1kppp/8/2p1P3/1B5N/8/PPP2PPP/R2QKB1R w KQ - 0 13",
    "2r5/p4k2/5ppp/1P2p3/2P5/5qB1/3r1P1P/1KR1R3 b - - 4 37",
    "5k2/1pp5/6p1/p5K1/P1B1P3/1P2p1b1/1BP5/3R4 w - - 0 36",
    "2k5/3p2p1/3P3p/3P3P/1Q3P2/8/pP6/1R4K1 w - - 1 36",
    "4r1k1/3n1p2/2p3p1/p2p4/4r3/5K1P/6P1/1q6 b - - 1 49",
    "4Q3/7k/1p4pp/5N2/P3Kp2/7P/1PP3P1/2R5 w - - 0 36",
)


def at(board: chess.Board, *seen: rules.Key) -> rules.Position:
    """The position on ``board``, after these others."""
    return rules.Position(board, (*seen, rules.repetition_key(board)))


def mates_at_once(board: chess.Board) -> bool:
    for move in board.legal_moves:
        board.push(move)
        mate = board.is_checkmate()
        board.pop()
        if mate:
            return True
    return False


def every_defence_is_mated(board: chess.Board) -> bool:
    """Whether whoever is to move is not done yet, and is mated by the next move whatever he does."""
    replies = list(board.legal_moves)
    for reply in replies:
        board.push(reply)
        mated = mates_at_once(board)
        board.pop()
        if not mated:
            return False
    return bool(replies)


@pytest.mark.parametrize("fen", MATES_IN_TWO)
def test_a_mate_in_two_is_found(fen: str) -> None:
    board = chess.Board(fen)
    assert board.is_valid()
    assert not mates_at_once(board), "this is no mate in two"
    choice = chess_engine.choose(at(board), TOP, random.Random(1))
    assert choice.score == MATE - 3
    assert board.fen() == chess.Board(fen).fen()
    board.push_uci(str(choice.move))
    assert every_defence_is_mated(board)


def random_boards(*, plies: int) -> st.SearchStrategy[chess.Board]:
    def play(choices: list[int]) -> chess.Board:
        board = chess.Board()
        for number in choices:
            moves = list(board.legal_moves)
            board.push(moves[number % len(moves)])
            if not any(board.legal_moves):
                board.pop()
                break
        return board

    return st.lists(st.integers(0, 10_000), max_size=plies).map(play)


@given(random_boards(plies=100))
def test_the_score_that_moves_change_is_the_one_that_pieces_add_up_to(board: chess.Board) -> None:
    search = chess_engine._Search(board, [], 10)
    before = chess_engine._added_up(board)
    for move in list(board.legal_moves):
        child = search._after(move, before)
        board.push(move)
        assert child == chess_engine._added_up(board)
        board.pop()


@given(random_boards(plies=100))
def test_the_ordered_moves_are_all_moves(board: chess.Board) -> None:
    search = chess_engine._Search(board, [], 10)
    legal = set(board.legal_moves)
    for first in (None, next(iter(legal))):
        moves = list(search._moves(first, 1))
        assert len(moves) == len(set(moves))
        assert {move for move in moves if board.is_legal(move)} == legal


@given(random_boards(plies=80), st.integers(0, 1000))
def test_any_level_makes_a_legal_move_and_leaves_the_board_alone(board: chess.Board, seed: int) -> None:
    fen = board.fen()
    for level in LEVEL[:3]:
        choice = chess_engine.choose(at(board), level, random.Random(seed))
        assert chess.Move.from_uci(str(choice.move)) in board.legal_moves
        assert board.fen() == fen
        assert choice == chess_engine.choose(at(board), level, random.Random(seed))


def test_the_budget_holds() -> None:
    level = Level(name="", depth=40, nodes=700)
    choice = chess_engine.choose(rules.start(), level, random.Random(1))
    assert 600 < choice.nodes <= 701


def test_a_stalemate_is_no_win() -> None:
    board = chess.Board("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    board.push_uci("g6f7")
    assert board.is_stalemate()
    board.pop()
    choice = chess_engine.choose(at(board), Level(name="", depth=2), random.Random(1))
    assert choice.score > MATE // 2
    assert choice.move != "g6f7"


@pytest.mark.parametrize("fen", ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 w - - 0 1"])
def test_a_king_alone_is_mated(fen: str) -> None:
    """Queen or rook against king, both sides played by the engine, within fifty moves."""
    rng = random.Random(1)
    strong, weak = Level(name="", depth=40, nodes=2500), Level(name="", depth=2)
    position = at(chess.Board(fen))
    for ply in range(99):
        choice = chess_engine.choose(position, (strong, weak)[ply % 2], rng)
        position = position.after(position.move(str(choice.move)))
        if position.end() != ("", ""):
            break
    assert position.end() == ("win", "cm")
    assert position.board.turn == chess.BLACK


def test_who_is_better_does_not_repeat_and_who_is_worse_does() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/4Q3/5PPP/6K1 w - - 10 30")
    level = Level(name="", depth=2)
    free = chess_engine.choose(at(board), level, random.Random(1))
    board.push_uci(str(free.move))
    repeated = rules.repetition_key(board)
    board.pop()
    other = chess_engine.choose(at(board, repeated), level, random.Random(1))
    assert other.move != free.move
    assert other.score > 500

    board = chess.Board("6k1/4qppp/8/8/8/8/5PPP/6K1 w - - 10 30")
    seen = []
    for move in list(board.legal_moves):
        board.push(move)
        if move.uci() == "g1f1":
            seen.append(rules.repetition_key(board))
        board.pop()
    worse = chess_engine.choose(at(board, *seen), level, random.Random(1))
    assert (worse.move, worse.score) == ("g1f1", 0)

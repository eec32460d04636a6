"""Positions against rules written here once more, and replays that lead to the same board."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given, settings, strategies as st

from gateway.agentgames.server import match, replay, rules
from gateway.agentgames.server.rules import IllegalMove, Position

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def played(game: str, rng: random.Random) -> tuple[list[str], Position]:
    """A whole game of random legal moves."""
    position, moves = rules.GAMES[game].start(), []
    while position.winner is None:
        moves.append(rng.choice(position.legal))
        position = position.play(moves[-1])
    return moves, position


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_random_games_of_ttt(rng: random.Random) -> None:
    moves, last = played("ttt", rng)
    board = ["."] * 9
    for number, token in enumerate(moves):
        assert board[int(token)] == "."
        board[int(token)] = "XO"[number % 2]
        won = any({board[cell] for cell in line} in ({"X"}, {"O"}) for line in LINES)
        if number < len(moves) - 1:
            assert not won
    assert last.winner == ((len(moves) - 1) % 2 if won else -1)
    assert "".join(last.rows()) == "".join(board)
    assert replay.replayed("ttt", moves).steps[-1].rows == last.rows()


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_random_games_of_c4(rng: random.Random) -> None:
    moves, last = played("c4", rng)
    board = [["."] * 7 for _ in range(6)]
    for number, token in enumerate(moves):
        row = max(row for row in range(6) if board[row][int(token)] == ".")
        board[row][int(token)] = "XO"[number % 2]
        won = any(
            all(0 <= r + k * dr < 6 and 0 <= c + k * dc < 7 for k in range(4))
            and {board[r + k * dr][c + k * dc] for k in range(4)} in ({"X"}, {"O"})
            for r in range(6)
            for c in range(7)
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1))
        )
        if number < len(moves) - 1:
            assert not won
    assert last.winner == ((len(moves) - 1) % 2 if won else -1)
    assert [list(row) for row in last.rows()] == board
    assert replay.replayed("c4", moves).steps[-1].rows == last.rows()


@given(st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None)
def test_random_games_of_chess(rng: random.Random) -> None:
    moves, last = played("chess", rng)
    board = chess.Board()
    for token in moves:
        assert board.is_legal(chess.Move.from_uci(token))
        board.push_uci(token)
    if board.is_checkmate():
        assert last.winner == (len(moves) - 1) % 2
    else:
        assert last.winner == -1
        assert (
            board.is_stalemate()
            or board.is_insufficient_material()
            or board.is_fifty_moves()
            or board.is_repetition(3)
        )
    shown = replay.replayed("chess", moves)
    assert shown.fen == board.fen()
    assert "\n".join(" ".join(row) for row in last.rows()) == str(board)


def test_observations_are_those_of_the_specification() -> None:
    position = rules.GAMES["ttt"].start().play("0").play("4")
    assert vars_of(position) == {
        "board": ["X", ".", ".", ".", "O", ".", ".", ".", "."],
        "toMove": 0,
        "legal": ["1", "2", "3", "5", "6", "7", "8"],
    }
    position = rules.GAMES["c4"].start().play("3")
    found = vars_of(position)
    assert found["board"][5] == [".", ".", ".", "X", ".", ".", "."]
    assert found["board"][0] == ["."] * 7
    assert (found["toMove"], found["legal"]) == (1, ["0", "1", "2", "3", "4", "5", "6"])
    position = rules.GAMES["chess"].start().play("e2e4")
    found = vars_of(position)
    assert set(found) == {"fen", "toMove", "legal", "moves"}
    assert found["fen"] == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert (found["toMove"], found["moves"]) == (1, ["e2e4"])
    assert found["legal"] == sorted(found["legal"])
    assert len(found["legal"]) == 20


def vars_of(position: Position) -> dict[str, object]:
    import msgspec

    found: dict[str, object] = msgspec.to_builtins(position.observation())
    return found


@pytest.mark.parametrize("token", ["+4", "004", "-0", "+0", "8"])
def test_spellings_of_a_go_integer_are_moves(token: str) -> None:
    assert rules.GAMES["ttt"].start().play(token)


@pytest.mark.parametrize(
    "token", [" 4", "4 ", "4.0", "9", "-1", "e2", "\uff14", "4_0", "\u0664", "0x4", "1e0", "9" * 50]
)
def test_what_is_no_cell_is_illegal(token: str) -> None:
    with pytest.raises(IllegalMove):
        rules.GAMES["ttt"].start().play(token)
    with pytest.raises(IllegalMove):
        rules.GAMES["chess"].start().play(token)


def test_ends() -> None:
    win_on_the_last_cell = ["0", "1", "2", "4", "3", "5", "7", "6", "8"]
    assert rules.replay("ttt", win_on_the_last_cell)[-1].winner == -1
    last_cell = ["0", "1", "4", "2", "3", "5", "7", "6", "8"]
    assert rules.replay("ttt", last_cell)[-1].winner == 0
    full = rules.replay("c4", ["0"] * 6)[-1]
    assert full.legal == ("1", "2", "3", "4", "5", "6")
    with pytest.raises(IllegalMove):
        full.play("0")
    mate = rules.replay("chess", ["f2f3", "e7e5", "g2g4", "d8h4"])[-1]
    assert (mate.winner, mate.legal) == (1, ())
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"] * 2
    assert rules.replay("chess", shuffle)[-1].winner == -1
    castled = rules.replay("chess", ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"])[-1]
    assert "e1g1" in castled.legal
    assert vars_of(castled.play("e1h1")) == vars_of(castled.play("e1g1"))
    with pytest.raises(IllegalMove):
        mate.play("a2a3")


def test_a_match_ends_once_with_its_reason() -> None:
    begun = match.begin("ttt").play("4")
    assert (begun.mover, begun.moves, begun.over) == (1, ("4",), False)
    illegal = begun.play("4")
    assert (illegal.winner, illegal.reason, illegal.moves) == (0, "forfeit: illegal move", ("4",))
    assert (illegal.outcome(0), illegal.outcome(1)) == ("win", "loss")
    late = begun.forfeit(1, "forfeit: move timeout")
    assert late.winner == 0
    drawn = match.begin("ttt")
    for token in ["0", "1", "2", "4", "3", "5", "7", "6", "8"]:
        drawn = drawn.play(token)
    assert (drawn.winner, drawn.reason, drawn.outcome(0), drawn.outcome(1)) == (-1, "", "draw", "draw")

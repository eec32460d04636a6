"""Every recognised form of state and actions, with any legal game."""

from __future__ import annotations

from typing import Any

import chess
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from gateway.rcadia.shapes.reader import Reader
from gateway.rcadia.shapes.rules import Line, line_of
from tests.gateway.rcadia import forms

FEW = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def wire(line: Line) -> list[str]:
    """The UCI of the chess package for the moves of a line."""
    board, moves = chess.Board(), []
    for move in line.moves:
        moves.append(
            board.parse_uci(str(move)) if chess.Move.from_uci(str(move)) in board.legal_moves else None
        )
        if moves[-1] is None:  # castling is written as king takes rook
            king = chess.Move.from_uci(str(move))
            step = 2 if king.to_square > king.from_square else -2
            moves[-1] = chess.Move(king.from_square, king.from_square + step)
        board.push(moves[-1])
    return [move.uci() for move in moves]


@st.composite
def games(draw: st.DrawFn, app: str, most: int) -> Line:
    line = line_of(app)
    for _ in range(draw(st.integers(0, most))):
        legal = line.legal()
        if not legal:
            break
        line = line.plus(draw(st.sampled_from(legal)))
    return line


def before(line: Line) -> list[Line]:
    """The lines that we may have known when we see this one: it itself, and one move less."""
    return [line, line_of(line.rules.app, line.moves[:-1])] if line.moves else [line]


CASTLING = [
    "e2e4",
    "e7e5",
    "g1f3",
    "b8c6",
    "f1c4",
    "f8c5",
    "e1g1",
    "d7d6",
    "d2d3",
    "c8g4",
    "c1e3",
    "d8d7",
    "a2a3",
    "e8c8",
]
PROMOTING = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "h7h6"]
EN_PASSANT = ["e2e4", "a7a6", "e4e5", "d7d5", "e5d6"]


@pytest.mark.parametrize("form", [*forms.CHESS_BOARDS, *forms.CHESS_LISTS])
class TestChessStates:
    @FEW
    @given(line=games("chess", 40))
    def test_any_game(self, form: str, line: Line) -> None:
        state = forms.chess_state(form, wire(line))
        for known in before(line):
            reader = Reader("chess")
            reader.read(forms.chess_state(form, []))  # how a table begins shows which way round it is
            assert reader.read(state, known).moves == line.moves

    @pytest.mark.parametrize("moves", [CASTLING, [*PROMOTING, "b7a8n"], EN_PASSANT])
    def test_a_whole_game_move_by_move(self, form: str, moves: list[str]) -> None:
        reader, known = Reader("chess"), line_of("chess")
        for ply in range(len(moves) + 1):
            known = reader.read(forms.chess_state(form, moves[:ply]), known)
            assert known.moves == line_of("chess", moves[:ply]).moves

    def test_two_moves_at_once_where_ours_was_on_the_way(self, form: str) -> None:
        reader, known = Reader("chess"), line_of("chess", CASTLING[:4])
        reader.read(forms.chess_state(form, []))
        state = forms.chess_state(form, CASTLING[:6])
        assert reader.read(state, known, sent=CASTLING[4]).moves == line_of("chess", CASTLING[:6]).moves


@pytest.mark.parametrize("form", forms.CHESS_ACTIONS)
class TestChessActions:
    @FEW
    @given(line=games("chess", 60))
    def test_any_position(self, form: str, line: Line) -> None:
        self.check(form, line)

    @pytest.mark.parametrize("moves", [CASTLING[:6], CASTLING[:13], PROMOTING, EN_PASSANT[:4]])
    def test_special_moves(self, form: str, moves: list[str]) -> None:
        self.check(form, line_of("chess", moves))

    def check(self, form: str, line: Line) -> None:
        board = forms.board_of(wire(line))
        legal = [forms.chess_action(form, board, move) for move in board.legal_moves] if line.legal() else []
        if not legal:
            return
        offer = Reader("chess").offer(line, legal)
        assert set(offer.moves) == set(line.legal())
        for move, action in offer.moves.items():
            played = wire(line.plus(move))[-1]
            assert action == forms.chess_action(form, board, chess.Move.from_uci(played))


@pytest.mark.parametrize("form", forms.TTT_STATES)
@settings(max_examples=30, deadline=None)
@given(line=games("ttt", 9))
def test_tic_tac_toe_states(form: str, line: Line) -> None:
    state = forms.ttt_state(form, [int(move) for move in line.moves])
    for known in before(line):
        assert Reader("ttt").read(state, known).moves == line.moves


@pytest.mark.parametrize("form", forms.TTT_ACTIONS)
@settings(max_examples=30, deadline=None)
@given(line=games("ttt", 8))
def test_tic_tac_toe_actions(form: str, line: Line) -> None:
    check_grid(line, {move: forms.ttt_action(form, int(move)) for move in line.legal()})


@pytest.mark.parametrize("form", forms.FOUR_STATES)
@settings(max_examples=20, deadline=None)
@given(line=games("four_in_a_row", 42))
def test_four_in_a_row_states(form: str, line: Line) -> None:
    state = forms.four_state(form, [int(move) for move in line.moves])
    for known in before(line):
        assert Reader("four_in_a_row").read(state, known).moves == line.moves


@pytest.mark.parametrize("form", forms.FOUR_ACTIONS)
@settings(max_examples=20, deadline=None)
@given(line=games("four_in_a_row", 41))
def test_four_in_a_row_actions(form: str, line: Line) -> None:
    check_grid(line, {move: forms.four_action(form, int(move)) for move in line.legal()})


def check_grid(line: Line, actions: dict[Any, Any]) -> None:
    if actions:
        offer = Reader(line.rules.app).offer(line, [*actions.values()][::-1])
        assert dict(offer.moves) == actions

"""Every recognised form of state and actions, with any legal game."""

from __future__ import annotations

from typing import Any

import chess
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from gateway.lines import Line, line_of
from gateway.rcadia.shapes.reader import Reader
from tests.gateway.rcadia import forms

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
FEW = settings(max_examples=4, deadline=None, suppress_health_check=SLOW)
MANY = settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
LONG = pytest.mark.timeout(900)


def wire(line: Line) -> list[str]:
    """The UCI of the chess package for the moves of a line, which has castling as king takes own rook."""
    board, moves = chess.Board(), []
    for move in line.moves:
        moves.append(board.parse_uci(str(move)).uci())
        board.push_uci(moves[-1])
    return moves


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


# Any game, in every form


def chess_states(line: Line) -> None:
    for form in (*forms.CHESS_BOARDS, *forms.CHESS_LISTS):
        state = forms.chess_state(form, wire(line))
        for known in before(line):
            reader = Reader("chess")
            reader.read(forms.chess_state(form, []))  # how a table begins shows which way round it is
            assert reader.read(state, known).moves == line.moves, form


def chess_actions(line: Line) -> None:
    board = forms.board_of(wire(line))
    for form in forms.CHESS_ACTIONS if line.legal() else ():
        legal = [forms.chess_action(form, board, move) for move in board.legal_moves]
        offer = Reader("chess").offer(line, legal)
        assert set(offer.moves) == set(line.legal()), form
        for move, action in offer.moves.items():
            assert action == forms.chess_action(form, board, board.parse_uci(str(move))), form


def ttt(line: Line) -> None:
    for form in forms.TTT_STATES:
        state = forms.ttt_state(form, [int(move) for move in line.moves])
        for known in before(line):
            assert Reader("ttt").read(state, known).moves == line.moves, form
    for form in forms.TTT_ACTIONS:
        check_grid(line, {move: forms.ttt_action(form, int(move)) for move in line.legal()})


def four(line: Line) -> None:
    for form in forms.FOUR_STATES:
        state = forms.four_state(form, [int(move) for move in line.moves])
        for known in before(line):
            assert Reader("four_in_a_row").read(state, known).moves == line.moves, form
    for form in forms.FOUR_ACTIONS:
        check_grid(line, {move: forms.four_action(form, int(move)) for move in line.legal()})


CHECKS = {
    "chess states": (chess_states, games("chess", 30)),
    "chess actions": (chess_actions, games("chess", 40)),
    "tic-tac-toe": (ttt, games("ttt", 9)),
    "four in a row": (four, games("four_in_a_row", 42)),
}


@pytest.mark.parametrize("check", CHECKS)
@FEW
@given(data=st.data())
def test_any_game(check: str, data: st.DataObject) -> None:
    run, lines = CHECKS[check]
    run(data.draw(lines))


@pytest.mark.slow
@LONG
@pytest.mark.parametrize("check", CHECKS)
@MANY
@given(data=st.data())
def test_many_games(check: str, data: st.DataObject) -> None:
    run, lines = CHECKS[check]
    run(data.draw(lines))


# Games in which everything happens


@pytest.mark.parametrize("form", [*forms.CHESS_BOARDS, *forms.CHESS_LISTS])
@pytest.mark.parametrize("moves", [CASTLING, [*PROMOTING, "b7a8n"], EN_PASSANT])
def test_a_whole_game_move_by_move(form: str, moves: list[str]) -> None:
    reader, known = Reader("chess"), line_of("chess")
    for ply in range(len(moves) + 1):
        known = reader.read(forms.chess_state(form, moves[:ply]), known)
        assert known.moves == line_of("chess", moves[:ply]).moves


@pytest.mark.parametrize("form", [*forms.CHESS_BOARDS, *forms.CHESS_LISTS])
def test_two_moves_at_once_where_ours_was_on_the_way(form: str) -> None:
    reader, known = Reader("chess"), line_of("chess", CASTLING[:4])
    reader.read(forms.chess_state(form, []))
    state = forms.chess_state(form, CASTLING[:6])
    wanted = line_of("chess", CASTLING[:6]).moves
    assert reader.read(state, known, sent=CASTLING[4]).moves == wanted
    assert reader.read(state, known).moves == wanted  # whichever it was


@pytest.mark.parametrize("moves", [CASTLING[:6], CASTLING[:13], PROMOTING, EN_PASSANT[:4]])
def test_special_moves(moves: list[str]) -> None:
    chess_actions(line_of("chess", moves))


def check_grid(line: Line, actions: dict[Any, Any]) -> None:
    if actions:
        offer = Reader(line.rules.app).offer(line, [*actions.values()][::-1])
        assert dict(offer.moves) == actions

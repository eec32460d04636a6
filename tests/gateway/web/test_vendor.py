"""The vendored chess.js: unchanged, with its licence, and of one mind with python-chess."""

from __future__ import annotations

import hashlib
import json
import random
from importlib.resources import files
from typing import Any

import chess
import pytest

from tests.gateway.web import node

VENDOR = files("gateway.arcade.web") / "static" / "vendor"

CORNERS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",  # castling, en passant, pins
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",  # en passant that would uncover a check
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",  # promotions
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 90 70",  # near the fifty moves
    "8/8/8/8/8/5k2/6p1/6K1 b - - 0 1",  # near stalemate
    "8/8/8/3k4/4P3/8/8/K7 b - - 0 1",  # near bare kings
)


def test_it_is_the_file_of_its_package() -> None:
    body = (VENDOR / "chess.js").read_bytes()
    assert hashlib.sha256(body).hexdigest() in (VENDOR / "README.md").read_text()
    assert "Redistribution and use" in (VENDOR / "chess.js.LICENSE").read_text()


@pytest.mark.parametrize(("games", "plies"), [(8, 30), pytest.param(40, 120, marks=pytest.mark.slow)])
def test_it_judges_random_games_as_python_chess_does(games: int, plies: int) -> None:
    chance = random.Random(games)
    played = []
    expected = []
    for number in range(games):
        start = chess.STARTING_FEN if number % 2 else CORNERS[number // 2 % len(CORNERS)]
        board = chess.Board(start)
        moves: list[str] = []
        every = 3
        positions = [_seen(board)]
        while len(moves) < plies and not (board.is_stalemate() or board.is_checkmate()):
            move = chance.choice(_preferred(board))
            moves.append(move.uci())
            board.push(move)
            if len(moves) % every == 0:
                positions.append(_seen(board))
        if len(moves) % every:
            positions.append(_seen(board))
        played.append({"fen": start, "moves": moves, "every": every})
        expected.append({"positions": positions, "threefold": board.is_repetition(3)})

    said = json.loads(node.run(str(node.JS / "replay.mjs"), given=json.dumps(played)))

    for game, ours, theirs in zip(played, expected, said, strict=True):
        for position, other in zip(ours["positions"], theirs["positions"], strict=True):
            assert other == position, game
        assert theirs["threefold"] == ours["threefold"], game
    assert sum(len(one["positions"]) for one in expected) > games * 5


def _preferred(board: chess.Board) -> list[chess.Move]:
    """Legal moves; the rare kinds more often than they come by chance."""
    moves = list(board.legal_moves)
    rare = [move for move in moves if move.promotion or board.is_castling(move) or board.is_en_passant(move)]
    return rare * 3 + moves


def _seen(board: chess.Board) -> dict[str, Any]:
    return {
        "placement": " ".join(board.fen().split()[:3]),
        "legal": sorted([move.uci(), board.san(move)] for move in board.legal_moves),
        "check": board.is_check(),
        "mate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "bare": _bare(board),
        "fifty": board.halfmove_clock >= 100,
    }


def _bare(board: chess.Board) -> bool:
    """What chess.js calls insufficient: python-chess's notion, whose knights and bishops help a mate less."""
    return board.is_insufficient_material()

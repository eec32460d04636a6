"""The text that clients without LRGP show, word for word as deployed clients write it (interop §10)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.table import ANN, APPS, BEN, FIRST, Table, words

TAGS = {"ttt": "TTT", "chess": "Chess", "four_in_a_row": "Four in a Row"}
DRAWN_FOUR = tuple(map(int, "045662620302365423361262411153311045054450"))


def text(table: Table, actor: str, command: str, intent: dict[str, Any] | None = None) -> str:
    before = table.sides[actor]
    payload = table.play(actor, command, intent)
    return table.game.fallback(before, table.sides[actor], actor, command, payload)


@pytest.mark.parametrize("app", APPS)
def test_plain_commands(app: str) -> None:
    tag = f"[LRGP {TAGS[app]}] "
    table = Table.challenged(app)
    assert table.game.fallback(table.ann, table.ann, ANN, "challenge", {}) == tag + "Sent a challenge!"
    assert text(Table.challenged(app), BEN, "decline") == tag + "Challenge declined"
    cancelled = "Challenge cancelled" if app == "chess" else "Challenge declined"
    assert text(Table.challenged(app), ANN, "decline") == tag + cancelled
    assert text(table, BEN, "accept") == tag + "Challenge accepted"
    assert text(table, BEN, "draw_offer") == tag + "Offered a draw"
    refused = "Draw declined" if app == "four_in_a_row" else "Declined draw offer"
    assert text(table, ANN, "draw_decline") == tag + refused
    table.play(BEN, "draw_offer")
    assert text(table, ANN, "draw_accept") == tag + "Draw accepted"
    assert text(Table.active(app), BEN, "resign") == tag + "Resigned."


@pytest.mark.parametrize(
    ("app", "moves", "last", "expected"),
    [
        ("ttt", "", "4", "Move 1"),
        ("ttt", "4", "0", "Move 2"),
        ("ttt", "0 3 1 4", "2", "X wins!"),
        ("ttt", "0 3 1 4 8", "5", "O wins!"),
        ("ttt", "4 0 8 2 1 7 3 5", "6", "Game drawn!"),
        ("four_in_a_row", "", "3", "Move 1"),
        ("four_in_a_row", "0 1 0 1 0 1", "0", "Four in a row!"),
        ("chess", "", "e2e4", "e2e4"),
        ("chess", "f2f3 e7e5 g2g4", "d8h4", "d8h4# (checkmate)"),
        ("chess", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5", "e1g1", "e1h1"),
    ],
)
def test_moves(app: str, moves: str, last: str, expected: str) -> None:
    (key,) = FIRST[app]
    table = Table.active(app)
    value: Any = str if app == "chess" else int
    table.moves(*({key: value(move)} for move in words(moves)))
    assert text(table, table.turn, "move", {key: value(last)}) == f"[LRGP {TAGS[app]}] {expected}"


def test_a_full_board_in_four_in_a_row() -> None:
    table = Table.active("four_in_a_row").moves(*({"c": column} for column in DRAWN_FOUR[:-1]))
    assert text(table, BEN, "move", {"c": DRAWN_FOUR[-1]}) == "[LRGP Four in a Row] Game drawn!"


def test_chess_draws_and_claims() -> None:
    moves = words("e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6")
    table = Table.active("chess").moves(*({"m": move} for move in moves))
    assert text(table, ANN, "move", {"m": "c8e6"}) == "[LRGP Chess] Draw (stalemate)"
    table = Table.active("chess")
    claim = "[LRGP Chess] Claimed threefold repetition"
    assert text(table, ANN, "draw_offer", {"r": "3fr"}) == claim  # also where it is false
    fifty = text(Table.active("chess"), BEN, "draw_offer", {"r": "50m"})
    assert fifty == "[LRGP Chess] Claimed fifty-move rule"


def test_insufficient_material() -> None:
    game = Table.active("chess").game
    before = Table.active("chess").ann
    payload = {"m": "e1d1", "n": 90, "x": "draw", "r": "ins"}
    assert game.fallback(before, before, ANN, "move", payload) == "[LRGP Chess] Draw (insufficient material)"

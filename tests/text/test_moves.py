"""Moves in whatever words people put them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, strategies as st

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from interfaces.text import board, clean, moves
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey

ANN, PAUL = "a1" * 16, "b2" * 16
GAMES: dict[str, Game] = {"chess": Chess(), "ttt": TicTacToe(), "four": FourInARow()}


def begun(app: str, *played: Mapping[str, Any]) -> Session:
    """A game in which Ann is to move."""
    game = GAMES[app]
    key = SessionKey(ANN, "0" * 16)
    session = game.open(key, PAUL, ANN, 0.0)
    payload = {"chess": {"w": ANN}, "ttt": {"b": "_" * 9, "t": ANN}, "four": {"t": ANN}}[app]
    session = game.apply(session, PAUL, "accept", payload, 0.0)
    for move in played:
        actor = session.metadata["turn"]
        session = game.apply(session, actor, "move", game.intend(session, actor, "move", move, bool), 0.0)
    return session


def read(app: str, text: str, session: Session | None = None) -> Mapping[str, Any]:
    session = session or begun(app)
    game = GAMES[app]
    return moves.read(game.view(session, ANN), lambda form: game.parse(session, form), clean.one(text))


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("e4", "e2e4"),
        ("E4", "e2e4"),
        ("e2e4", "e2e4"),
        ("e2 e4", "e2e4"),
        ("E2-E4", "e2e4"),
        ("e2→e4", "e2e4"),
        ("e2 to e4", "e2e4"),
        ("pawn to e4", "e2e4"),
        ("1. e4", "e2e4"),
        ("1.e4!", "e2e4"),
        ("please move e4", "e2e4"),
        ("Nf3", "g1f3"),
        ("nf3", "g1f3"),
        ("NF3", "g1f3"),
        ("Nf3.", "g1f3"),
        ("♘f3", "g1f3"),
        ("knight f3", "g1f3"),
        ("Knight to f3", "g1f3"),
        ("Springer f3", "g1f3"),
    ],
)
def test_chess(text: str, move: str) -> None:
    assert read("chess", text) == {"m": move}


CASTLING = [{"m": m} for m in ("e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5")]


@pytest.mark.parametrize(
    "text", ["O-O", "0-0", "o-o", "00", "castle", "Castles kingside", "short castle", "Rochade"]
)
def test_castling(text: str) -> None:
    assert read("chess", text, begun("chess", *CASTLING)) == {"m": "e1h1"}


PROMOTING = [{"m": m} for m in ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "a7a6", "h6h7", "a6a5"]]


@pytest.mark.parametrize("text", ["hxg8=Q", "hxg8Q", "h7g8q", "h7 g8 queen", "hxg8 = queen", "h7xg8=Q"])
def test_promotion(text: str) -> None:
    session = begun("chess", *PROMOTING)
    game = GAMES["chess"]
    assert session.metadata["turn"] == ANN
    intent = read("chess", text, session)
    assert game.apply(session, ANN, "move", game.intend(session, ANN, "move", intent, bool), 0.0)
    assert intent == {"m": "h7g8q"}


@pytest.mark.parametrize(
    "text", ["5", "5.", "cell 5", "field five", "b2", "B2", "move 5", "5️⃣", "put 5 please"]
)
def test_ttt(text: str) -> None:
    assert read("ttt", text) == {"i": 4}


@pytest.mark.parametrize("text", ["3", "col 3", "column three", "Column: 3", "drop in 3", "Spalte 3", "(3)"])
def test_four(text: str) -> None:
    assert read("four", text) == {"c": 2}


@pytest.mark.parametrize(
    ("app", "text"), [("ttt", "e4"), ("ttt", "10"), ("four", "nf3"), ("four", "8"), ("ttt", "")]
)
def test_what_is_no_move_is_refused_with_what_to_type(app: str, text: str) -> None:
    with pytest.raises(Rejection, match="type 1 to"):
        read(app, text)


def test_a_taken_cell_is_for_the_rules_to_refuse() -> None:
    session = begun("ttt", {"i": 4}, {"i": 0})
    assert read("ttt", "5", session) == {"i": 4}


@given(st.sampled_from(sorted(GAMES)), st.text(max_size=60))
def test_any_text_is_a_legal_move_or_refused(app: str, text: str) -> None:
    session = begun(app)
    try:
        intent = read(app, text, session)
    except Rejection:
        return
    game = GAMES[app]
    try:
        game.intend(session, ANN, "move", intent, bool)
    except Rejection:
        return
    assert intent in [move.intent for move in game.view(session, ANN).legal]


@given(st.sampled_from(sorted(GAMES)), st.data())
def test_every_label_and_spelling_of_a_legal_move_is_understood(app: str, data: st.DataObject) -> None:
    session = begun(app)
    move = data.draw(st.sampled_from(GAMES[app].view(session, ANN).legal))
    spelled = data.draw(
        st.sampled_from([move.label, move.label.upper(), f"move {move.label}", f" {move.label}! "])
    )
    assert read(app, spelled, session) == move.intent


def test_boards() -> None:
    chess = board.draw(GAMES["chess"].view(begun("chess"), ANN))
    assert chess[0] == "8 r n b q k b n r"
    assert chess[-1] == "  a b c d e f g h"
    turned = board.draw(GAMES["chess"].view(begun("chess"), PAUL))
    assert turned[0] == "1 R N B K Q B N R"
    assert turned[-1] == "  h g f e d c b a"
    ttt = begun("ttt", {"i": 4}, {"i": 0})
    assert board.draw(GAMES["ttt"].view(ttt, ANN)) == ("O 2 3", "4 X 6", "7 8 9")
    assert board.draw(GAMES["ttt"].view(ttt, PAUL)) == ("O - -", "- X -", "- - -")
    four = begun("four", {"c": 3}, {"c": 3})
    assert board.draw(GAMES["four"].view(four, ANN))[-3:] == (
        "- - - B - - -",
        "- - - A - - -",
        "1 2 3 4 5 6 7",
    )

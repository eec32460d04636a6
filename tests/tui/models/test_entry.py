"""A move as it is typed, found among the legal ones of real games."""

from __future__ import annotations

import pytest

from interfaces.tui.models.entry import Entry, Fit, legal, read
from lrgpnode.control.models import view_json
from tests.cli.sessions import CHESS, FOUR, TTT, played, shown


def chess(moves: str) -> dict[str, object]:
    """The position as whoever is to move sees it."""
    session = played(CHESS, moves)
    return view_json(CHESS.view(session, session.metadata["turn"]))


def fits(moves: str, typed: str) -> Entry:
    return read(chess(moves), typed)


START, OPEN = "", "e4 e5 Nf3 Nc6 Bc4 Bc5"
PROMOTION = "e4 d5 exd5 c6 dxc6 Nf6 cxb7 Nd5"


@pytest.mark.parametrize(
    ("moves", "typed", "label"),
    [
        (START, "e4", "e4"),
        (START, "e2e4", "e4"),
        (START, " E2 - e4 ", "e4"),
        (START, "Nf3", "Nf3"),
        (START, "nf3!", "Nf3"),
        (START, "Ngf3", "Nf3"),
        (START, "N g1 f3", "Nf3"),
        (START, "N1f3", "Nf3"),
        (OPEN, "O-O", "O-O"),
        (OPEN, "0-0", "O-O"),
        (OPEN, "o-o+", "O-O"),
        (OPEN, "00", "O-O"),
        (OPEN, "e1g1", "O-O"),
        (OPEN, "e1h1", "O-O"),
        (OPEN, "Bxf7", "Bxf7+"),
        (OPEN, "bf7", "Bxf7+"),
        (OPEN, "c4f7", "Bxf7+"),
        (PROMOTION, "bxa8=Q", "bxa8=Q"),
        (PROMOTION, "bxa8(N)", "bxa8=N"),
        (PROMOTION, "b7a8r", "bxa8=R"),
    ],
)
def test_one_move_is_meant(moves: str, typed: str, label: str) -> None:
    entry = fits(moves, typed)
    assert (entry.fit, [move.label for move in entry.moves]) == (Fit.ONE, [label])
    assert entry.preview == f"Enter plays {label}"


@pytest.mark.parametrize(
    "typed", ["--", "0000", "null", "pass", "e5", "Ke2", "e2e5", "0-0", "Qxf7", "@@@@", "e"]
)
def test_null_moves_and_what_is_not_legal_are_refused(typed: str) -> None:
    entry = fits(START, typed)
    assert entry.fit in (Fit.NONE, Fit.SEVERAL)
    assert (entry.fit is Fit.SEVERAL) == (typed == "e")


def test_nothing_is_typed() -> None:
    assert fits(START, "  ") == Entry(fit=Fit.EMPTY)


@pytest.mark.parametrize("typed", ["bxa8", "b7a8", "ba8", "b7-a8"])
def test_a_promotion_without_its_piece_is_a_choice(typed: str) -> None:
    entry = fits(PROMOTION, typed)
    assert entry.fit is Fit.CHOICE
    assert {move.label for move in entry.moves} == {f"bxa8={piece}" for piece in "QRBN"}


def test_what_fits_several_moves_names_them() -> None:
    view = chess("d4 d5 Nf3 Nf6 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 Qe3 Qe6")
    entry = read(view, "Nd2")
    assert entry.fit is Fit.ONE, "only the knight from f3 can go there"
    both = read(chess("Nf3 d5 d3 Nf6"), "Nd2")
    assert both.fit is Fit.SEVERAL
    assert both.preview == "Nbd2, Nfd2" or both.preview == "Nfd2, Nbd2"
    assert read(chess("Nf3 d5 d3 Nf6"), "Nfd2").moves[0].label == "Nfd2"


def test_a_small_b_may_be_a_pawn_or_a_bishop() -> None:
    moves = "e4 c5 b4 Nc6 Ba3 d6 Nf3 e6"
    entry = read(chess(moves), "bxc5")
    assert entry.fit is Fit.ONE
    assert entry.moves[0].label == "bxc5"


def test_every_legal_move_is_found_by_its_label_and_by_its_cells() -> None:
    for moves in (START, OPEN, PROMOTION, "Nf3 d5 d3 Nf6"):
        view = chess(moves)
        for move in legal(view):
            assert [one.label for one in read(view, move.label).moves] == [move.label]


def test_games_that_name_cells_and_columns() -> None:
    view = shown(TTT, played(TTT, ""))["view"]
    for typed, intent in (("5", {"i": 4}), ("b2", {"i": 4}), ("C1", {"i": 2})):
        entry = read(view, typed)
        assert (entry.fit, entry.moves[0].intent) == (Fit.ONE, intent)
    assert read(view, "0").fit is Fit.NONE
    view = shown(FOUR, played(FOUR, ""))["view"]
    assert read(view, "4").moves[0].intent == {"c": 3}
    assert read(view, "8").fit is Fit.NONE

"""Chess as deployed peers play it: castling, promotion, material, repetition and claims (interop §12)."""

from __future__ import annotations

import chess
import pytest

from games._chess_rules import Position, insufficient_material, repetition_key, replay, start
from games.chess import Chess
from lrgpnode.protocol.errors import ErrorCode
from lrgpnode.protocol.session import Status
from tests.games.table import ANN, BEN, Table, words

SHAPE, RULE = ErrorCode.PROTOCOL_ERROR, ErrorCode.INVALID_MOVE

BEFORE_CASTLING = words("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 d2d3 d7d6 c1e3 c8e6 b1c3 b8c6 d1d2 d8d7")
"""Both sides may castle either way; White is to move."""

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def played(*moves: str, white: str = ANN) -> Table:
    return Table.active("chess", white=white).moves(*({"m": move} for move in moves))


def received(table: Table, uci: str) -> Table:
    """A move that comes from the wire, in whatever spelling its sender chose."""
    table.apply(table.turn, "move", {"m": uci, "n": table.metadata["move_count"], "x": ""})
    return table


def position(table: Table) -> Position:
    assert isinstance(table.game, Chess)
    return table.game.position(table.ann)


# Castling


@pytest.mark.parametrize(
    ("white", "black", "fen"),
    [
        (("e1g1", "e1h1"), ("e8g8", "e8h8"), "r4rk1/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R4RK1"),
        (("e1c1", "e1a1"), ("e8c8", "e8a8"), "2kr3r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/2KR3R"),
    ],
)
@pytest.mark.parametrize("spelling", [0, 1])
def test_castling_is_sent_as_king_takes_rook_and_received_in_both_forms(
    white: tuple[str, str], black: tuple[str, str], fen: str, spelling: int
) -> None:
    table = played(*BEFORE_CASTLING)
    assert table.play(ANN, "move", {"m": white[spelling]})["m"] == white[1]
    assert table.play(BEN, "move", {"m": black[spelling]})["m"] == black[1]
    assert table.metadata["moves"][-2:] == [white[1], black[1]]
    other = received(received(played(*BEFORE_CASTLING), white[spelling]), black[spelling])
    assert other.metadata["moves"][-2:] == [white[spelling], black[spelling]]  # as received
    for each in (table, other):
        assert str(each.game.public(each.ann)["board"]).startswith(fen)
        fresh = type(each.game)()
        assert fresh.public(each.ann) == each.game.public(each.ann)
        assert fresh.view(each.ann, ANN).history[-2:] == (
            ("O-O",) * 2 if "g1" in white[0] else ("O-O-O",) * 2
        )


@pytest.mark.parametrize("castle", ["e1g1", "e1h1", "e1c1", "e1a1"])
def test_castling_is_lost_with_a_move_of_the_king(castle: str) -> None:
    table = played(*BEFORE_CASTLING, "e1e2", "a7a6", "e2e1", "a6a5")
    table.refuse(ANN, "move", {"m": castle, "n": 18, "x": ""}, RULE)


def test_a_rook_or_queen_may_go_from_e1_to_h1() -> None:
    placed = Position(chess.Board("4k3/8/8/8/8/8/4K3/4R3 w - - 0 1"), ())
    assert placed.move("e1h1").uci() == "e1h1"
    assert placed.wire(placed.move("e1h1")) == "e1h1"


def test_a_king_next_to_a_rook_of_the_other_side_takes_it() -> None:
    placed = Position(chess.Board("r3k2r/8/8/8/8/8/8/R3K1r1 w Qkq - 0 1"), ())
    with pytest.raises(Exception, match="not a legal move"):
        placed.move("e1h1")
    assert placed.wire(chess.Move.from_uci("e1f2")) == "e1f2"


@pytest.mark.parametrize(
    ("fen", "uci", "legal"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", True),
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1h1", False),  # the right is gone
        ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", False),  # through check
        ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", True),  # only the rook passes an attacked square
        ("4k3/8/8/8/8/8/8/R3KB1R w KQ - 0 1", "e1h1", False),
        ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1a1", False),
        ("4k3/8/8/8/8/8/8/R3K2R b KQ - 0 1", "e1h1", False),
    ],
)
def test_when_castling_is_legal(fen: str, uci: str, legal: bool) -> None:
    placed = Position(chess.Board(fen), ())
    short = {"e1h1": "e1g1", "e1a1": "e1c1"}[uci]
    for spelling in (uci, short):
        if legal:
            assert placed.wire(placed.move(spelling)) == uci
        else:
            with pytest.raises(Exception, match="not a legal move"):
                placed.move(spelling)


# Promotion


def test_a_promotion_needs_its_letter_and_may_be_any_piece() -> None:
    march = ("h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "g8f6", "h6h7", "f6g8")
    table = played(*march)
    table.refuse(ANN, "move", {"m": "h7g8", "n": 8, "x": ""}, RULE)
    table.refuse(ANN, "move", {"m": "h7g8k", "n": 8, "x": ""}, RULE)
    table.refuse(ANN, "move", {"m": "h7g8p", "n": 8, "x": ""}, RULE)
    for letter, piece in zip("qrbn", "QRBN", strict=True):
        promoted = received(played(*march), f"h7g8{letter}")
        assert promoted.game.view(promoted.ann, ANN).grid[0][6] == piece


# Insufficient material


@pytest.mark.parametrize(
    ("placement", "drawn"),
    [
        ("4k3/8/8/8/8/8/8/4K3", True),
        ("4k3/8/8/8/8/8/8/4KB2", True),
        ("4k3/8/8/8/8/8/8/4KN2", True),
        ("4kn2/8/8/8/8/8/8/4K3", True),
        ("4kb2/8/8/8/8/8/8/2B1K3", True),  # f8 and c1 are dark both
        ("2b1k3/8/8/8/8/8/8/2B1K3", False),  # c8 is light, c1 dark
        ("4k3/8/8/8/8/8/8/4KNN1", False),
        ("4kn2/8/8/8/8/8/8/4KN2", False),
        ("4kn2/8/8/8/8/8/8/4KB2", False),
        ("4k3/8/8/8/8/8/2B5/2B1K3", False),
        ("4k3/8/8/8/8/8/1B6/2B1K3", False),  # two bishops of one colour: a draw by the book, not here
        ("4kb2/8/8/8/8/8/1B6/2B1K3", False),  # three of one colour: likewise
        ("4k3/8/8/8/8/8/8/4K2R", False),
        ("4k3/8/8/8/8/8/8/4K2Q", False),
        ("4k3/8/8/8/8/8/7P/4K3", False),
        ("4k3/7p/8/8/8/8/8/4KB2", False),
    ],
)
def test_insufficient_material(placement: str, drawn: bool) -> None:
    board = chess.Board(f"{placement} w - - 0 1")
    assert insufficient_material(board) is drawn
    assert board.is_insufficient_material() is (drawn or "1B6" in placement)
    assert Position(board, ()).end() == (("draw", "ins") if drawn else ("", ""))


# Repetition and claims


def claims(table: Table) -> str:
    claimable: str = table.game.view(table.ann, ANN).extras["claimable"]
    return claimable


def test_the_first_position_counts() -> None:
    table = played(*SHUFFLE)
    assert claims(table) == ""
    table = played(*SHUFFLE * 2)
    assert claims(table) == "3fr"


@pytest.mark.parametrize("who", [ANN, BEN])
def test_a_true_claim_ends_the_game_at_once(who: str) -> None:
    table = played(*SHUFFLE * 2)
    assert table.play(who, "draw_offer", {"r": "3fr"}) == {"r": "3fr"}
    m = table.metadata
    assert (table.status, m["terminal"], m["reason"], m["winner"], m["turn"]) == (
        Status.COMPLETED,
        "draw",
        "3fr",
        "",
        "",
    )
    assert (m["draw_offered"], m["draw_offered_by"]) == (False, "")
    table.refuse(table.ann.other(who), "draw_accept", {}, SHAPE, transition=True)


@pytest.mark.parametrize("r", ["3fr", "50m"])
@pytest.mark.parametrize("who", [ANN, BEN])
def test_a_false_claim_is_a_plain_offer(r: str, who: str) -> None:
    table = played(*SHUFFLE)
    assert table.play(who, "draw_offer", {"r": r}) == {"r": r}
    m = table.metadata
    assert (table.status, m["draw_offered"], m["draw_offered_by"]) == (Status.ACTIVE, True, who)
    table.play(table.ann.other(who), "draw_accept")
    assert (table.metadata["terminal"], table.metadata["reason"]) == ("draw", "agr")


@pytest.mark.parametrize("owner", [ANN, BEN])
@pytest.mark.parametrize("claimant", [ANN, BEN])
def test_a_true_claim_over_an_open_offer_ends_the_game_and_a_false_one_is_refused(
    owner: str, claimant: str
) -> None:
    table = played(*SHUFFLE * 2)
    table.play(owner, "draw_offer")
    table.refuse(claimant, "draw_offer", {"r": "50m"}, SHAPE, transition=True)
    assert table.metadata["draw_offered_by"] == owner
    table.play(claimant, "draw_offer", {"r": "3fr"})
    assert (table.status, table.metadata["reason"]) == (Status.COMPLETED, "3fr")


def test_nothing_is_drawn_unless_somebody_claims_it() -> None:
    """No fivefold repetition and no 75 moves: 160 plies of knights going out and back."""
    table = played(*SHUFFLE * 40)
    assert table.status is Status.ACTIVE
    assert position(table).board.halfmove_clock == 160


def test_after_fifty_moves_only_fifty_moves_can_be_claimed() -> None:
    table = played(*SHUFFLE * 24, *SHUFFLE[:3])
    assert claims(table) == "3fr"  # 99 plies
    table.moves({"m": SHUFFLE[3]})
    assert claims(table) == "50m"
    table.play(ANN, "draw_offer", {"r": "3fr"})  # true by the book, and yet not the claim that holds
    assert table.status is Status.ACTIVE
    table.play(BEN, "draw_decline")
    table.play(BEN, "draw_offer", {"r": "50m"})
    assert (table.status, table.metadata["reason"]) == (Status.COMPLETED, "50m")


def test_a_pawn_move_or_capture_starts_counting_again() -> None:
    table = played(*SHUFFLE * 2, "e2e4", "e7e5")
    assert claims(table) == ""
    assert len(position(table).keys) == 1
    assert claims(played(*SHUFFLE * 2, "e2e4", "e7e5", *SHUFFLE * 2)) == ""


def test_the_file_of_a_double_push_keeps_a_position_apart() -> None:
    """After e7e5 no pawn can take on e6; FIDE would count that position, deployed peers do not."""
    table = played("e2e4", "e7e5", *SHUFFLE, *SHUFFLE)
    board = chess.Board()
    for move in table.metadata["moves"]:
        board.push_uci(move)
    assert board.is_repetition(3)
    assert claims(table) == ""
    table.moves(*({"m": move} for move in SHUFFLE))
    assert claims(table) == "3fr"


def test_a_single_push_keeps_nothing_apart() -> None:
    assert claims(played("e2e3", "e7e6", *SHUFFLE * 2)) == "3fr"


def test_castling_rights_keep_positions_apart() -> None:
    out = ("e1e2", "e8e7", "e2e1", "e7e8")
    table = played("e2e3", "e7e6", *out, *out)
    assert claims(table) == ""  # both rights were lost on the first trip
    table.moves(*({"m": move} for move in out))
    assert claims(table) == "3fr"


def test_the_same_position_with_the_other_side_to_move_is_another() -> None:
    one, other = chess.Board(), chess.Board()
    other.turn = chess.BLACK
    assert repetition_key(one) != repetition_key(other)


def test_a_replay_stops_at_the_end_of_the_game() -> None:
    mate = ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert replay(mate).end() == ("win", "cm")
    with pytest.raises(Exception, match="after the end"):
        replay([*mate, "a2a3"])
    assert start().end() == ("", "")

"""Two processes play whole games; both boards equal each other and a replay of the journal."""

from __future__ import annotations

import pytest

from lrgpnode.control.client import CallFailed
from tests.e2e.conftest import Pair
from tests.e2e.nodes import until
from tests.e2e.replay import check_settled, stored_states
from tests.e2e.table import Table

pytestmark = pytest.mark.node

CASTLING_AND_PROMOTION = (
    "f4 d5 g4 Bf5 g5 Qd6 g6 Nc6 gxh7 O-O-O hxg8=Q Rxg8 Nf3 e5 Bg2 exf4 O-O Rh8 Nd4 Qh6 Bf3 Qxh2#"
)
STALEMATE = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"
DRAWN_FOUR = "547125662261271266215743771576315353334444"


def opened(pair: Pair, app: str, *moves: str) -> Table:
    table = Table(*pair, app)
    table.accept()
    table.play(*moves)
    return table


def test_ttt(pair: Pair) -> None:
    table = opened(pair, "ttt", *"14253")
    assert table.check_ended("win", pair[0]).grid == [["X", "X", "X"], ["O", "O", ""], ["", "", ""]]
    table = opened((pair[1], pair[0]), "ttt", *"123546879")
    assert table.check_ended("board_full").ply == 9


@pytest.mark.parametrize("moves", ["7244635", "5354575", "53234632422", "3243445555"])
def test_four_in_a_row_won(pair: Pair, moves: str) -> None:
    table = opened(pair, "four_in_a_row", *moves)
    assert table.check_ended("win", pair[(len(moves) + 1) % 2]).ply == len(moves)


def test_four_in_a_row_full_board(pair: Pair) -> None:
    table = opened(pair, "four_in_a_row", *DRAWN_FOUR)
    assert table.check_ended("board_full").ply == 42
    whole = table.a.call("game.actions", id=table.id)
    assert (len(whole["actions"]), whole["more"]) == (44, False)
    page = table.a.call("game.actions", id=table.id, after=40, limit=2)
    assert (page["actions"], page["more"]) == (whole["actions"][40:42], True)


def test_chess_with_castling_and_promotion(pair: Pair) -> None:
    table = opened(pair, "chess", *CASTLING_AND_PROMOTION.split())
    table.check_ended("checkmate", table.black)
    moves = [row["payload"]["m"] for row in table.a.actions(table.id) if row["command"] == "move"]
    assert {"e1h1", "e8a8", "h7g8q"} <= set(moves)  # castling goes as king takes rook


def test_chess_stalemate(pair: Pair) -> None:
    opened(pair, "chess", *STALEMATE.split()).check_ended("stalemate")


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row", "chess"])
@pytest.mark.parametrize("loser", [0, 1])
def test_resignation(pair: Pair, app: str, loser: int) -> None:
    table = opened(pair, app)
    table.play({"ttt": "5", "four_in_a_row": "4", "chess": "d4"}[app])
    # Once by the player to move, once by the other.
    table.act(pair[loser], "resign")
    table.check_ended("resignation", pair[1 - loser])


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row", "chess"])
def test_draw_by_agreement(pair: Pair, app: str) -> None:
    a, b = pair
    table = opened(pair, app)
    table.act(a, "draw", what="offer")
    table.act(b, "draw", what="decline")
    for node in (a, b):
        assert node.call("game.show", id=table.id)["refused_draw"] == {
            "offered_by": a.identity,
            "declined": True,
        }
    table.act(b, "draw", what="offer")
    assert a.call("game.show", id=table.id)["refused_draw"] is None
    with pytest.raises(CallFailed):
        b.call("game.draw", id=table.id, what="accept")  # not one's own
    table.act(a, "draw", what="accept")
    table.check_ended("agreement")


def test_claimed_threefold_repetition(pair: Pair) -> None:
    table = opened(pair, "chess", *["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"])
    with pytest.raises(CallFailed, match="No draw"):
        table.to_move().call("game.draw", id=table.id, what="claim")
    table.play("Ng8")  # the first position for the third time
    table.act(table.to_move(), "draw", what="claim")
    table.check_ended("threefold_repetition")


def test_threefold_counts_the_en_passant_square_of_every_double_push(pair: Pair) -> None:
    """Deployed peers: after 1. e4 the position is another one than two plies later, without e3."""
    table = opened(pair, "chess", *["e4", "Nf6", "Nf3", "Ng8", "Ng1", "Nf6", "Nf3", "Ng8", "Ng1"])
    with pytest.raises(CallFailed, match="No draw"):
        table.to_move().call("game.draw", id=table.id, what="claim")
    table.play("Nf6")  # a position that had no such square either time
    table.act(table.to_move(), "draw", what="claim")
    table.check_ended("threefold_repetition")


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row", "chess"])
def test_declined_and_cancelled(pair: Pair, app: str) -> None:
    a, b = pair
    table = Table(a, b, app)
    table.act(b, "decline")
    table.check_ended("declined")
    table = Table(a, b, app)
    table.act(a, "decline")
    table.check_ended("cancelled" if app == "chess" else "declined")


def test_games_at_the_same_time(pair: Pair) -> None:
    """Both sides act in many sessions at once; nothing gets into the wrong one."""
    tables = [Table(*(pair if number % 2 else pair[::-1]), "ttt") for number in range(6)]
    for table in tables:
        table.b.call("game.accept", id=table.id)
    for ply, move in enumerate("14253"):
        for table in tables:
            node = (table.a, table.b)[ply % 2]
            table.ready_for(node, ply)
            node.call("game.move", id=table.id, move=move)
    for table in tables:
        table.b.events.wait("game.applied", id=table.id, ply=5)
        table.check_ended("win", table.a)


def test_a_plain_offer_crossing_a_move(pair: Pair) -> None:
    """The offer does not confirm the move, and the game ends settled all the same."""
    a, b = pair
    table = opened(pair, "ttt", "5")
    number = a.call("game.draw", id=table.id, what="offer")["action_num"]
    b.events.wait("game.applied", id=table.id, own=False, action_num=number)
    table.play(*"1")
    table.act(a, "resign")
    table.check_ended("resignation", b)


def test_any_command_by_its_name(pair: Pair) -> None:
    a, b = pair
    table = Table(*pair, "TTT")
    table.act(b, "act", command="accept")
    table.act(a, "act", command="move", text="5")
    table.act(b, "act", command="move", intent={"i": 0})
    table.act(a, "act", command="resign")
    table.check_ended("resignation", b)
    with pytest.raises(CallFailed, match="no game") as failed:
        a.call("game.challenge", peer=b.identity, app="four_in_row")
    assert failed.value.hint == "Did you mean four_in_a_row?"


def test_what_was_seen_is_not_new(pair: Pair) -> None:
    a, b = pair
    table = opened(pair, "ttt", "5")
    assert b.game(table.id)["unread"] == 1  # type: ignore[index]
    b.call("game.read", id=table.id)
    assert b.game(table.id)["unread"] == 0  # type: ignore[index]
    table.play("1", "2")
    assert b.game(table.id)["unread"] == 1  # type: ignore[index]
    table.act(a, "resign")
    table.check_ended("resignation", b)


def test_the_end_settles_what_was_stored_as_delivered(pair: Pair) -> None:
    a, _ = pair
    table = Table(*pair, "ttt")
    until(lambda: stored_states(a, table.id) == ["delivered"], "the delivery is stored")
    table.act(a, "decline")
    until(lambda: stored_states(a, table.id) == ["confirmed", "confirmed"], "both are settled")


def test_nothing_of_ended_games_waits_to_be_sent(pair: Pair) -> None:
    """Of all the games above, and one more whose last moves follow each other at once."""
    table = opened(pair, "ttt", "5")
    table.act(pair[0], "draw", what="offer")
    table.act(pair[0], "resign")
    table.check_ended("resignation", pair[1])
    for node in pair:
        check_settled(node)

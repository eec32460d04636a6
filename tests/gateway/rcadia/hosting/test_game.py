"""Hosted games by literals of the protocol: what a platform tells a host, and what it must hear back."""

from typing import Any

import pytest

from tests.games.table import words
from tests.gateway.rcadia.hosting.platform import ANN, BEN, Platform, kinds

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def begun(app: str, **how: Any) -> Platform:
    platform = Platform(app, **how)
    platform.start()
    return platform


def test_the_first_seat_has_white_in_round_one() -> None:
    ops = Platform("chess").start(ANN, BEN)
    assert kinds(ops) == ["state", "legal_actions"]
    state, legal = ops[0]["state"], ops[1]
    assert state["fen"] == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert (state["white"], state["black"], state["turn"]) == (ANN, BEN, "white")
    assert (state["phase"], state["currentPlayer"], state["moves"], state["round"]) == ("playing", ANN, [], 1)
    assert state["board"][0] == ["r", "n", "b", "q", "k", "b", "n", "r"]
    assert legal["playerId"] == ANN
    assert len(legal["actions"]) == 20
    assert {"type": "move", "uci": "e2e4", "san": "e4", "from": "e2", "to": "e4"} in legal["actions"]


@pytest.mark.parametrize("app", ["chess", "ttt", "four_in_a_row"])
def test_who_begins_alternates_by_round(app: str) -> None:
    first = [begun(app, number=number).to_move for number in (1, 2, 3, 4)]
    assert first == [ANN, BEN, ANN, BEN]


def test_a_move_is_applied_and_the_turn_passes() -> None:
    platform = begun("chess")
    ops = platform.act(ANN, {"type": "move", "uci": "e2e4"})
    assert kinds(ops) == ["state", "legal_actions"]
    assert ops[0]["state"]["moves"] == ["e2e4"]
    assert ops[0]["state"]["san"] == ["e4"]
    assert ops[0]["state"]["lastMove"] == {"from": "e2", "to": "e4", "uci": "e2e4", "san": "e4"}
    assert ops[0]["state"]["fen"].split()[1] == "b"
    assert ops[1]["playerId"] == BEN


@pytest.mark.parametrize(
    "action",
    [
        "e2e4",
        "e4",
        {"uci": "e2e4"},
        {"move": "e2e4"},
        {"san": "e4"},
        {"type": "move", "move": "e4"},
        {"from": "e2", "to": "e4"},
        {"move": {"from": "e2", "to": "e4", "promotion": None}},
    ],
)
def test_shapes_of_a_chess_move(action: Any) -> None:
    platform = begun("chess")
    platform.play(action)
    assert platform.state["moves"] == ["e2e4"]


def test_castling_and_promotion_are_said_as_the_web_has_them() -> None:
    platform = begun("chess")
    platform.play("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5")
    castling = next(one for one in platform.legal if one["san"] == "O-O")
    assert castling["uci"] == "e1g1"
    platform.play(castling)
    assert platform.state["moves"][-1] == "e1g1"
    assert platform.state["lastMove"]["san"] == "O-O"

    platform = begun("chess")
    platform.play("a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "h7h5")
    promotion = {"type": "move", "uci": "b7a8q", "san": "bxa8=Q", "from": "b7", "to": "a8", "promotion": "q"}
    assert promotion in platform.legal
    assert kinds(platform.act(ANN, {"from": "b7", "to": "a8"})) == ["reject"]
    platform.play({"from": "b7", "to": "a8", "promotion": "queen"})
    assert platform.state["board"][0][0] == "Q"


def test_mate_ends_the_game_with_a_player_as_winner() -> None:
    platform = begun("chess")
    ops = platform.play("f2f3", "e7e5", "g2g4", "d8h4")
    assert kinds(ops) == ["state", "end"]
    assert ops[1]["result"] == {"winner": BEN, "reason": "checkmate", "draw": False}
    assert ops[0]["state"]["phase"] == "over"
    assert ops[0]["state"]["result"] == ops[1]["result"]
    assert ops[0]["state"]["currentPlayer"] is None


STALEMATE = words("""
    e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6
""")


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        (STALEMATE, "stalemate"),
        (SHUFFLE * 2, "threefold_repetition"),
    ],
)
def test_draws_by_the_board(moves: Any, reason: str) -> None:
    platform = begun("chess")
    ops = platform.play(*moves)
    assert ops[-1]["result"] == {"winner": None, "reason": reason, "draw": True}


def test_a_draw_is_offered_with_a_move_and_accepted() -> None:
    platform = begun("chess")
    platform.play({"uci": "e2e4", "offerDraw": True})
    assert platform.state["drawOffer"] == ANN
    assert platform.legal[-1] == {"type": "accept_draw"}
    ops = platform.act(BEN, {"type": "accept_draw"})
    assert ops[-1]["result"] == {"winner": None, "reason": "agreement", "draw": True}


def test_a_draw_offer_is_declined_by_moving() -> None:
    platform = begun("chess")
    ops = platform.act(ANN, {"type": "offer_draw"})
    assert (kinds(ops), platform.to_move) == (["state", "legal_actions"], ANN)
    assert {"type": "accept_draw"} not in platform.legal
    assert kinds(platform.act(ANN, {"type": "offer_draw"})) == ["reject"]
    platform.play("e2e4")
    assert platform.state["drawOffer"] == ANN
    platform.play("e7e5")
    assert platform.state["drawOffer"] is None
    assert kinds(platform.act(ANN, {"type": "accept_draw"})) == ["reject"]


def test_a_draw_can_be_offered_once_before_each_move() -> None:
    """Else somebody could keep the clock from ever running out."""
    platform = begun("chess")
    platform.play({"type": "offer_draw"}, "e2e4", {"type": "decline_draw"})
    assert (platform.to_move, platform.state["drawOffer"]) == (BEN, None)
    platform.play({"type": "offer_draw"}, "e7e5", {"type": "decline_draw"})
    platform.play({"type": "offer_draw"})
    for _ in range(3):
        assert kinds(platform.act(ANN, {"type": "offer_draw"})) == ["reject"]


@pytest.mark.parametrize("app", ["chess", "ttt", "four_in_a_row"])
@pytest.mark.parametrize("action", ["resign", {"type": "resign"}, {"action": "resign"}])
def test_resigning(app: str, action: Any) -> None:
    platform = begun(app)
    ops = platform.act(ANN, action)
    assert ops[-1] == {"op": "end", "reason": None, "result": platform.ended}
    assert platform.ended == {"winner": BEN, "reason": "resignation", "draw": False}


def test_tic_tac_toe() -> None:
    platform = begun("ttt")
    assert platform.state["board"] == [None] * 9
    assert platform.legal[5] == {"type": "move", "cell": 5, "row": 1, "column": 2}
    platform.play({"cell": 0}, {"row": 1, "column": 1}, 1, "8")
    assert platform.state["board"] == ["X", "X", None, None, "O", None, None, None, "O"]
    assert platform.state["rows"][1] == [None, "O", None]
    assert (platform.state["X"], platform.state["O"], platform.state["moves"]) == (ANN, BEN, [0, 4, 1, 8])
    assert kinds(platform.act(ANN, 4)) == ["reject"]
    ops = platform.act(ANN, {"index": 2})
    assert ops[-1]["result"] == {"winner": ANN, "reason": "win", "draw": False}
    full = begun("ttt")
    ops = full.play(0, 1, 2, 4, 3, 5, 7, 6, 8)
    assert ops[-1]["result"] == {"winner": None, "reason": "board_full", "draw": True}


def test_connect_four() -> None:
    platform = begun("four_in_a_row")
    assert platform.legal[3] == {"type": "move", "column": 3, "row": 5}
    platform.play({"column": 3}, 0, "3", {"col": 0}, 3, 0)
    assert platform.state["board"][5] == ["B", None, None, "A", None, None, None]
    assert platform.state["lastMove"] == {"column": 0, "row": 3}
    ops = platform.play({"type": "move", "column": 3, "row": 2})
    assert ops[-1]["result"] == {"winner": ANN, "reason": "win", "draw": False}
    assert platform.state["moves"] == [3, 0, 3, 0, 3, 0, 3]


def test_entries_that_come_again_change_nothing() -> None:
    platform = begun("ttt")
    entry = {"type": "action", "playerId": ANN, "action": 4, "actionId": "a_1"}
    assert kinds(platform.tell(entry, seq=2)) == ["state", "legal_actions"]
    before = platform.game
    assert platform.tell(entry, seq=2) == []
    assert platform.game == before
    again = {"type": "system", "event": "game_start", "players": [ANN, BEN], "round": 1}
    assert platform.tell(again, seq=1) == []
    platform.seq = 2
    assert platform.tell(entry) == []
    assert platform.tell(again) == []
    assert platform.state["moves"] == [4]


def test_the_platform_ends_the_game() -> None:
    platform = begun("chess")
    timeout = {"type": "timeout", "playerId": ANN, "strike": 2, "maxStrikes": 2, "final": True}
    assert platform.tell(timeout) == []
    result = {"winner": BEN, "reason": "timeout", "forfeitedBy": ANN, "strikes": 2}
    ended = {"type": "system", "event": "session_end", "result": result, "reason": "timeout"}
    assert platform.tell(ended) == []
    assert platform.game.result == result
    assert kinds(platform.act(ANN, "e2e4")) == ["reject"]


def test_a_legacy_game_is_started_and_timed_out_as_in_v1() -> None:
    platform = Platform("chess", legacy=True)
    start = {"type": "__game_start__", "players": [ANN, BEN]}
    ops = platform.tell({"type": "action", "playerId": "__system__", "action": start})
    assert kinds(ops) == ["state", "legal_actions"]
    ops = platform.tell({"type": "timeout", "playerId": ANN, "strike": 2, "maxStrikes": 2, "final": True})
    assert ops[-1]["result"] == {"winner": BEN, "reason": "timeout", "forfeitedBy": ANN}


def test_roles_may_be_given_later() -> None:
    platform = Platform("chess", hold=True)
    ops = platform.start()
    assert kinds(ops) == ["state"]
    assert ops[0]["state"]["phase"] == "waiting"
    assert kinds(platform.act(ANN, "e2e4")) == ["reject"]
    assert platform.assign("p_stranger") == []
    ops = platform.assign(BEN)
    assert (ops[0]["state"]["white"], ops[1]["playerId"]) == (BEN, BEN)
    assert platform.assign(ANN) == []


def test_a_table_for_other_than_two_is_ended() -> None:
    ops = Platform("chess").start(ANN, ANN)
    assert ops[-1]["result"] == {"winner": None, "reason": "wrong_players"}

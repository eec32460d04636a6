"""Chess: exact payloads, the coin, and what a receiver refuses (spec, appendix B)."""

from __future__ import annotations

from typing import Any

import pytest

from lrgpnode.protocol.errors import ErrorCode
from lrgpnode.protocol.session import Status
from tests.games.table import ANN, BEN, EVE, GAMES, Table, refusal, tails, words

SHAPE, RULE = ErrorCode.PROTOCOL_ERROR, ErrorCode.INVALID_MOVE

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
STALEMATE = words(
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
)
"""The shortest known stalemate."""

JUNK = words(
    "e2 e4 E2E4 e2-e4 e2e4q e2e4k e2e4p e2e4Q e2e4qq f2g1nn 0000 -- a1a1 e2e2 i2i4 e0e4 e2e9 Nf3 O-O P@e4"
)


def played(*moves: str, white: str = ANN) -> Table:
    return Table.active("chess", white=white).moves(*({"m": move} for move in moves))


@pytest.mark.parametrize(("coin", "white"), [(True, ANN), (False, BEN)])
def test_the_responder_draws_lots_for_white(coin: bool, white: str) -> None:
    table = Table.challenged("chess")
    assert table.play(BEN, "accept", coin=coin) == {"w": white}
    assert (table.metadata["first_turn"], table.turn) == (white, white)
    colours = (table.ann.metadata["my_color"], table.ben.metadata["my_color"])
    assert colours == (("w", "b") if white == ANN else ("b", "w"))


def test_the_coin_is_tossed_for_an_accept_only() -> None:
    tossed: list[str] = []

    def coin() -> bool:
        tossed.append("toss")
        return True

    table = Table.challenged("chess")
    GAMES["chess"].intend(table.ben, BEN, "decline", {}, coin)
    assert tossed == []
    GAMES["chess"].intend(table.ben, BEN, "accept", {}, coin)
    assert tossed == ["toss"]


@pytest.mark.parametrize(
    "payload", [{}, {"w": EVE}, {"w": ""}, {"w": ANN.upper()}, {"w": 1}, {"w": None}, {"w": ANN, "t": ANN}]
)
def test_a_wrong_accept(payload: dict[str, Any]) -> None:
    Table.challenged("chess").refuse(BEN, "accept", payload, SHAPE)


def test_a_pending_game_has_no_colours() -> None:
    m = Table.challenged("chess").metadata
    assert (m["first_turn"], m["turn"], m["moves"], m["move_count"]) == ("", "", [], 0)
    assert Table.challenged("chess").ann.metadata["my_color"] == ""


def test_moves_of_each_kind() -> None:
    table = played()
    assert table.play(ANN, "move", {"m": "e2e4"}) == {"m": "e2e4", "n": 0, "x": ""}
    assert table.play(BEN, "move", {"m": "c7c5"}) == {"m": "c7c5", "n": 1, "x": ""}
    assert (table.metadata["moves"], table.metadata["move_count"]) == (["e2e4", "c7c5"], 2)
    mate = played(*FOOLS_MATE[:-1])
    assert mate.play(BEN, "move", {"m": "d8h4"}) == {"m": "d8h4", "n": 3, "x": "win", "r": "cm", "w": BEN}
    m = mate.metadata
    assert (mate.status, m["terminal"], m["reason"], m["winner"], m["turn"]) == (
        Status.COMPLETED,
        "win",
        "cm",
        BEN,
        "",
    )
    stale = played(*STALEMATE[:-1])
    assert stale.play(ANN, "move", {"m": "c8e6"}) == {"m": "c8e6", "n": 18, "x": "draw", "r": "sm"}
    m = stale.metadata
    assert (stale.status, m["terminal"], m["reason"], m["winner"], m["turn"]) == (
        Status.COMPLETED,
        "draw",
        "sm",
        "",
        "",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"m": None},
        {"m": b"e2e4"},
        {"m": 1},
        {"n": False},
        {"n": 0.0},
        {"n": "0"},
        {"n": -1},
        {"x": None},
        {"x": 0},
        {"x": []},
        {"x": "resign"},
        {"r": "cm"},
        {"r": ""},
        {"w": ANN},
        {"x": "win"},
        {"x": "win", "w": ANN},
        {"x": "win", "r": "cm"},
        {"x": "win", "r": "", "w": ANN},
        {"x": "win", "r": 1, "w": ANN},
        {"x": "win", "r": "cm", "w": None},
        {"x": "draw"},
        {"x": "draw", "r": ""},
        {"x": "draw", "r": "sm", "w": ""},
        {"t": BEN},
        {b"x": ""},
    ],
)
@pytest.mark.parametrize("state", ["pending", "active", "other turn"])
def test_a_malformed_move_is_a_protocol_error_in_every_state(change: dict[Any, Any], state: str) -> None:
    table = Table.challenged("chess") if state == "pending" else played()
    payload = {"m": "e2e4", "n": 0, "x": "", **change}
    table.refuse(BEN if state == "other turn" else ANN, "move", payload, SHAPE)


@pytest.mark.parametrize("key", ["m", "n", "x"])
def test_a_move_without_a_key(key: str) -> None:
    payload = {"m": "e2e4", "n": 0, "x": ""}
    del payload[key]
    played().refuse(ANN, "move", payload, SHAPE)


@pytest.mark.parametrize(
    "change",
    [
        {"n": 1},
        {"n": 2},
        {"n": 1 << 63},
        {"m": "e2e5"},
        {"m": "e7e5"},
        {"m": "e1g1"},
        {"m": "e1h1"},
        {"m": "e3e4"},
        {"x": "win", "r": "cm", "w": ANN},
        {"x": "draw", "r": "sm"},
        {"x": "draw", "r": "ins"},
        {"x": "draw", "r": "3fr"},
        {"x": "draw", "r": "agr"},
    ],
)
def test_a_false_move(change: dict[str, Any]) -> None:
    played().refuse(ANN, "move", {"m": "e2e4", "n": 0, "x": "", **change}, RULE)


@pytest.mark.parametrize(
    "uci",
    ["", "e2e4 ", " e2e4", "e2e4\n", "e2e4\x00", "é2e4", "e²e4", "\U0001f600" * 12, "x" * 120, *JUNK],
)
def test_what_is_not_exactly_a_uci_move(uci: str) -> None:
    table = played()
    table.refuse(ANN, "move", {"m": uci, "n": 0, "x": ""}, RULE)
    refusal(lambda: table.payload(ANN, "move", {"m": uci}), RULE)


@pytest.mark.parametrize(
    "change",
    [
        {"w": ANN},
        {"w": EVE},
        {"w": ""},
        {"r": "sm"},
        {"r": "mate"},
        {"x": "", "r": None, "w": None},
        {"x": "draw", "r": "sm", "w": None},
        {"x": "draw", "r": "cm", "w": None},
    ],
)
def test_a_mate_that_is_told_wrongly(change: dict[str, Any]) -> None:
    payload = {"m": "d8h4", "n": 3, "x": "win", "r": "cm", "w": BEN, **change}
    table = played(*FOOLS_MATE[:-1])
    table.refuse(BEN, "move", {key: value for key, value in payload.items() if value is not None}, RULE)
    assert table.status is Status.ACTIVE


@pytest.mark.parametrize(
    "change", [{"r": "ins"}, {"r": "50m"}, {"x": "", "r": None}, {"x": "win", "r": "sm", "w": ANN}]
)
def test_a_stalemate_that_is_told_wrongly(change: dict[str, Any]) -> None:
    payload = {"m": "c8e6", "n": 18, "x": "draw", "r": "sm", **change}
    table = played(*STALEMATE[:-1])
    table.refuse(ANN, "move", {key: value for key, value in payload.items() if value is not None}, RULE)


@pytest.mark.parametrize("r", ["", "cm", "sm", "ins", "agr", "rsn", "3FR", "75m", "5fr", None, 3, b"3fr"])
def test_an_unknown_claim(r: Any) -> None:
    for table in (played(), Table.challenged("chess")):
        table.refuse(ANN, "draw_offer", {"r": r}, SHAPE)
        refusal(lambda table=table: table.payload(ANN, "draw_offer", {"r": r}), SHAPE)


@pytest.mark.parametrize("payload", [{"r": "3fr", "x": ""}, {"R": "3fr"}, {"r": "50m", "n": 4}])
def test_a_malformed_claim(payload: dict[str, Any]) -> None:
    played().refuse(ANN, "draw_offer", payload, SHAPE)


@pytest.mark.parametrize(
    "intent",
    [{}, {"m": "e2e4", "n": 0}, {"m": "e2e4", "x": ""}, {"m": 1}, {"m": None}, {"i": 1}, {"m": b"e2e4"}],
)
def test_a_malformed_intent(intent: dict[str, Any]) -> None:
    table = played()
    refusal(lambda: GAMES["chess"].intend(table.ann, ANN, "move", intent, tails), SHAPE)


def test_a_cancelled_challenge_says_so() -> None:
    table = Table.challenged("chess")
    table.play(ANN, "decline")
    assert table.metadata["cancelled_by_initiator"] is True
    table = Table.challenged("chess")
    table.play(BEN, "decline")
    assert "cancelled_by_initiator" not in table.metadata

"""Chess on the wire: payloads, moves, castling, the coin, endings (spec, appendix B; facts §12)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.conftest import Quiet
from tests.conformance.driver import (
    ACCEPTED,
    CHESS,
    DUPLICATE,
    A,
    B,
    C,
    Driver,
    Node,
    Table,
    envelope,
    payload_of,
    rejected,
    seat,
    sid,
)

FIRST = {"m": "e2e4", "n": 0, "x": ""}
WRONG_TYPES = (True, 1.0, "1", b"1", None, [1], {})
SHAPES: dict[str, Any] = (
    {f"no {key}": {k: v for k, v in FIRST.items() if k != key} for key in FIRST}
    | {f"extra {key}": FIRST | {key: ""} for key in ("r", "w", "b", "t", "i", "")}
    | {f"n={value!r}": FIRST | {"n": value} for value in (*WRONG_TYPES, -1, -(2**40))}
    | {f"{key}={value!r}": FIRST | {key: value} for key in "mx" for value in (1, True, None, b"", [], {})}
    | {f"x={value!r}": FIRST | {"x": value} for value in ("resign", "WIN", "lose", " ")}
    | {
        "empty": {},
        "intent": {"m": "e2e4"},
        "win alone": FIRST | {"x": "win"},
        "win without w": FIRST | {"x": "win", "r": "cm"},
        "win without r": FIRST | {"x": "win", "w": A},
        "win, empty r": FIRST | {"x": "win", "r": "", "w": A},
        "draw alone": FIRST | {"x": "draw"},
        "draw, empty r": FIRST | {"x": "draw", "r": ""},
        "draw with w": FIRST | {"x": "draw", "r": "sm", "w": A},
        "r number": FIRST | {"x": "draw", "r": 1},
        "w nil": FIRST | {"x": "win", "r": "cm", "w": None},
    }
)
BAD_UCI = [
    "",
    "0000",
    "--",
    "e4",
    "e2-e4",
    "e2 e4",
    " e2e4",
    "e2e4 ",
    "e2e4\n",
    "E2E4",
    "e2E4",
    "e2e4q",
    "e2e4p",
    "e2e4k",
    "e2e4=Q",
    "e2e45",
    "e2e4e5",
    "e2e9",
    "i2i4",
    "e0e4",
    "Nf3",
    "O-O",
    "0-0",
    "e2e5",
    "e2d3",
    "e7e5",
    "e1e2",
    "g1g3",
    "a1a3",
    "e2e2",
    "e1g1",
    "e1h1",
    "e1c1",
    "e1a1",
    "b1d2",
    "f2g1nn",
    "P@e4",
    "e2e4\x00",
    "e2e４",
    "е2е4",
]
RULES: dict[str, Any] = (
    {f"m={uci!r}": FIRST | {"m": uci} for uci in BAD_UCI}
    | {f"n={value}": FIRST | {"n": value} for value in (1, 2, 255, 2**32, 2**63)}
    | {f"false {r}": FIRST | {"x": "draw", "r": r} for r in ("sm", "ins", "3fr", "50m", "agr", "x")}
    | {f"false win {r}": FIRST | {"x": "win", "r": r, "w": A} for r in ("cm", "rsn", "foo")}
)


@pytest.mark.parametrize("payload", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("status", ["active", "pending"])
def test_a_malformed_move(quiet: Quiet, payload: Any, status: str) -> None:
    node = quiet.seat(CHESS, B, status)
    before = node.export(CHESS)
    raw = envelope(CHESS, "move", payload)
    assert node.wire(raw, A) == rejected("protocol_error", "move")
    assert node.wire(raw, A) == DUPLICATE
    assert node.export(CHESS) == before


@pytest.mark.parametrize("payload", RULES.values(), ids=RULES.keys())
def test_a_move_against_the_rules(quiet: Quiet, payload: Any) -> None:
    node = quiet.seat(CHESS, B, "active")
    before = node.export(CHESS)
    assert node.wire(envelope(CHESS, "move", payload), A) == rejected("invalid_move", "move")
    assert node.export(CHESS) == before


@pytest.mark.parametrize("uci", [*BAD_UCI, "a" * 400])
def test_a_wrong_local_move(quiet: Quiet, uci: str) -> None:
    node = quiet.seat(CHESS, A, "active")
    answer = node.local(CHESS, "move", {"m": uci})
    assert (answer["kind"], answer["code"]) == ("validation", "invalid_move")
    assert node.state(CHESS)["move_count"] == 0  # type: ignore[index]


@pytest.mark.parametrize(
    "intent",
    [{}, {"m": 1}, {"m": None}, {"m": ["e2e4"]}, {"m": "e2e4", "n": 0}, FIRST, {"i": 0}, {"M": "e2e4"}],
)
def test_a_wrong_intent(quiet: Quiet, intent: Any) -> None:
    node = quiet.seat(CHESS, A, "active")
    assert node.local(CHESS, "move", intent)["kind"] == "validation"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"w": ""},
        {"w": C},
        {"w": A.upper()},
        {"w": "white"},
        {"w": None},
        {"w": 1},
        {"w": A.encode()},
        {"w": A, "x": 1},
        {"t": A},
    ],
)
def test_a_wrong_accept(driver: Driver, payload: Any) -> None:
    node = seat(driver, CHESS, A, "pending")
    before = node.export(CHESS)
    assert node.wire(envelope(CHESS, "accept", payload), B) == rejected("protocol_error", "accept")
    assert node.export(CHESS) == before


@pytest.mark.parametrize("white", [A, B])
def test_the_challenger_takes_the_colour_it_is_given(driver: Driver, white: str) -> None:
    node = seat(driver, CHESS, A, "pending")
    assert node.state(CHESS)["my_color"] == ""  # type: ignore[index]
    assert node.wire(envelope(CHESS, "accept", {"w": white}), B) == ACCEPTED
    state = node.state(CHESS)
    assert state is not None
    assert (state["turn"], state["first_turn"]) == (white, white)
    assert state["my_color"] == ("w" if white == A else "b")
    move = node.local(CHESS, "move", {"m": "e2e4"})
    assert move["outcome"] == ("prepared" if white == A else "refused")


def test_the_coin_is_fair(driver: Driver) -> None:
    bob = driver.node(B)
    heads = 0
    for number in range(100):
        assert bob.wire(envelope(CHESS, "challenge", session=sid(number)), A) == ACCEPTED
        raw = bob.send(CHESS, "accept", to=A, session=sid(number))
        white = payload_of(raw)["w"]
        assert white in (A, B)
        state = bob.state(CHESS, sid(number))
        assert state is not None
        assert (state["first_turn"], state["turn"]) == (white, white)
        assert state["my_color"] == ("w" if white == B else "b")
        heads += white == A
    assert 20 <= heads <= 80, "six standard deviations"


def step(table: Table, node: Node, uci: str, payload: Any, text: str) -> None:
    answer = node.local(CHESS, "move", {"m": uci}, to=table.other(node).identity)
    assert answer["outcome"] == "prepared", (uci, answer)
    assert payload_of(answer["envelope"]) == payload
    assert answer["fallback"] == f"[LRGP Chess] {text}"
    assert table.other(node).wire(answer["envelope"], node.identity) == ACCEPTED


KINGSIDE = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5"
QUEENSIDE = "d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7"
CASTLES = [
    (KINGSIDE, "e1g1", "e1h1"),
    (KINGSIDE + " e1g1", "e8g8", "e8h8"),
    (QUEENSIDE, "e1c1", "e1a1"),
    (QUEENSIDE + " e1c1", "e8c8", "e8a8"),
]


@pytest.mark.parametrize(("before", "king", "rook"), CASTLES)
@pytest.mark.parametrize("form", ["king", "rook"])
def test_castling_in_both_forms(driver: Driver, before: str, king: str, rook: str, form: str) -> None:
    table = Table(driver, CHESS).open_chess().moves(before)
    node = table.turn()
    receiver = table.other(node)
    n = len(before.split())
    uci = king if form == "king" else rook
    answer = node.local(CHESS, "move", {"m": uci}, to=receiver.identity)
    assert payload_of(answer["envelope"]) == {"m": rook, "n": n, "x": ""}, "king takes own rook goes out"
    assert answer["fallback"] == f"[LRGP Chess] {rook}"
    assert receiver.wire(envelope(CHESS, "move", {"m": uci, "n": n, "x": ""}), node.identity) == ACCEPTED
    first, second = table.states()
    assert first["board"] == second["board"]
    assert first["turn"] == second["turn"] == receiver.identity
    table.moves("h7h6" if n % 2 == 0 else "h2h3")
    record = receiver.export(CHESS)
    other = driver.node(receiver.identity)
    assert other.hydrate(record) == {"outcome": "hydrated"}
    assert other.state(CHESS) == receiver.state(CHESS)


@pytest.mark.parametrize(
    ("before", "move"),
    [
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1e2 d7d6 e2e1 a7a6", "e1h1"),  # the king has moved
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 h1g1 d7d6 g1h1 a7a6", "e1h1"),  # the rook has moved
        ("e2e4 e7e5 g1f3 g8f6", "e1h1"),  # a piece between
        ("f2f4 e7e5 g1f3 e5f4 e2e4 d8h4", "e1h1"),  # in check
        ("e2e4 e7e5 g1f3 b7b6 f1a6 c8a6", "e1h1"),  # through check
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5", "e8h8"),  # not the mover's
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5", "e1a1"),  # the wrong side
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5", "h1e1"),  # rook takes own king
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5", "e1f1q"),
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5", "e1g1q"),
    ],
)
def test_castling_that_is_not_allowed(driver: Driver, before: str, move: str) -> None:
    table = Table(driver, CHESS).open_chess().moves(before)
    n = len(before.split())
    for uci in (move, {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8"}.get(move, move)):
        assert table.alice.local(CHESS, "move", {"m": uci})["code"] == "invalid_move"
        raw = envelope(CHESS, "move", {"m": uci, "n": n, "x": ""})
        assert table.bob.wire(raw, A) == rejected("invalid_move", "move")


PROMOTION = "g2g4 h7h5 g4h5 g7g6 h5g6 f8h6 g6g7 a7a6"


@pytest.mark.parametrize("piece", "qrbn")
def test_promotion_to_any_piece(driver: Driver, piece: str) -> None:
    table = Table(driver, CHESS).open_chess().moves(PROMOTION)
    step(table, table.alice, f"g7h8{piece}", {"m": f"g7h8{piece}", "n": 8, "x": ""}, f"g7h8{piece}")
    state = table.bob.state(CHESS)
    assert state is not None
    assert state["board"].split("/")[0].endswith(piece.upper())


@pytest.mark.parametrize("uci", ["g7h8", "g7h8k", "g7h8p", "g7h8Q", "g7h8qq", "g7h8=q", "g7g8q", "a2a4q"])
def test_a_promotion_needs_its_letter(driver: Driver, uci: str) -> None:
    table = Table(driver, CHESS).open_chess().moves(PROMOTION)
    assert table.alice.local(CHESS, "move", {"m": uci})["code"] == "invalid_move"
    raw = envelope(CHESS, "move", {"m": uci, "n": 8, "x": ""})
    assert table.bob.wire(raw, A) == rejected("invalid_move", "move")


def test_en_passant_only_at_once(driver: Driver) -> None:
    table = Table(driver, CHESS).open_chess().moves("e2e4 a7a6 e4e5 d7d5")
    table.play(table.alice, "move", {"m": "e5d6"})
    assert "3P4" not in table.states()[0]["board"]
    late = Table(driver, CHESS).open_chess().moves("e2e4 a7a6 e4e5 d7d5 a2a3 a6a5")
    assert late.alice.local(CHESS, "move", {"m": "e5d6"})["code"] == "invalid_move"


@pytest.mark.parametrize("white", [A, B])
def test_checkmate(driver: Driver, white: str) -> None:
    table = Table(driver, CHESS).open_chess(white).moves("f2f3 e7e5 g2g4")
    mater = table.turn()
    loser = table.other(mater)
    payload = {"m": "d8h4", "n": 3, "x": "win", "r": "cm", "w": mater.identity}
    bare = {"m": "d8h4", "n": 3, "x": ""}
    lies = [bare, bare | {"x": "draw", "r": "sm"}, payload | {"r": "rsn"}, payload | {"r": "sm"}]
    lies += [payload | {"w": thief} for thief in (loser.identity, C, "")] + [payload | {"n": 4}]
    for lie in lies:
        assert loser.wire(envelope(CHESS, "move", lie), mater.identity) == rejected("invalid_move", "move")
    step(table, mater, "d8h4", payload, "d8h4# (checkmate)")
    for state in table.states():
        keys = ("status", "terminal", "reason", "winner", "turn", "move_count")
        assert tuple(state[key] for key in keys) == ("completed", "win", "cm", mater.identity, "", 4)
    assert loser.local(CHESS, "move", {"m": "e1f2"}, to=mater.identity)["code"] == "invalid_move"


STALEMATE = "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6"


def test_stalemate(driver: Driver) -> None:
    table = Table(driver, CHESS).open_chess().moves(STALEMATE)
    n = len(STALEMATE.split())
    payload = {"m": "c8e6", "n": n, "x": "draw", "r": "sm"}
    bare = {"m": "c8e6", "n": n, "x": ""}
    for lie in (bare, payload | {"r": "ins"}, payload | {"r": "agr"}, bare | {"x": "win", "r": "cm", "w": A}):
        assert table.bob.wire(envelope(CHESS, "move", lie), A) == rejected("invalid_move", "move")
    step(table, table.alice, "c8e6", payload, "Draw (stalemate)")
    state = table.states()[1]
    assert (state["terminal"], state["reason"], state["winner"], state["turn"]) == ("draw", "sm", "", "")


def test_resignation_and_texts(driver: Driver) -> None:
    table = Table(driver, CHESS).open_chess()
    step(table, table.alice, "e2e4", FIRST, "e2e4")
    answer = table.alice.local(CHESS, "resign")
    assert answer["fallback"] == "[LRGP Chess] Resigned."
    assert table.bob.wire(answer["envelope"], A) == ACCEPTED
    for state in table.states():
        assert (state["terminal"], state["reason"], state["winner"], state["turn"]) == ("win", "rsn", B, "")
    cancel = seat(driver, CHESS, A, "pending").local(CHESS, "decline")
    assert cancel["fallback"] == "[LRGP Chess] Challenge cancelled"
    refusal = seat(driver, CHESS, B, "pending").local(CHESS, "decline", to=A)
    assert refusal["fallback"] == "[LRGP Chess] Challenge declined"
    claim = seat(driver, CHESS, B, "active")
    answer = claim.local(CHESS, "draw_offer", {"r": "50m"}, to=A)
    assert answer["fallback"] == "[LRGP Chess] Claimed fifty-move rule"
    assert claim.wire(envelope(CHESS, "draw_decline"), A) == ACCEPTED
    answer = claim.local(CHESS, "draw_offer", {"r": "3fr"}, to=A)
    assert answer["fallback"] == "[LRGP Chess] Claimed threefold repetition"


def test_out_of_turn(driver: Driver) -> None:
    node = seat(driver, CHESS, A, "active")
    assert node.wire(envelope(CHESS, "move", FIRST), B) == rejected("not_your_turn", "move")
    node.send(CHESS, "move", {"m": "e2e4"})
    assert node.local(CHESS, "move", {"m": "d2d4"})["code"] == "not_your_turn"
    assert node.wire(envelope(CHESS, "move", {"m": "e7e5", "n": 0, "x": ""}), B)["code"] == "invalid_move"
    assert node.wire(envelope(CHESS, "move", {"m": "e7e5", "n": 1, "x": ""}), B) == ACCEPTED

"""Tic-Tac-Toe on the wire (spec, appendix A; facts §11)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.conftest import Quiet
from tests.conformance.driver import (
    ACCEPTED,
    DUPLICATE,
    TTT,
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
)

EMPTY = "_________"
FIRST = {"i": 4, "b": "____X____", "n": 1, "t": B, "x": ""}
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
DRAWN = [0, 1, 2, 4, 3, 5, 7, 6, 8]
NINTH = [0, 1, 2, 3, 4, 5, 7, 6, 8]  # the last move fills the board and makes a line

WRONG_TYPES = (True, 1.0, "1", b"1", None, [1], {})
SHAPES: dict[str, Any] = (
    {f"no {key}": {k: v for k, v in FIRST.items() if k != key} for key in FIRST}
    | {f"extra {key}": FIRST | {key: ""} for key in ("w", "r", "m", "", "I")}
    | {f"i={value!r}": FIRST | {"i": value} for value in WRONG_TYPES}
    | {f"n={value!r}": FIRST | {"n": value} for value in WRONG_TYPES}
    | {f"{key}={value!r}": FIRST | {key: value} for key in "btx" for value in (1, True, None, b"", [], {})}
    | {f"i={value}": FIRST | {"i": value} for value in (-1, -9, -(2**31))}
    | {f"n={value}": FIRST | {"n": value} for value in (-1, -(2**63))}
    | {"empty": {}, "intent": {"i": 4}, "win without w": FIRST | {"x": "win", "t": ""}}
    | {f"w={value!r}": FIRST | {"x": "win", "t": "", "w": value} for value in (1, None, b"")}
    | {
        "draw with w": FIRST | {"x": "draw", "t": "", "w": A},
        "binary key": {b"i": 4, "b": "", "n": 1, "t": B, "x": ""},
    }
)
RULES: dict[str, Any] = (
    {f"i={value}": FIRST | {"i": value} for value in (9, 10, 127, 255, 2**32, 2**63)}
    | {f"n={value}": FIRST | {"n": value} for value in (0, 2, 3, 2**32)}
    | {
        f"b={board!r}": FIRST | {"b": board}
        for board in (
            "",
            EMPTY,
            "____O____",
            "X________",
            "X___X____",
            "____X___",
            "____X_____",
            "____x____",
            "    X    ",
        )
    }
    | {f"t={turn!r}": FIRST | {"t": turn} for turn in (A, "", C, B.upper(), B + " ", "O")}
    | {
        "false win": FIRST | {"x": "win", "t": "", "w": A},
        "false draw": FIRST | {"x": "draw", "t": ""},
        "false win, next": FIRST | {"x": "win", "w": A},
    }
)


@pytest.mark.parametrize("payload", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("status", ["active", "pending"])
def test_a_malformed_move(quiet: Quiet, payload: Any, status: str) -> None:
    node = quiet.seat(TTT, B, status)
    before = node.export(TTT)
    raw = envelope(TTT, "move", payload)
    assert node.wire(raw, A) == rejected("protocol_error", "move")
    assert node.wire(raw, A) == DUPLICATE
    assert node.export(TTT) == before


@pytest.mark.parametrize("payload", RULES.values(), ids=RULES.keys())
def test_a_move_against_the_rules(quiet: Quiet, payload: Any) -> None:
    node = quiet.seat(TTT, B, "active")
    before = node.export(TTT)
    assert node.wire(envelope(TTT, "move", payload), A) == rejected("invalid_move", "move")
    assert node.export(TTT) == before


@pytest.mark.parametrize("x", ["WIN", "resign", "lose", " ", "win "])
def test_an_unknown_result(quiet: Quiet, x: str) -> None:
    node = quiet.seat(TTT, B, "active")
    for payload in (FIRST | {"x": x}, FIRST | {"x": x, "w": A}):
        answer = node.wire(envelope(TTT, "move", payload), A)
        assert answer["outcome"] == "rejected"
    assert node.state(TTT)["move_count"] == 0  # type: ignore[index]


ACCEPTS: dict[str, Any] = {
    "empty": {},
    "no b": {"t": A},
    "no t": {"b": EMPTY},
    "extra": {"b": EMPTY, "t": A, "x": ""},
    "t responder": {"b": EMPTY, "t": B},
    "t stranger": {"b": EMPTY, "t": C},
    "t empty": {"b": EMPTY, "t": ""},
    "t upper": {"b": EMPTY, "t": A.upper()},
    "b played": {"b": "X________", "t": A},
    "b short": {"b": "________", "t": A},
    "b long": {"b": EMPTY + "_", "t": A},
    "b bytes": {"b": EMPTY.encode(), "t": A},
    "t nil": {"b": EMPTY, "t": None},
    "w": {"w": A},
}


@pytest.mark.parametrize("payload", ACCEPTS.values(), ids=ACCEPTS.keys())
def test_a_wrong_accept(driver: Driver, payload: Any) -> None:
    node = seat(driver, TTT, A, "pending")
    before = node.export(TTT)
    assert node.wire(envelope(TTT, "accept", payload), B) == rejected("protocol_error", "accept")
    assert node.export(TTT) == before
    assert node.wire(envelope(TTT, "accept", {"t": A, "b": EMPTY}), B) == ACCEPTED
    state = node.state(TTT)
    assert state is not None
    assert (state["turn"], state["first_turn"], state["board"], state["my_marker"]) == (A, A, EMPTY, "X")


INTENTS: dict[str, Any] = {f"i={value!r}": {"i": value} for value in (*WRONG_TYPES, -1, 9, 100, 2**70)} | {
    "empty": {},
    "extra": {"i": 0, "x": ""},
    "forged": FIRST,
    "other key": {"c": 0},
    "n": {"i": 0, "n": 1},
}


@pytest.mark.parametrize("intent", INTENTS.values(), ids=INTENTS.keys())
def test_a_wrong_intent(quiet: Quiet, intent: Any) -> None:
    node = quiet.seat(TTT, A, "active")
    before = node.export(TTT)
    wrapped = {"i": {"$float": 1.0}} if intent == {"i": 1.0} and type(intent["i"]) is float else intent
    wrapped = {"i": {"$bin": "31"}} if intent == {"i": b"1"} else wrapped
    assert node.local(TTT, "move", wrapped)["kind"] == "validation"
    assert node.export(TTT) == before


def test_payloads_and_texts_of_a_won_game(driver: Driver) -> None:
    table = Table(driver, TTT)
    alice, bob = table.alice, table.bob

    def step(node: Node, command: str, intent: Any, payload: Any, text: str) -> None:
        answer = node.local(TTT, command, intent, to=table.other(node).identity)
        assert payload_of(answer["envelope"]) == payload
        assert answer["fallback"] == f"[LRGP TTT] {text}"
        assert table.other(node).wire(answer["envelope"], node.identity) == ACCEPTED

    step(alice, "challenge", {}, {}, "Sent a challenge!")
    step(bob, "accept", {}, {"b": EMPTY, "t": A}, "Challenge accepted")
    step(alice, "move", {"i": 0}, {"i": 0, "b": "X________", "n": 1, "t": B, "x": ""}, "Move 1")
    step(bob, "move", {"i": 4}, {"i": 4, "b": "X___O____", "n": 2, "t": A, "x": ""}, "Move 2")
    step(alice, "move", {"i": 1}, {"i": 1, "b": "XX__O____", "n": 3, "t": B, "x": ""}, "Move 3")
    step(bob, "draw_offer", {}, {}, "Offered a draw")
    step(alice, "draw_decline", {}, {}, "Declined draw offer")
    step(bob, "move", {"i": 8}, {"i": 8, "b": "XX__O___O", "n": 4, "t": A, "x": ""}, "Move 4")
    won = {"i": 2, "b": "XXX_O___O", "n": 5, "t": "", "x": "win", "w": A}
    step(alice, "move", {"i": 2}, won, "X wins!")
    for state in table.states():
        expected = ("completed", "win", A, "", 5, "XXX_O___O", False)
        keys = ("status", "terminal", "winner", "turn", "move_count", "board", "draw_offered")
        assert tuple(state[key] for key in keys) == expected


@pytest.mark.parametrize(
    ("command", "text"),
    [("decline", "Challenge declined"), ("resign", "Resigned."), ("draw_accept", "Draw accepted")],
)
def test_texts_of_endings(driver: Driver, command: str, text: str) -> None:
    node = seat(driver, TTT, B, "pending" if command == "decline" else "active")
    if command == "draw_accept":
        node.wire(envelope(TTT, "draw_offer"), A)
    answer = node.local(TTT, command, to=A)
    assert answer["fallback"] == f"[LRGP TTT] {text}"
    assert payload_of(answer["envelope"]) == {}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("winner", ["X", "O"])
def test_every_line_wins(driver: Driver, line: tuple[int, ...], winner: str) -> None:
    others = [cell for cell in range(9) if cell not in line]
    loser = next(
        o for o in ([others[0], others[1], others[i]] for i in (2, 3, 4, 5)) if tuple(sorted(o)) not in LINES
    )
    order = [cell for pair in zip(line, loser, strict=True) for cell in pair][:5]
    if winner == "O":
        order = [cell for pair in zip(loser, line, strict=True) for cell in pair]
    table = Table(driver, TTT).open().moves(order)
    first, second = table.states()
    assert first["terminal"] == second["terminal"] == "win"
    assert first["winner"] == second["winner"] == (A if winner == "X" else B)
    assert first["board"] == second["board"]
    for node in (table.alice, table.bob):
        assert (
            node.local(TTT, "move", {"i": others[-1]}, to=table.other(node).identity)["code"]
            == "invalid_move"
        )


@pytest.mark.parametrize(("order", "terminal", "winner"), [(DRAWN, "draw", ""), (NINTH, "win", A)])
def test_the_ninth_move(driver: Driver, order: list[int], terminal: str, winner: str) -> None:
    table = Table(driver, TTT).open().moves(order[:8])
    answer = table.alice.local(TTT, "move", {"i": order[8]})
    payload = payload_of(answer["envelope"])
    assert (payload["x"], payload["t"], payload.get("w", "")) == (terminal, "", winner)
    assert answer["fallback"] == "[LRGP TTT] " + ("Game drawn!" if terminal == "draw" else "X wins!")
    lies = [{"x": "", "t": B}, {"x": ""}, {"x": "draw"} if winner else {"x": "win", "w": A}]
    for lie in lies:
        forged = {k: v for k, v in payload.items() if k != "w"} | lie
        assert table.bob.wire(envelope(TTT, "move", forged), A) == rejected("invalid_move", "move")
    if winner:
        for thief in (B, C, ""):
            assert table.bob.wire(envelope(TTT, "move", payload | {"w": thief}), A)["code"] == "invalid_move"
        assert table.bob.wire(envelope(TTT, "move", payload | {"t": B}), A)["code"] == "invalid_move"
    assert table.bob.wire(answer["envelope"], A) == ACCEPTED
    state = table.bob.state(TTT)
    assert state is not None
    assert (state["terminal"], state["winner"], state["status"]) == (terminal, winner, "completed")


def test_turns_and_taken_cells(driver: Driver) -> None:
    table = Table(driver, TTT).open().moves([4])
    assert table.alice.local(TTT, "move", {"i": 0}) == {
        "outcome": "refused",
        "kind": "validation",
        "code": "not_your_turn",
    }
    again = {"i": 0, "b": "X___X____", "n": 2, "t": B, "x": ""}
    assert table.bob.wire(envelope(TTT, "move", again), A) == rejected("not_your_turn", "move")
    assert table.bob.local(TTT, "move", {"i": 4}, to=A)["code"] == "invalid_move"
    for board in ("____O____", "____X____"):
        taken = {"i": 4, "b": board, "n": 2, "t": A, "x": ""}
        assert table.alice.wire(envelope(TTT, "move", taken), B) == rejected("invalid_move", "move")
    assert [s["move_count"] for s in table.states()] == [1, 1]

"""Four in a Row on the wire (spec, appendix C; facts §13)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.conftest import Quiet
from tests.conformance.driver import (
    ACCEPTED,
    DUPLICATE,
    FOUR,
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

FIRST = {"c": 3, "n": 1, "x": ""}
WRONG_TYPES = (True, False, 1.0, "1", b"1", None, [1], {})
SHAPES: dict[str, Any] = (
    {f"no {key}": {k: v for k, v in FIRST.items() if k != key} for key in FIRST}
    | {f"extra {key}": FIRST | {key: ""} for key in ("w", "t", "b", "i", "")}
    | {f"{key}={value!r}": FIRST | {key: value} for key in "cn" for value in (*WRONG_TYPES, -1, -(2**33))}
    | {f"x={value!r}": FIRST | {"x": value} for value in (1, True, None, b"", [], "resign", "WIN", " ")}
    | {f"w={value!r}": FIRST | {"x": "win", "w": value} for value in (1, None, b"")}
    | {
        "empty": {},
        "intent": {"c": 3},
        "win without w": FIRST | {"x": "win"},
        "draw with w": FIRST | {"x": "draw", "w": A},
    }
)
RULES: dict[str, Any] = (
    {f"c={value}": FIRST | {"c": value} for value in (7, 8, 41, 255, 2**32, 2**63)}
    | {f"n={value}": FIRST | {"n": value} for value in (0, 2, 3, 43, 2**32)}
    | {"false win": FIRST | {"x": "win", "w": A}, "false draw": FIRST | {"x": "draw"}}
)
WINS = {
    "horizontal": [0, 0, 1, 1, 2, 2, 3],
    "vertical": [0, 1, 0, 1, 0, 1, 0],
    "filled in the middle": [0, 0, 1, 1, 3, 3, 2],
    "right edge": [6, 6, 5, 5, 4, 4, 3],
    "rising": [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3],
    "falling": [6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3],
    "five in a row": [0, 0, 1, 1, 3, 3, 4, 4, 2],
    "second player": [0, 1, 0, 1, 0, 1, 6, 1],
    "second player, horizontal": [0, 1, 0, 2, 6, 3, 6, 4],
}
NO_WRAP = [4, 0, 5, 0, 6, 0, 1, 1, 2]  # 4 5 6 of the bottom row do not join 0 1 2 of the one above


@pytest.mark.parametrize("payload", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("status", ["active", "pending"])
def test_a_malformed_move(quiet: Quiet, payload: Any, status: str) -> None:
    node = quiet.seat(FOUR, B, status)
    before = node.export(FOUR)
    raw = envelope(FOUR, "move", payload)
    assert node.wire(raw, A) == rejected("protocol_error", "move")
    assert node.wire(raw, A) == DUPLICATE
    assert node.export(FOUR) == before


@pytest.mark.parametrize("payload", RULES.values(), ids=RULES.keys())
def test_a_move_against_the_rules(quiet: Quiet, payload: Any) -> None:
    node = quiet.seat(FOUR, B, "active")
    before = node.export(FOUR)
    assert node.wire(envelope(FOUR, "move", payload), A) == rejected("invalid_move", "move")
    assert node.export(FOUR) == before


@pytest.mark.parametrize(
    "payload",
    [{}, {"t": B}, {"t": C}, {"t": ""}, {"t": A.upper()}, {"t": None}, {"t": 1}, {"t": A, "b": ""}, {"w": A}],
)
def test_a_wrong_accept(driver: Driver, payload: Any) -> None:
    node = seat(driver, FOUR, A, "pending")
    before = node.export(FOUR)
    assert node.wire(envelope(FOUR, "accept", payload), B) == rejected("protocol_error", "accept")
    assert node.export(FOUR) == before
    assert node.wire(envelope(FOUR, "accept", {"t": A}), B) == ACCEPTED


@pytest.mark.parametrize(
    "intent",
    [
        {},
        {"c": True},
        {"c": "3"},
        {"c": None},
        {"c": {"$float": 3.0}},
        {"c": 3, "n": 1},
        FIRST,
        {"i": 3},
        {"c": -1},
        {"c": 7},
        {"c": 2**70},
    ],
)
def test_a_wrong_intent(quiet: Quiet, intent: Any) -> None:
    node = quiet.seat(FOUR, A, "active")
    before = node.export(FOUR)
    assert node.local(FOUR, "move", intent)["kind"] == "validation"
    assert node.export(FOUR) == before


@pytest.mark.parametrize("column", range(7))
def test_stones_fall_and_columns_fill(driver: Driver, column: int) -> None:
    table = Table(driver, FOUR).open()
    for row in range(5, -1, -1):
        table.moves([column])
        first, second = table.states()
        cell = row * 7 + column
        assert (first["last_column"], first["last_row"], first["last_cell"]) == (column, row, cell)
        assert first["board"] == second["board"]
        assert first["board"][cell] == "AB"[(5 - row) % 2]
    assert table.alice.local(FOUR, "move", {"c": column})["code"] == "invalid_move"
    raw = envelope(FOUR, "move", {"c": column, "n": 7, "x": ""})
    assert table.bob.wire(raw, A) == rejected("invalid_move", "move")


@pytest.mark.parametrize("order", WINS.values(), ids=WINS.keys())
def test_a_win(driver: Driver, order: list[int]) -> None:
    table = Table(driver, FOUR).open().moves(order[:-1])
    winner = table.turn()
    loser = table.other(winner)
    answer = winner.local(FOUR, "move", {"c": order[-1]}, to=loser.identity)
    won = {"c": order[-1], "n": len(order), "x": "win", "w": winner.identity}
    assert payload_of(answer["envelope"]) == won
    assert answer["fallback"] == "[LRGP Four in a Row] Four in a row!"
    bare = {k: v for k, v in won.items() if k != "w"} | {"x": ""}
    lies = [bare, bare | {"x": "draw"}, won | {"w": loser.identity}, won | {"w": C}, won | {"w": ""}]
    for lie in lies:
        assert loser.wire(envelope(FOUR, "move", lie), winner.identity) == rejected("invalid_move", "move")
    assert loser.wire(answer["envelope"], winner.identity) == ACCEPTED
    for state in table.states():
        keys = ("status", "terminal", "winner", "turn", "move_count")
        assert tuple(state[k] for k in keys) == ("completed", "win", winner.identity, "", len(order))
    after = {"c": 5, "n": len(order) + 1, "x": ""}
    assert winner.wire(envelope(FOUR, "move", after), loser.identity) == rejected("invalid_move", "move")


def test_rows_do_not_wrap(driver: Driver) -> None:
    table = Table(driver, FOUR).open().moves(NO_WRAP)
    assert [s["status"] for s in table.states()] == ["active", "active"]


# A game that fills the board without a line.
FULL = [int(c) - 1 for c in "547125662261271266215743771576315353334444"]


def test_a_full_board_is_a_draw(driver: Driver) -> None:
    table = Table(driver, FOUR).open().moves(FULL[:-1])
    answer = table.bob.local(FOUR, "move", {"c": FULL[-1]}, to=A)
    draw = {"c": FULL[-1], "n": 42, "x": "draw"}
    assert payload_of(answer["envelope"]) == draw
    assert answer["fallback"] == "[LRGP Four in a Row] Game drawn!"
    for lie in (draw | {"x": ""}, draw | {"x": "win", "w": B}):
        assert table.alice.wire(envelope(FOUR, "move", lie), B) == rejected("invalid_move", "move")
    assert table.alice.wire(answer["envelope"], B) == ACCEPTED
    for state in table.states():
        assert (state["terminal"], state["winner"], state["turn"], state["move_count"]) == (
            "draw",
            "",
            "",
            42,
        )


def test_payloads_texts_and_views(driver: Driver) -> None:
    table = Table(driver, FOUR)
    alice, bob = table.alice, table.bob

    def step(node: Node, command: str, intent: Any, payload: Any, text: str) -> None:
        answer = node.local(FOUR, command, intent, to=table.other(node).identity)
        assert payload_of(answer["envelope"]) == payload
        assert answer["fallback"] == f"[LRGP Four in a Row] {text}"
        assert table.other(node).wire(answer["envelope"], node.identity) == ACCEPTED

    step(alice, "challenge", {}, {}, "Sent a challenge!")
    pending = bob.state(FOUR)
    assert pending is not None
    assert (pending["last_column"], pending["last_row"], pending["last_cell"]) == (None, None, None)
    assert (pending["first_marker"], pending["second_marker"], pending["my_marker"]) == ("A", "B", "B")
    step(bob, "accept", {}, {"t": A}, "Challenge accepted")
    assert alice.state(FOUR)["my_marker"] == "A"  # type: ignore[index]
    assert bob.local(FOUR, "move", {"c": 0}, to=A)["code"] == "not_your_turn"
    step(alice, "move", {"c": 6}, {"c": 6, "n": 1, "x": ""}, "Move 1")
    step(bob, "move", {"c": 0}, {"c": 0, "n": 2, "x": ""}, "Move 2")
    assert alice.wire(envelope(FOUR, "move", {"c": 0, "n": 3, "x": ""}), B) == rejected(
        "not_your_turn", "move"
    )
    step(alice, "draw_offer", {}, {}, "Offered a draw")
    step(bob, "draw_decline", {}, {}, "Draw declined")
    step(bob, "draw_offer", {}, {}, "Offered a draw")
    step(alice, "draw_accept", {}, {}, "Draw accepted")
    for state in table.states():
        assert (state["terminal"], state["winner"], state["turn"]) == ("draw", "", "")
    assert (
        seat(driver, FOUR, A, "active").local(FOUR, "resign")["fallback"] == "[LRGP Four in a Row] Resigned."
    )
    assert seat(driver, FOUR, A, "pending").local(FOUR, "decline")["outcome"] == "prepared"

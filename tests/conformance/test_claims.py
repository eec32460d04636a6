"""Claimed draws and insufficient material in chess (spec, appendix B; facts §12)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.driver import (
    ACCEPTED,
    CHESS,
    A,
    B,
    Driver,
    Node,
    Table,
    envelope,
    payload_of,
    rejected,
    seat,
)

SHUFFLE = "g1f3 g8f6 f3g1 f6g8"
BLACK_FIRST = "g8f6 g1f3 f6g8 f3g1"
# Each: moves, the claim that holds, told apart by what follows from the repetition key of deployed peers.
CLAIMS = [
    ("start, twice", SHUFFLE, ""),
    ("start, three times", f"{SHUFFLE} {SHUFFLE}", "3fr"),
    ("start, four times", f"{SHUFFLE} {SHUFFLE} {SHUFFLE}", "3fr"),
    ("one ply after the third", f"{SHUFFLE} {SHUFFLE} g1f3", "3fr"),
    ("a new position after it", f"{SHUFFLE} {SHUFFLE} b1c3", ""),
    ("after a double push, FIDE's third", f"e2e4 {BLACK_FIRST} {BLACK_FIRST}", ""),
    ("after a double push, one more", f"e2e4 {BLACK_FIRST} {BLACK_FIRST} {BLACK_FIRST}", "3fr"),
    ("after a single push", f"e2e3 {BLACK_FIRST} {BLACK_FIRST}", "3fr"),
    ("castling rights differ", "e2e3 e7e6 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8", ""),
    ("castling rights alike", "e2e3 e7e6 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8", "3fr"),
    ("99 half-moves", " ".join([SHUFFLE] * 25)[:-5], "3fr"),
    ("100 half-moves", " ".join([SHUFFLE] * 25), "50m"),
    ("101 half-moves", " ".join([SHUFFLE] * 25) + " g1f3", "50m"),
    ("100 after a pawn move", "e2e3 " + " ".join([BLACK_FIRST] * 25), "50m"),
    ("99 after a pawn move", "e2e3 " + " ".join([BLACK_FIRST] * 25)[:-5], "3fr"),
    ("a capture starts anew", "g1f3 e7e5 f3e5 " + " ".join(["g8f6 b1c3 f6g8 c3b1"] * 2), "3fr"),
    ("a pawn move starts anew", f"{SHUFFLE} {SHUFFLE} e2e3 {BLACK_FIRST}", ""),
]
IDS = [name for name, _, _ in CLAIMS]


_records: dict[str, dict[str, Any]] = {}


def replayed(driver: Driver, moves: str) -> Node:
    """As ``played`` for B; a game is played once and then loaded."""
    if moves not in _records:
        _records[moves] = played(driver, B, moves).export(CHESS)
    node = driver.node(B)
    assert node.hydrate(_records[moves]) == {"outcome": "hydrated"}
    return node


def played(driver: Driver, me: str, moves: str) -> Node:
    node = seat(driver, CHESS, me, "active")
    for n, uci in enumerate(moves.split()):
        mover = B if n % 2 else A
        if mover == me:
            node.send(CHESS, "move", {"m": uci}, to=B if me == A else A)
        else:
            assert node.wire(envelope(CHESS, "move", {"m": uci, "n": n, "x": ""}), mover) == ACCEPTED
    return node


@pytest.mark.parametrize(("moves", "holds"), [c[1:] for c in CLAIMS], ids=IDS)
@pytest.mark.parametrize("reason", ["3fr", "50m"])
def test_a_claim_of_the_peer(driver: Driver, moves: str, holds: str, reason: str) -> None:
    node = replayed(driver, moves)
    assert node.wire(envelope(CHESS, "draw_offer", {"r": reason}), A) == ACCEPTED
    state = node.state(CHESS)
    assert state is not None
    if reason == holds:
        keys = ("status", "terminal", "reason", "winner", "turn", "draw_offered", "draw_offered_by")
        assert tuple(state[key] for key in keys) == ("completed", "draw", reason, "", "", False, "")
        assert node.local(CHESS, "draw_accept", to=A)["kind"] == "illegal_transition"
        assert node.wire(envelope(CHESS, "draw_accept"), A) == rejected("protocol_error", "draw_accept")
        again = driver.node(B)
        assert again.hydrate(node.export(CHESS)) == {"outcome": "hydrated"}
    else:
        assert (state["status"], state["draw_offered"], state["draw_offered_by"]) == ("active", True, A)
        assert node.local(CHESS, "draw_accept", to=A)["outcome"] == "prepared"
        assert node.state(CHESS)["reason"] == "agr"  # type: ignore[index]


@pytest.mark.parametrize(("moves", "holds"), [c[1:] for c in CLAIMS], ids=IDS)
def test_a_claim_of_our_own(driver: Driver, moves: str, holds: str) -> None:
    node = replayed(driver, moves)
    wrong = "50m" if holds == "3fr" else "3fr"
    answer = node.local(CHESS, "draw_offer", {"r": wrong}, to=A)
    assert payload_of(answer["envelope"]) == {"r": wrong}
    assert node.state(CHESS)["draw_offered_by"] == B  # type: ignore[index]
    if not holds:
        return
    answer = node.local(CHESS, "draw_offer", {"r": holds}, to=A)
    assert answer["outcome"] == "prepared", "a claim that holds ends the game over an open offer"
    assert payload_of(answer["envelope"]) == {"r": holds}
    state = node.state(CHESS)
    assert state is not None
    assert (state["status"], state["reason"], state["draw_offered"]) == ("completed", holds, False)


@pytest.mark.parametrize("owner", [A, B])
@pytest.mark.parametrize("claimant", [A, B])
def test_a_valid_claim_ends_the_game_over_any_offer(driver: Driver, owner: str, claimant: str) -> None:
    table = Table(driver, CHESS).open_chess().moves(f"{SHUFFLE} {SHUFFLE}")
    table.play(table.by(owner), "draw_offer")
    raw = table.prepare(table.by(claimant), "draw_offer", {"r": "3fr"})
    assert table.other(table.by(claimant)).wire(raw, claimant) == ACCEPTED
    assert [s["reason"] for s in table.states()] == ["3fr", "3fr"]


def test_no_draw_comes_by_itself(driver: Driver) -> None:
    node = played(driver, A, " ".join([SHUFFLE] * 38))  # 152 half-moves, the start 39 times
    state = node.state(CHESS)
    assert state is not None
    assert (state["status"], state["terminal"], state["move_count"]) == ("active", "", 152)


def test_a_claim_that_overtakes_its_move_is_an_offer(driver: Driver) -> None:
    table = Table(driver, CHESS).open_chess().moves(f"{SHUFFLE} {SHUFFLE}"[:-5])
    move = table.prepare(table.bob, "move", {"m": "f6g8"})
    claim = table.prepare(table.bob, "draw_offer", {"r": "3fr"})
    assert table.bob.state(CHESS)["status"] == "completed"  # type: ignore[index]
    assert table.alice.wire(claim, B) == ACCEPTED
    assert table.alice.state(CHESS)["draw_offered_by"] == B  # type: ignore[index]
    assert table.alice.wire(move, B) == ACCEPTED
    state = table.alice.state(CHESS)
    assert state is not None
    assert (state["status"], state["draw_offered"]) == ("active", False)


KINGS = (
    "a2a3 e7e5 f2f3 f8a3 b2a3 b7b5 e2e4 g7g6 f1b5 a7a6 b5a6 a8a6 c1b2 a6a3 b1a3 d8g5 b2c1 g5g2 g1h3 g2h1 "
    "h3g1 f7f5 e4f5 h1h2 f5g6 h7g6 a1a2 h2g1 e1e2 g1d1 e2d1 d7d5 f3f4 e5f4 d2d3 c8a6 c1f4 b8d7 f4h2 g6g5 "
    "h2c7 a6d3 c2d3 h8h5 a3b1 d7c5 b1c3 c5d3 c3d5 d3c5 d5f4 g5f4 c7f4 c5a4 a2a4 g8e7 f4d6 h5a5 a4a5 e7c8 "
    "a5d5 c8d6 d5d6 e8f7 d6f6 f7f6"
)
KNIGHT = (
    "g2g4 d7d5 a2a3 c8g4 b2b4 g4e2 g1e2 b7b6 a1a2 g8h6 e2g1 a7a6 f1a6 b8a6 f2f4 e7e5 f4e5 a6b4 a3b4 f8b4 "
    "a2a8 b4d2 c1d2 d8a8 d1h5 e8d7 h5f7 d7c6 f7d5 c6d5 d2h6 d5e5 h6g7 e5d6 g7h8 a8h8 c2c4 h8f8 g1f3 f8f3 "
    "c4c5 b6c5 h2h3 f3h3 h1h3 d6e6 h3h7 e6d5 h7c7 d5c4 c7c5 c4c5"
)


@pytest.mark.parametrize("game", [KINGS, KNIGHT], ids=["bare kings", "one knight"])
def test_insufficient_material_ends_the_game(driver: Driver, game: str) -> None:
    *before, last = game.split()
    node = played(driver, A, " ".join(before))
    bare = {"m": last, "n": len(before), "x": ""}
    draw = bare | {"x": "draw", "r": "ins"}
    for lie in (bare, draw | {"r": "sm"}, bare | {"x": "win", "r": "cm", "w": B}):
        assert node.wire(envelope(CHESS, "move", lie), B) == rejected("invalid_move", "move")
    assert node.wire(envelope(CHESS, "move", draw), B) == ACCEPTED
    state = node.state(CHESS)
    assert state is not None
    keys = ("status", "terminal", "reason", "winner", "turn")
    assert tuple(state[key] for key in keys) == ("completed", "draw", "ins", "", "")
    mine = played(driver, B, " ".join(before))
    answer = mine.local(CHESS, "move", {"m": last}, to=A)
    assert payload_of(answer["envelope"]) == draw
    assert answer["fallback"] == "[LRGP Chess] Draw (insufficient material)"

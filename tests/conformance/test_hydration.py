"""Records from outside: what is loaded, repaired or refused (spec §10, §16, appendix C; facts §14)."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.conformance.conftest import Quiet
from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    CHESS,
    DAY,
    FOUR,
    IDEMPOTENT,
    TTT,
    A,
    B,
    C,
    Driver,
    Node,
    S,
    envelope,
    refused,
    seat,
    sid,
)

LOADED = {"outcome": "hydrated"}
GAMES: dict[str, Any] = {TTT: [0, 4, 1], CHESS: ["e2e4", "e7e5", "g1f3"], FOUR: [3, 3, 4]}
WON: dict[str, Any] = {
    TTT: [0, 3, 1, 4, 2],
    CHESS: ["f2f3", "e7e5", "g2g4", "d8h4"],
    FOUR: [0, 1, 0, 1, 0, 1, 0],
}
KEY = {TTT: "i", CHESS: "m", FOUR: "c"}
STATUSES = ("pending", "active", "played", "declined", "resigned", "drawn", "won")


_made: dict[tuple[str, str], dict[str, Any]] = {}


def record(driver: Driver, app: str, status: str) -> dict[str, Any]:
    """Bob's record of a game in ``status``; "played": active after three moves, Bob to move.

    Made once: the clock starts at the same time in every test.
    """
    if (app, status) not in _made:
        _made[app, status] = make(driver, app, status)
    return copy.deepcopy(_made[app, status])


def make(driver: Driver, app: str, status: str) -> dict[str, Any]:
    if status not in ("played", "won"):
        return dict(seat(driver, app, B, status).export(app))
    bob, alice = seat(driver, app, B, "active"), seat(driver, app, A, "active")
    for number, move in enumerate((GAMES if status == "played" else WON)[app]):
        node, peer = (bob, alice) if number % 2 else (alice, bob)
        raw = node.send(app, "move", {KEY[app]: move}, to=peer.identity)
        assert peer.wire(raw, node.identity) == ACCEPTED
    return dict(bob.export(app))


def refusal(node: Node, found: dict[str, Any]) -> str:
    answer = node.hydrate(found)
    assert answer["outcome"] == "refused", answer
    return str(answer["kind"])


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("status", STATUSES)
def test_an_exported_record_loads_unchanged(driver: Driver, app: str, status: str) -> None:
    found = record(driver, app, status)
    fresh = driver.node(B)
    assert fresh.hydrate(found) == LOADED
    assert fresh.export(app) == found
    assert fresh.hydrate(found) == LOADED, "and may replace itself"
    assert fresh.export(app) == found
    assert fresh.hydrate(found | {"metadata": json.dumps(found["metadata"])}) == LOADED
    assert fresh.export(app) == found
    assert fresh.wire(envelope(app, "challenge"), A) == IDEMPOTENT
    assert fresh.wire(envelope(app, "decline"), C) == refused("unauthorized_peer")


@pytest.mark.parametrize("app", APPS)
def test_a_loaded_game_goes_on(driver: Driver, app: str) -> None:
    found = record(driver, app, "played")
    fresh = driver.node(B)
    assert fresh.hydrate(found) == LOADED
    move = {TTT: {"i": 2}, CHESS: {"m": "b8c6"}, FOUR: {"c": 3}}[app]
    assert fresh.local(app, "move", move, to=A)["outcome"] == "prepared"
    assert fresh.state(app)["move_count"] == 4  # type: ignore[index]


COLUMNS: dict[str, tuple[str, Any, str]] = {
    "unknown app": ("app_id", "nosuch", "unknown_app"),
    "newer version": ("app_version", 2, "unsupported_version"),
    "huge version": ("app_version", 4294967295, "unsupported_version"),
    "short session": ("session_id", S[1:], "invalid_envelope"),
    "upper session": ("session_id", S.upper(), "invalid_envelope"),
    "empty session": ("session_id", "", "invalid_envelope"),
    "long session": ("session_id", S + "0", "invalid_envelope"),
    "session newline": ("session_id", S[:15] + "\n", "invalid_envelope"),
    "no identity": ("identity_id", "", "identity_required"),
    "no contact": ("contact_hash", "", "participant_required"),
    "self as contact": ("contact_hash", B, "validation"),
    "stranger began": ("initiator", C, "validation"),
    "nobody began": ("initiator", "", "validation"),
    "unknown status": ("status", "paused", "validation"),
    "empty status": ("status", "", "validation"),
    "capital status": ("status", "Active", "validation"),
    "status nil": ("status", None, "validation"),
    "metadata nil": ("metadata", None, "validation"),
    "metadata list": ("metadata", [], "validation"),
    "metadata empty": ("metadata", {}, "validation"),
    "metadata text": ("metadata", "garbage", "validation"),
    "metadata JSON list": ("metadata", "[]", "validation"),
    "unread 2": ("unread", 2, "validation"),
    "unread true": ("unread", True, "validation"),
    "time text": ("last_action_at", "now", "validation"),
    "time nil": ("last_action_at", None, "validation"),
}


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(("column", "value", "kind"), COLUMNS.values(), ids=COLUMNS.keys())
def test_a_damaged_column(driver: Driver, app: str, column: str, value: Any, kind: str) -> None:
    node = seat(driver, app, B, "active")
    before = node.export(app)
    assert refusal(node, before | {column: value}) == kind
    assert node.export(app) == before
    assert driver.node(B).hydrate({k: v for k, v in before.items() if k != column})["outcome"] == "refused"


@pytest.mark.parametrize("owner", APPS)
@pytest.mark.parametrize("app", APPS)
def test_a_collision_with_another_game(driver: Driver, owner: str, app: str) -> None:
    found = record(driver, app, "active")
    holder = seat(driver, owner, B, "pending")
    before = holder.export(owner)
    if owner == app:
        assert holder.hydrate(found) == LOADED
        assert holder.export(app) == found
        return
    assert holder.hydrate(found) == refused("session_exists")
    assert holder.export(owner) == before
    assert holder.state(app) is None
    assert holder.hydrate(found | {"session_id": sid(9)}) == LOADED
    holder.remove(owner)
    assert holder.hydrate(found) == LOADED


OFFERS: dict[str, dict[str, Any]] = {
    "no owner": {"draw_offered": True, "draw_offered_by": ""},
    "owner nil": {"draw_offered": True, "draw_offered_by": None},
    "owner alone": {"draw_offered": False, "draw_offered_by": A},
    "myself alone": {"draw_offered": False, "draw_offered_by": B},
}


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("change", OFFERS.values(), ids=OFFERS.keys())
def test_half_an_offer_is_none(driver: Driver, app: str, change: dict[str, Any]) -> None:
    found = record(driver, app, "played")
    found["metadata"] |= change
    for metadata in (
        found["metadata"],
        {k: v for k, v in found["metadata"].items() if k != "draw_offered_by"},
    ):
        node = driver.node(B)
        assert node.hydrate(found | {"metadata": metadata}) == LOADED
        state = node.state(app)
        assert state is not None
        assert (state["draw_offered"], state["draw_offered_by"]) == (False, "")
        assert node.local(app, "draw_accept", to=A)["kind"] == "illegal_transition"
        assert node.local(app, "draw_offer", to=A)["outcome"] == "prepared"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("owner", [A, B])
def test_a_whole_offer_is_kept(driver: Driver, app: str, owner: str) -> None:
    found = record(driver, app, "active")
    found["metadata"] |= {"draw_offered": True, "draw_offered_by": owner}
    node = driver.node(B)
    assert node.hydrate(found) == LOADED
    assert node.export(app) == found
    assert node.local(app, "draw_accept", to=A)["outcome"] == ("prepared" if owner == A else "refused")


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(
    "change",
    [
        {"draw_offered_by": C},
        {"draw_offered_by": A.upper()},
        {"draw_offered": 1},
        {"draw_offered": "yes"},
        {"draw_offered_by": 7},
    ],
)
def test_an_offer_of_a_stranger_is_refused(quiet: Quiet, app: str, change: dict[str, Any]) -> None:
    found = record(quiet.driver, app, "active")
    found["metadata"] |= {"draw_offered": True, "draw_offered_by": A} | change
    assert refusal(quiet.node(B), found) == "validation"


WRONG: dict[str, tuple[Any, ...]] = {
    "turn": (A, C, "X", None, 1),
    "first_turn": (C, "", None, 3),
    "winner": (A, B, C, None),
    "terminal": ("win", "draw", "resign", "over", None),
    "move_count": (-1, 0, 2, 4, 43, True, 3.0, "3", None),
    "board": ("", "_________", "_" * 42, None, [], 9),
    "my_marker": ("", "X", "A", "Z", None),
    "first_marker": ("B", "", "X", None),
    "second_marker": ("A", "", "O", None),
    "last_column": (None, -1, 7, 2, 3, "4", True),
    "last_row": (None, -1, 6, 4, 3, "5"),
    "last_cell": (None, -1, 42, 38, 0, "39"),
    "my_color": ("w", "", "black", None),
    "reason": ("cm", "agr", "3fr", None),
}
OWN = {
    TTT: ("turn", "first_turn", "winner", "terminal", "move_count", "board", "my_marker"),
    CHESS: ("turn", "first_turn", "winner", "terminal", "move_count", "my_color", "reason"),
    FOUR: tuple(key for key in WRONG if key not in ("my_color", "reason")),
}
CORRUPTIONS = [(app, key, value) for app in APPS for key in OWN[app] for value in WRONG[key]]


@pytest.mark.parametrize(("app", "key", "value"), CORRUPTIONS)
def test_a_damaged_value_in_a_running_game(quiet: Quiet, app: str, key: str, value: Any) -> None:
    found = record(quiet.driver, app, "played")
    assert found["metadata"][key] != value or type(found["metadata"][key]) is not type(value)
    found["metadata"][key] = value
    node = quiet.node(B)
    assert refusal(node, found) == "validation"
    assert node.state(app) is None


@pytest.mark.parametrize(("app", "key"), [(app, key) for app in APPS for key in OWN[app]])
def test_a_missing_value(quiet: Quiet, app: str, key: str) -> None:
    found = record(quiet.driver, app, "played")
    del found["metadata"][key]
    assert refusal(quiet.node(B), found) == "validation"


MISMATCHED = [
    (app, status, as_)
    for app in APPS
    for status in STATUSES
    for as_ in ("pending", "active", "declined", "completed")
]
SAME = {"played": "active", "resigned": "completed", "drawn": "completed", "won": "completed"}


@pytest.mark.parametrize(("app", "status", "as_"), MISMATCHED)
def test_a_status_that_contradicts_the_rest(driver: Driver, app: str, status: str, as_: str) -> None:
    found = record(driver, app, status) | {"status": as_}
    # A declined challenge and a pending one differ in their status alone.
    fits = as_ == SAME.get(status, status) or {status, as_} == {"pending", "declined"}
    answer = driver.node(B).hydrate(found)
    assert answer == (LOADED if fits else refused("validation"))


RESULTS: list[tuple[str, dict[str, Any]]] = [
    *[(app, {"winner": value}) for app in APPS for value in (B, C, "", None)],
    *[(app, {"terminal": value}) for app in APPS for value in ("", "draw", "resign", "none")],
    *[(app, {"turn": value}) for app in APPS for value in (A, B, C)],
    *[(app, {"winner": "", "terminal": "draw"}) for app in APPS],
    *[(CHESS, {"reason": value}) for value in ("", "sm", "rsn", "agr", "3fr")],
    *[(app, {"winner": B, "terminal": "resign"}) for app in (TTT, FOUR)],
]


@pytest.mark.parametrize(("app", "change"), RESULTS)
def test_a_result_that_contradicts_the_board(quiet: Quiet, app: str, change: dict[str, Any]) -> None:
    found = record(quiet.driver, app, "won")
    winner = found["metadata"]["winner"]
    if change.get("winner") == B and winner == B:
        change = change | {"winner": A}
    found["metadata"] |= change
    assert refusal(quiet.node(B), found) == "validation"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("ended", ["resigned", "drawn"])
@pytest.mark.parametrize(
    "change", [{"winner": C}, {"terminal": ""}, {"terminal": "win", "reason": "cm"}, {"winner": None}]
)
def test_an_early_end_that_makes_no_sense(quiet: Quiet, app: str, ended: str, change: dict[str, Any]) -> None:
    found = record(quiet.driver, app, ended)
    found["metadata"] |= change if app == CHESS else {k: v for k, v in change.items() if k != "reason"}
    assert refusal(quiet.node(B), found) == "validation"


def test_deployed_peers_leave_the_turn_of_an_early_end_in_ttt(driver: Driver) -> None:
    for ended in ("resigned", "drawn"):
        found = record(driver, TTT, ended)
        found["metadata"]["turn"] = A
        assert driver.node(B).hydrate(found) == LOADED


@pytest.mark.parametrize("app", APPS)
def test_unknown_metadata_does_no_harm(driver: Driver, app: str) -> None:
    found = record(driver, app, "active")
    extended = found | {"metadata": found["metadata"] | {"delivery_state": "sent", "zzz": [1, {"a": None}]}}
    node = driver.node(B)
    assert node.hydrate(extended) == LOADED
    state = node.state(app)
    assert state is not None
    assert (state["status"], state["turn"]) == ("active", A)


BOARDS_TTT = [
    "XX_XX____",
    "OOO______",
    "XXXOO____",
    "XXXOOO___",
    "XX_O____",
    "XX_O______",
    "XX_P_____",
    "xx_o_____",
]
BOARDS_FOUR = {
    "floating": "_" * 24 + "A" + "_" * 13 + "BA__"[:4],
    "two A": "_" * 38 + "AA__",
    "too many": "_" * 35 + "AAAB___",
    "strange letter": "_" * 35 + "ABX____",
    "small": "_" * 35 + "abA____",
    "short": "_" * 34 + "ABA____",
    "long": "_" * 36 + "ABA____",
}


@pytest.mark.parametrize("board", BOARDS_TTT)
def test_an_impossible_ttt_board(quiet: Quiet, board: str) -> None:
    found = record(quiet.driver, TTT, "played")
    metadata = {k: v for k, v in found["metadata"].items() if k != "moves"} | {"board": board}
    for count in (3, sum(c != "_" for c in board)):
        assert refusal(quiet.node(B), found | {"metadata": metadata | {"move_count": count}}) == "validation"


@pytest.mark.parametrize("board", BOARDS_FOUR.values(), ids=BOARDS_FOUR.keys())
def test_an_impossible_four_board(quiet: Quiet, board: str) -> None:
    found = record(quiet.driver, FOUR, "played")
    metadata = {k: v for k, v in found["metadata"].items() if k != "moves"} | {"board": board}
    assert refusal(quiet.node(B), found | {"metadata": metadata}) == "validation"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("status", ["pending", "active", "played"])
def test_an_expired_record_stays_expired(driver: Driver, app: str, status: str) -> None:
    found = record(driver, app, status) | {"status": "expired"}
    node = driver.node(B)
    assert node.hydrate(found) == LOADED
    assert node.state(app)["status"] == "expired"  # type: ignore[index]
    assert node.wire(envelope(app, "challenge"), A) == refused("session_expired")
    assert node.local(app, "resign", to=A)["kind"] == "session_expired"


def test_a_record_belongs_to_the_identity_it_names(driver: Driver) -> None:
    found = record(driver, TTT, "pending")
    node = driver.node(A)
    assert node.hydrate(found) == LOADED
    assert node.state(TTT) is None
    assert node.state(TTT, identity=B)["status"] == "pending"  # type: ignore[index]
    driver.advance(2 * DAY)
    assert node.listed(TTT, identity=B)[0]["status"] == "expired"

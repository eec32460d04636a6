"""Draw offers: who owns one, who answers it, what clears it (spec §6; facts §8)."""

from __future__ import annotations

import pytest

from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    CHESS,
    FOUR,
    TTT,
    A,
    B,
    C,
    Driver,
    Node,
    Table,
    envelope,
    payload_of,
    refused,
    rejected,
    seat,
)

INTENT = {TTT: {"i": 4}, CHESS: {"m": "e2e4"}, FOUR: {"c": 3}}
AGAIN = {TTT: {"i": 0}, CHESS: {"m": "e7e5"}, FOUR: {"c": 2}}
MOVE = {
    TTT: {"i": 4, "b": "____X____", "n": 1, "t": B, "x": ""},
    CHESS: {"m": "e2e4", "n": 0, "x": ""},
    FOUR: {"c": 3, "n": 1, "x": ""},
}
NO_OFFER = (False, "")


def offer(node: Node, app: str) -> tuple[bool, str]:
    state = node.state(app)
    assert state is not None
    return state["draw_offered"], state["draw_offered_by"]


def act(node: Node, by: str, app: str, command: str, payload: object = None) -> dict[str, object]:
    """``by``'s action as ``node`` sees it: its own intent, or an envelope of its peer."""
    if by == node.identity:
        return node.local(app, command, payload, to=B if by == A else A)
    return node.wire(envelope(app, command, payload), by)


def done(answer: dict[str, object]) -> bool:
    return answer["outcome"] in ("prepared", "accepted")


EVERY = pytest.mark.parametrize(
    ("app", "owner", "me"), [(app, owner, me) for app in APPS for owner in (A, B) for me in (A, B)]
)


@EVERY
def test_only_the_other_side_answers(driver: Driver, app: str, owner: str, me: str) -> None:
    node = seat(driver, app, me, "active")
    other = B if owner == A else A
    for answer in ("draw_accept", "draw_decline"):
        for by in (A, B):
            assert not done(act(node, by, app, answer)), "nothing is offered"
    assert done(act(node, owner, app, "draw_offer"))
    assert offer(node, app) == (True, owner)
    before = node.export(app)
    for answer in ("draw_accept", "draw_decline"):
        refusal = act(node, owner, app, answer)
        if owner == me:
            assert refusal == refused("illegal_transition", code="protocol_error")
        else:
            assert refusal == rejected("protocol_error", answer)
        assert node.wire(envelope(app, answer), C) == refused("unauthorized_peer")
    for by in (A, B):
        assert not done(act(node, by, app, "draw_offer")), "one offer is open"
    assert node.export(app) == before
    assert done(act(node, other, app, "draw_decline"))
    assert offer(node, app) == NO_OFFER
    assert not done(act(node, other, app, "draw_accept"))
    assert done(act(node, owner, app, "draw_offer"))
    assert done(act(node, other, app, "draw_accept"))
    state = node.state(app)
    assert state is not None
    assert (state["status"], state["terminal"], state["winner"]) == ("completed", "draw", "")
    assert (state["draw_offered"], state["draw_offered_by"]) == NO_OFFER
    assert state.get("reason", "agr") == "agr"
    for command in ("draw_offer", "draw_accept", "draw_decline", "resign"):
        for by in (A, B):
            assert not done(act(node, by, app, command))


@EVERY
def test_a_move_by_either_side_clears_the_offer(driver: Driver, app: str, owner: str, me: str) -> None:
    node = seat(driver, app, me, "active")
    assert done(act(node, owner, app, "draw_offer"))
    move = INTENT[app] if me == A else MOVE[app]
    assert done(act(node, A, app, "move", move))
    assert offer(node, app) == NO_OFFER
    late = act(node, B if owner == A else A, app, "draw_accept")
    assert not done(late)
    assert node.state(app)["status"] == "active"  # type: ignore[index]


@EVERY
def test_a_resignation_clears_the_offer(driver: Driver, app: str, owner: str, me: str) -> None:
    node = seat(driver, app, me, "active")
    assert done(act(node, owner, app, "draw_offer"))
    assert done(act(node, owner, app, "resign"))
    assert offer(node, app) == NO_OFFER
    state = node.state(app)
    assert state is not None
    assert (state["status"], state["winner"]) == ("completed", B if owner == A else A)
    expected = ("win", "rsn") if app == CHESS else ("resign", None)
    assert (state["terminal"], state.get("reason")) == expected


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("owner", [A, B])
def test_a_rejected_move_keeps_the_offer(driver: Driver, app: str, owner: str) -> None:
    node = seat(driver, app, B, "active")
    assert done(act(node, owner, app, "draw_offer"))
    before = node.export(app)
    assert node.wire(envelope(app, "move", MOVE[app] | {"n": 9}), A) == rejected("invalid_move", "move")
    assert not done(node.local(app, "move", INTENT[app], to=A))
    assert node.wire(envelope(app, "error", {"code": "c", "msg": "m", "ref": "draw_offer"}), A)
    assert node.export(app) == before


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("mover", [A, B])
@pytest.mark.parametrize("terminal", ["win", "resign"])
def test_both_sides_agree_after_everything(driver: Driver, app: str, mover: str, terminal: str) -> None:
    table = Table(driver, app)
    table = table.open_chess() if app == CHESS else table.open()
    one, two = table.by(mover), table.other(table.by(mover))
    for node, command in (
        (one, "draw_offer"),
        (two, "draw_decline"),
        (two, "draw_offer"),
        (one, "draw_decline"),
    ):
        table.play(node, command)
        assert offer(table.alice, app) == offer(table.bob, app)
    table.moves(INTENT[app].values() if app != CHESS else "e2e4")
    table.play(one, "draw_offer")
    table.moves(AGAIN[app].values() if app != CHESS else "e7e5")
    assert offer(table.alice, app) == offer(table.bob, app) == NO_OFFER
    table.play(two, "draw_offer")
    table.play(one, "draw_accept" if terminal == "win" else "resign")
    first, second = table.states()
    for key in first.keys() - {"contact", "my_marker", "my_color"}:
        assert first[key] == second[key], key


@pytest.mark.parametrize("app", APPS)
def test_two_crossing_offers_wait_for_a_move(driver: Driver, app: str) -> None:
    table = Table(driver, app)
    table = table.open_chess() if app == CHESS else table.open()
    mine, yours = table.prepare(table.alice, "draw_offer"), table.prepare(table.bob, "draw_offer")
    assert table.alice.wire(yours, B) == rejected("protocol_error", "draw_offer")
    assert table.bob.wire(mine, A) == rejected("protocol_error", "draw_offer")
    assert (offer(table.alice, app), offer(table.bob, app)) == ((True, A), (True, B))
    assert table.alice.local(app, "draw_accept")["outcome"] == "refused"
    table.play(table.alice, "move", INTENT[app])
    assert offer(table.alice, app) == offer(table.bob, app) == NO_OFFER


@pytest.mark.parametrize("app", APPS)
def test_a_failed_commit_of_an_offer_or_answer(driver: Driver, app: str) -> None:
    node = seat(driver, app, B, "active")
    raw = envelope(app, "draw_offer")
    assert node.wire(raw, A, fail_commit=True) == {"outcome": "commit_failed"}
    assert offer(node, app) == NO_OFFER
    assert node.wire(raw, A) == ACCEPTED
    assert done(node.local(app, "draw_decline", to=A))
    assert done(node.local(app, "draw_offer", to=A))
    answer = envelope(app, "draw_accept")
    assert node.wire(answer, A, fail_commit=True) == {"outcome": "commit_failed"}
    assert offer(node, app) == (True, B)
    assert node.wire(answer, A) == ACCEPTED


@pytest.mark.parametrize("reason", ["3fr", "50m"])
@pytest.mark.parametrize("owner", [A, B])
@pytest.mark.parametrize("me", [A, B])
def test_a_claim_that_does_not_hold_is_a_plain_offer(
    driver: Driver, reason: str, owner: str, me: str
) -> None:
    node = seat(driver, CHESS, me, "active")
    answer = act(node, owner, CHESS, "draw_offer", {"r": reason})
    assert done(answer)
    if owner == me:
        assert payload_of(str(answer["envelope"])) == {"r": reason}, "the reason stays on the wire"
    assert offer(node, CHESS) == (True, owner)
    assert not done(act(node, owner, CHESS, "draw_offer", {"r": reason}))
    other = B if owner == A else A
    assert not done(act(node, other, CHESS, "draw_offer", {"r": reason}))
    assert done(act(node, other, CHESS, "draw_accept"))
    state = node.state(CHESS)
    assert state is not None
    assert (state["status"], state["terminal"], state["reason"]) == ("completed", "draw", "agr")


@pytest.mark.parametrize(
    "payload",
    [
        {"r": ""},
        {"r": "agr"},
        {"r": "ins"},
        {"r": "3FR"},
        {"r": 3},
        {"r": None},
        {"r": "3fr", "n": 0},
        {"x": 1},
    ],
)
@pytest.mark.parametrize("status", ["active", "pending"])
def test_an_unknown_claim_is_malformed(driver: Driver, payload: object, status: str) -> None:
    node = seat(driver, CHESS, B, status)
    before = node.export(CHESS)
    assert node.wire(envelope(CHESS, "draw_offer", payload), A) == rejected("protocol_error", "draw_offer")
    assert node.local(CHESS, "draw_offer", payload, to=A)["kind"] == "validation"
    assert node.export(CHESS) == before


@pytest.mark.parametrize("app", [TTT, FOUR])
def test_only_chess_has_claims(driver: Driver, app: str) -> None:
    node = seat(driver, app, B, "active")
    assert node.wire(envelope(app, "draw_offer", {"r": "3fr"}), A) == rejected("protocol_error", "draw_offer")
    assert node.local(app, "draw_offer", {"r": "3fr"}, to=A)["kind"] == "validation"

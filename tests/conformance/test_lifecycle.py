"""Every command in every status, by either side, locally and inbound (spec §6; facts §7)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.conformance.conftest import Quiet
from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    CHESS,
    COMMANDS,
    DUPLICATE,
    ERROR,
    FOUR,
    IDEMPOTENT,
    TTT,
    A,
    B,
    C,
    Driver,
    Node,
    S,
    Table,
    envelope,
    payload_of,
    refused,
    rejected,
    seat,
    sid,
)

STATUSES = ("pending", "active", "declined", "resigned", "drawn")
INTENT = {TTT: {"i": 4}, CHESS: {"m": "e2e4"}, FOUR: {"c": 3}}
ACCEPT = {TTT: {"b": "_________", "t": A}, CHESS: {"w": A}, FOUR: {"t": A}}
MOVE = {
    TTT: {"i": 4, "b": "____X____", "n": 1, "t": B, "x": ""},
    CHESS: {"m": "e2e4", "n": 0, "x": ""},
    FOUR: {"c": 3, "n": 1, "x": ""},
}


def at(driver: Driver, app: str, status: str) -> Table:
    """A game in ``status``; Alice challenged and is to move."""
    table = Table(driver, app)
    if status in ("pending", "declined"):
        table.challenge()
        if status == "declined":
            table.play(table.bob, "decline")
        return table
    table = table.open_chess() if app == CHESS else table.open()
    if status == "resigned":
        table.play(table.alice, "resign")
    elif status == "drawn":
        table.play(table.alice, "draw_offer")
        table.play(table.bob, "draw_accept")
    return table


def wire_payload(app: str, command: str) -> dict[str, Any]:
    return {"accept": ACCEPT[app], "move": MOVE[app], "error": ERROR}.get(command, {})


def verdict(status: str, command: str, by: str) -> str:
    """ "ok", or why not, from the table of facts §7."""
    if command == "error":
        return "ok"
    if command == "accept":
        return "ok" if status == "pending" and by == B else "illegal"
    if command == "decline":
        return "ok" if status == "pending" else "illegal"
    if command == "move":
        if status != "active":
            return "invalid_move"
        return "ok" if by == A else "not_your_turn"
    if command in ("resign", "draw_offer"):
        return "ok" if status == "active" else "illegal"
    return "illegal"  # there is no offer to answer


def after(status: str, command: str) -> str:
    if command == "accept":
        return "active"
    if command == "decline":
        return "declined"
    if command == "resign":
        return "completed"
    return {"resigned": "completed", "drawn": "completed"}.get(status, status)


MATRIX = [(s, c, by) for s in STATUSES for c in COMMANDS if c != "challenge" for by in (A, B)]


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(("status", "command", "by"), MATRIX)
def test_inbound(driver: Driver, quiet: Quiet, app: str, status: str, command: str, by: str) -> None:
    expected = verdict(status, command, by)
    changes = expected == "ok" and command != "error"
    driver = driver if changes else quiet.driver
    make = partial(seat, driver) if changes else quiet.seat
    receiver = make(app, B if by == A else A, status)
    before = receiver.export(app)
    driver.advance(7)
    raw = envelope(app, command, wire_payload(app, command))
    answer = receiver.wire(raw, by)
    if command == "error":
        assert answer == {"outcome": "remote_error", **ERROR}
        assert receiver.export(app) == before
    elif expected == "ok":
        assert answer == ACCEPTED
        export = receiver.export(app)
        assert export["status"] == after(status, command)
        assert (export["last_action_at"], export["unread"]) == (driver("now"), 1)
        assert export["created_at"] == before["created_at"]
    else:
        code = "protocol_error" if expected == "illegal" else expected
        assert answer == rejected(code, command)
        assert receiver.export(app) == before
    assert receiver.wire(raw, by) == DUPLICATE


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(("status", "command", "by"), MATRIX)
def test_local(driver: Driver, quiet: Quiet, app: str, status: str, command: str, by: str) -> None:
    expected = verdict(status, command, by)
    changes = expected == "ok" and command != "error"
    driver = driver if changes else quiet.driver
    make = partial(seat, driver) if changes else quiet.seat
    node, to = make(app, by, status), B if by == A else A
    before = node.export(app)
    driver.advance(7)
    intent = {"move": INTENT[app], "error": ERROR}.get(command, {})
    answer = node.local(app, command, intent, to=to)
    if expected == "ok":
        assert answer["outcome"] == "prepared"
        export = node.export(app)
        assert export["status"] == after(status, command)
        if command == "error":
            assert export == before
        else:
            assert (export["last_action_at"], export["unread"]) == (driver("now"), 0)
        return
    assert answer["outcome"] == "refused"
    if expected == "illegal":
        assert answer["kind"] == "illegal_transition"
    else:
        assert (answer["kind"], answer["code"]) == ("validation", expected)
    assert node.export(app) == before


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("by", [A, B])
def test_challenge(driver: Driver, app: str, status: str, by: str) -> None:
    mine = seat(driver, app, by, status)
    assert mine.local(app, "challenge", to=B if by == A else A)["kind"] == "session_exists"
    assert mine.local(app, "challenge", to=C)["kind"] == "session_exists"
    before = mine.export(app)
    assert mine.wire(envelope(app, "challenge"), B if by == A else A) == IDEMPOTENT
    assert mine.export(app) == before


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", [c for c in COMMANDS if c != "challenge"])
def test_the_local_order_of_checks(driver: Driver, app: str, command: str) -> None:
    table = Table(driver, app).challenge()
    alice = table.alice

    def kind(payload: Any = None, **more: Any) -> str:
        return str(alice.local(more.pop("app", app), more.pop("command", command), payload, **more)["kind"])

    bad = {"to": C, "session": "XYZ", "payload": 3, "command": "nosuch", "app": "nosuch", "identity": ""}
    order = [
        ("to", "unauthorized_peer"),
        ("session", "invalid_envelope"),
        ("payload", "validation"),
        ("command", "unsupported_action"),
        ("app", "unknown_app"),
        ("identity", "identity_required"),
    ]
    faults: dict[str, Any] = {}
    for name, expected in order:
        faults[name] = bad[name]
        assert kind(**faults) == expected
        if name == "to":
            assert kind(**faults, session=sid(5)) == "session_not_found"
    for nobody in (None, "", " "):
        assert kind(**(faults | {"to": nobody})) == "participant_required"
        assert kind(to=nobody) == "participant_required"
    assert kind(session="") == "invalid_envelope"
    for session in (S.upper(), S[1:], S + "0", S[:15] + "g"):
        assert kind(session=session) == "invalid_envelope"


@pytest.mark.parametrize("app", APPS)
def test_a_local_challenge(driver: Driver, app: str) -> None:
    alice = driver.node(A)
    seen = set()
    for _ in range(20):
        result = alice.local(app, "challenge", session="")
        assert result["outcome"] == "prepared"
        seen.add(result["session"])
        assert len(result["session"]) == 16
        assert set(result["session"]) <= set("0123456789abcdef")
        state = alice.state(app, result["session"])
        assert state is not None
        assert (state["status"], state["initiator"], state["contact"]) == ("pending", A, B)
        assert (state["app"], state["version"], state["winner"], state["terminal"]) == (app, 1, "", "")
        assert (state["turn"], state["draw_offered"], state["draw_offered_by"]) == ("", False, "")
    assert len(seen) == 20
    for session in (S.upper(), S[1:], S + "0", S[:15] + "g", " "):
        assert alice.local(app, "challenge", session=session)["kind"] == "invalid_envelope"
    assert alice.local(app, "challenge", {"x": 1}, session=sid(3))["kind"] == "validation"
    for to in (None, "", "  "):
        assert alice.local(app, "challenge", to=to)["kind"] == "participant_required"
    assert alice.local(app, "challenge", identity="")["kind"] == "identity_required"
    assert alice.state(app, sid(3)) is None
    assert alice.state(app) is None
    assert len(alice.listed(app)) == 20


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("extra", [{"x": 1}, {"": 0}, {"code": "c"}])
@pytest.mark.parametrize("command", ["challenge", "accept", "decline", "resign", "draw_offer", "draw_accept"])
def test_intents_and_payloads_that_must_be_empty(driver: Driver, app: str, extra: Any, command: str) -> None:
    status = "pending" if command in ("challenge", "accept", "decline") else "active"
    table = at(driver, app, status)
    table.play(table.bob, "draw_offer") if command == "draw_accept" else None
    before = table.alice.export(app), table.bob.export(app)
    node: Node = table.bob if command == "accept" else table.alice
    session = sid(77) if command == "challenge" else S
    answer = node.local(app, command, extra, to=table.other(node).identity, session=session)
    assert (answer["outcome"], answer["kind"]) == ("refused", "validation")
    payload = ACCEPT[app] | extra if command == "accept" else extra
    answer = table.other(node).wire(envelope(app, command, payload, session=session), node.identity)
    assert answer == rejected("protocol_error", command)
    assert (table.alice.export(app), table.bob.export(app)) == before


@pytest.mark.parametrize("app", APPS)
def test_a_cancelled_challenge(driver: Driver, app: str) -> None:
    table = Table(driver, app).challenge()
    crossing = table.prepare(table.bob, "accept")
    raw = table.prepare(table.alice, "decline")
    assert table.alice.wire(crossing, B) == rejected("protocol_error", "accept")
    assert table.bob.wire(raw, A) == rejected("protocol_error", "decline"), "Bob had accepted already"
    assert [s["status"] for s in table.states()] == ["declined", "active"]
    assert table.alice.wire(table.prepare(table.bob, "resign"), B) == rejected("protocol_error", "resign")


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_delivery_of_a_command(driver: Driver, app: str, command: str) -> None:
    status = "pending" if command in ("challenge", "accept", "decline") else "active"
    table = at(driver, app, status)
    if command.startswith("draw_") and command != "draw_offer":
        table.play(table.bob, "draw_offer")
    node = table.bob if command == "accept" else table.alice
    intent = {"move": INTENT[app], "error": ERROR}.get(command, {})
    session = "" if command == "challenge" else S
    answer = node.local(app, command, intent, to=table.other(node).identity, session=session)
    direct = command in ("resign", "draw_accept", "draw_decline")
    assert answer["delivery"] == ("direct" if direct else "opportunistic")
    assert len(answer["envelope"]) <= 400
    assert payload_of(answer["envelope"]).keys() == wire_payload(app, command).keys()
    assert table.other(node).wire(answer["envelope"], node.identity)["outcome"] in (
        "accepted",
        "remote_error",
    )


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(
    "payload", [{}, ERROR | {"x": 1}, ERROR | {"msg": ""}, {"code": 1, "msg": "m", "ref": "r"}]
)
def test_a_local_error_must_be_well_formed(driver: Driver, app: str, payload: Any) -> None:
    table = Table(driver, app).challenge()
    assert table.alice.local(app, "error", payload)["outcome"] == "refused"
    assert table.alice.local(app, "error", ERROR | {"msg": "m" * 300})["kind"] == "envelope_too_large"
    assert table.alice.local(app, "error", ERROR, to=C) == refused("unauthorized_peer", code="protocol_error")
    assert table.alice.local(app, "error", ERROR, session=sid(9))["kind"] == "session_not_found"

"""Time to live (spec §10; facts §6)."""

from __future__ import annotations

import pytest

from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    CHESS,
    COMMANDS,
    DAY,
    ERROR,
    FOUR,
    GRACE,
    IDEMPOTENT,
    TTT,
    WEEK,
    A,
    B,
    C,
    Driver,
    S,
    Table,
    envelope,
    refused,
    sid,
)

ACTIVE = {TTT: DAY, CHESS: WEEK, FOUR: WEEK}
LIVES = [(app, "pending", DAY + GRACE) for app in APPS] + [(a, "active", ACTIVE[a] + GRACE) for a in APPS]


def at(driver: Driver, app: str, status: str) -> Table:
    table = Table(driver, app).challenge()
    if status == "active":
        driver.advance(1234.5)
        table.play(table.bob, "accept")
    return table


@pytest.mark.parametrize(("app", "status", "life"), LIVES)
@pytest.mark.parametrize("look", ["state", "list", "export", "wire", "local"])
def test_alive_at_the_last_second_expired_after(
    driver: Driver, app: str, status: str, life: float, look: str
) -> None:
    table = at(driver, app, status)
    bob = table.bob

    def seen() -> str:
        match look:
            case "state":
                found = bob.state(app)
                return str(found["status"]) if found else "none"
            case "list":
                return str(bob.listed(app)[0]["status"])
            case "export":
                return str(bob.export(app)["status"])
            case "wire":
                answer = bob.wire(envelope(app, "error", ERROR), A)
                return "expired" if answer == refused("session_expired") else answer["outcome"]
        answer = bob.local(app, "error", ERROR, to=A)
        return "expired" if answer.get("kind") == "session_expired" else answer["outcome"]

    alive = {"wire": "remote_error", "local": "prepared"}.get(look, status)
    driver.advance(life)
    assert seen() == alive
    driver.advance(0.25)
    assert seen() == "expired"
    assert bob.export(app)["status"] == "expired"
    driver.advance(10 * WEEK)
    assert seen() == "expired"


@pytest.mark.parametrize(("app", "status", "life"), LIVES)
def test_expired_is_final(driver: Driver, app: str, status: str, life: float) -> None:
    table = at(driver, app, status)
    driver.advance(life + 1)
    expired = table.bob.export(app)
    assert expired["status"] == "expired"
    assert expired["last_action_at"] == driver("now") - life - 1
    for command in COMMANDS:
        payload = ERROR if command == "error" else {}
        assert table.bob.wire(envelope(app, command, payload), A) == refused("session_expired")
        assert table.bob.wire(envelope(app, command, payload), C) == refused("session_expired")
        if command != "challenge":
            answer = table.bob.local(app, command, payload, to=A)
            assert answer == refused("session_expired", code="session_expired")
            assert table.bob.local(app, command, payload, to=C)["kind"] == "session_expired"
    assert table.bob.local(app, "challenge", to=A)["kind"] == "session_exists"
    assert table.bob.export(app) == expired
    driver.advance(-life)
    assert table.bob.state(app)["status"] == "expired", "even when the clock goes back"  # type: ignore[index]


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("ended", ["decline", "cancel", "resign", "draw"])
def test_what_has_ended_never_expires(driver: Driver, app: str, ended: str) -> None:
    table = Table(driver, app).challenge()
    if ended == "decline":
        table.play(table.bob, "decline")
    elif ended == "cancel":
        table.play(table.alice, "decline")
    else:
        table.play(table.bob, "accept")
        if ended == "draw":
            table.play(table.alice, "draw_offer")
        table.play(table.bob, "resign" if ended == "resign" else "draw_accept")
    before = table.bob.export(app)
    driver.advance(520 * WEEK)
    assert table.bob.export(app) == before
    assert table.bob.wire(envelope(app, "challenge"), A) == IDEMPOTENT


@pytest.mark.parametrize("app", APPS)
def test_every_accepted_command_prolongs(driver: Driver, app: str) -> None:
    table = Table(driver, app).challenge()
    driver.advance(DAY)
    table.play(table.bob, "accept")
    for node, command in (("alice", "draw_offer"), ("bob", "draw_decline"), ("bob", "draw_offer")):
        driver.advance(ACTIVE[app])
        table.play(getattr(table, node), command)
        now = driver("now")
        assert [n.export(app)["last_action_at"] for n in (table.alice, table.bob)] == [now, now]
    driver.advance(ACTIVE[app] + GRACE)
    assert table.alice.state(app)["status"] == "active"  # type: ignore[index]
    driver.advance(1)
    assert table.alice.state(app)["status"] == "expired"  # type: ignore[index]


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(
    "what", ["retry", "error", "own error", "rejected", "stranger", "replay", "local refused"]
)
def test_nothing_else_prolongs(driver: Driver, app: str, what: str) -> None:
    table = Table(driver, app)
    raw = table.play(table.alice, "challenge")
    driver.advance(500)
    before = table.bob.export(app)
    match what:
        case "retry":
            table.bob.wire(envelope(app, "challenge"), A)
        case "error":
            table.bob.wire(envelope(app, "error", ERROR), A)
        case "own error":
            table.bob.send(app, "error", ERROR, to=A)
        case "rejected":
            table.bob.wire(envelope(app, "resign"), A)
        case "stranger":
            table.bob.wire(envelope(app, "decline"), C)
        case "replay":
            table.bob.wire(raw, A)
        case _:
            assert table.bob.local(app, "resign", to=A)["outcome"] == "refused"
    assert table.bob.export(app) == before
    driver.advance(DAY + GRACE - 500)
    assert table.bob.state(app)["status"] == "pending"  # type: ignore[index]
    driver.advance(1)
    assert table.bob.state(app)["status"] == "expired"  # type: ignore[index]


@pytest.mark.parametrize("app", APPS)
def test_each_side_has_its_own_clock(driver: Driver, app: str) -> None:
    table = at(driver, app, "active")
    driver.advance(ACTIVE[app])
    table.prepare(table.alice, "draw_offer")  # never delivered
    driver.advance(GRACE + 1)
    first, second = table.states()
    assert (first["status"], second["status"]) == ("active", "expired")


@pytest.mark.parametrize("app", APPS)
def test_an_open_offer_cannot_be_answered_after_expiry(driver: Driver, app: str) -> None:
    table = at(driver, app, "active")
    table.play(table.alice, "draw_offer")
    driver.advance(ACTIVE[app] + GRACE + 1)
    assert table.bob.wire(envelope(app, "draw_accept"), A) == refused("session_expired")
    assert table.bob.local(app, "draw_accept", to=A)["kind"] == "session_expired"
    state = table.bob.state(app)
    assert state is not None
    assert state["terminal"] == ""
    if app == FOUR:
        assert (state["draw_offered"], state["draw_offered_by"]) == (False, "")


@pytest.mark.parametrize(("app", "status", "life"), LIVES)
def test_a_record_is_aged_when_it_is_loaded(driver: Driver, app: str, status: str, life: float) -> None:
    table = at(driver, app, status)
    record = table.bob.export(app)
    driver.advance(life)
    fresh = driver.node(B)
    assert fresh.hydrate(record) == {"outcome": "hydrated"}
    assert fresh.export(app) == record
    driver.advance(1)
    late = driver.node(B)
    assert late.hydrate(record) == {"outcome": "hydrated"}
    assert late.export(app)["status"] == "expired"
    assert late.wire(envelope(app, "decline"), A) == refused("session_expired")
    again = driver.node(B)
    assert again.hydrate(late.export(app)) == {"outcome": "hydrated"}
    assert again.state(app)["status"] == "expired"  # type: ignore[index]


def test_one_game_expires_while_another_lives(driver: Driver) -> None:
    bob = driver.node(B)
    for number, app in enumerate(APPS):
        assert bob.wire(envelope(app, "challenge", session=sid(number)), A) == ACCEPTED
        bob.send(app, "accept", to=A, session=sid(number))
    driver.advance(DAY + GRACE + 1)
    assert [bob.listed(app)[0]["status"] for app in APPS] == ["expired", "active", "active"]


def test_expiry_is_per_identity(driver: Driver) -> None:
    bob = driver.node(B)
    bob.wire(envelope(TTT, "challenge"), A)
    driver.advance(DAY)
    bob.wire(envelope(TTT, "challenge"), A, identity=C)
    driver.advance(GRACE + 1)
    assert bob.state(TTT)["status"] == "expired"  # type: ignore[index]
    assert bob.state(TTT, S, identity=C)["status"] == "pending"  # type: ignore[index]

"""The order in which an inbound envelope is judged, and what keeps its nonce (spec §3.1; facts §3).

Whether a nonce was used shows by the same bytes again: a duplicate, or the first answer once more.
"""

from __future__ import annotations

import pytest

from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    CHESS,
    COMMANDS,
    DAY,
    DUPLICATE,
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
    nonce,
    refused,
    rejected,
    seat,
    sid,
)

OTHERS = tuple(command for command in COMMANDS if command != "challenge")
TTL = {TTT: DAY, CHESS: WEEK, FOUR: WEEK}
FIRST_MOVE = {
    TTT: {"i": 0, "b": "X________", "n": 1, "t": B, "x": ""},
    CHESS: {"m": "e2e4", "n": 0, "x": ""},
    FOUR: {"c": 0, "n": 1, "x": ""},
}


def payload(command: str) -> object:
    return ERROR if command == "error" else {}


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", OTHERS)
def test_without_a_session_nothing_is_recorded(driver: Driver, app: str, command: str) -> None:
    bob = driver.node(B)
    raw = envelope(app, command, payload(command))
    for _ in range(3):
        assert bob.wire(raw, A) == refused("session_not_found")
    assert bob.state(app) is None
    n = nonce()
    assert bob.wire(envelope(app, command, payload(command), n=n), A) == refused("session_not_found")
    assert bob.wire(envelope(app, "challenge", n=n), A) == ACCEPTED


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_stranger_reserves_no_nonce(driver: Driver, app: str, command: str) -> None:
    table = Table(driver, app).challenge()
    before = table.bob.export(app)
    n = nonce()
    raw = envelope(app, command, payload(command), n=n)
    for _ in range(2):
        assert table.bob.wire(raw, C) == refused("unauthorized_peer")
        assert table.bob.wire(raw, A.upper()) == refused("unauthorized_peer")
        assert table.bob.wire(raw, B) == refused("unauthorized_peer")
    assert table.bob.export(app) == before
    answer = table.bob.wire(raw, A)
    assert answer not in (DUPLICATE, refused("unauthorized_peer"))
    assert table.bob.wire(raw, A) == DUPLICATE


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_expired_session_answers_everyone_and_records_nothing(
    driver: Driver, app: str, command: str
) -> None:
    bob = seat(driver, app, B, "pending")
    driver.advance(DAY + GRACE + 1)
    raw = envelope(app, command, payload(command))
    for sender in (A, C, A):
        assert bob.wire(raw, sender) == refused("session_expired")
    assert bob.export(app)["status"] == "expired"


@pytest.mark.parametrize("app", APPS)
def test_a_replay_is_silent_before_all_else(driver: Driver, app: str) -> None:
    table = Table(driver, app)
    raw = table.play(table.alice, "challenge")
    assert table.bob.wire(raw, A) == DUPLICATE
    assert table.bob.wire(raw, C) == DUPLICATE
    table.play(table.bob, "decline")
    assert table.bob.wire(raw, A) == DUPLICATE
    other = envelope(app, "challenge", session=sid(7))
    assert table.bob.wire(other, A) == ACCEPTED
    n = bytes.fromhex(other)[-8:]
    assert table.bob.wire(envelope(app, "accept", {"x": 1}, session=sid(7), n=n), A) == DUPLICATE
    assert table.bob.wire(envelope(app, "nosuch", session=sid(7), n=n), A) == refused("unsupported_action")
    assert table.bob.wire(envelope(app, "error", {}, session=sid(7), n=n), A) == refused("invalid_envelope")
    assert table.bob.wire(envelope(app, "error", ERROR, session=sid(7), n=n), A) == DUPLICATE


def test_a_replay_in_an_expired_session_is_silent(driver: Driver) -> None:
    table = Table(driver, TTT).open()
    driver.advance(DAY + GRACE - 300)
    stale = envelope(TTT, "move", {"i": 9})
    assert table.bob.wire(stale, A)["outcome"] == "rejected"
    driver.advance(301)
    assert table.bob.wire(stale, A) == DUPLICATE
    assert table.bob.wire(stale, C) == DUPLICATE
    assert table.bob.wire(envelope(TTT, "move", {"i": 9}), C) == refused("session_expired")


@pytest.mark.parametrize("owner", APPS)
@pytest.mark.parametrize("app", APPS)
def test_a_session_id_belongs_to_one_game(driver: Driver, owner: str, app: str) -> None:
    table = Table(driver, owner).challenge()
    before = table.bob.export(owner)
    for sender in (A, C):
        raw = envelope(app, "challenge")
        answer = table.bob.wire(raw, sender)
        if app != owner:
            assert answer == refused("session_exists")
            assert table.bob.wire(raw, sender) == DUPLICATE
        else:
            assert answer == (IDEMPOTENT if sender == A else refused("unauthorized_peer"))
        assert table.bob.export(owner) == before
        assert app == owner or table.bob.state(app) is None
    if app != owner:
        for command in OTHERS:
            raw = envelope(app, command, payload(command))
            assert table.bob.wire(raw, A) == refused("session_not_found")
            assert table.bob.wire(raw, A) == refused("session_not_found")
        assert table.bob.local(app, "challenge", to=C)["kind"] == "session_exists"
        assert table.bob.local(app, "accept", to=A)["kind"] == "session_not_found"
    assert table.bob.local(owner, "challenge", to=A)["kind"] == "session_exists"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("ended", ["decline", "resign", "expired"])
def test_an_ended_session_still_owns_its_id(driver: Driver, app: str, ended: str) -> None:
    table = Table(driver, app).challenge()
    if ended == "expired":
        driver.advance(DAY + GRACE + 1)
    elif ended == "resign":
        table.play(table.bob, "accept")
        table.play(table.bob, "resign")
    else:
        table.play(table.bob, "decline")
    other = APPS[APPS.index(app) - 1]
    assert table.bob.wire(envelope(other, "challenge"), A) == refused("session_exists")
    assert table.alice.local(app, "challenge")["kind"] == "session_exists"
    expected = refused("session_expired") if ended == "expired" else IDEMPOTENT
    assert table.bob.wire(envelope(app, "challenge"), A) == expected


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("status", ["pending", "active", "declined", "completed"])
def test_a_remote_error_is_surfaced_and_touches_nothing(driver: Driver, app: str, status: str) -> None:
    table = Table(driver, app).challenge()
    if status in ("active", "completed"):
        table.play(table.bob, "accept")
    if status == "completed":
        table.play(table.alice, "resign")
    if status == "declined":
        table.play(table.bob, "decline")
    driver.advance(5)
    before = table.bob.export(app)
    assert before["status"] == status
    for code in ("invalid_move", "unauthorized_sender", "made up!", "é"):
        raw = envelope(app, "error", {"code": code, "msg": "Nein ☹", "ref": "Not A Command"})
        expected = {"outcome": "remote_error", "code": code, "msg": "Nein ☹", "ref": "Not A Command"}
        assert table.bob.wire(raw, A) == expected
        assert table.bob.wire(raw, A) == DUPLICATE
    assert table.bob.export(app) == before


@pytest.mark.parametrize("app", APPS)
def test_a_challenge_retried_changes_nothing(driver: Driver, app: str) -> None:
    table = Table(driver, app).challenge()
    for command in ("accept", "resign"):
        driver.advance(10)
        before = table.bob.export(app)
        raw = envelope(app, "challenge")
        assert table.bob.wire(raw, A) == IDEMPOTENT
        assert table.bob.wire(raw, A) == DUPLICATE
        assert table.bob.wire(envelope(app, "challenge"), C) == refused("unauthorized_peer")
        assert table.bob.export(app) == before
        table.play(table.bob, command)
    assert table.bob.wire(envelope(app, "challenge"), A) == IDEMPOTENT
    mine = table.alice.export(app)
    assert table.alice.wire(envelope(app, "challenge"), B) == IDEMPOTENT  # my own challenge, from its peer
    assert table.alice.export(app) == mine


@pytest.mark.parametrize("app", APPS)
def test_a_rejection_keeps_the_nonce_and_the_state(driver: Driver, app: str) -> None:
    table = Table(driver, app).challenge()
    driver.advance(60)
    before = table.bob.export(app)
    early = envelope(app, "move", FIRST_MOVE[app])
    assert table.bob.wire(early, A) == rejected("invalid_move", "move")
    assert table.bob.wire(early, A) == DUPLICATE
    malformed = envelope(app, "move", FIRST_MOVE[app] | {"z": 1})
    assert table.bob.wire(malformed, A) == rejected("protocol_error", "move")
    assert table.bob.wire(malformed, A) == DUPLICATE
    for command in ("accept", "resign", "draw_offer", "draw_accept", "draw_decline"):
        raw = envelope(app, command)
        assert table.bob.wire(raw, A) == rejected("protocol_error", command)
        assert table.bob.wire(raw, A) == DUPLICATE
    assert table.bob.export(app) == before


@pytest.mark.parametrize("app", APPS)
def test_the_nonce_of_a_failed_commit_is_free_again(driver: Driver, app: str) -> None:
    table = Table(driver, app)
    raw = table.prepare(table.alice, "challenge")
    for _ in range(2):
        assert table.bob.wire(raw, A, fail_commit=True) == {"outcome": "commit_failed"}
        assert table.bob.state(app) is None
    assert table.bob.wire(raw, A) == ACCEPTED
    kept = envelope(app, "accept", {"z": 1})
    assert table.bob.wire(kept, A)["outcome"] == "rejected"
    pending = table.bob.export(app)
    cancel = table.prepare(table.alice, "decline")
    assert table.bob.wire(cancel, A, fail_commit=True) == {"outcome": "commit_failed"}
    assert table.bob.export(app) == pending
    assert table.bob.wire(raw, A) == DUPLICATE
    assert table.bob.wire(kept, A) == DUPLICATE
    error = envelope(app, "error", ERROR)
    assert table.bob.wire(error, A, fail_commit=True) == {"outcome": "commit_failed"}
    assert table.bob.export(app) == pending
    assert table.bob.wire(error, A)["outcome"] == "remote_error"
    assert table.bob.wire(error, A, fail_commit=True) == DUPLICATE
    assert table.bob.wire(cancel, A) == ACCEPTED
    assert table.bob.wire(cancel, A, fail_commit=True) == DUPLICATE


@pytest.mark.parametrize("app", APPS)
def test_a_failed_commit_changes_nothing_that_was_refused(driver: Driver, app: str) -> None:
    table = Table(driver, app).challenge()
    bad = envelope(app, "resign")
    assert table.bob.wire(bad, A, fail_commit=True) == rejected("protocol_error", "resign")
    assert table.bob.wire(bad, A) == DUPLICATE
    assert table.bob.wire(envelope(app, "resign"), C, fail_commit=True) == refused("unauthorized_peer")
    assert table.bob.wire("c1", A, fail_commit=True) == refused("invalid_envelope")


@pytest.mark.parametrize(("app", "moves"), [(TTT, [0, 3, 1]), (FOUR, [3, 3, 4]), (CHESS, "e2e4 e7e5 g1f3")])
def test_a_failed_commit_of_a_move_restores_the_board(driver: Driver, app: str, moves: object) -> None:
    table = Table(driver, app)
    table = table.open_chess() if app == CHESS else table.open()
    key = {TTT: "i", CHESS: "m", FOUR: "c"}[app]
    for move in moves.split() if isinstance(moves, str) else moves:  # type: ignore[attr-defined]
        mover = table.turn()
        receiver = table.other(mover)
        before = receiver.export(app)
        raw = table.prepare(mover, "move", {key: move})
        assert receiver.wire(raw, mover.identity, fail_commit=True) == {"outcome": "commit_failed"}
        assert receiver.export(app) == before
        assert receiver.wire(raw, mover.identity) == ACCEPTED
    first, second = table.states()
    assert first["board"] == second["board"]


def test_a_challenge_to_oneself_is_refused_both_ways(driver: Driver) -> None:
    bob = driver.node(B)
    raw = envelope(TTT, "challenge")
    assert bob.wire(raw, B) == refused("unauthorized_peer")
    assert bob.wire(raw, B) == refused("unauthorized_peer"), "an authorisation failure records nothing"
    assert bob.wire(raw, A) == ACCEPTED
    assert bob.local(TTT, "challenge", to=B, session=sid(1))["outcome"] == "refused"
    assert bob.state(TTT, sid(1)) is None


def test_a_participant_is_an_exact_string(driver: Driver) -> None:
    table = Table(driver, TTT).challenge()
    for sender in (A.upper(), A + " ", " " + A, A[:-1], A + "0"):
        assert table.bob.wire(envelope(TTT, "decline"), sender) == refused("unauthorized_peer")
    assert table.bob.state(TTT, S.upper()) is None

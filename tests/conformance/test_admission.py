"""Limits of unanswered challenges (spec §6, Challenge Admission; facts §5)."""

from __future__ import annotations

import pytest

from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    CHESS,
    DAY,
    DUPLICATE,
    FOUR,
    GRACE,
    IDEMPOTENT,
    TTT,
    A,
    B,
    C,
    Driver,
    Node,
    envelope,
    refused,
    sid,
)

PEER, ALL = 16, 128
FULL_PEER = refused("admission_limit", scope="participant")
FULL_ALL = refused("admission_limit", scope="identity")


def who(number: int) -> str:
    return f"{number:032x}"


def challenge(number: int, app: str = TTT) -> str:
    return envelope(app, "challenge", session=sid(number))


def fill(bob: Node, count: int = PEER, sender: str = A, first: int = 0) -> None:
    for number in range(first, first + count):
        assert bob.wire(challenge(number, APPS[number % 3]), sender) == ACCEPTED


def fill_identity(bob: Node, count: int = ALL) -> None:
    """``count`` pending challenges, 16 from one participant each."""
    for number in range(count):
        assert bob.wire(challenge(number, APPS[number % 3]), who(number // PEER)) == ACCEPTED


@pytest.mark.parametrize("app", APPS)
def test_a_participant_has_sixteen(driver: Driver, app: str) -> None:
    bob = driver.node(B)
    fill(bob)
    before = [bob.export(APPS[number % 3], sid(number)) for number in range(PEER)]
    raw = challenge(99, app)
    assert bob.wire(raw, A) == FULL_PEER
    assert bob.wire(raw, A) == DUPLICATE, "the nonce of a refused challenge stays used"
    assert bob.wire(challenge(99, app), A) == FULL_PEER
    assert bob.state(app, sid(99)) is None
    assert [bob.export(APPS[number % 3], sid(number)) for number in range(PEER)] == before
    assert bob.wire(challenge(99, app), C) == ACCEPTED, "another participant is not affected"


@pytest.mark.parametrize("app", APPS)
def test_an_identity_has_128(driver: Driver, app: str) -> None:
    bob = driver.node(B)
    fill_identity(bob)
    raw = challenge(999, app)
    assert bob.wire(raw, C) == FULL_ALL
    assert bob.wire(raw, C) == DUPLICATE
    assert bob.wire(challenge(999, app), who(0)) == FULL_PEER, "the participant is checked first"
    assert bob.state(app, sid(999)) is None
    assert bob.wire(challenge(999, app), C, identity=A) == ACCEPTED, "another identity is not affected"


@pytest.mark.parametrize("app", APPS)
def test_a_retry_passes_by(driver: Driver, app: str) -> None:
    bob = driver.node(B)
    assert bob.wire(challenge(50, app), A) == ACCEPTED
    fill(bob, PEER - 1)
    assert bob.wire(challenge(99, app), A) == FULL_PEER
    assert bob.wire(challenge(50, app), A) == IDEMPOTENT
    assert bob.wire(challenge(50, app), C) == refused("unauthorized_peer")


@pytest.mark.parametrize("freed", ["accept", "decline", "cancel", "remove"])
@pytest.mark.parametrize(("app", "scope"), [*((app, "participant") for app in APPS), (TTT, "identity")])
def test_a_slot_is_freed(driver: Driver, freed: str, app: str, scope: str) -> None:
    bob = driver.node(B)
    number = APPS.index(app)
    peer = A if scope == "participant" else who(0)
    asking = peer if scope == "participant" else C
    if scope == "participant":
        fill(bob)
    else:
        fill_identity(bob)
    assert bob.wire(challenge(999), asking) == refused("admission_limit", scope=scope)
    if freed == "cancel":
        assert bob.wire(envelope(app, "decline", session=sid(number)), peer) == ACCEPTED
    elif freed == "remove":
        bob.remove(app, sid(number))
    else:
        bob.send(app, freed, to=peer, session=sid(number))
    assert bob.wire(challenge(999), asking) == ACCEPTED
    assert bob.wire(challenge(1000), asking) == refused("admission_limit", scope=scope)


@pytest.mark.parametrize("app", APPS)
def test_expiry_frees_slots_at_its_very_second(driver: Driver, app: str) -> None:
    bob = driver.node(B)
    for number in range(PEER):
        assert bob.wire(challenge(number, app), A) == ACCEPTED
    driver.advance(DAY + GRACE)
    assert bob.wire(challenge(99), A) == FULL_PEER
    driver.advance(0.5)
    assert bob.wire(challenge(99), A) == ACCEPTED
    assert bob.export(app, sid(0))["status"] == "expired"


def test_only_the_expired_are_freed(driver: Driver) -> None:
    bob = driver.node(B)
    fill(bob, 4)
    driver.advance(100)
    fill(bob, 12, first=4)
    driver.advance(DAY + GRACE - 50)
    fill(bob, 4, first=20)
    assert bob.wire(challenge(99), A) == FULL_PEER


def test_expiry_frees_the_identity(driver: Driver) -> None:
    bob = driver.node(B)
    fill_identity(bob, ALL - 1)
    driver.advance(10)
    assert bob.wire(challenge(500), C) == ACCEPTED
    assert bob.wire(challenge(501), C) == FULL_ALL
    driver.advance(DAY + GRACE - 9)
    assert bob.wire(challenge(501), C) == ACCEPTED
    assert {s["status"] for s in bob.listed(TTT)} == {"pending", "expired"}


@pytest.mark.parametrize("app", APPS)
def test_my_own_challenges_count(driver: Driver, app: str) -> None:
    bob = driver.node(B)
    for number in range(PEER):
        bob.send(app, "challenge", to=A, session=sid(number))
    assert bob.wire(challenge(99), A) == FULL_PEER
    assert bob.wire(challenge(99), C) == ACCEPTED
    bob.send(app, "decline", to=A, session=sid(0))
    assert bob.wire(challenge(98), A) == ACCEPTED


def test_my_own_challenges_have_no_limit_but_fill_the_identity(driver: Driver) -> None:
    bob = driver.node(B)
    for number in range(ALL + 4):
        bob.send(APPS[number % 3], "challenge", to=who(number % 2), session=sid(number))
    assert bob.wire(challenge(999), C) == FULL_ALL
    assert bob.wire(challenge(999), who(0)) == FULL_PEER
    bob.send(TTT, "challenge", to=who(0), session=sid(1000))


@pytest.mark.parametrize("ended", ["accept", "decline", "resign"])
def test_only_pending_sessions_count(driver: Driver, ended: str) -> None:
    bob = driver.node(B)
    for number in range(PEER + 4):
        app = APPS[number % 3]
        assert bob.wire(challenge(number, app), A) == ACCEPTED
        bob.send(app, "decline" if ended == "decline" else "accept", to=A, session=sid(number))
        if ended == "resign":
            bob.send(app, "resign", to=A, session=sid(number))
    assert bob.wire(challenge(99), A) == ACCEPTED


def test_a_collision_comes_before_admission(driver: Driver) -> None:
    bob = driver.node(B)
    fill(bob)
    assert bob.wire(challenge(0, CHESS), A) == refused("session_exists")
    assert bob.wire(challenge(1, FOUR), A) == refused("session_exists")


def test_a_failed_commit_takes_no_slot(driver: Driver) -> None:
    bob = driver.node(B)
    fill(bob, PEER - 1)
    for number in range(50, 55):
        raw = challenge(number)
        assert bob.wire(raw, A, fail_commit=True) == {"outcome": "commit_failed"}
    assert bob.wire(raw, A) == ACCEPTED
    assert bob.wire(challenge(60), A, fail_commit=True) == FULL_PEER


def test_a_malformed_challenge_takes_no_slot(driver: Driver) -> None:
    bob = driver.node(B)
    fill(bob, PEER - 1)
    for number in range(50, 55):
        assert bob.wire(envelope(TTT, "challenge", {"x": 1}, session=sid(number)), A)["outcome"] == "rejected"
    assert bob.wire(challenge(60), A) == ACCEPTED


def test_hydrated_sessions_count(driver: Driver) -> None:
    bob, copy = driver.node(B), driver.node(B)
    fill(bob)
    for number in range(PEER):
        assert copy.hydrate(bob.export(APPS[number % 3], sid(number))) == {"outcome": "hydrated"}
    assert copy.wire(challenge(99), A) == FULL_PEER

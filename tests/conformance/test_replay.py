"""The bounded replay cache as it shows on the wire (spec §3.1; facts §4)."""

from __future__ import annotations

import pytest

from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    DUPLICATE,
    ERROR,
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
    nonce,
    refused,
    sid,
)

TTL = 600
PER_SESSION = 512
SESSIONS = 1024


def challenge(number: int = 0, **more: object) -> str:
    return envelope(TTT, "challenge", session=sid(number), **more)  # type: ignore[arg-type]


def retries(node: Node, count: int, number: int = 0) -> list[str]:
    """Fresh challenges of a session that exists: each leaves one nonce and nothing else."""
    raws = [challenge(number) for _ in range(count)]
    for raw in raws:
        assert node.wire(raw, A) == IDEMPOTENT
    return raws


@pytest.mark.parametrize("age", [0, 1, 599, 599.5, 600])
def test_an_entry_counts_up_to_its_ttl(driver: Driver, age: float) -> None:
    bob = driver.node(B)
    assert bob.wire(raw := challenge(), A) == ACCEPTED
    driver.advance(age)
    assert bob.wire(raw, A) == DUPLICATE


@pytest.mark.parametrize("age", [600.5, 601, 1200, 86_000])
def test_an_older_entry_does_not(driver: Driver, age: float) -> None:
    bob = driver.node(B)
    assert bob.wire(raw := challenge(), A) == ACCEPTED
    driver.advance(age)
    assert bob.wire(raw, A) == IDEMPOTENT, "recorded anew"
    assert bob.wire(raw, A) == DUPLICATE
    driver.advance(TTL)
    assert bob.wire(raw, A) == DUPLICATE
    driver.advance(1)
    assert bob.wire(raw, A) == IDEMPOTENT


def test_a_duplicate_does_not_extend_the_ttl(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(raw := challenge(), A) == ACCEPTED
    for _ in range(6):
        driver.advance(100)
        assert bob.wire(raw, A) == DUPLICATE
        assert bob.wire(raw, C) == DUPLICATE
    driver.advance(1)
    assert bob.wire(raw, C) == refused("unauthorized_peer")
    assert bob.wire(raw, A) == IDEMPOTENT


def test_an_old_nonce_of_a_refused_challenge_can_come_again(driver: Driver) -> None:
    bob = driver.node(B)
    raw = envelope(TTT, "challenge", {"x": 1})
    assert bob.wire(raw, A)["outcome"] == "rejected"
    driver.advance(TTL)
    assert bob.wire(raw, A) == DUPLICATE
    driver.advance(1)
    assert bob.wire(raw, A)["outcome"] == "rejected"


def test_a_session_holds_512_nonces(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(first := challenge(), A) == ACCEPTED
    raws = retries(bob, PER_SESSION - 1)
    assert bob.wire(raws[0], A) == DUPLICATE
    assert bob.wire(first, A) == DUPLICATE, "a duplicate evicts nothing, and touches"
    assert bob.wire(challenge(), A) == IDEMPOTENT
    # Least recently touched was raws[1]: raws[0] and the first had just been seen again.
    assert bob.wire(first, A) == DUPLICATE
    assert bob.wire(raws[0], A) == DUPLICATE
    assert bob.wire(raws[2], A) == DUPLICATE
    assert bob.wire(raws[1], A) == IDEMPOTENT


def test_the_least_recently_touched_goes_first(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(first := challenge(), A) == ACCEPTED
    raws = retries(bob, PER_SESSION)
    assert bob.wire(first, A) == IDEMPOTENT, "the 513th displaced the first"
    assert bob.wire(raws[1], A) == DUPLICATE, "and the first, come anew, displaced the second"
    assert bob.wire(raws[0], A) == IDEMPOTENT


def test_strangers_and_malformed_bytes_evict_nothing(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(first := challenge(), A) == ACCEPTED
    retries(bob, PER_SESSION - 1)
    for _ in range(PER_SESSION + 1):
        assert bob.wire(challenge(), C) == refused("unauthorized_peer")
    bob.wire(envelope(TTT, "error", {}, session=sid(0)), A)
    bob.wire(envelope(TTT, "nosuch", session=sid(0)), A)
    assert bob.wire(first, A) == DUPLICATE


@pytest.mark.slow
def test_rejections_and_errors_fill_the_same_space(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(first := challenge(), A) == ACCEPTED
    for number in range(PER_SESSION):
        command, payload = ("error", ERROR) if number % 2 else ("resign", {})
        answer = bob.wire(envelope(TTT, command, payload, session=sid(0)), A)
        assert answer["outcome"] in ("remote_error", "rejected")
    assert bob.wire(first, A) == IDEMPOTENT


def test_a_full_session_leaves_others_alone(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(one := challenge(1), A) == ACCEPTED
    assert bob.wire(two := challenge(2), A) == ACCEPTED
    retries(bob, PER_SESSION + 5, 2)
    assert bob.wire(one, A) == DUPLICATE
    assert bob.wire(two, A) == IDEMPOTENT


def test_dead_entries_give_way_before_living_ones(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(dead := challenge(), A) == ACCEPTED
    driver.advance(TTL - 1)
    alive = retries(bob, PER_SESSION - 1)
    driver.advance(2)
    assert bob.wire(challenge(), A) == IDEMPOTENT
    assert all(bob.wire(raw, A) == DUPLICATE for raw in alive)
    assert bob.wire(dead, A) == IDEMPOTENT


def test_1024_sessions_are_remembered(driver: Driver) -> None:
    bob = driver.node(B)
    raws = [challenge(number) for number in range(SESSIONS)]
    answers = [bob.wire(raw, A) for raw in raws]
    assert answers.count(ACCEPTED) == 16
    assert answers.count(refused("admission_limit", scope="participant")) == SESSIONS - 16
    assert bob.wire(raws[0], A) == DUPLICATE
    assert bob.wire(challenge(3), C) == refused("unauthorized_peer"), (
        "a probe that finds nothing still touches"
    )
    assert bob.wire(challenge(SESSIONS), A)["outcome"] == "refused"
    assert bob.wire(raws[0], A) == DUPLICATE, "touched: the second space went"
    assert bob.wire(raws[3], A) == DUPLICATE
    assert bob.wire(raws[1], A) == IDEMPOTENT


@pytest.mark.slow
def test_strangers_create_no_space(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(first := challenge(), A) == ACCEPTED
    for number in range(1, SESSIONS + 50):
        assert bob.wire(envelope(TTT, "move", session=sid(number)), A) == refused("session_not_found")
    assert bob.wire(first, A) == DUPLICATE


def test_entries_belong_to_an_identity_and_a_session(driver: Driver) -> None:
    bob = driver.node(B)
    n = nonce()
    assert bob.wire(challenge(1, n=n), A) == ACCEPTED
    assert bob.wire(challenge(2, n=n), A) == ACCEPTED
    assert bob.wire(challenge(1, n=n), A, identity=C) == ACCEPTED
    assert bob.wire(challenge(1, n=n), A) == DUPLICATE
    assert bob.wire(challenge(2, n=n), A) == DUPLICATE
    assert bob.wire(challenge(1, n=n), A, identity=C) == DUPLICATE
    assert bob.wire(challenge(2, n=n), A, identity=C) == ACCEPTED
    other = driver.node(B)
    assert other.wire(challenge(1, n=n), A) == ACCEPTED, "another node has a cache of its own"


def test_the_app_is_no_part_of_the_key(driver: Driver) -> None:
    bob = driver.node(B)
    n = nonce()
    assert bob.wire(envelope("chess", "challenge", n=n), A) == ACCEPTED
    assert bob.wire(envelope("ttt", "challenge", n=n), A) == DUPLICATE
    assert bob.wire(envelope("ttt", "move", n=n), A) == DUPLICATE


def test_the_nonces_of_our_own_actions_are_no_replays(driver: Driver) -> None:
    alice = driver.node(A)
    raw = alice.send(TTT, "challenge")
    assert alice.wire(raw, B) == IDEMPOTENT


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("ended", ["decline", "resign"])
def test_an_ended_session_keeps_its_nonces(driver: Driver, app: str, ended: str) -> None:
    table = Table(driver, app)
    raws = [table.play(table.alice, "challenge")]
    if ended == "resign":
        table.play(table.bob, "accept")
    raws.append(table.play(table.alice, ended))
    assert [table.bob.wire(raw, A) for raw in raws] == [DUPLICATE, DUPLICATE]
    driver.advance(TTL)
    assert [table.bob.wire(raw, A) for raw in raws] == [DUPLICATE, DUPLICATE]
    driver.advance(1)
    assert [table.bob.wire(raw, A)["outcome"] for raw in raws] == ["idempotent", "rejected"]


@pytest.mark.parametrize("command", ["challenge", "error", "decline"])
def test_a_failed_commit_frees_one_nonce_only(driver: Driver, command: str) -> None:
    bob = driver.node(B)
    held = [challenge(number) for number in range(3)]
    assert [bob.wire(raw, A) for raw in held] == [ACCEPTED] * 3
    held += retries(bob, 5, 1)
    session = sid(9) if command == "challenge" else sid(1)
    raw = envelope(TTT, command, ERROR if command == "error" else {}, session=session)
    assert bob.wire(raw, A, fail_commit=True) == {"outcome": "commit_failed"}
    assert all(bob.wire(old, A) == DUPLICATE for old in held)
    assert bob.wire(raw, A)["outcome"] in ("accepted", "remote_error")
    assert all(bob.wire(old, A) == DUPLICATE for old in [*held, raw])


def test_removing_a_session_drops_its_space_only(driver: Driver) -> None:
    bob = driver.node(B)
    raws = [challenge(number) for number in range(2)]
    assert [bob.wire(raw, A) for raw in raws] == [ACCEPTED] * 2
    assert bob.wire(raws[0], A, identity=C) == ACCEPTED
    bob.remove(TTT, sid(0))
    assert bob.state(TTT, sid(0)) is None
    assert bob.wire(raws[1], A) == DUPLICATE
    assert bob.wire(raws[0], A, identity=C) == DUPLICATE
    assert bob.wire(raws[0], A) in (ACCEPTED, DUPLICATE), "either is allowed (§3.1)"


def test_removing_under_another_game_or_identity_does_nothing(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(raw := challenge(), A) == ACCEPTED
    before = bob.export(TTT, sid(0))
    bob.remove("chess", sid(0))
    bob.remove(TTT, sid(0), identity=C)
    bob.remove(TTT, S)
    assert bob.export(TTT, sid(0)) == before
    assert bob.wire(raw, A) == DUPLICATE

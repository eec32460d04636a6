"""Two third-party apps share one session namespace; damaged records stay outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.router import Applied, Duplicate, Refused
from lrgpnode.protocol.session import Session, Status
from tests.plugins.pair import ANN, EVE, NOW, SALT, Pair, forged

MORRA = {"f": 2, "g": 5, "k": SALT}
ODD_EVEN = {"f": 2, "k": SALT}


@pytest.fixture
def owned(pair: Pair) -> str:
    """A session id that morra owns on both sides."""
    return pair.play(pair.ann, "morra", "challenge", MORRA)


def test_a_local_challenge_cannot_take_the_other_apps_session(pair: Pair, owned: str) -> None:
    with pytest.raises(CallerError) as refused:
        pair.ann.act("odd_even", "challenge", ODD_EVEN, owned)
    assert refused.value.kind is Kind.SESSION_EXISTS


@pytest.mark.parametrize("sender", [ANN, EVE])
def test_an_inbound_challenge_cannot_take_it_and_its_nonce_is_kept(
    pair: Pair, owned: str, sender: str
) -> None:
    before = pair.ben.session(owned)
    raw = forged("odd_even", "challenge", owned, {"h": bytes(32)})
    outcome = pair.ben.receive(raw, sender)
    assert isinstance(outcome, Refused)
    assert (outcome.kind, outcome.answer) == (Kind.SESSION_EXISTS, None)
    assert pair.ben.session(owned) == before
    assert outcome.recorded is not None
    assert isinstance(pair.ben.receive(raw, sender), Duplicate)


def test_a_hydrated_record_cannot_take_it(pair: Pair, owned: str) -> None:
    session = pair.ann.session(owned)
    assert session is not None
    other = pair.ann.act("odd_even", "challenge", ODD_EVEN)
    record = replace(other.after, key=session.key)
    with pytest.raises(CallerError) as refused:
        pair.ann.router.hydrate(record, NOW)
    assert refused.value.kind is Kind.SESSION_EXISTS


@pytest.mark.parametrize(("command", "payload"), [("accept", {"f": 1}), ("decline", {})])
def test_an_action_of_the_other_app_finds_no_session(
    pair: Pair, owned: str, command: str, payload: dict[str, Any]
) -> None:
    outcome = pair.ben.receive(forged("odd_even", command, owned, payload))
    assert isinstance(outcome, Refused)
    assert outcome.kind is Kind.SESSION_NOT_FOUND


def test_the_same_id_at_another_identity_is_another_session(pair: Pair, owned: str) -> None:
    outcome = pair.ben.router.receive(EVE, ANN, forged("odd_even", "challenge", owned, {"h": bytes(32)}), NOW)
    assert isinstance(outcome, Applied)


def test_pending_challenges_of_both_apps_count_together(pair: Pair) -> None:
    for number in range(16):
        app = "odd_even" if number % 2 else "morra"
        raw = forged(app, "challenge", f"{number:016x}", {"h": bytes(32)})
        assert isinstance(pair.ben.receive(raw), Applied)
    outcome = pair.ben.receive(forged("morra", "challenge", f"{99:016x}", {"h": bytes(32)}))
    assert isinstance(outcome, Refused)
    assert outcome.kind is Kind.ADMISSION_LIMIT


def completed(pair: Pair) -> Session:
    session_id = pair.play(pair.ann, "morra", "challenge", MORRA)
    pair.play(pair.ben, "morra", "accept", {"f": 3, "g": 4}, session_id)
    pair.play(pair.ann, "morra", "reveal", MORRA, session_id)
    session = pair.ben.session(session_id)
    assert session is not None
    return session


def test_every_stage_of_a_round_hydrates_to_itself(pair: Pair) -> None:
    stages = [pair.ann.act("morra", "challenge", MORRA)]
    session_id = stages[0].envelope.session_id
    assert isinstance(pair.ben.receive(stages[0].envelope.pack()), Applied)
    stages.append(pair.ben.act("morra", "accept", {"f": 3, "g": 4}, session_id))
    assert isinstance(pair.ann.receive(stages[1].envelope.pack()), Applied)
    stages.append(pair.ann.act("morra", "reveal", MORRA, session_id))
    declined = pair.ben.act("odd_even", "challenge", ODD_EVEN)
    stages.append(pair.ben.act("odd_even", "decline", {}, declined.envelope.session_id))
    for after in [stage.after for stage in stages]:
        assert pair.ann.router.hydrate(after, NOW) == after
        if not after.status.ended:
            expired = pair.ann.router.hydrate(after, NOW + 1e6)
            assert expired.status is Status.EXPIRED
            assert pair.ann.router.hydrate(expired, NOW + 1e6) == expired


Damage = Callable[[Session], Session]


def _metadata(**changes: Any) -> Damage:
    return lambda session: replace(session, metadata={**session.metadata, **changes})


@pytest.mark.parametrize(
    "damage",
    [
        _metadata(winner=""),
        _metadata(winner=EVE),
        _metadata(salt="00" * 16),
        _metadata(salt="zz"),
        _metadata(salt=None),
        _metadata(commitment="00" * 32),
        _metadata(commitment=""),
        _metadata(answer={}),
        _metadata(answer={"f": 3, "g": 4.0}),
        _metadata(answer={"f": 3, "g": 11}),
        _metadata(answer={"f": 3, "g": []}),
        _metadata(revealed={"f": 2}),
        _metadata(declined_by=EVE),
        _metadata(declined_by=ANN),
        _metadata(extra=1),
        lambda session: replace(session, metadata={}),
        lambda session: replace(session, status=Status.ACTIVE),
        lambda session: replace(session, status=Status.PENDING),
        lambda session: replace(session, status=Status.EXPIRED),
        lambda session: replace(session, status=Status.DECLINED),
        lambda session: replace(session, initiator=session.responder),
        lambda session: replace(session, initiator=EVE),
    ],
)
def test_a_damaged_record_is_refused(pair: Pair, damage: Damage) -> None:
    session = completed(pair)
    assert pair.ben.router.hydrate(session, NOW) == session
    with pytest.raises(CallerError) as refused:
        pair.ben.router.hydrate(damage(session), NOW)
    assert refused.value.kind is Kind.VALIDATION


@pytest.mark.parametrize(
    ("change", "kind"),
    [({"app_version": 2}, Kind.UNSUPPORTED_VERSION), ({"app_id": "gone"}, Kind.UNKNOWN_APP)],
)
def test_a_record_of_another_version_or_game_is_refused(
    pair: Pair, change: dict[str, Any], kind: Kind
) -> None:
    with pytest.raises(CallerError) as refused:
        pair.ben.router.hydrate(replace(completed(pair), **change), NOW)
    assert refused.value.kind is kind

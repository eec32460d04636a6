"""Rounds of the example games between two routers, fair and unfair."""

from __future__ import annotations

from typing import Any

import pytest

from lrgpnode.protocol.errors import CallerError, ErrorCode, Kind, Rejection
from lrgpnode.protocol.game import Game, Reason, SessionType, Validation
from lrgpnode.protocol.router import Applied, Idempotent, Refused, Rejected, RemoteError
from lrgpnode.protocol.session import Status
from tests.plugins.pair import ANN, BEN, EVE, NOW, SALT, Pair, forged

MINE = {"f": 2, "g": 5, "k": SALT}
OPENED = {"f": 2, "g": 5, "k": bytes.fromhex(SALT)}


def answered(pair: Pair) -> str:
    """A morra session in which Ann is to reveal."""
    session_id = pair.play(pair.ann, "morra", "challenge", MINE)
    return pair.play(pair.ben, "morra", "accept", {"f": 3, "g": 4}, session_id)


def test_the_manifest_is_a_single_round_that_the_receiver_validates(games: dict[str, Game]) -> None:
    manifest = games["morra"].manifest
    assert (manifest.session_type, manifest.validation) == (SessionType.SINGLE_ROUND, Validation.RECEIVER)
    assert "reveal" in manifest.actions
    assert "move" not in manifest.actions


@pytest.mark.parametrize(
    ("mine", "theirs", "winner"),
    [((2, 5), (3, 4), ANN), ((2, 4), (3, 5), BEN), ((2, 5), (3, 5), ""), ((0, 1), (0, 2), "")],
)
def test_who_calls_the_total_wins(
    pair: Pair, mine: tuple[int, int], theirs: tuple[int, int], winner: str
) -> None:
    opened = {"f": mine[0], "g": mine[1], "k": SALT}
    session_id = pair.play(pair.ann, "morra", "challenge", opened)
    pair.play(pair.ben, "morra", "accept", {"f": theirs[0], "g": theirs[1]}, session_id)
    pair.play(pair.ann, "morra", "reveal", opened, session_id)
    for node in (pair.ann, pair.ben):
        session = node.session(session_id)
        assert session is not None
        assert (session.status, session.metadata["winner"]) == (Status.COMPLETED, winner)


def test_the_challenge_tells_nothing_about_the_throw(pair: Pair) -> None:
    prepared = pair.ann.act("morra", "challenge", MINE)
    assert prepared.envelope.payload.keys() == {"h"}
    assert SALT not in str(prepared.after.metadata)
    assert prepared.fallback == "[LRGP Morra] Sent a challenge!"


def test_the_same_throw_and_salt_are_committed_to_differently_in_every_session(pair: Pair) -> None:
    digests = {pair.ann.act("morra", "challenge", MINE).envelope.payload["h"] for _ in range(3)}
    assert len(digests) == 3


def test_an_accept_without_a_throw_draws_one_with_the_coin(pair: Pair) -> None:
    session_id = pair.play(pair.ann, "morra", "challenge", MINE)
    pair.play(pair.ben, "morra", "accept", {}, session_id)
    session = pair.ann.session(session_id)
    assert session is not None
    assert session.metadata["answer"].keys() == {"f", "g"}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (OPENED | {"f": 3}, ErrorCode.INVALID_MOVE),  # another throw than the one committed to
        (OPENED | {"k": bytes(16)}, ErrorCode.INVALID_MOVE),
        (OPENED | {"f": 6}, ErrorCode.INVALID_MOVE),
        (OPENED | {"f": True}, ErrorCode.PROTOCOL_ERROR),
        (OPENED | {"k": SALT}, ErrorCode.PROTOCOL_ERROR),
        (OPENED | {"x": 1}, ErrorCode.PROTOCOL_ERROR),
        ({}, ErrorCode.PROTOCOL_ERROR),
    ],
)
def test_a_cheating_reveal_is_answered_with_an_error(
    pair: Pair, payload: dict[str, Any], code: ErrorCode
) -> None:
    session_id = answered(pair)
    before = pair.ben.session(session_id)
    outcome = pair.ben.receive(forged("morra", "reveal", session_id, payload))
    assert isinstance(outcome, Rejected)
    assert (outcome.answer, outcome.ref, outcome.cause) == (code, "reveal", None)
    assert pair.ben.session(session_id) == before
    answer = pair.ben.router.answer(outcome)
    assert answer is not None
    heard = pair.ann.receive(answer.envelope.pack())
    assert isinstance(heard, RemoteError)
    assert (heard.code, heard.ref) == (code, "reveal")
    pair.play(pair.ann, "morra", "reveal", MINE, session_id)  # the true reveal still counts


def test_only_the_challenger_reveals(pair: Pair) -> None:
    session_id = answered(pair)
    with pytest.raises(CallerError) as refused:
        pair.ben.act("morra", "reveal", MINE, session_id)
    assert refused.value.code is ErrorCode.NOT_YOUR_TURN
    outcome = pair.ann.receive(forged("morra", "reveal", session_id, OPENED))
    assert isinstance(outcome, Rejected)
    assert outcome.answer is ErrorCode.NOT_YOUR_TURN


def test_the_round_is_played_once(pair: Pair) -> None:
    session_id = answered(pair)
    with pytest.raises(CallerError) as refused:
        pair.ben.act("morra", "accept", {"f": 1, "g": 6}, session_id)
    assert refused.value.kind is Kind.ILLEGAL_TRANSITION
    again = pair.ann.receive(forged("morra", "accept", session_id, {"f": 1, "g": 6}))
    assert isinstance(again, Rejected)
    pair.play(pair.ann, "morra", "reveal", MINE, session_id)
    with pytest.raises(CallerError):
        pair.ann.act("morra", "reveal", MINE, session_id)


def test_a_command_of_another_game_is_not_supported(pair: Pair) -> None:
    session_id = answered(pair)
    outcome = pair.ben.receive(forged("morra", "move", session_id, OPENED))
    assert isinstance(outcome, Refused)
    assert (outcome.kind, outcome.answer) == (Kind.UNSUPPORTED_ACTION, None)


def test_a_challenge_is_sent_again_without_a_second_session(pair: Pair) -> None:
    prepared = pair.ann.act("morra", "challenge", MINE)
    first, session_id = prepared.envelope, prepared.envelope.session_id
    assert isinstance(pair.ben.receive(first.pack()), Applied)
    assert isinstance(pair.ben.receive(forged("morra", "challenge", session_id, first.payload)), Idempotent)
    stranger = pair.ben.receive(forged("morra", "challenge", session_id, first.payload), EVE)
    assert isinstance(stranger, Refused)


@pytest.mark.parametrize("who", ["ann", "ben"])
def test_declined_or_cancelled(pair: Pair, who: str) -> None:
    session_id = pair.play(pair.ann, "morra", "challenge", MINE)
    pair.play(getattr(pair, who), "morra", "decline", {}, session_id)
    session = pair.ben.session(session_id)
    assert session is not None
    result = pair.ben.games["morra"].view(session, BEN).result
    assert result is not None
    assert result.reason is (Reason.CANCELLED if who == "ann" else Reason.DECLINED)


def test_only_a_decline_may_overtake_its_challenge(games: dict[str, Game]) -> None:
    morra = games["morra"]
    assert morra.early(None, ANN, "decline", {})
    assert not morra.early(None, ANN, "decline", {"x": 1})
    assert not morra.early(None, ANN, "reveal", OPENED)


def test_who_does_not_reveal_forfeits(pair: Pair) -> None:
    session_id = answered(pair)
    later = pair.ben.router.get(BEN, session_id, NOW + 86_400 + 3_601)
    assert later is not None
    view = pair.ben.games["morra"].view(later, BEN)
    assert later.status is Status.EXPIRED
    assert view.result is not None
    assert (view.result.reason, view.result.winner) == (Reason.EXPIRED, BEN)
    assert view.status_line == "Time is up: you win."


def test_what_people_see(pair: Pair) -> None:
    morra = pair.ann.games["morra"]
    session_id = answered(pair)
    session = pair.ann.session(session_id)
    assert session is not None
    view = morra.view(session, ANN)
    assert (view.my_turn, view.seat, view.status_line) == (True, "challenger", "Reveal your throw.")
    assert view.grid == (("", ""), ("3", "4"))
    assert not morra.view(session, BEN).my_turn
    assert morra.parse(session, f" 2 5 {SALT} ") == MINE
    prepared = pair.ann.act("morra", "reveal", morra.parse(session, f"2 5 {SALT}"), session_id)
    assert prepared.fallback == "[LRGP Morra] Revealed 2/5: I win!"
    view = morra.view(prepared.after, BEN)
    assert (view.history, view.ply, view.status_line) == (("3/4", "2/5"), 2, "The round is over: you lose.")


@pytest.mark.parametrize("text", ["", "2", "2 5", "2 x k", "2 5 k k", "999 5 k", "-1 5 k"])
def test_what_cannot_be_parsed_says_what_to_type(pair: Pair, text: str) -> None:
    session = pair.ann.session(answered(pair))
    assert session is not None
    with pytest.raises(Rejection, match="Type fingers, call and your salt"):
        pair.ann.games["morra"].parse(session, text)


@pytest.mark.parametrize(
    "intent", [{}, {"f": 2, "g": 5}, MINE | {"k": "short"}, MINE | {"k": 5}, MINE | {"f": "2"}]
)
def test_a_bad_challenge_intent_is_the_callers_error(pair: Pair, intent: dict[str, Any]) -> None:
    with pytest.raises(CallerError) as refused:
        pair.ann.act("morra", "challenge", intent)
    assert refused.value.kind is Kind.VALIDATION

"""What a third party's game does wrong stays that game's trouble."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lrgpnode.protocol.errors import CallerError, ErrorCode
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.router import Applied, Duplicate, Idempotent, Rejected
from tests.plugins.pair import ANN, Pair, forged
from tests.plugins.unruly import RealTime, RoundBased, Trusting, Unruly

ID = "0123456789abcdef"


@pytest.fixture
def unruly(games: dict[str, Game]) -> Iterator[Pair]:
    mine = {game.manifest.app_id: game for game in (Unruly(), Trusting(), RealTime(), RoundBased())}
    pair = Pair({**games, **mine})
    yield pair
    pair.close()


@pytest.mark.parametrize(
    ("do", "cause"),
    [
        ("raise", ZeroDivisionError),
        ("recurse", RecursionError),
        ("steal", RuntimeError),
        ("rekey", RuntimeError),
        ("promote", RuntimeError),
        ("rename", RuntimeError),
        ("upgrade", RuntimeError),
        ("nothing", TypeError),
    ],
)
def test_a_game_that_fails_is_rejected_silently_with_its_cause(
    unruly: Pair, do: str, cause: type[Exception]
) -> None:
    unruly.play(unruly.ann, "unruly", "challenge", {}, ID)
    before = unruly.ben.session(ID)
    raw = forged("unruly", "move", ID, {"do": do})
    outcome = unruly.ben.receive(raw)
    assert isinstance(outcome, Rejected)
    assert isinstance(outcome.cause, cause)
    assert (outcome.code, outcome.answer) == (ErrorCode.PROTOCOL_ERROR, None)
    assert unruly.ben.router.answer(outcome) is None
    assert unruly.ben.session(ID) == before
    assert isinstance(unruly.ben.receive(raw), Duplicate)
    unruly.play(unruly.ann, "unruly", "move", {}, ID)
    unruly.play(unruly.ann, "ttt", "challenge", {})


@pytest.mark.parametrize("do", ["raise", "steal", "rekey", "nothing"])
def test_a_challenge_on_which_the_game_fails_makes_no_session(unruly: Pair, do: str) -> None:
    outcome = unruly.ben.receive(forged("unruly", "challenge", ID, {"do": do}))
    assert isinstance(outcome, Rejected)
    assert outcome.cause is not None
    assert outcome.answer is None
    assert unruly.ben.session(ID) is None
    unruly.play(unruly.ann, "unruly", "challenge", {}, ID)


def test_a_game_that_the_sender_validates_is_never_answered_with_an_error(unruly: Pair) -> None:
    unruly.play(unruly.ann, "trusting", "challenge", {}, ID)
    outcome = unruly.ben.receive(forged("trusting", "move", ID, {"x": 1}))
    assert isinstance(outcome, Rejected)
    assert (outcome.code, outcome.message) == (ErrorCode.INVALID_MOVE, "no")
    assert outcome.answer is None
    assert unruly.ben.router.answer(outcome) is None
    with pytest.raises(CallerError):  # the sender does validate
        unruly.ann.act("trusting", "move", {"x": 1}, ID)


@pytest.mark.parametrize("app", ["real", "rounds"])
def test_both_may_act_at_any_time_where_the_game_allows_it(unruly: Pair, app: str) -> None:
    session_id = unruly.play(unruly.ann, app, "challenge", {})
    unruly.play(unruly.ben, app, "accept", {}, session_id)
    for who in (unruly.ann, unruly.ann, unruly.ben, unruly.ben):
        unruly.play(who, app, "move", {"n": 1}, session_id)
    retry = unruly.ben.receive(forged(app, "challenge", session_id, {}), ANN)
    assert isinstance(retry, Idempotent)


def test_a_payload_over_the_budget_is_the_callers_error_and_changes_nothing(unruly: Pair) -> None:
    session_id = unruly.play(unruly.ann, "unruly", "challenge", {})
    before = unruly.ann.session(session_id)
    with pytest.raises(CallerError) as refused:
        unruly.ann.act("unruly", "move", {"text": "x" * 150}, session_id)
    assert refused.value.kind == "envelope_too_large"
    assert unruly.ann.session(session_id) == before
    fits = unruly.ann.act("unruly", "move", {"text": "x" * 100}, session_id)
    assert isinstance(unruly.ben.receive(fits.envelope.pack()), Applied)

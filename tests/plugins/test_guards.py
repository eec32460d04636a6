"""What a third party's game cannot do to a node, however it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.plugins import Point, load_games
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.router import Rejected
from lrgpnode.protocol.session import Session, SessionKey
from tests.plugins import unruly
from tests.plugins.pair import ANN, BEN, NOW, Pair, forged
from tests.plugins.unruly import BASE, Unruly

ID = "0123456789abcdef"


def boom(*args: Any) -> Any:
    raise KeyError("a bug of the game")


def playing(**members: Callable[..., Any]) -> Pair:
    return Pair({"unruly": type("Guest", (Unruly,), members)()})


def test_a_module_that_exits_when_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "exits_on_import.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        games, problems = load_games([Point("guest", "exits_on_import:Game")])
    except SystemExit:
        pytest.fail("the node would have stopped")
    assert (games, len(problems)) == ({}, 1)


@pytest.mark.parametrize(
    "wrong",
    [{"app_id": ["x"]}, {"app_id": "Bad Id"}, {"app_id": None}, {"version": 0}, {"actions": ("move",)}],
)
def test_a_manifest_that_no_envelope_can_carry(
    wrong: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = type("Guest", (Unruly,), {"manifest": replace(BASE, **wrong)})
    monkeypatch.setattr(unruly, "Guest", guest, raising=False)
    games, problems = load_games([Point("guest", "tests.plugins.unruly:Guest")])
    assert (games, len(problems)) == ({}, 1)


def test_open_fails_on_an_inbound_challenge() -> None:
    outcome = playing(open=boom).ben.receive(forged("unruly", "challenge", ID, {}))
    assert isinstance(outcome, Rejected)
    assert outcome.cause is not None


@pytest.mark.parametrize("member", ["open", "intend", "apply", "fallback"])
def test_a_local_action_on_which_the_game_fails(member: str) -> None:
    with pytest.raises(CallerError):
        playing(**{member: boom}).ann.act("unruly", "challenge", {}, ID)


def test_normalise_fails_with_another_error() -> None:
    pair = playing(normalise=boom)
    session = Unruly().open(SessionKey(ANN, ID), BEN, ANN, NOW)
    with pytest.raises(CallerError):
        pair.ann.router.hydrate(session, NOW)


def test_expire_fails() -> None:
    pair = playing(expire=boom)
    pair.ann.act("unruly", "challenge", {}, ID)
    assert pair.ann.router.get(ANN, ID, NOW + 1e9) is not None


def test_a_payload_that_the_game_changes_is_journalled_as_it_came() -> None:
    def apply(self: Unruly, session: Session, actor: str, command: str, payload: Any, now: float) -> Session:
        payload["changed"] = True
        return session

    pair = playing(apply=apply)
    outcome = pair.ben.receive(forged("unruly", "challenge", ID, {}))
    assert outcome.envelope is not None
    assert outcome.envelope.payload == {}


def test_a_created_at_that_the_game_changes_is_refused() -> None:
    def apply(self: Unruly, session: Session, *_: object) -> Session:
        return replace(session, created_at=5.0)

    assert isinstance(playing(apply=apply).ben.receive(forged("unruly", "challenge", ID, {})), Rejected)

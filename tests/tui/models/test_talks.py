"""The list of conversations, and whose texts no game tells of."""

from __future__ import annotations

from typing import Any

from interfaces.tui.models import talks
from tests.cli.fakes import PEER

EVE = "ee" * 16


def thread(at: float, own: bool = False, **more: Any) -> dict[str, Any]:
    last = {"id": 1, "own": own, "text": f"at {at:g}", "at": at} | more
    return {"peer_name": "heard", "last": last}


def test_the_newest_comes_first_with_the_best_name_there_is() -> None:
    found = {PEER: thread(100.0), EVE: thread(200.0, own=True, state="stored")}
    eve, bob = talks.threads(found, {PEER: 2}, {PEER: "Bob"}, 260.0)
    assert (eve.peer, eve.name, eve.own, eve.state, eve.age, eve.unread) == (
        EVE,
        "heard",
        True,
        "stored",
        "1min",
        0,
    )
    assert (bob.who, bob.last, bob.news) == (f"Bob ({PEER[:8]})", "at 100", "2 new texts")
    assert eve.news == ""


def test_only_new_texts_without_a_game_are_told_beside_the_games() -> None:
    found = talks.threads({PEER: thread(1.0), EVE: thread(2.0)}, {PEER: 1, EVE: 1}, {}, 3.0)
    assert [one.peer for one in talks.without_game(found, [{"peer": PEER}])] == [EVE]
    read = talks.threads({PEER: thread(1.0), EVE: thread(2.0)}, {PEER: 1}, {}, 3.0)
    assert talks.without_game(read, [{"peer": PEER}]) == ()

"""Conversations as lines: nothing a peer writes can look like something else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, strategies as st

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import ASCII, UNICODE, Glyphs
from interfaces.tui.models import home, talk
from tests.cli.fakes import ME, PEER


@pytest.fixture(autouse=True, scope="module")
def _utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


STATES = ("queued", "sending", "sent", "delivered", "stored", "failed", "dropped")


def one(said: str = "Hello", **more: Any) -> dict[str, Any]:
    return {"id": 1, "own": False, "text": said, "at": 60.0, "sent_at": 1.0} | more


def plain(found: list[Any]) -> list[str]:
    return ["".join(part for _, part in line) for line in found]


@pytest.mark.parametrize("state", STATES)
def test_the_delivery_is_a_sign_and_words(state: str) -> None:
    found = plain(talk.lines([one(own=True, state=state, reason="no path")], "Bob", 40, ASCII))
    assert found[1] == f"00:01 you {ASCII[state]}"
    assert found[2] == "  Hello"
    assert (len(found) == 3) is (state == "delivered")


def test_days_are_told_and_older_ones_announced() -> None:
    texts = [one(), one(at=61.0), one(at=90_000.0)]
    found = plain(talk.lines(texts, "Bob", 40, UNICODE, more=True))
    assert found[0].startswith("PgUp")
    assert sum(line.startswith("-- ") for line in found) == 2
    assert plain(talk.lines([one(cut=True)], "Bob", 40, UNICODE))[-1] == "  (it was longer)"


@given(st.text(max_size=300), st.text(max_size=40), st.integers(10, 60), st.sampled_from([ASCII, UNICODE]))
def test_every_line_fits_and_every_line_of_a_text_is_indented(
    said: str, name: str, columns: int, glyphs: Glyphs
) -> None:
    found = plain(talk.lines([one(said)], name, columns, glyphs))
    for line in found:
        shown = text.fit(line, 200, glyphs.script)
        assert text.width(shown) <= columns
    assert all(line.startswith("  ") for line in found[2:])


def test_how_much_of_a_packet_is_left() -> None:
    assert talk.counter(" ")[1] == "287 bytes are one packet."
    assert talk.counter("ä ")[1] == "285 bytes left."
    assert talk.counter("x" * 290) == ("warn", "3 bytes over a packet: needs a link.")
    assert talk.counter("x" * 1030) == ("bad", "6 bytes too long.")


def test_the_first_game_with_a_peer_says_that_there_are_texts() -> None:
    def game(id: str, at: float, **more: Any) -> dict[str, Any]:
        fields = {"id": id, "identity": ME, "app": "ttt", "peer": PEER, "initiator": ME, "status": "active"}
        return fields | {"unread": 0, "last_action_at": at, "your_turn": True} | more

    games = [game("1", 2.0), game("2", 1.0), game("3", 3.0, status="completed")]
    found = home.arrange(games, {"ttt": "Tic-Tac-Toe"}, 10.0, unread={PEER: 3})
    assert [(row.id, row.texts) for row in found.rows] == [("2", 3), ("1", 0), ("3", 0)]

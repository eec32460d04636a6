"""What the demonstration says that an action has cost."""

from __future__ import annotations

from typing import Any

import pytest

from interfaces.demo.account import Account
from interfaces.demo.air import Kind, Packet


def packet(node: str, kind: Kind, *frames: int, seconds: float = 0.5, heard: bool = True) -> Packet:
    return Packet(node=node, number=1, kind=kind, frames=frames, seconds=seconds, heard=heard)


def applied(command: str, *, own: bool, id: str = "g") -> dict[str, Any]:
    return {"type": "game.applied", "data": {"id": id, "command": command, "own": own}}


def delivery(state: str, command: str = "move", id: str = "g") -> dict[str, Any]:
    return {"type": "game.delivery", "data": {"id": id, "command": command, "state": state}}


@pytest.fixture
def account() -> Account:
    return Account("you")


def test_a_move_is_counted_until_it_is_proved(account: Account) -> None:
    account.event(applied("move", own=True), 10.0)
    assert "not on the air yet" in account.short(80)[1]
    account.packet(packet("you", Kind.MESSAGE, 255, 86, seconds=1.0))
    account.packet(packet("hill", Kind.PROOF, 84, seconds=0.25))
    assert account.short(80)[1] == "Your move: 2 frames, 255+86 bytes, 1.00 s on the air; no proof yet."
    account.event(delivery("delivered"), 12.5)
    # A proof of ours for what they answer is none of its costs.
    account.packet(packet("you", Kind.MESSAGE, 40, seconds=0.3))
    air, deed = account.short(80)
    assert deed == "Your move: 2 frames, 255+86 bytes, 1.00 s on the air; proved after 2.5 s."
    assert air == "Air: you 40 bytes 0.30 s message. In all: hill 0.2 s, you 1.3 s."


def test_a_packet_that_nobody_heard_is_said(account: Account) -> None:
    account.event(applied("move", own=True), 0.0)
    account.packet(packet("you", Kind.MESSAGE, 100, heard=False))
    account.packet(packet("you", Kind.MESSAGE, 100))
    assert "2 frames, 100+100 bytes, 1.00 s on the air (1 heard by nobody)" in account.short(80)[1]
    assert account.lines[1] == "you 100 bytes 0.50 s message, heard by nobody"


def test_an_answer_proves_as_well(account: Account) -> None:
    account.event(applied("challenge", own=True), 0.0)
    account.packet(packet("you", Kind.MESSAGE, 100))
    account.event(applied("accept", own=False), 3.0)
    assert "proved after 3.0 s" in account.short(80)[1]
    assert list(account.lines)[-2:] == [
        "Your challenge is proved, 3.0 s after you acted.",
        "Their accept is here.",
    ]


@pytest.mark.parametrize("event", [delivery("stored"), delivery("delivered", id="other")])
def test_what_proves_nothing(account: Account, event: dict[str, Any]) -> None:
    account.event(applied("move", own=True), 0.0)
    account.event(event, 1.0)
    assert account.deed is not None
    assert account.deed.proved is None


def test_it_fits_a_narrow_screen(account: Account) -> None:
    account.event(applied("draw_offer", own=True), 0.0)
    account.packet(packet("hill", Kind.PROOF, 84))
    account.packet(packet("you", Kind.MESSAGE, 255, 255, 86, seconds=12.25))
    account.event(delivery("delivered", "draw_offer"), 100.0)
    assert all(len(line) < 66 for line in account.short(60))
    assert account.short(40) == (
        "you 255+255+86 12.25 s message",
        "draw offer 255+255+86 12.25 s, proof 100.0 s",
    )


def test_the_whole_is_bounded(account: Account) -> None:
    for _ in range(5000):
        account.packet(packet("hill", Kind.ANNOUNCE, 84))
    assert len(account.lines) == 400

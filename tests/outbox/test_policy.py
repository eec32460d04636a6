"""The numbers and rules of sending, as properties."""

from __future__ import annotations

from collections import deque

from hypothesis import given, strategies as st

from lrgpnode.outbox import policy
from lrgpnode.protocol.game import Command, Delivery
from lrgpnode.protocol.session import SessionKey
from storage.model import OutboxRow, OutboxState

KEY = SessionKey("a" * 32, "1" * 16)
NOW = 2e9


def row(
    id: int, command: str = "move", state: OutboxState = OutboxState.DELIVERED, **more: object
) -> OutboxRow:
    fields: dict[str, object] = {
        "id": id,
        "key": KEY,
        "action_num": id,
        "peer": "b" * 32,
        "command": command,
        "envelope": b"",
        "content": "",
        "delivery": Delivery.DIRECT,
        "state": state,
        "reason": "",
        "attempts": 1,
        "created_at": NOW,
        "updated_at": NOW,
        "next_attempt_at": None,
    }
    return OutboxRow(**{**fields, **more})  # type: ignore[arg-type]


commands = st.sampled_from(["accept", "move", "draw_offer", "draw_decline"])
states = st.sampled_from(list(OutboxState))
ages = st.floats(0, 10 * policy.DAY)


@st.composite
def rows(draw: st.DrawFn) -> list[OutboxRow]:
    return [
        row(id, draw(commands), draw(states), updated_at=NOW - draw(ages), attempts=draw(st.integers(1, 9)))
        for id in range(1, draw(st.integers(0, 6)) + 1)
    ]


@given(rows())
def test_what_is_healed_is_open_in_order_and_a_tail(found: list[OutboxRow]) -> None:
    again = policy.to_heal(found, NOW)
    candidates = policy.without_superseded([r for r in found if r.state.open])
    assert again == candidates[len(candidates) - len(again) :]
    for left in candidates[: len(candidates) - len(again)]:
        assert left.state is OutboxState.DELIVERED
        assert NOW - left.updated_at < policy.heal_pause(left.attempts)
    for offer in (r for r in again if r.command == Command.DRAW_OFFER):
        assert offer is again[-1]


@given(st.lists(st.floats(0, 3 * policy.DAY), max_size=60).map(sorted))
def test_never_more_than_twelve_in_any_day(wanted: list[float]) -> None:
    times: deque[float] = deque()
    made = []
    for at in wanted:
        free = policy.budget_free_at(times, at)
        assert free >= at
        if free == at:
            times.append(at)
            made.append(at)
    for first in made:
        assert sum(first <= at < first + policy.DAY for at in made) <= policy.ATTEMPTS_A_DAY
    if len(times) >= policy.ATTEMPTS_A_DAY:
        free = policy.budget_free_at(deque(times), times[-1])
        assert policy.budget_free_at(deque(times), free) == free


@given(st.integers(0, 100))
def test_pauses_grow_up_to_a_limit(attempts: int) -> None:
    for pause in (policy.retry_pause, policy.heal_pause):
        assert 0 < pause(attempts) <= pause(attempts + 1) <= policy.DAY


def test_the_retries_of_a_day_are_within_its_limit() -> None:
    now, count = 0.0, 0
    while now < policy.DAY:
        count += 1
        now += policy.retry_pause(count) + 55
    assert count <= policy.ATTEMPTS_A_DAY


def test_only_the_end_of_a_game_is_given_up() -> None:
    old = row(1, created_at=NOW - 31 * policy.DAY)
    assert policy.pointless(old, NOW, followed=False, ended=True) == policy.GIVEN_UP
    assert not policy.pointless(old, NOW, followed=False, ended=False)
    assert not policy.pointless(row(1), NOW, followed=True, ended=True)
    assert policy.pointless(row(1, "draw_offer"), NOW, followed=True, ended=False) == policy.SUPERSEDED

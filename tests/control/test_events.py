"""The event ring: numbers, resumption, slow subscribers."""

from __future__ import annotations

import asyncio

import pytest

from lrgpnode.control.events import Event, Events, Lagged, Subscription
from lrgpnode.control.models import NodeStopping


def publish(events: Events, count: int) -> None:
    for _ in range(count):
        events.publish("node.stopping", NodeStopping(reason="test"))


async def read(subscription: Subscription, count: int) -> list[int]:
    async with asyncio.timeout(5):
        return [(await anext(subscription)).seq for _ in range(count)]


async def rest(subscription: Subscription) -> list[int]:
    async with asyncio.timeout(5):
        return [event.seq async for event in subscription]


def test_events_are_numbered_and_stamped() -> None:
    async def main() -> Event:
        events = Events(clock=lambda: 7.5)
        subscription = events.subscribe()
        assert events.publish("node.stopping", NodeStopping(reason="x")) == 1
        assert events.publish("node.stopping", NodeStopping()) == events.seq == 2
        return await anext(subscription)

    event = asyncio.run(main())
    assert (event.seq, event.at, event.type, event.data) == (
        1,
        7.5,
        "node.stopping",
        NodeStopping(reason="x"),
    )


@pytest.mark.parametrize(
    ("after", "missed", "seqs"),
    [
        (None, False, []),
        (10, False, []),
        (9, False, [10]),
        (5, False, [6, 7, 8, 9, 10]),
        (4, True, [6, 7, 8, 9, 10]),
        (0, True, [6, 7, 8, 9, 10]),
        (11, True, [6, 7, 8, 9, 10]),
    ],
)
def test_resume(after: int | None, missed: bool, seqs: list[int]) -> None:
    async def main() -> None:
        events = Events(size=5)
        publish(events, 10)
        subscription = events.subscribe(after)
        assert subscription.missed is missed
        assert subscription.seq == 10
        events.close()
        assert await rest(subscription) == seqs

    asyncio.run(main())


def test_another_run_is_noticed() -> None:
    async def main() -> None:
        events = Events(start=1_000_000)
        publish(events, 2)
        assert events.subscribe(3).missed
        assert not events.subscribe(1_000_000).missed

    asyncio.run(main())


def test_the_slow_one_is_dropped_and_the_others_go_on() -> None:
    async def main() -> None:
        events = Events(size=5)
        dropped: list[bool] = []
        slow = events.subscribe(on_drop=lambda: dropped.append(True))
        quick = events.subscribe()
        publish(events, 3)
        assert await read(quick, 3) == [1, 2, 3]
        publish(events, 2)
        assert not dropped
        publish(events, 2)
        assert dropped == [True]
        with pytest.raises(Lagged):
            await read(slow, 1)
        assert await read(quick, 4) == [4, 5, 6, 7]

    asyncio.run(main())


def test_a_waiting_reader_is_woken_by_publish_and_by_close() -> None:
    async def main() -> None:
        events = Events()
        subscription = events.subscribe()
        reader = asyncio.create_task(rest(subscription))
        await asyncio.sleep(0)
        publish(events, 1)
        await asyncio.sleep(0)
        events.close()
        assert await reader == [1]
        assert await rest(events.subscribe(0)) == []

        other = Events().subscribe()
        reader = asyncio.create_task(rest(other))
        await asyncio.sleep(0)
        other.close()
        other.close()
        assert await reader == []

    asyncio.run(main())

"""Requests that wait: woken by changes, let go in time, and bounded. No server: futures and a session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Session
from gateway.rcadia.server.web import holding
from gateway.rcadia.server.web.holding import Holding
from tests.gateway.rcadia.server.desk import Desk

FOREVER = 1000.0


def session() -> Session:
    desk = Desk()
    return desk.engine.session(desk.create(), desk.now)


def run(body: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(body(), 30))


async def waiting(held: Holding, count: int) -> None:
    while held.count != count:  # noqa: ASYNC110 - the tasks that are to get there run meanwhile
        await asyncio.sleep(0)


def test_only_who_is_ready_is_woken_and_players_first() -> None:
    async def body() -> None:
        held, table = Holding(), session()
        ready: set[str] = set()
        order: list[str] = []

        async def wait(name: str, *, spectator: bool) -> None:
            await held.until(
                table,
                lambda: name in ready,
                FOREVER,
                who=name,
                most=5,
                deliver=lambda: order.append(name),
                spectator=spectator,
            )

        tasks = [
            asyncio.create_task(wait(name, spectator=name.startswith("s")))
            for name in ("s1", "s2", "ann", "ben")
        ]
        await waiting(held, 4)
        ready.update(("s1", "ann", "s2"))
        held.wake([session()])
        assert order == []
        held.wake([table])
        held.wake([table])  # nobody is answered twice
        assert order[0] == "ann"
        assert sorted(order) == ["ann", "s1", "s2"]
        await waiting(held, 1)
        held.close()
        await asyncio.gather(*tasks)
        assert held.count == 0
        assert order[-1] != "ben"

    run(body)


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "MAX_HOLDERS", 3)

    async def body() -> None:
        held, table = Holding(), session()

        def wait(who: str) -> asyncio.Task[None]:
            return asyncio.create_task(held.until(table, lambda: False, FOREVER, who=who, most=2))

        first = [wait("ann"), wait("ann")]
        await waiting(held, 2)
        with pytest.raises(Refusal) as refused:
            await wait("ann")
        assert (refused.value.status, refused.value.code) == (429, "too_many_polls")
        assert refused.value.retry_after
        other = wait("ben")
        await waiting(held, 3)
        with pytest.raises(Refusal):
            await wait("cat")
        # A connection that goes makes place.
        first[0].cancel()
        await waiting(held, 2)
        again = wait("ann")
        await waiting(held, 3)
        held.close()
        await asyncio.gather(first[1], other, again)

    run(body)


def test_time_and_what_is_ready_already() -> None:
    async def body() -> None:
        held, table = Holding(), session()
        await held.until(table, lambda: True, FOREVER, who="ann", most=0)
        await held.until(table, lambda: False, 0, who="ann", most=0)
        await held.until(table, lambda: False, 0.01, who="ann", most=1)
        assert held.count == 0

    run(body)

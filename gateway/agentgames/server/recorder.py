"""Writes matches in a thread, many in one transaction where many begin or end at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from gateway.agentgames.server.records import Ending, MatchStore, NewMatch
from gateway.arcade.database import StoreError

Job = TypeVar("Job")
Done = TypeVar("Done")


class _Batches(Generic[Job, Done]):
    """Everything that came while the disk was busy is written together, and answered once it is there."""

    def __init__(self, write: Callable[[Sequence[Job]], Sequence[Done]], one: asyncio.Lock) -> None:
        self._write = write
        self._one = one
        self._waiting: list[tuple[Job, asyncio.Future[Done]]] = []
        self._task: asyncio.Task[None] | None = None

    async def do(self, job: Job) -> Done:
        """Raises ``StoreError``."""
        answer: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, answer))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        return await answer

    async def _work(self) -> None:
        while self._waiting:
            async with self._one:
                batch, self._waiting = self._waiting, []
                try:
                    done: Sequence[Any] = await asyncio.to_thread(self._write, [job for job, _ in batch])
                except StoreError as error:
                    done = [error] * len(batch)
            for (_, answer), result in zip(batch, done, strict=True):
                if answer.done():
                    continue
                if isinstance(result, StoreError):
                    answer.set_exception(result)
                else:
                    answer.set_result(result)


class Recorder:
    """Belongs to one event loop. Every method raises ``StoreError``."""

    def __init__(self, store: MatchStore) -> None:
        one = asyncio.Lock()
        self._store = store
        self._begins: _Batches[NewMatch, int] = _Batches(store.begin, one)
        self._ends: _Batches[Ending, tuple[float, float]] = _Batches(store.finish, one)

    async def begin(self, match: NewMatch) -> int:
        """The number of the match, which is on the disk."""
        return await self._begins.do(match)

    async def finish(self, ending: Ending) -> tuple[float, float]:
        """Both new ratings, which are on the disk with the match."""
        return await self._ends.do(ending)

    async def void(self, numbers: Sequence[int], now: float) -> None:
        await asyncio.to_thread(self._store.void, numbers, now)

    async def rating(self, game: str, account: str) -> float:
        return await asyncio.to_thread(self._store.rating, game, account)

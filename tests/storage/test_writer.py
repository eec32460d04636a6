"""The writer thread: order, faults, cancellation, closing."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time

import pytest

from storage import errors
from storage.model import Commit
from storage.store import Store
from storage.writer import Writer
from tests.storage.samples import ME, action, key, session


def test_work_runs_in_order_on_one_other_thread(store: Store) -> None:
    writer = Writer(store)
    threads: list[int] = []

    def work(n: int) -> int:
        threads.append(threading.get_ident())
        return n

    futures = [writer.submit(work, n) for n in range(50)]
    assert [future.result(5) for future in futures] == list(range(50))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()
    writer.close()


def test_what_run_committed_is_read_on_the_loop(store: Store) -> None:
    async def main() -> None:
        writer = Writer(store)
        await writer.run(store.commit, Commit(insert=session()))
        for n in range(20):
            committed = await writer.run(
                store.commit, Commit(update=session(unread=n % 2), action=action(nonce=n))
            )
            assert committed.action_num == n + 1
            found = store.sessions.get(key())
            assert found is not None
            assert found.unread == n % 2
            assert store.actions.has_nonce(ME, key().session_id, n.to_bytes(8, "big"))
        writer.close()

    asyncio.run(main())


def test_faults_arrive_at_the_caller_and_the_writer_goes_on(store: Store) -> None:
    def fail() -> None:
        raise sqlite3.OperationalError("no such table: x")

    async def main() -> None:
        writer = Writer(store)
        await writer.run(store.commit, Commit(insert=session()))
        with pytest.raises(errors.Conflict):
            await writer.run(store.commit, Commit(insert=session()))
        with pytest.raises(errors.StorageError, match="no such table"):
            await writer.run(fail)
        with pytest.raises(errors.StorageError, match="no such table"):
            writer.submit(fail).result(5)
        with pytest.raises(ZeroDivisionError):
            await writer.run(lambda: 1 // 0)
        assert (await writer.run(store.commit, Commit(action=action()))).action_num == 1
        writer.close()

    asyncio.run(main())


def test_cancelling_the_wait_does_not_take_back_the_work(store: Store) -> None:
    async def main() -> None:
        writer = Writer(store)
        gate = threading.Event()
        writer.submit(gate.wait, 5)
        task = asyncio.create_task(writer.run(store.commit, Commit(insert=session())))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()
        writer.close()
        assert store.sessions.get(key()) == session()

    asyncio.run(main())


def test_a_loop_that_ended_meanwhile_does_not_matter(store: Store) -> None:
    writer = Writer(store)
    gate = threading.Event()

    async def main() -> None:
        writer.submit(gate.wait, 5)
        task = asyncio.create_task(writer.run(store.commit, Commit(insert=session())))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(main())
    gate.set()
    writer.close()
    assert store.sessions.get(key()) == session()


def test_close_finishes_what_was_submitted(store: Store) -> None:
    writer = Writer(store)
    gate = threading.Event()
    writer.submit(gate.wait, 5)
    futures = [writer.submit(store.commit, Commit(insert=session(n))) for n in range(20)]
    threading.Timer(0.05, gate.set).start()
    writer.close()
    writer.close()
    assert all(future.done() for future in futures)
    assert len(store.sessions.page(ME)) == 20
    with pytest.raises(errors.Closed):
        writer.submit(store.commit, Commit(insert=session(30)))


def test_reading_does_not_wait_for_a_transaction(store: Store) -> None:
    store.commit(Commit(insert=session(metadata={"n": 0}), action=action()))
    writer = Writer(store)
    inside, gate = threading.Event(), threading.Event()

    def slow() -> None:
        with store.database.transaction() as connection:
            connection.execute("UPDATE game_actions SET command = 'resign'")
            inside.set()
            gate.wait(5)

    future = writer.submit(slow)
    assert inside.wait(5)
    started = time.monotonic()
    assert [each.command for each in store.actions.of(key())] == ["move"]
    assert time.monotonic() - started < 1
    gate.set()
    future.result(5)
    assert [each.command for each in store.actions.of(key())] == ["resign"]
    writer.close()

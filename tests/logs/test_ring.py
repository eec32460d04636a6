"""The last lines in memory: bounded, numbered, and waited for without polling."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

from lrgpnode.logs.lines import Line
from lrgpnode.logs.ring import Ring

DEADLINE = 5.0


def line(text: str, level: int = logging.INFO) -> Line:
    return Line(1.0, level, "x", text)


def test_it_is_bounded_by_lines_and_by_characters() -> None:
    ring = Ring(lines=3, characters=100)
    for number in range(5):
        ring.add(line(str(number)))
    assert [kept.line.text for kept in ring.after(0, 0, 9)] == ["2", "3", "4"]
    assert [kept.number for kept in ring.after(0, 0, 9)] == [3, 4, 5]
    ring.add(line("x" * 99))
    assert [kept.number for kept in ring.after(0, 0, 9)] == [5, 6]
    ring.add(line("y" * 1000))
    assert [kept.number for kept in ring.after(0, 0, 9)] == [7]
    assert ring.number == 7


def test_what_is_asked_for() -> None:
    ring = Ring()
    for number in range(10):
        ring.add(line(str(number), logging.ERROR if number % 2 else logging.INFO))
    assert [kept.line.text for kept in ring.after(0, logging.ERROR, 2)] == ["7", "9"]
    assert [kept.line.text for kept in ring.after(8, 0, 9)] == ["8", "9"]


def test_waiting_ends_with_a_line_of_that_level_from_any_thread() -> None:
    ring = Ring()

    async def main() -> None:
        waiting = asyncio.create_task(ring.changed(0, logging.ERROR, DEADLINE * 2))
        await asyncio.sleep(0)
        thread = threading.Thread(target=ring.add, args=(line("low"),))
        thread.start()
        thread.join()
        done, _ = await asyncio.wait({waiting}, timeout=0.05)
        assert not done
        threading.Thread(target=ring.add, args=(line("high", logging.ERROR),)).start()
        await asyncio.wait_for(waiting, DEADLINE)
        # What is there already is not waited for.
        await asyncio.wait_for(ring.changed(1, logging.ERROR, DEADLINE * 2), DEADLINE)

    asyncio.run(main())


def test_waiting_ends_with_its_time_and_with_the_ring() -> None:
    ring = Ring()

    async def main() -> None:
        began = time.monotonic()
        await ring.changed(0, 0, 0.05)
        assert 0.05 <= time.monotonic() - began < DEADLINE
        waiting = asyncio.create_task(ring.changed(0, 0, DEADLINE * 2))
        await asyncio.sleep(0)
        ring.close()
        await asyncio.wait_for(waiting, DEADLINE)
        await asyncio.wait_for(ring.changed(0, 0, DEADLINE * 2), DEADLINE)

    asyncio.run(main())
    ring.add(line("after the loop has ended"))
    assert ring.number == 1

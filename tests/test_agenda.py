"""The agenda against a sorted list."""

from __future__ import annotations

from hypothesis import given, strategies as st

from lrgpnode.agenda import FEW, Agenda
from tests.node.virtual import VirtualLoop, run


@given(st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=200))
def test_everything_is_done_in_time_and_in_order(plan: list[tuple[int, bool]]) -> None:
    done: list[tuple[float, int]] = []

    async def main(loop: VirtualLoop) -> None:
        agenda = Agenda(loop.time, loop)
        start = loop.time()
        entries = [
            agenda.after(seconds, lambda n=number: done.append((loop.time() - start, n)))
            for number, (seconds, _) in enumerate(plan)
        ]
        for entry, (_, kept) in zip(entries, plan, strict=True):
            if not kept:
                agenda.cancel(entry)
                agenda.cancel(entry)
        finished = loop.create_future()
        agenda.after(200, finished.set_result, None)
        await finished

    run(main)
    expected = sorted((seconds, number) for number, (seconds, kept) in enumerate(plan) if kept)
    assert [number for _, number in done] == [number for _, number in expected]
    assert all(abs(at - plan[number][0]) < 1e-2 for at, number in done)


def test_what_was_cancelled_does_not_pile_up() -> None:
    async def main(loop: VirtualLoop) -> None:
        agenda = Agenda(loop.time, loop)
        for _ in range(10 * FEW):
            agenda.cancel(agenda.after(900, lambda: None))
        assert len(agenda._heap) <= FEW

    run(main)


def test_a_moved_clock_and_a_stop() -> None:
    async def main(loop: VirtualLoop) -> None:
        skew, done = 0.0, []
        agenda = Agenda(lambda: loop.time() + skew, loop)
        later = agenda.after(60, done.append, 2)
        agenda.after(50, lambda: (done.append(1), agenda.cancel(later)))
        agenda.after(3600, done.append, 3)
        skew = 600.0
        agenda.wake()
        assert done == [1]
        agenda.stop()
        skew = 7200.0
        agenda.wake()
        assert done == [1]

    run(main)

"""The replay cache (spec §3.1) against a naive model, and at its bounds."""

from __future__ import annotations

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from lrgpnode.protocol import replay as module
from lrgpnode.protocol.replay import ReplayCache, ReplayEntry

ME, OTHER = "a" * 32, "b" * 32
SESSION = "0123456789abcdef"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def nonce(number: int) -> bytes:
    return number.to_bytes(8, "big")


def filled(count: int) -> tuple[ReplayCache, Clock]:
    clock = Clock()
    cache = ReplayCache(clock)
    for number in range(count):
        assert cache.record(ME, SESSION, nonce(number)) is not None
    return cache, clock


def test_a_probe_records_nothing() -> None:
    cache, _ = filled(0)
    assert not cache.seen(ME, SESSION, nonce(1))
    assert not cache.seen(ME, SESSION, nonce(1))
    assert len(cache) == 0
    assert cache.record(ME, SESSION, nonce(1)) is not None
    assert cache.seen(ME, SESSION, nonce(1))
    assert cache.record(ME, SESSION, nonce(1)) is None


def test_scopes_do_not_touch_each_other() -> None:
    cache, _ = filled(1)
    assert not cache.seen(OTHER, SESSION, nonce(0))
    assert not cache.seen(ME, SESSION[::-1], nonce(0))


def test_the_ttl_is_absolute_and_inclusive() -> None:
    cache, clock = filled(1)
    clock.now += 300
    assert cache.record(ME, SESSION, nonce(0)) is None  # a duplicate does not extend it
    clock.now += 300
    assert cache.seen(ME, SESSION, nonce(0))  # age 600 still counts
    clock.now += 0.001
    assert not cache.seen(ME, SESSION, nonce(0))
    assert cache.record(ME, SESSION, nonce(0)) is not None


def test_the_least_recently_touched_nonce_goes_first() -> None:
    cache, _ = filled(512)
    assert cache.seen(ME, SESSION, nonce(0))  # touched
    cache.record(ME, SESSION, nonce(600))
    assert cache.seen(ME, SESSION, nonce(0))
    assert not cache.seen(ME, SESSION, nonce(1))
    assert len(cache) == 512


def test_the_least_recently_touched_space_goes_with_all_its_nonces() -> None:
    cache, _ = filled(0)
    spaces = [f"{number:016x}" for number in range(1024)]
    for space in spaces:
        cache.record(ME, space, nonce(1))
        cache.record(ME, space, nonce(2))
    assert not cache.seen(ME, spaces[0], nonce(99))  # a miss in a space touches the space
    assert not cache.seen(ME, "f" * 16, nonce(1))  # a probe of a new space creates nothing
    cache.record(ME, "e" * 16, nonce(1))
    assert cache.seen(ME, spaces[0], nonce(1))
    assert not cache.seen(ME, spaces[1], nonce(1))
    assert not cache.seen(ME, spaces[1], nonce(2))
    assert len(cache) == 2 * 1023 + 1


def test_entries_too_old_do_not_displace_live_ones() -> None:
    cache, clock = filled(512)
    clock.now += 599
    for number in range(512):
        assert cache.seen(ME, SESSION, nonce(number))  # recently touched, but about to be too old
    clock.now += 2
    for number in range(1000, 1512):
        cache.record(ME, SESSION, nonce(number))
    assert all(cache.seen(ME, SESSION, nonce(number)) for number in range(1000, 1512))


def test_forget_takes_back_exactly_one() -> None:
    cache, _ = filled(3)
    cache.forget(ME, SESSION, nonce(1))
    assert [cache.seen(ME, SESSION, nonce(number)) for number in range(3)] == [True, False, True]
    cache.forget(ME, SESSION, nonce(1))
    cache.forget(OTHER, SESSION, nonce(0))
    assert len(cache) == 2


def test_remove_drops_one_space() -> None:
    cache, _ = filled(3)
    cache.record(OTHER, SESSION, nonce(0))
    cache.remove(ME, SESSION)
    assert not cache.seen(ME, SESSION, nonce(0))
    assert cache.seen(OTHER, SESSION, nonce(0))


def test_restore_keeps_ages_and_drops_what_is_too_old() -> None:
    cache, clock = filled(0)
    cache.restore(
        [
            ReplayEntry(ME, SESSION, nonce(1), clock.now - 601),
            ReplayEntry(ME, SESSION, nonce(2), clock.now - 599),
        ]
    )
    assert not cache.seen(ME, SESSION, nonce(1))
    assert cache.seen(ME, SESSION, nonce(2))
    clock.now += 2
    assert not cache.seen(ME, SESSION, nonce(2))


class AgainstModel(RuleBasedStateMachine):
    """Small bounds, so that both evictions happen; the model scans lists."""

    def __init__(self) -> None:
        super().__init__()
        self.bounds = (module.DEDUP_CACHE_PER_SESSION, module.DEDUP_CACHE_SESSIONS)
        module.DEDUP_CACHE_PER_SESSION, module.DEDUP_CACHE_SESSIONS = 4, 3
        self.clock = Clock()
        self.cache = ReplayCache(self.clock)
        self.spaces: list[tuple[str, list[tuple[bytes, float]]]] = []  # both lists: least recent first

    def teardown(self) -> None:
        module.DEDUP_CACHE_PER_SESSION, module.DEDUP_CACHE_SESSIONS = self.bounds

    def probe(self, session: str, token: bytes) -> bool:
        for index, (name, entries) in enumerate(self.spaces):
            if name == session:
                self.spaces.append(self.spaces.pop(index))
                for position, (known, at) in enumerate(entries):
                    if known == token and self.clock.now - at <= 600:
                        entries.append(entries.pop(position))
                        return True
        return False

    @rule(seconds=st.sampled_from([0.5, 100.0, 299.0, 601.0]))
    def advance(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule(session=st.sampled_from("stuvw"), number=st.integers(0, 7))
    def see(self, session: str, number: int) -> None:
        assert self.cache.seen(ME, session, nonce(number)) == self.probe(session, nonce(number))

    @rule(session=st.sampled_from("stuvw"), number=st.integers(0, 7))
    def record(self, session: str, number: int) -> None:
        self.clock.now += 0.001  # no two entries of one age: the model sorts by it
        fresh = self.cache.record(ME, session, nonce(number)) is not None
        assert fresh == (not self.probe(session, nonce(number)))
        if not fresh:
            return
        if all(name != session for name, _ in self.spaces):
            self.spaces.append((session, []))
            del self.spaces[:-3]
        entries = next(entries for name, entries in self.spaces if name == session)
        entries[:] = [entry for entry in entries if entry[0] != nonce(number)]
        too_old = [entry for entry in sorted(entries, key=lambda e: e[1]) if self.clock.now - entry[1] > 600]
        for entry in too_old[:2]:
            entries.remove(entry)
        entries.append((nonce(number), self.clock.now))
        del entries[:-4]

    @rule(session=st.sampled_from("stuvw"), number=st.integers(0, 7))
    def forget(self, session: str, number: int) -> None:
        self.cache.forget(ME, session, nonce(number))
        for name, entries in self.spaces:
            if name == session:
                entries[:] = [entry for entry in entries if entry[0] != nonce(number)]
        self.spaces = [space for space in self.spaces if space[1]]

    @invariant()
    def bounded(self) -> None:
        assert len(self.cache) <= 12
        assert {(e.session_id, e.nonce, e.recorded) for e in self.cache} == {
            (name, *entry) for name, entries in self.spaces for entry in entries
        }


TestAgainstModel = AgainstModel.TestCase
TestAgainstModel.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

"""Sending and receiving as the firmware does: split packets, turns, queue, limits, power."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from interfaces.radio.sim import csma
from interfaces.radio.sim.boards import BOARDS
from interfaces.radio.sim.books import Books, booked_seconds, next_bin
from interfaces.radio.sim.split import Joiner, to_frames
from interfaces.radio.sim.topology import NodeSpec, in_a_line
from lrgpnode.airtime.modem import Modem, frames
from tests.radio.protocol import ON, settings
from tests.radio.scene import Scene

SLOT = 12 * 2**8 / 125_000


@given(st.binary(min_size=1, max_size=507), st.integers(0, 15))
def test_a_packet_comes_out_as_it_went_in(packet: bytes, sequence: int) -> None:
    sent = to_frames(packet, sequence)
    assert tuple(map(len, sent)) == frames(len(packet))
    joiner = Joiner()
    assert [joiner.join(frame) for frame in sent] == [None] * (len(sent) - 1) + [packet]


def test_the_longest_packet_spoils_one_in_sixteen_that_follow() -> None:
    """Its third frame is bare and looks like a first half."""
    longest = bytes(508)
    spoiled = 0
    for sequence in range(16):
        joiner = Joiner()
        got = [joiner.join(frame) for frame in (*to_frames(longest, 3), *to_frames(bytes(300), sequence))]
        assert got[:3] == [None, longest, None]
        spoiled += got[3:] != [None, bytes(300)]
    assert spoiled == 1
    assert to_frames(bytes(509), 0) == ()


def test_halves_of_different_packets() -> None:
    joiner = Joiner()
    one, two = to_frames(b"1" * 300, 1), to_frames(b"2" * 300, 2)
    assert joiner.join(one[0]) is None
    assert joiner.join(two[0]) is None
    assert joiner.join(two[1]) == b"2" * 300
    assert joiner.join(one[0]) is None
    assert joiner.join(to_frames(b"short", 5)[0]) == b"short"
    assert joiner.join(one[1]) is None  # now a first half
    assert joiner.join(b"") is None


@given(st.lists(st.binary(max_size=255), max_size=20))
def test_any_frames_can_be_heard(heard: list[bytes]) -> None:
    joiner = Joiner()
    for frame in heard:
        packet = joiner.join(frame)
        assert packet is None or 0 < len(packet) <= 508


@hypothesis_settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 600), st.floats(0, 3)), max_size=8))
def test_on_a_good_link_everything_arrives_that_is_not_too_long(
    sends: list[tuple[str, int, float]],
) -> None:
    """In order, whole, once; and the air was never used by one device for two frames at a time."""
    scene = Scene("a", "b").on(sf=7)
    expected: dict[str, list[bytes]] = {"a": [], "b": []}
    for number, (name, size, pause) in enumerate(sends):
        payload = bytes([number]) * size
        scene.send(name, payload)
        if size <= 507:
            expected["b" if name == "a" else "a"].append(payload)
        scene.run(pause)
    scene.run(60)
    # Both may win their turn within the four symbols that it takes to notice the other.
    clean = all(got["outcome"] == "received" for row in scene.frames() for got in row["to"].values())
    longest = any(size == 508 for _, size, _ in sends)
    for name, packets in expected.items():
        if clean and not longest:
            assert scene.got(name) == packets
        assert len(scene.got(name)) <= len(sends)
    for name in "ab":
        times = [(row["time"], row["time"] + row["airtime_ms"] / 1000) for row in scene.frames(name)]
        assert all(end <= start + 1e-5 for (_, end), (start, _) in pairwise(times))


def test_split_frames_follow_each_other_at_once() -> None:
    scene = Scene("a", "b").on()
    scene.send("a", bytes(300))
    scene.run(3)
    first, second = scene.frames("a")
    assert second["time"] == pytest.approx(first["time"] + first["airtime_ms"] / 1000, abs=1e-5)
    assert (first["part"], second["part"], first["parts"]) == (1, 2, 2)
    assert first["frame"][:2] == second["frame"][:2]
    assert int(first["frame"][:2], 16) & 0x0F == 1
    assert first["host"] == bytes(300).hex()


def test_the_wait_before_a_packet() -> None:
    """Two slots, and up to fourteen more; all of them occur."""
    waits = []
    for seed in range(60):
        scene = Scene("a", seed=seed).on()
        start = scene.t
        scene.send("a", b"x")
        scene.run(1)
        waits.append((scene.frames()[0]["time"] - start) / SLOT - 2)
    assert all(wait == pytest.approx(round(wait), abs=1e-3) for wait in waits)
    assert (min(map(round, waits)), max(map(round, waits))) == (0, 14)


def test_a_busy_medium_is_waited_for_and_what_was_waited_counts() -> None:
    seed, slots = next((seed, _window(seed)) for seed in range(50) if _window(seed) > 4)
    scene = Scene("a", "b", seed=seed).on()
    scene.send("a", b"x")
    scene.run((2 + 3) * SLOT)  # three slots of the window have passed
    scene.at_once("b", bytes(40))
    length = scene.world.devices["b"].channel.modem.frame_seconds(40)  # type: ignore[union-attr]
    begun = scene.t
    scene.run(5)
    (sent,) = scene.frames("a")
    # Four symbols go by until the signal is noticed.
    left = (slots - 3) * SLOT - 4 * 2**8 / 125_000
    assert sent["time"] == pytest.approx(begun + length + 2 * SLOT + left, abs=1e-5)


def _window(seed: int) -> int:
    scene = Scene("a", "b", seed=seed).on()
    begun = scene.t
    scene.send("a", b"x")
    scene.run(1)
    return round((scene.frames()[0]["time"] - begun) / SLOT - 2)


def test_a_slow_device_sends_all_it_has_in_one_turn_and_a_fast_one_does_not() -> None:
    for sf, bandwidth, together in ((8, 125_000, True), (7, 500_000, False)):
        scene = Scene("a", "b").on(sf=sf, bandwidth=bandwidth)
        for number in range(3):
            scene.send("a", bytes([number]) * 50)
        scene.run(5)
        ends = [row["time"] + row["airtime_ms"] / 1000 for row in scene.frames()]
        gaps = [row["time"] - end for row, end in zip(scene.frames()[1:], ends, strict=False)]
        assert len(gaps) == 2
        assert all(gap < 1e-5 for gap in gaps) if together else all(gap > 0.01 for gap in gaps)
        assert len(scene.got("b")) == 3


def test_while_it_sends_it_does_not_read() -> None:
    scene = Scene("a", "b").on()
    scene.send("a", bytes(200))
    scene.run(0.45)
    assert scene.world.devices["a"].transmitter.sending
    scene.hosts["a"].clear()
    scene.world.devices["a"].feed(bytes.fromhex("c00873c0"))
    scene.run(0.05)
    assert scene.hosts["a"].all(0x08) == []
    scene.run(2)
    assert scene.hosts["a"].all(0x08) == [b"\x46"]


def test_the_queue_overflows_without_a_word() -> None:
    scene = Scene("a", "b").on(sf=12)
    scene.hosts["a"].clear()
    for _ in range(20):
        scene.send("a", bytes(400))
    dropped = [row["dropped"] for row in scene.trace if row["event"] == "packet"]
    assert dropped == [""] * 15 + ["queue full"] * 5  # 6144 bytes
    assert scene.hosts["a"].all(0x90) == []
    scene.send("a", bytes(509))
    scene.send("a", b"")
    assert [row["dropped"] for row in scene.trace if row["event"] == "packet"][-2:] == ["too long", "empty"]


def test_many_small_packets() -> None:
    scene = Scene("a", "b").on(sf=12)
    for _ in range(205):
        scene.send("a", b"x")
    assert [row["dropped"] for row in scene.trace if row["event"] == "packet"].count("queue full") == 5


@pytest.mark.parametrize(("command", "window"), [("c00b01f4c0", 15.0), ("c00c0019c0", 3600.0)])
def test_the_airtime_limits_hold_packets_back(command: str, window: float) -> None:
    """5 % of 15 s, 0.25 % of an hour: sending stops where the limit is reached, and goes on by itself."""
    scene = Scene("a", "b").on()
    scene.world.devices["a"].feed(bytes.fromhex(command))
    limit = int(command[6:10], 16) / 10_000 * window
    for number in range(15):
        scene.send("a", bytes([number]) * 400)
    scene.run(window)
    sent = scene.frames("a")
    longest = max(row["airtime_ms"] for row in sent) * 2 / 1000
    for row in sent:
        since = row["time"] + row["airtime_ms"] / 1000 - window
        total = sum(other["airtime_ms"] for other in sent if since < other["time"] <= row["time"]) / 1000
        # It looks before a packet and books less than it sends.
        assert total < limit * 1.06 + longest
    assert 1 <= len(sent) < 30
    assert scene.world.devices["a"].transmitter.waiting > 0
    scene.run(2 * 3600 if window == 3600.0 else 300)
    assert len(scene.got("b")) == 15


def test_windows_move_out_with_airtime() -> None:
    assert [csma.band(share) for share in (0, 0.07, 0.08, 0.45, 0.47, 0.84, 0.86, 1.0)] == [
        1, 1, 2, 2, 3, 3, 4, 4,
    ]  # fmt: skip
    scene = Scene("a", "b").on()
    scene.send("a", bytes(400))
    scene.run(2)
    start = scene.t
    scene.send("a", b"x")
    scene.run(3)
    assert 15 <= (scene.frames()[-1]["time"] - start) / SLOT - 2 <= 28.01
    assert scene.hosts["a"].all(0x28) == [bytes([2, 15, 28])]


def test_the_host_is_told_of_the_window_whether_it_sends_or_not() -> None:
    """With the report after the packet that moved it, and when the time has moved it back."""
    scene = Scene("a", NodeSpec("b", BOARDS["rnode_avr"])).on()
    scene.send("a", bytes(400))
    scene.run(1.8)
    order = [command for command, _ in scene.hosts["a"].frames if command in {0x25, 0x28}]
    assert order[order.index(0x28) + 1] == 0x25
    assert scene.hosts["a"].all(0x28) == [bytes([2, 15, 28])]
    scene.run(20)
    assert scene.hosts["a"].all(0x28) == [bytes([2, 15, 28]), bytes([1, 0, 14])]
    scene.send("b", bytes(400))
    scene.run(20)
    assert scene.hosts["b"].all(0x28) == []


def test_what_the_firmware_books() -> None:
    """2 % low for a full frame, 5 % for a proof, 13 % for a beacon of nine bytes."""
    modem = Modem(125_000, 8, 5)
    low = [1 - booked_seconds(modem, size) / modem.frame_seconds(size) for size in (255, 84, 9)]
    assert low == [pytest.approx(share, abs=0.012) for share in (0.02, 0.05, 0.13)]


@given(st.lists(st.tuples(st.floats(0, 40), st.floats(0, 2)), max_size=30))
def test_the_books_forget_after_their_windows(entries: list[tuple[float, float]]) -> None:
    books, now, total = Books(), 0.0, 0.0
    for pause, seconds in entries:
        now += pause
        books.add(now, seconds)
        total += seconds
        assert books.short(now) <= (total + 1e-9) / 15
    assert books.hour(now) == pytest.approx(total / 3600)
    assert books.short(now + 15) == 0
    assert books.hour(now + 3600 + 7.5) == 0
    assert next_bin(now) - now <= 7.5


def test_the_load_is_spread_over_the_time_it_was_there() -> None:
    books = Books()
    books.add_spread(5.0, 17.5)
    assert books.hour(20.0) * 3600 == pytest.approx(12.5)
    assert books.last_bin(15.0 + 2.5) * 7.5 == pytest.approx(2.5 + 7.5 * (1 - 2.5 / 7.5))


def test_nothing_survives_a_cut_of_power() -> None:
    scene = Scene("a", "b").on()
    for _ in range(3):
        scene.send("a", bytes(100))
    scene.world.power("a", on=False)
    scene.world.power("a", on=True)
    scene.run(5)
    assert scene.frames() == []
    assert scene.wire("a").ask("c006ffc0") == [(0x06, b"\x00")]
    scene.world.devices["a"].feed(settings() + ON)
    scene.run(1)
    scene.send("a", b"again")
    scene.run(2)
    assert scene.got("b") == [b"again"]


def test_a_reset_in_the_middle_of_a_frame() -> None:
    scene = Scene("a", "b").on()
    scene.send("a", bytes(200))
    scene.run(0.6)
    scene.world.devices["a"].reset()
    scene.run(3)
    assert scene.outcomes("b") == ["cut"]
    scene.on()
    scene.send("a", b"again")
    scene.run(2)
    assert scene.got("b") == [b"again"]


def test_hidden_nodes_collide_and_neighbours_do_not() -> None:
    counts = {}
    for hidden in (True, False):
        names = ("a", "hill", "b")
        scene = Scene(*names, links=in_a_line(names) if hidden else None, seed=1).on()
        dice = random.Random(5)
        for _ in range(40):
            scene.send("a", bytes(100))
            scene.run(dice.random() * 0.3)
            scene.send("b", bytes(100))
            scene.run(6)
        counts[hidden] = scene.outcomes("hill").count("collision")
    assert counts[True] > 20
    assert counts[False] < 15


def test_the_same_seed_is_the_same_world() -> None:
    def story(seed: int) -> list[dict[str, object]]:
        scene = Scene("a", "b", "c", seed=seed).on()
        for number in range(10):
            for name in "abc":
                scene.send(name, bytes([number]) * 90)
            scene.run(1)
        scene.run(30)
        return scene.trace

    assert story(1) == story(1)
    assert story(1) != story(2)

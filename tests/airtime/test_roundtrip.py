"""Round trips: by formula, as measured, and which of the two is believed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from lrgpnode.airtime.cost import Hop
from lrgpnode.airtime.modem import Modem
from lrgpnode.airtime.roundtrip import (
    FRESH_SECONDS,
    HANDLING,
    KEPT,
    MOST_PEERS,
    Paces,
    RoundTrip,
    Way,
    by_radio,
    by_wire,
    estimate,
)

SLOW = Modem(125_000, 12, 8)


class Time:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_by_radio_with_the_airtimes_of_the_law_page() -> None:
    """docs/radio-law.md: at SF8 and 125 kHz a move is 1.01 s on the air and its proof 0.29 s."""
    seconds = by_radio(Hop(Modem(125_000, 8, 5), far=False), 1) - HANDLING
    assert seconds == pytest.approx(1.01 + 0.29, abs=0.01)


def test_each_hop_takes_as_long_again() -> None:
    hop = Hop(SLOW, far=True)
    one, three = (by_radio(hop, hops) - HANDLING for hops in (1, 3))
    assert three == pytest.approx(3 * one)
    assert by_radio(hop, 0) == by_radio(hop, 1)


def test_by_wire() -> None:
    # 339 + 83 bytes at 3376 bit/s are one second.
    assert by_wire(3376.0, 1) == pytest.approx(1.0 + HANDLING)
    assert by_wire(3376.0, 2) == pytest.approx(2.0 + HANDLING)


@pytest.mark.parametrize(
    ("move", "measured", "expected"),
    [
        (None, (), None),
        (2.0, (), RoundTrip(travel=4.0, measured=0)),
        (2.0, (5.0,), RoundTrip(travel=10.0, measured=1)),
        (2.0, (0.5, 0.5), RoundTrip(travel=4.0, measured=2)),
        # Three are believed against the formula, and one that was lost and repeated does not count.
        (2.0, (0.5, 0.6, 25.0), RoundTrip(travel=1.2, measured=3)),
        (None, (3.0,), RoundTrip(travel=6.0, measured=1)),
    ],
)
def test_what_is_believed(
    move: float | None, measured: tuple[float, ...], expected: RoundTrip | None
) -> None:
    assert estimate(Way(move=move), measured) == expected


def test_waiting_for_airtime_counts() -> None:
    found = estimate(Way(move=1.0, wait=90.0), ())
    assert found is not None
    assert found.seconds == 92.0


def test_old_measurements_are_no_more() -> None:
    time = Time()
    paces = Paces(time)
    paces.took("a", 4.0)
    time.now += FRESH_SECONDS - 1
    paces.took("a", 2.0)
    assert paces.of("a") == (4.0, 2.0)
    time.now += 2
    assert paces.of("a") == (2.0,)
    assert paces.of("b") == ()


def test_few_are_kept_of_few_peers() -> None:
    paces = Paces(Time())
    for peer in range(MOST_PEERS + 10):
        for n in range(KEPT + 5):
            paces.took(str(peer), float(n))
    assert len(paces._peers) == MOST_PEERS
    assert paces.of("0") == ()
    assert paces.of(str(MOST_PEERS)) == tuple(float(n) for n in range(5, KEPT + 5))


@given(st.lists(st.floats(0.01, 60), min_size=3, max_size=KEPT), st.floats(0.01, 60))
def test_never_outside_of_what_was_measured(measured: list[float], move: float) -> None:
    found = estimate(Way(move=move), tuple(measured))
    assert found is not None
    assert 2 * min(measured) <= found.seconds <= 2 * max(measured)

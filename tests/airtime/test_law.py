"""Which limit a radio has."""

from __future__ import annotations

import pytest

from lrgpnode.airtime.law import CAUTIOUS, law


@pytest.mark.parametrize(
    ("mhz", "khz", "region", "seconds"),
    [
        (868.1, 125, "EU868", 36.0),
        (869.525, 250, "EU868", 360.0),
        (869.525, 125, "eu868", 360.0),
        (868.95, 125, "EU868", 3.6),
        (914.875, 500, "US915", None),
    ],
)
def test_the_duty_cycle_of_the_band(mhz: float, khz: int, region: str, seconds: float | None) -> None:
    found = law(round(mhz * 1e6), khz * 1000, region_name=region)
    assert found.seconds == (None if seconds is None else pytest.approx(seconds))
    assert found.problem == ""


def test_without_a_region_the_board_sets_the_limit() -> None:
    found = law(868_100_000, 125_000, board_percent=0.5)
    assert found.seconds == pytest.approx(18.0)
    assert found.problem == ""


def test_the_board_may_be_stricter_than_the_law_and_not_laxer() -> None:
    assert law(868_100_000, 125_000, region_name="EU868", board_percent=0.5).seconds == pytest.approx(18.0)
    assert law(868_100_000, 125_000, region_name="EU868", board_percent=10.0).seconds == pytest.approx(36.0)
    assert law(914_875_000, 500_000, region_name="US915", board_percent=10.0).seconds == pytest.approx(360.0)


def test_who_has_said_nothing_is_told_where_there_is_a_limit() -> None:
    found = law(868_100_000, 125_000)
    assert found.seconds is None
    assert "1 % in EU868" in found.problem
    assert "airtime.region" in found.problem
    assert law(600_000_000, 125_000).problem == ""
    assert "airtime." in law(None, 125_000).problem


@pytest.mark.parametrize(("hz", "region"), [(868_650_000, "EU868"), (868_100_000, "Atlantis")])
def test_what_is_not_known_is_limited_and_says_what_to_do(hz: int, region: str) -> None:
    found = law(hz, 125_000, region_name=region)
    assert found.seconds == CAUTIOUS * 3600
    assert "airtime." in found.problem


def test_the_operator_has_the_last_word() -> None:
    assert law(868_100_000, 125_000, region_name="EU868", percent=0.5).seconds == pytest.approx(18.0)
    assert law(868_100_000, 125_000, percent=100.0).seconds is None


def test_without_a_frequency_the_strictest_band_of_the_region() -> None:
    assert law(None, 125_000, region_name="EU868").seconds == pytest.approx(3.6)
    assert "EU868" in law(None, None, region_name="EU868").words

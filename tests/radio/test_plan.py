"""From wishes to lawful numbers."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings, strategies as st

from firmware_configs.catalogue import Board, Region, boards, presets, regions
from lrgpnode.radio.law import Limits, RadioError, Unlawful
from lrgpnode.radio.plan import UNKNOWN_BOARD_DBM, Plan, Role, Wishes, make_plan

PORT = "/dev/serial/by-id/usb-RAK"


def board(name: str, model: int) -> Board:
    return next(item for item in boards() if item.name == name and item.model == model)


def plan(region: str, **wishes: object) -> Plan:
    return make_plan(Wishes(region=region, port=PORT, **wishes))  # type: ignore[arg-type]


def test_what_europe_gets_without_a_word() -> None:
    found = plan("eu868", board=board("RAK4631", 0x12))
    assert (found.frequency, found.modem.bandwidth, found.modem.spreading_factor) == (869_525_000, 250_000, 9)
    assert found.txpower == 22  # the board's, less than the law's 27
    assert found.limits == Limits(10.0, 33.0)


def test_an_unknown_board_is_told_what_every_board_can() -> None:
    assert plan("US915").txpower == UNKNOWN_BOARD_DBM == min(item.max_tx_dbm for item in boards())
    assert plan("US915").limits == Limits(None, None)


def test_power_follows_the_antenna() -> None:
    known = board("RAK4631", 0x12)
    sub_band = {"frequency": 867_200_000, "preset": "reticulum", "board": known}
    assert plan("EU868", **sub_band).txpower == 14
    assert plan("EU868", **sub_band, antenna_dbi=5.15).txpower == 11
    assert plan("EU868", **sub_band, antenna_dbi=0.0).txpower == 16
    with pytest.raises(Unlawful, match=r"may be set to 11 dBm, not 14"):
        plan("EU868", **sub_band, antenna_dbi=5.15, txpower=14)


@pytest.mark.parametrize(
    ("region", "wishes", "reason"),
    [
        ("US915", {"preset": "long-fast"}, r"takes 4\.26 s with SF11 and 250 kHz; US915 allows 0\.4 s"),
        ("US915", {"preset": "short-fast"}, r"packet takes 0\.\d+ s"),  # two frames, one after the other
        ("AS923-1", {"preset": "narrow-fast"}, r"frame takes 0\.42 s"),
        ("AS923-1", {"preset": "medium-fast"}, r"frame takes 0\.65 s"),
        ("CN470", {"preset": "narrow-medium"}, r"allows 1 s"),
        ("IN865", {"preset": "long-fast"}, r"allows 7\.8, .*, 125 kHz"),
        ("EU868", {"frequency": 868_650_000}, "868.65 MHz is not open in EU868"),
        ("EU868", {"frequency": 869_600_000}, "does not fit into any band"),
        ("EU868", {"frequency": 915_000_000}, "not open"),
        ("EU868", {"txpower": 28}, "may be set to 27 dBm, not 28"),
        ("AU915", {"preset": "reticulum", "antenna_dbi": 6.0}, "less than 0 dBm"),
    ],
)
def test_what_the_law_forbids(region: str, wishes: dict[str, object], reason: str) -> None:
    with pytest.raises(RadioError, match=reason):
        plan(region, **wishes)


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        ({"name": "a]\n[[b"}, "cannot be the name"),
        ({"name": ""}, "cannot be the name"),
        ({"port": "/dev/tty\nenabled = no"}, "not the path"),
        ({"port": "ttyUSB0"}, "not the path"),
        ({"port": "/dev/a#b"}, "not the path"),
        ({"region": "EU"}, "no region 'EU'"),
        ({"preset": "fast"}, "no preset 'fast'"),
        ({"bandwidth": 125_000}, "needs --bandwidth and --sf"),
        ({"bandwidth": 125_000, "spreading_factor": 13}, "spreading factor of 13"),
        ({"bandwidth": 1, "spreading_factor": 8}, "bandwidth of 1 Hz"),
        ({"preset": "reticulum", "coding_rate": 9}, "coding rate of 9"),
        ({"txpower": -1}, "0 to 37"),
        ({"antenna_dbi": 60.0}, "not plausible"),
        ({"board": board("RAK4631", 0x11)}, "built for 430 to 510 MHz"),
        ({"board": board("Heltec LoRa32 v2", 0xC9), "txpower": 20}, "17 dBm at most"),
    ],
)
def test_what_cannot_be(wishes: dict[str, object], reason: str) -> None:
    whole: dict[str, object] = {"region": "EU868", "port": PORT} | wishes
    with pytest.raises(RadioError, match=reason):
        make_plan(Wishes(**whole))  # type: ignore[arg-type]


def test_a_preset_with_another_number() -> None:
    found = plan("EU868", preset="reticulum", frequency=867_200_000, coding_rate=8)
    assert (found.modem.spreading_factor, found.modem.coding_rate) == (8, 8)
    assert found.limits == Limits(1.0, 33.0)


def test_a_wide_channel_has_a_place_of_its_own() -> None:
    assert plan("EU868", preset="short-turbo").frequency == 866_500_000


def test_a_hopping_rule_counts_seconds() -> None:
    found = plan("US915", bandwidth=250_000, spreading_factor=6)
    assert found.band.hopping
    assert found.limits == Limits(4.0, 4.0)


@settings(max_examples=200)
@given(
    region=st.sampled_from(regions()),
    preset=st.sampled_from([None, *(item.name for item in presets())]),
    offset=st.just(0) | st.integers(-3_000_000, 3_000_000),
    board=st.sampled_from([None, *boards()]),
    antenna=st.floats(-3, 15),
    role=st.sampled_from(Role),
)
def test_no_plan_is_unlawful(
    region: Region, preset: str | None, offset: int, board: Board | None, antenna: float, role: Role
) -> None:
    frequency = region.frequency_hz + offset
    try:
        found = plan(
            region.name,
            preset=preset,
            frequency=frequency,
            board=board,
            antenna_dbi=antenna,
            role=role,
        )
    except RadioError as error:
        assert str(error).endswith(".")
        event("refused")
        return
    band, half = found.band, found.modem.bandwidth / 2
    assert band.low_hz <= found.frequency - half
    assert found.frequency + half <= band.high_hz
    assert found.modem.frame_seconds(255) <= (band.dwell_seconds or 99)
    radiated = found.txpower + antenna - {"ERP": 2.15, "EIRP": 0.0, "conducted": antenna}[band.power.value]
    assert radiated <= band.max_power_dbm + 1e-6
    assert 0 <= found.txpower <= (22 if board is None else board.max_tx_dbm)
    if band.duty_cycle is not None:
        assert found.limits.long is not None
        assert found.limits.long / 100 <= band.duty_cycle + 1e-9

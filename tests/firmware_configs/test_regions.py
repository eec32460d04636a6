"""The law as data, against numbers that are written here from the regulations, not from the files."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from firmware_configs.catalogue import (
    Band,
    PowerKind,
    Region,
    UnknownName,
    band_at,
    preset,
    region,
    regions,
)
from lrgpnode.airtime.modem import FRAME_BYTES, Modem
from lrgpnode.radio.law import longest_seconds
from lrgpnode.radio.plan import usual_frequency

ERP, EIRP, CONDUCTED = PowerKind.ERP, PowerKind.EIRP, PowerKind.CONDUCTED

# (region, MHz, kHz) -> dBm, how it is counted, fraction of an hour, seconds of one transmission
REGULATIONS = [
    # ERC/REC 70-03 annex 1 and EN 300 220-2 annex B: 25 mW are 14 dBm, 500 mW are 27 dBm
    ("EU868", 863.5, 125, 14, ERP, 0.001, None),
    ("EU868", 864.9, 125, 14, ERP, 0.001, None),
    ("EU868", 867.2, 125, 14, ERP, 0.01, None),
    ("EU868", 868.1, 125, 14, ERP, 0.01, None),
    ("EU868", 868.3, 250, 14, ERP, 0.01, None),
    ("EU868", 868.95, 125, 14, ERP, 0.001, None),
    ("EU868", 869.525, 250, 27, ERP, 0.1, None),
    ("EU868", 869.525, 125, 27, ERP, 0.1, None),
    ("EU868", 869.85, 125, 14, ERP, 0.01, None),
    # ERC/REC 70-03 annex 1, 433.05 to 434.79 MHz: 10 mW, 10 %; up to 25 kHz wide above 434.04 without
    ("EU433", 433.92, 125, 10, ERP, 0.1, None),
    ("EU433", 433.175, 125, 10, ERP, 0.1, None),
    ("EU433", 434.5, 20.8, 10, ERP, None, None),
    # 47 CFR 15.247: 1 W for 500 kHz; 0.4 s in 20 s (2 %) under 250 kHz, in 10 s (4 %) and 0.25 W above
    ("US915", 914.875, 500, 30, CONDUCTED, None, None),
    ("US915", 903.9, 125, 30, CONDUCTED, 0.02, 0.4),
    ("US915", 915.0, 250, 24, CONDUCTED, 0.04, 0.4),
    # LIPD class licence: 1 W EIRP for digital modulation from 500 kHz, else 3 mW EIRP (4.77 dBm)
    ("AU915", 917.5, 500, 30, EIRP, None, None),
    ("AU915", 916.8, 125, 4.7, EIRP, None, None),
    # LoRaWAN RP002-1.0.4
    ("AS923-1", 923.2, 125, 16, EIRP, 0.01, 0.4),
    ("AS923-2", 921.4, 125, 16, EIRP, 0.01, 0.4),
    ("AS923-3", 916.6, 125, 16, EIRP, 0.01, 0.4),
    ("AS923-4", 917.3, 125, 16, EIRP, 0.01, 0.4),
    ("IN865", 865.0625, 125, 30, EIRP, None, None),
    ("IN865", 866.55, 125, 30, EIRP, None, None),
    ("KR920", 922.1625, 125, 14, EIRP, 0.02, 4.0),
    ("KR920", 921.0, 125, 10, EIRP, 0.02, 4.0),
    ("CN470", 486.3, 125, 16.9, ERP, None, 1.0),
    ("RU864", 868.9, 125, 14, ERP, 0.01, None),
    ("RU864", 864.5, 125, 14, ERP, 0.001, None),
    ("NZ865", 866.5, 250, 14, EIRP, None, None),
]

CLOSED = [
    ("EU868", 868.65, 62.5),  # alarms, 868.6 to 868.7
    ("EU868", 869.25, 62.5),  # social alarms, 869.2 to 869.4
    ("EU868", 869.675, 31.25),  # alarms, 869.65 to 869.7
    ("EU868", 868.0, 125),  # across the edge of two bands
    ("EU868", 869.525, 500),  # wider than the band
    ("EU868", 869.53, 250),  # its upper edge is outside
    ("EU868", 862.9, 125),
    ("EU868", 870.0, 125),
    ("US915", 902.1, 500),
    ("US915", 928.1, 125),
    ("AU915", 914.9, 125),
    ("IN865", 866.0, 250),  # the carrier may be 200 kHz wide
    ("IN865", 867.5, 125),
    ("KR920", 922.5, 250),
    ("KR920", 922.0, 125),
    ("AS923-1", 923.2, 500),
    ("AS923-3", 918.0, 125),  # the Philippines end there
    ("AS923-3", 920.0, 125),
    ("CN470", 486.3, 250),
]


def at(name: str, mhz: float, khz: float) -> Band | None:
    return band_at(region(name), round(mhz * 1e6), round(khz * 1e3))


@pytest.mark.parametrize(("name", "mhz", "khz", "dbm", "kind", "duty", "dwell"), REGULATIONS)
def test_what_is_allowed(
    name: str, mhz: float, khz: float, dbm: float, kind: PowerKind, duty: float | None, dwell: float | None
) -> None:
    band = at(name, mhz, khz)
    assert band is not None
    assert (band.max_power_dbm, band.power) == (dbm, kind)
    assert band.duty_cycle == duty
    assert band.dwell_seconds == dwell


@pytest.mark.parametrize(("name", "mhz", "khz"), CLOSED)
def test_what_is_not(name: str, mhz: float, khz: float) -> None:
    assert at(name, mhz, khz) is None


def test_no_region_without_its_numbers() -> None:
    assert {item.name for item in regions()} == {name for name, *_ in REGULATIONS}
    covered = {at(name, mhz, khz) for name, mhz, khz, *_ in REGULATIONS}
    assert [band for item in regions() for band in item.bands if band not in covered] == []


@pytest.mark.parametrize("law", regions(), ids=lambda law: law.name)
def test_the_default_of_a_region_is_lawful(law: Region) -> None:
    usual = preset(law.preset)
    band = band_at(law, law.frequency_hz, usual.bandwidth)
    assert band is not None
    assert not band.hopping
    modem = Modem(usual.bandwidth, usual.spreading_factor, usual.coding_rate)
    if band.dwell_seconds is not None:
        assert modem.frame_seconds(FRAME_BYTES) <= band.dwell_seconds
        assert longest_seconds(band, modem) <= band.dwell_seconds
    assert usual_frequency(law, usual.bandwidth) == law.frequency_hz
    assert band.port_dbm() >= 0


@pytest.mark.parametrize("law", regions(), ids=lambda law: law.name)
def test_every_band_is_whole_and_has_a_source(law: Region) -> None:
    assert law.sources
    for band in law.bands:
        assert 137_000_000 <= band.low_hz < band.high_hz <= 1_020_000_000
        assert band.source
        assert band.duty_cycle is None or 0 < band.duty_cycle <= 0.1
        assert band.dwell_seconds is None or 0.4 <= band.dwell_seconds <= 4
        assert all(7_800 <= width <= 500_000 for width in band.bandwidths_hz)
        assert -10 <= band.max_power_dbm <= 30
    for uncertain in (band for band in law.bands if band.hopping or band.listening):
        assert law.notes
        assert uncertain.notes


@given(
    st.sampled_from(regions()), st.integers(400_000_000, 1_000_000_000), st.sampled_from([125_000, 500_000])
)
def test_a_channel_lies_wholly_in_its_band(law: object, centre: int, width: int) -> None:
    band = band_at(law, centre, width)  # type: ignore[arg-type]
    if band is not None:
        assert band.low_hz <= centre - width / 2
        assert centre + width / 2 <= band.high_hz


def test_power_at_the_port() -> None:
    erp, eirp = at("EU868", 869.525, 250), at("AU915", 917.5, 500)
    conducted = at("US915", 914.875, 500)
    assert erp is not None
    assert eirp is not None
    assert conducted is not None
    # ERP is counted against a dipole (2.15 dBi), EIRP against a point; 15.247(b)(4) counts from 6 dBi up.
    assert [erp.port_dbm(gain) for gain in (2.15, 0.0, 5.15, 5.2)] == [27, 29, 24, 23]
    assert [eirp.port_dbm(gain) for gain in (0.0, 2.15, 3.0)] == [30, 27, 27]
    assert [conducted.port_dbm(gain) for gain in (2.15, 6.0, 9.0)] == [30, 30, 27]


def test_unknown_names_say_what_there_is() -> None:
    assert region("eu868") is region("EU868")
    assert preset("Long Fast") is preset("long-fast")
    with pytest.raises(UnknownName, match="EU868, IN865"):
        region("EU686")
    with pytest.raises(UnknownName, match="reticulum, long-fast"):
        preset("long-slow")

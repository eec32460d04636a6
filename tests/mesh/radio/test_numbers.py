"""The metrics of radios: what they are, where there are none, and that the page has all."""

from __future__ import annotations

from pathlib import Path

from lrgpnode.airtime.budget import Figures, Purpose
from lrgpnode.airtime.report import AirtimeReport, RadioReport
from lrgpnode.mesh.radio.ears import Heard
from lrgpnode.mesh.radio.numbers import budgets, families
from lrgpnode.mesh.radio.status import RadioStatus
from lrgpnode.metrics import Family, render

PAGE = Path(__file__).parents[3] / "docs" / "radio-status.md"
RADIO = RadioStatus(
    name="LoRa",
    kind="RNodeInterface",
    state="online",
    heard=Heard(packets=3, rssi=-97, snr=6.25, at=1000.0),
    reopened=1,
    signed_at=1001.0,
    noise_floor=-112,
    airtime_short=0.0,
    airtime_long=0.31,
    load_short=1.2,
    load_long=2.84,
    limit_long=1.0,
    temperature=31,
    battery=80,
    queue=2,
    bytes_in=10,
    bytes_out=20,
)
FIGURES = Figures(
    limit=36.0,
    reserve=9.0,
    used=11.2,
    held=1.0,
    left=21.8,
    purposes={Purpose.MOVES: 6.1},
    shares={Purpose.MOVES: 18.0},
    apps={"chess": 4.0},
    refused=2,
)
REPORT = AirtimeReport(
    radios=(RadioReport(name="LoRa", metered=True, modem=None, law="EU868", figures=FIGURES),)
)


def all_families() -> list[Family]:
    return [*families([RADIO]), *budgets(REPORT)]


def rows() -> list[str]:
    """The rows of the page."""
    return [
        f"| `{one.name}` | {one.type} | "
        f"{', '.join(sorted({label for sample in one.samples for label in sample.labels}))} | {one.help} |"
        for one in all_families()
    ]


def test_nothing_without_a_radio() -> None:
    failed = RadioStatus(name="LoRa", kind="RNodeInterface", state="failed")
    assert list(families([])) == list(families([failed])) == list(budgets(AirtimeReport())) == []


def test_the_numbers() -> None:
    text = render(all_families()).splitlines()
    for line in (
        'lrgpnode_radio_up{interface="LoRa"} 1',
        'lrgpnode_radio_snr_db{interface="LoRa"} 6.25',
        'lrgpnode_radio_channel_load_percent{interface="LoRa",window="hour"} 2.84',
        'lrgpnode_radio_airtime_percent{interface="LoRa",window="short"} 0',
        'lrgpnode_radio_bytes_total{interface="LoRa",direction="out"} 20',
        'lrgpnode_radio_reopened_total{interface="LoRa"} 1',
        'lrgpnode_airtime_left_seconds{interface="LoRa"} 21.8',
        'lrgpnode_airtime_game_seconds{interface="LoRa",app="chess"} 4',
        'lrgpnode_airtime_purpose_seconds{interface="LoRa",purpose="proofs"} 0',
    ):
        assert line in text
    # The limiter of the short time is off.
    assert not [line for line in text if "limit_percent" in line and "short" in line]


def test_what_is_not_known_has_no_sample() -> None:
    silent = RadioStatus(name="LoRa", kind="RNodeInterface", state="offline")
    found = {one.name: one.samples for one in families([silent])}
    assert found["lrgpnode_radio_up"][0].value == 0
    assert found["lrgpnode_radio_noise_floor_dbm"] == ()
    assert found["lrgpnode_radio_packets_received_total"] == ()


def test_the_page_has_them() -> None:
    page = PAGE.read_text().splitlines()
    assert [line for line in page if line.startswith("| `lrgpnode_")] == rows()


def test_the_page_has_every_trouble() -> None:
    from lrgpnode.rnode.troubles import TROUBLES

    page = PAGE.read_text()
    assert [trouble.id for trouble in TROUBLES if f"`{trouble.id}`" not in page] == []

"""Presets and boards, against numbers written down here; the udev rule has every board."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from firmware_configs import _loading
from firmware_configs.catalogue import Chip, boards, presets
from lrgpnode.airtime.modem import Modem

# Published numbers: another number would be another preset, and two nodes would not hear each other.
NUMBERS = {
    "reticulum": (125_000, 8, 5),
    "long-fast": (250_000, 11, 5),
    "medium-slow": (250_000, 10, 5),
    "medium-fast": (250_000, 9, 5),
    "short-slow": (250_000, 8, 5),
    "short-fast": (250_000, 7, 5),
    "short-turbo": (500_000, 7, 5),
    "wide-medium": (500_000, 9, 5),
    "long-moderate": (125_000, 11, 8),
    "narrow-fast": (125_000, 7, 5),
    "narrow-medium": (125_000, 9, 5),
    "narrow-slow": (125_000, 10, 5),
}


def test_presets_are_what_was_published() -> None:
    found = {item.name: (item.bandwidth, item.spreading_factor, item.coding_rate) for item in presets()}
    assert found == NUMBERS
    assert len(set(found.values())) == len(found)


def test_the_sample_of_reticulum() -> None:
    pytest.importorskip("RNS")
    import RNS.Utilities.rnsd as rnsd

    example = rnsd.__example_rns_config__
    start = example.index("type = RNodeInterface")
    names = ("bandwidth", "spreadingfactor", "codingrate")
    found = [re.compile(rf"{name} = (\d+)").search(example, start) for name in names]
    assert tuple(int(match[1]) for match in found if match) == NUMBERS["reticulum"]


def test_presets_say_their_numbers() -> None:
    for item in presets():
        assert f"SF{item.spreading_factor}, {item.bandwidth / 1000:g} kHz" in item.title
        assert Modem(item.bandwidth, item.spreading_factor, item.coding_rate).bitrate > 0
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", item.name)


def test_boards_agree_with_rnodeconf() -> None:
    rnodeconf = pytest.importorskip("RNS.Utilities.rnodeconf")
    sx127x = {"SX1276", "SX1278"}
    for board in boards():
        assert board.product in rnodeconf.products
        low, high, dbm, _, _, chip = rnodeconf.models[board.model]
        assert board.max_tx_dbm == dbm, board
        if board.model != 0x16:  # rnodeconf lists the numbers of its sister there, with the right text
            assert low <= board.low_hz
            assert board.high_hz <= max(high, 960_000_000)
        if chip != "Unknown":
            assert (board.chip is Chip.SX127X) == (chip in sx127x), board


def test_every_model_of_rnodeconf_is_here_or_left_out_on_purpose() -> None:
    rnodeconf = pytest.importorskip("RNS.Utilities.rnodeconf")
    left_out = {0x04, 0x09, 0xAC}  # firmware files of B4 and B9; the radio for 2.4 GHz
    assert {board.model for board in boards()} | left_out >= set(rnodeconf.models)
    codes = [(board.product, board.model) for board in boards()]
    assert len(set(codes)) == len(codes)


def test_the_udev_rule_has_every_board() -> None:
    text = files("firmware_configs").joinpath("udev/70-lrgpnode.rules").read_text()
    rules = re.findall(
        r'^ATTRS\{idVendor\}=="(\w{4})"(?:, ATTRS\{idProduct\}=="([\w|]+)")?, GOTO="lrgpnode_radio"',
        text,
        re.MULTILINE,
    )
    assert rules
    for board in boards():
        for vendor, product in (*board.usb, *board.bootloader):
            assert any(
                vendor == int(rule, 16) and (not ids or f"{product:04x}" in ids.split("|"))
                for rule, ids in rules
            ), board


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"name": "x"}, "title is missing"),
        ({"name": 5}, "name = 5 is of the wrong kind"),
        ({"name": "x", "title": "y", "bandwidth_khz": True}, "bandwidth_khz = True"),
        (
            {
                "name": "x",
                "title": "y",
                "bandwidth_khz": 125,
                "spreading_factor": 8,
                "coding_rate": 5,
                "cr": 5,
            },
            r"unknown keys \['cr'\]",
        ),
    ],
)
def test_a_wrong_file_is_refused(table: dict[str, object], reason: str) -> None:
    with pytest.raises(_loading.CatalogueError, match=reason):
        _loading._preset(_loading._Table("test", table))


def test_a_band_needs_one_limit_of_power() -> None:
    band: dict[str, object] = {"low_mhz": 1, "high_mhz": 2, "source": "s"}
    for more in ({}, {"max_erp_dbm": 1, "max_eirp_dbm": 1}):
        with pytest.raises(_loading.CatalogueError, match="limits of power"):
            _loading._band(_loading._Table("test", band | more))
    assert _loading._band(_loading._Table("test", band | {"max_erp_dbm": 1})).max_power_dbm == 1

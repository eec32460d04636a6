"""From what an attempt has shown to one cause."""

from __future__ import annotations

import errno
import re
from typing import Any

import pytest

from lrgpnode.rnode.troubles import TROUBLES, Attempt, Settings, diagnose, section_fault

ASKED = Settings(frequency=867_200_000, bandwidth=125_000, spreading_factor=8, tx_power=20)
NOTHING = Settings(frequency=None, bandwidth=None, spreading_factor=None, tx_power=None)


def attempt(**shown: Any) -> Attempt:
    fields: dict[str, Any] = {
        "interface": "LoRa",
        "port": "/dev/ttyACM0",
        "remote": False,
        "opened": True,
        "detected": True,
        "firmware": (1, 86),
        "asked": ASKED,
        "answered": ASKED,
    }
    return Attempt(**fields | shown)


def answered(**changed: int) -> Settings:
    values = {
        name: getattr(ASKED, name) for name in ("frequency", "bandwidth", "spreading_factor", "tx_power")
    }
    return Settings(**values | changed)


@pytest.mark.parametrize(
    ("shown", "id", "words"),
    [
        ({"opened": False, "error": OSError(errno.ENOENT, "x")}, "radio-absent", "/dev/ttyACM0"),
        ({"opened": False, "error": OSError(errno.EACCES, "x")}, "radio-closed", "may not open"),
        ({"opened": False, "error": OSError(errno.EBUSY, "x")}, "radio-busy", "Another program"),
        ({"opened": False, "error": OSError(errno.EIO, "Input/output error.")}, "radio-port", "error."),
        ({"opened": False, "error": ValueError()}, "radio-port", "ValueError."),
        ({"opened": False, "remote": True}, "radio-unreachable", "/dev/ttyACM0"),
        (
            {"opened": False, "remote": True, "error": ModuleNotFoundError(name="bleak")},
            "radio-module",
            "the Python package bleak",
        ),
        ({"detected": False, "firmware": (0, 0)}, "radio-silent", "no RNode answers"),
        ({"detected": False, "firmware": (0, 0), "remote": True}, "radio-unreachable", "cannot be reached"),
        ({"firmware": (1, 51), "answered": NOTHING}, "radio-firmware", "1.51; Reticulum needs 1.52"),
        ({"firmware": (0, 9), "answered": NOTHING}, "radio-firmware", "0.09"),
        ({"answered": answered(tx_power=17)}, "radio-power", "17 dBm at most, and its section asks for 20"),
        ({"answered": answered(tx_power=22)}, "radio-parameters", "TX power 20 dBm became 22"),
        ({"answered": answered(tx_power=17, spreading_factor=7)}, "radio-parameters", "factor 8 became 7"),
        ({"answered": answered(bandwidth=250_000)}, "radio-parameters", "125000 Hz became 250000 Hz"),
        ({"answered": answered(frequency=867_300_000)}, "radio-parameters", "became 867300000 Hz"),
        ({"answered": answered(frequency=867_200_090)}, "radio-unconfirmed", "in time"),
        ({"answered": NOTHING}, "radio-unconfirmed", "did not confirm"),
        ({"error": OSError(errno.EIO, "gone")}, "radio-port", "gone"),
    ],
)
def test_a_cause(shown: dict[str, Any], id: str, words: str) -> None:
    found = diagnose(attempt(**shown))
    assert found.id == id
    assert words in found.cause


def test_the_table() -> None:
    assert len({trouble.id for trouble in TROUBLES}) == len(TROUBLES)
    for trouble in TROUBLES:
        assert re.fullmatch(r"radio-[a-z]+", trouble.id)
        said = trouble(**{name: name for name in trouble.names})
        assert said.cause.endswith(".")
        assert said.fix.endswith(".")


GOOD = {
    "port": "x",
    "frequency": "868100000",
    "bandwidth": "125000",
    "spreadingfactor": "8",
    "codingrate": "5",
}


def test_sections() -> None:
    assert section_fault(GOOD) == ""
    assert section_fault(GOOD | {"airtime_limit_long": "1.5", "flow_control": "No"}) == ""
    assert section_fault(GOOD | {"port": ""}) == "it has no `port`"
    assert "`txpower = 38`" in section_fault(GOOD | {"txpower": "38"})
    assert "`codingrate = 4`" in section_fault(GOOD | {"codingrate": "4"})
    assert "not a number" in section_fault(GOOD | {"spreadingfactor": "8.0"})

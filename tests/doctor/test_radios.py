"""Radios of a running node, as it tells of them; and sections that make none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.cli.context import Context
from lrgpnode.cli.doctor import look
from lrgpnode.doctor.checks import radio, reticulum, serial
from lrgpnode.doctor.examine import examine
from lrgpnode.doctor.finding import Finding, Severity
from lrgpnode.doctor.patient import Running
from lrgpnode.rnode import troubles
from tests.doctor.conftest import Ward

WHOLE = "frequency = 915000000\nbandwidth = 125000\nspreadingfactor = 8\ncodingrate = 5\ntxpower = 14"
OF_THE_NODE = (
    *("radio-absent", "radio-unreachable", "radio-closed", "radio-busy", "radio-port", "radio-silent"),
    *("radio-hung", "radio-lost", "radio-restarted", "radio-firmware", "radio-power", "radio-parameters"),
    *("radio-unconfirmed", "radio-hardware", "radio-module", "radio-section"),
)


def told(ward: Ward, *interfaces: dict[str, Any]) -> tuple[Finding, ...]:
    """What is found where a node runs that says this of its interfaces."""
    patient = look(Context(data=ward.data, socket=ward.data / "control.sock"), ward.machine)
    running = Running(pid=1, status={"interfaces": interfaces, "problems": ()})
    checks = (*reticulum.CHECKS, *serial.CHECKS, *radio.CHECKS)
    return examine(replace(patient, running=running), checks)


def said(trouble: troubles.Trouble) -> dict[str, Any]:
    found = trouble(**{name: name.upper() for name in trouble.names} | {"interface": "Radio"})
    shown = {"id": found.id, "cause": found.cause, "fix": found.fix}
    return {"name": "Radio", "online": False, "kind": "RNodeInterface", "trouble": shown}


def test_every_trouble_of_the_node_is_a_finding(ward: Ward) -> None:
    assert tuple(trouble.id for trouble in troubles.TROUBLES) == OF_THE_NODE
    for trouble in troubles.TROUBLES:
        (finding,) = [one for one in told(ward, said(trouble)) if one.interface == "Radio"]
        assert (finding.id, finding.severity) == (trouble.id, Severity.ERROR)
        assert "{" not in finding.cause + finding.fix


def test_a_check_of_the_port_knows_better_than_the_node(ward: Ward) -> None:
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-gone", WHOLE))
    ids = {one.id for one in told(ward, said(troubles.ABSENT))}
    assert "serial-absent" in ids
    assert not ids & {"radio-absent", "interface-down"}
    assert "radio-hung" in {one.id for one in told(ward, said(troubles.HUNG))}


def test_a_radio_that_is_up_is_no_finding(ward: Ward) -> None:
    good = {"name": "Radio", "online": True, "kind": "RNodeInterface", "trouble": None}
    assert not [one for one in told(ward, good) if one.id.startswith("radio")]


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (WHOLE.replace("= 8", "= 13"), "`spreadingfactor = 13` is not between 5 and 12"),
        (WHOLE.replace("915000000", "915,0"), "`frequency = 915, 0` is not a number"),
        (WHOLE.replace("bandwidth = 125000", ""), "it has no `bandwidth`"),
        (WHOLE + "\nairtime_limit_long = 110", "`airtime_limit_long = 110` is not between 0 and 100"),
        (WHOLE + "\nid_interval = often", "`id_interval = often` is not a number"),
        (WHOLE + "\nflow_control = perhaps", "`flow_control = perhaps` is neither yes nor no"),
    ],
)
def test_a_section_that_makes_no_radio(ward: Ward, section: str, words: str) -> None:
    ward.checks = (radio.sections,)
    ward.interfaces(ward.rnode("/dev/ttyUSB0", WHOLE))
    assert not ward.all()
    ward.interfaces(ward.rnode("/dev/ttyUSB0", section))
    (finding,) = ward.all()
    assert finding.id == "radio-section"
    assert words in finding.cause


def test_without_pyserial(ward: Ward, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ward.checks = (radio.sections,)
    ward.interfaces(ward.rnode("/dev/ttyUSB0", WHOLE))
    monkeypatch.setattr(radio, "find_spec", lambda name: None)
    (finding,) = ward.all()
    assert finding.id == "radio-module"
    assert "-m pip install pyserial" in finding.fix

"""The catalogue, its page, and that every fault is made for real by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lrgpnode.doctor import checks, faults
from lrgpnode.doctor.examine import examine, subject
from lrgpnode.doctor.faults import FAULTS
from lrgpnode.doctor.finding import Finding, Severity
from lrgpnode.doctor.patient import Patient
from lrgpnode.doctor.reference import page
from tests.doctor.conftest import Ward

ROOT = Path(__file__).parents[2]


def test_the_page_is_fresh() -> None:
    written = (ROOT / "docs" / "doctor.md").read_text()
    assert written == page(), "run: python -m lrgpnode.doctor.reference > docs/doctor.md"
    for fault in FAULTS:
        assert f"\n## {fault.id}\n" in written


def test_every_fault_is_made_by_a_test() -> None:
    here = Path(__file__)
    tests = "".join(file.read_text() for file in here.parent.glob("test_*.py") if file != here)
    assert [fault.id for fault in FAULTS if f'"{fault.id}"' not in tests] == []


def test_every_fault_is_found_by_a_check() -> None:
    names = {name for name, value in vars(faults).items() if value in FAULTS}
    sources = "".join(file.read_text() for file in Path(str(checks.__file__)).parent.glob("*.py"))
    sources += (ROOT / "lrgpnode/doctor/examine.py").read_text()
    assert [name for name in names if not re.search(rf"faults\.{name}\b", sources)] == []


def test_one_cause_and_one_fix_each() -> None:
    assert len({fault.id for fault in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", fault.id)
        for text in (fault.cause, fault.fix):
            assert text[0].isupper() or text[0] in "`{"
            # A reason in words of another program ends a sentence by itself.
            assert text.endswith((".", "{reason}", "{problem}"))


def test_the_values_must_fit() -> None:
    with pytest.raises(TypeError, match="clock-behind needs"):
        faults.CLOCK_BEHIND(now="now")
    with pytest.raises(TypeError):
        faults.CLOCK_UNTRUSTED(more="x")


def test_a_check_that_may_not_look_stops_no_other(ward: Ward) -> None:
    def blind(_: Patient) -> list[Finding]:
        """the stars"""
        raise PermissionError(13, "Permission denied", "/sky")

    def late(_: Patient) -> list[Finding]:
        return [faults.CLOCK_UNTRUSTED()]

    ward.checks = (blind, late)
    found = ward.all()
    assert [finding.severity for finding in found] == [Severity.WARNING, Severity.NOTE]
    assert found[1].cause == "The doctor could not look at the stars: Permission denied (/sky)."


def test_every_check_says_what_it_looks_at() -> None:
    subjects = [subject(check) for check in checks.CHECKS]
    assert len(set(subjects)) == len(subjects)
    assert all(check.__doc__ for check in checks.CHECKS)
    assert examine is not None

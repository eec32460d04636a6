"""Run every check; one that may not look does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from . import faults
from .checks import CHECKS, Check
from .finding import Finding, Severity
from .patient import Patient

_ORDER: Final = tuple(Severity)
_VAGUE: Final = frozenset({faults.INTERFACE_DOWN.id, faults.INTERFACE_FAILED.id})
"""Not said of an interface where something else says why."""


def examine(patient: Patient, checks: Sequence[Check] = CHECKS) -> tuple[Finding, ...]:
    """Everything that was found, errors first."""
    found = [finding for check in checks for finding in _run(check, patient)]
    explained = {
        item.interface for item in found if item.severity is Severity.ERROR and item.id not in _VAGUE
    }
    found = [item for item in found if item.id not in _VAGUE or item.interface not in explained]
    return tuple(sorted(found, key=lambda finding: _ORDER.index(finding.severity)))


def subject(check: Check) -> str:
    """What a check looks at, in words."""
    return (check.__doc__ or check.__name__).splitlines()[0]


def _run(check: Check, patient: Patient) -> Iterator[Finding]:
    try:
        yield from check(patient)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        yield faults.NOT_LOOKED(what=subject(check), reason=f"{error.strerror or error}{where}")

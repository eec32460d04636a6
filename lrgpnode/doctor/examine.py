"""Run every check; one that may not look does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from . import faults
from .checks import CHECKS, Check
from .finding import Finding, Severity
from .patient import Patient

_ORDER: Final = tuple(Severity)
_VAGUE: Final = {
    faults.INTERFACE_DOWN.id: 2,
    faults.INTERFACE_FAILED.id: 2,
    **dict.fromkeys(("radio-absent", "radio-closed", "radio-busy", "radio-port"), 1),
}
"""Not said of an interface where something that is less vague says why: the node knows only that it could
not open a port, and a check of the port why."""


def examine(patient: Patient, checks: Sequence[Check] = CHECKS) -> tuple[Finding, ...]:
    """Everything that was found, errors first."""
    found = [finding for check in checks for finding in _run(check, patient)]
    clearest: dict[str, int] = {}
    for item in found:
        if item.severity is Severity.ERROR:
            vague = _VAGUE.get(item.id, 0)
            clearest[item.interface] = min(vague, clearest.get(item.interface, vague))
    found = [
        item
        for item in found
        if _VAGUE.get(item.id, 0) <= clearest.get(item.interface, 2) or not _VAGUE.get(item.id)
    ]
    # Two checks may see the same.
    found = list(dict.fromkeys(found))
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

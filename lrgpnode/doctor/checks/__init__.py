"""Every check: a function from the patient to findings. The first line of its docstring says what it
looks at; it must not change anything, and may raise ``OSError`` where it is not allowed to look."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.patient import Patient

from . import clock, database, files, network, radio, reticulum, running, serial, service, web

Check = Callable[[Patient], Iterable[Finding]]

CHECKS: Final[tuple[Check, ...]] = (
    *service.CHECKS,
    *files.CHECKS,
    *running.CHECKS,
    *database.CHECKS,
    *clock.CHECKS,
    *reticulum.CHECKS,
    *serial.CHECKS,
    *radio.CHECKS,
    *network.CHECKS,
    *web.CHECKS,
)

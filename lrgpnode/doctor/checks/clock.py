"""Whether the wall clock can be believed."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from typing import Final

from lrgpnode.config import DATABASE_NAME
from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.patient import Patient
from storage import maintenance
from storage.errors import StorageError

SLACK: Final = 60.0
"""Seconds by which a clock that is being put right may be behind what it said before."""

_UNSYNCHRONISED: Final = 0x40
"""STA_UNSYNC of timex.h."""
_ERROR: Final = 5
"""TIME_ERROR: the state that adjtimex returns for a clock that nobody has set."""
_TIMEX_BYTES: Final = 256
"""Larger than struct timex on every machine (208 on 64 bits)."""


def behind(patient: Patient) -> Iterator[Finding]:
    """the clock"""
    try:
        newest = maintenance.newest_time(patient.data / DATABASE_NAME)
    except (StorageError, FileNotFoundError):
        return  # another check says what is wrong with it
    if newest is not None and patient.now < newest - SLACK:
        yield faults.CLOCK_BEHIND(now=_shown(patient.now), newest=_shown(newest))
    elif not synchronised():
        yield faults.CLOCK_UNTRUSTED()


def synchronised() -> bool:
    """What the kernel says of its clock. True also where it cannot be asked."""
    try:
        adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex
    except AttributeError:
        return True
    # With `modes` 0, its first field, it only reads.
    return int(adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))) != _ERROR


def _shown(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


CHECKS = (behind,)

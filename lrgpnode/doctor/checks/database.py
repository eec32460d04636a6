"""The database, and the disk that it is on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from lrgpnode.config import DATABASE_NAME
from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.patient import Patient
from storage import maintenance
from storage.errors import Damaged, StorageError

FILES: Final = 100
"""A node makes some ten files, Reticulum more of them."""


def sound(patient: Patient) -> Iterator[Finding]:
    """the database"""
    path = patient.data / DATABASE_NAME
    try:
        path.open("rb").close()  # where it may not be read, that is what is to be said
    except FileNotFoundError:
        return
    restore = patient.command("restore", "--move-aside", "FILE")
    try:
        report = maintenance.check(path)
    except Damaged as error:
        yield faults.DATABASE_DAMAGED(path=path, reason=error, restore=restore)
    except StorageError as error:
        yield faults.DATABASE_UNUSABLE(reason=error, restore=restore)
    else:
        if not report.ok:
            yield faults.DATABASE_DAMAGED(path=path, reason=f"{report.problems[0]}.", restore=restore)


def room(patient: Patient) -> Iterator[Finding]:
    """the room on the disk"""
    folder = patient.data
    while not folder.is_dir():
        folder = folder.parent
    disk = os.statvfs(folder)
    free, wanted = disk.f_bavail * disk.f_frsize, patient.machine.free_bytes
    if free < wanted:
        yield faults.DISK_FULL(data=patient.data, free=free >> 20, wanted=wanted >> 20)
    # Some file systems do not count files, and say 0.
    if disk.f_files and disk.f_favail < FILES:
        yield faults.DISK_FILES(data=patient.data, free=disk.f_favail)


CHECKS = (sound, room)

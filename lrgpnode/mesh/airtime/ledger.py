"""What a radio was on the air, kept over restarts of node and machine.

A packet must not wait for the disk, and a disk must not be written for each packet. So what may be spent
next is promised in advance, in parts of a twentieth of the limit: after a crash all of the last promise
counts as spent in its last moment. Ages are told by the clock that counts from the boot of the machine, and
over a reboot by no more than what has certainly passed. A file that cannot be read counts as an hour full,
and so does that of a node that was restored from a backup (``lrgpnode/backup/restore.py``).
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from lrgpnode.airtime.budget import MICRO, Budget, Record

from ..floor import Moment
from ..identity import sync_directory

MAX_BYTES: Final = 4 * 1024 * 1024
FULL: Final = 3600 * MICRO

_log = logging.getLogger(__name__)


def certainly_passed(then: Moment, now: Moment) -> float:
    """Seconds, never more than really have passed.

    Within one boot that is exact. Over a reboot it is at least the time since then; more is believed only
    of a wall clock that was vouched for both times.
    """
    if then.boot_id and then.boot_id == now.boot_id:
        return max(0.0, now.boot - then.boot)
    trusted = then.synchronised and now.synchronised
    return max(0.0, now.boot, now.wall - then.wall if trusted else 0.0)


class Ledger:
    """The file of one radio. ``now`` gives the moment by all clocks."""

    def __init__(self, path: Path, now: Callable[[], Moment]) -> None:
        self._path = path
        self._now = now

    def resume(self, budget: Budget, full: int) -> None:
        """Have ``budget`` go on where it was. ``full``: microseconds that fill the hour."""
        record, passed = self.load(full)
        budget.restore(record, passed)
        if record.promised:
            # From now on its age counts, whatever happens before anything is sent.
            self.save(budget.record())

    def load(self, full: int) -> tuple[Record, float]:
        """What was kept, and how long ago for certain. ``full``: microseconds that fill the hour."""
        try:
            content = json.loads(self._read())
            if content.get("restored") is True:
                _log.info("%s was restored from a backup, so the hour counts as used up", self._path)
                return Record(promised=full), 0.0
            return _record(content["record"]), certainly_passed(_moment(content["at"]), self._now())
        except FileNotFoundError:
            return Record(), 0.0
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("%s cannot be read, so the hour counts as used up: %s", self._path, error)
            return Record(promised=full), 0.0

    def save(self, record: Record) -> None:
        """Before anything of ``record.promised`` is spent. A disk that fails does not stop the node."""
        at = self._now()
        content = {"at": [at.wall, at.boot, at.boot_id, at.synchronised], "record": asdict(record)}
        try:
            self._write(json.dumps(content, separators=(",", ":")))
        except OSError as error:
            # In this process it still counts.
            _log.warning("%s could not be written: %s", self._path, error.strerror)

    def _read(self) -> str:
        if self._path.stat().st_size > MAX_BYTES:
            raise ValueError("it is too large")
        return self._path.read_text()

    def _write(self, text: str) -> None:
        partial = self._path.with_suffix(".new")
        with partial.open("w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self._path)
        sync_directory(self._path.parent)


def _moment(row: Any) -> Moment:
    wall, boot, boot_id, synchronised = row
    return Moment(float(wall), float(boot), str(boot_id), synchronised is True)


def _record(content: Any) -> Record:
    def windows(value: Any) -> dict[str, list[tuple[float, int]]]:
        return {str(name): _entries(entries) for name, entries in value.items()}

    return Record(
        promised=_amount(content["promised"]),
        all=_entries(content["all"]),
        own=_entries(content["own"]),
        purposes=windows(content["purposes"]),
        peers=windows(content["peers"]),
        apps=windows(content["apps"]),
    )


def _entries(rows: Any) -> list[tuple[float, int]]:
    return [(_age(age), _amount(amount)) for age, amount in rows]


def _age(value: Any) -> float:
    age = float(value)
    if not age >= 0.0:  # not-a-number, too
        raise ValueError("an age is below zero")
    return age


def _amount(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= FULL * 2:
        raise ValueError("an amount is not possible")
    return value

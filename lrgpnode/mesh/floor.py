"""How often an identity may be announced on a slow medium, over restarts of node and machine.

An announce over LoRa takes a second of airtime and is repeated by every transport node, so there is
at most one an hour, whatever asks for it: a timer, an interface that comes and goes, a node that is
restarted in a loop, an impatient person. One extra is allowed before a first challenge, since who has
never heard of an identity does not believe its messages; at most one in ten minutes, on any medium.
And since a single announce by radio gets lost easily, one repetition a day, after the first of a process.

When the last one was is kept in a file, which is written when an announce goes out on a slow medium
and at no other time. Everything here runs on the worker.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lrgpnode.protocol.value import Value

from .identity import sync_directory

FLOOR: Final = 3600.0
EXTRA_PAUSE: Final = 600.0
REPEAT_PAUSE: Final = 86_400.0

SLOW_BITRATE: Final = 100_000
"""Bits a second. The fastest LoRa has a fifth of it, and what is not radio mostly has far more."""

_PACKET_BITS: Final = 8 * 500
"""Reticulum's largest packet."""

_log = logging.getLogger(__name__)


def is_slow_way(bitrate: int | None, path_airtime: float) -> bool:
    """Whether messages to somebody go by a slow medium; where the way is not known, by the slowest there is.

    ``bitrate``: of the first interface on the way, bits a second. ``path_airtime``: seconds that the largest
    packet and its answer take on the slowest interface.
    """
    return bitrate < SLOW_BITRATE if bitrate else path_airtime > 2 * _PACKET_BITS / SLOW_BITRATE


@dataclass(frozen=True, slots=True, repr=False)
class Medium(Value):
    """An interface that announces can go out on. ``name`` stays the same over restarts.

    ``spread``: seconds within which a first announce is made, at random. Neighbours that do not hear each
    other come up together, after a power cut or at the first sign of a third, and would destroy each
    other's announces there. ``channel``: what radios must have in common to hear each other; whoever
    moves to another is among people who have not heard the last announce.
    """

    name: str
    slow: bool
    interface: Any
    spread: float = 0.0
    channel: str = ""

    @property
    def key(self) -> str:
        """What an announce is remembered under."""
        return f"{self.name} {self.channel}".rstrip()


@dataclass(frozen=True, slots=True, repr=False)
class Moment(Value):
    """A point in time by the wall clock and by the one that counts from this boot of the machine.

    ``synchronised``: whether the system vouched for the wall clock then.
    """

    wall: float
    boot: float
    boot_id: str
    synchronised: bool


def elapsed(then: Moment, now: Moment) -> float:
    """Seconds that have certainly passed; no more than really have.

    Within one boot that is exact. Over a reboot it is at least the time since; and what the wall clock
    shows, if it was right then. It is not too late now in any case: a machine without a clock of its own
    goes on after a reboot where it stopped. If it was not right then, it may have been put right since.
    """
    if then.boot_id == now.boot_id:
        return max(0.0, now.boot - then.boot)
    return max(now.boot, now.wall - then.wall if then.synchronised else 0.0)


def this_moment(boot_id: str, synchronised: Callable[[], bool]) -> Moment:
    return Moment(time.time(), time.clock_gettime(time.CLOCK_BOOTTIME), boot_id, synchronised())


class Floor:
    """The last announces of each identity on each medium, in the file ``path``."""

    def __init__(self, path: Path | None, now: Callable[[], Moment]) -> None:
        self._path = path
        self._now = now
        self._last: dict[tuple[str, str], Moment] = {}
        self._extra: dict[tuple[str, str], Moment] = {}
        self._repeated: dict[tuple[str, str], Moment] = {}
        if path is not None:
            self._load(path)

    def wait(self, identity: str, medium: Medium, *, extra: bool = False, repeated: bool = False) -> float:
        """Seconds until the identity may be announced there; 0 for now."""
        key, now = (identity, medium.key), self._now()
        if repeated and medium.slow:
            return _left(self._repeated.get(key), REPEAT_PAUSE, now)
        if extra:
            waits = _left(self._extra.get(key), EXTRA_PAUSE, now)
            return waits if not medium.slow else min(waits, _left(self._last.get(key), FLOOR, now))
        return _left(self._last.get(key), FLOOR, now) if medium.slow else 0.0

    def announced(
        self, identity: str, media: list[Medium], *, extra: bool = False, repeated: bool = False
    ) -> None:
        """Note that the identity was announced on these media just now."""
        now = self._now()
        for medium in media:
            key = (identity, medium.key)
            if extra:
                self._extra[key] = now
            if medium.slow:
                self._last[key] = now
                if repeated:
                    self._repeated[key] = now
        self._drop_old(now)
        if self._path is not None and any(medium.slow for medium in media):
            self._save(self._path)

    def _drop_old(self, now: Moment) -> None:
        for moments, pause in (
            (self._last, FLOOR),
            (self._extra, EXTRA_PAUSE),
            (self._repeated, REPEAT_PAUSE),
        ):
            for key in [key for key, moment in moments.items() if elapsed(moment, now) >= pause]:
                del moments[key]

    def _load(self, path: Path) -> None:
        try:
            content = json.loads(path.read_bytes())
            self._last, self._extra = _moments(content["last"]), _moments(content["extra"])
            self._repeated = _moments(content.get("repeated", ()))
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("%s cannot be read and is begun anew: %s", path, error)

    def _save(self, path: Path) -> None:
        content = json.dumps(
            {"last": _rows(self._last), "extra": _rows(self._extra), "repeated": _rows(self._repeated)}
        )
        partial = path.with_suffix(".new")
        try:
            with partial.open("w") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
            sync_directory(path.parent)
        except OSError as error:
            # In this process it still counts.
            _log.warning("%s could not be written: %s", path, error.strerror)


def _left(then: Moment | None, pause: float, now: Moment) -> float:
    return 0.0 if then is None else max(0.0, pause - elapsed(then, now))


def _rows(moments: Mapping[tuple[str, str], Moment]) -> list[list[Any]]:
    return [
        [*key, moment.wall, moment.boot, moment.boot_id, moment.synchronised]
        for key, moment in moments.items()
    ]


def _moments(rows: Any) -> dict[tuple[str, str], Moment]:
    return {
        (str(identity), str(medium)): Moment(float(wall), float(boot), str(boot_id), synchronised is True)
        for identity, medium, wall, boot, boot_id, synchronised in rows
    }

"""What propagation remembers over a restart: one small file, replaced as a whole.

It is written when a choice changes, when mail has been fetched and, for what was heard, once a day:
an SD card is spared, and what is lost in a crash is heard again.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

import msgspec

from ..identity import sync_directory

_log = logging.getLogger(__name__)


class HeardNode(msgspec.Struct, frozen=True, kw_only=True):
    """A propagation node by its last announce. Times are Unix seconds."""

    hash: str
    name: str
    enabled: bool
    hops: int
    stamp_cost: int
    message_kb: int
    heard_at: float


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """The last time that all mail of an identity was fetched, where, and how much of it."""

    at: float
    node: str
    received: int


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """``good`` is the node that worked last, at ``good_at``; ``hosting``: ours was announced as on."""

    added: tuple[str, ...] = ()
    preferred: str = ""
    good: str = ""
    good_at: float = 0.0
    heard: tuple[HeardNode, ...] = ()
    synced: dict[str, Synced] = {}
    hosting: bool = False


class StateFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Remembered:
        """The state, empty where there is none. A damaged file is set aside: it is no reason not to run."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Remembered)
        except FileNotFoundError:
            return Remembered()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            damaged = self._path.with_suffix(".damaged")
            _log.warning("%s cannot be used and is set aside: %s", self._path, error)
            try:
                self._path.replace(damaged)
            except OSError as failed:
                _log.warning("%s cannot be renamed: %s", self._path, failed.strerror)
            return Remembered()

    def save(self, state: Remembered) -> None:
        """Replace the file. What cannot be written is logged: propagation goes on without it."""
        partial = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(state), indent=1))
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self._path)
            sync_directory(self._path.parent)
        except OSError as error:
            _log.error("%s cannot be written: %s", self._path, error.strerror)

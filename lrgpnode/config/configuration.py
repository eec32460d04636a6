"""The settings that a node runs with, beside those that are in its file now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lrgpnode.config.kinds import ConfigError, plain
from lrgpnode.config.reading import (
    DEFAULT,
    FILE,
    Found,
    Loaded,
    known,
    parsed,
    read_file,
    read_table,
    unknown,
)
from lrgpnode.config.table import SETTINGS, Setting, Settings
from lrgpnode.protocol.value import Value

NOW = "now"
NEXT_START = "next_start"
OVERRIDDEN = "overridden"

UNTIL_STOP = "until it stops"
"""Origin of a value that was set for the running node only."""


@dataclass(frozen=True, slots=True, repr=False)
class Shown(Value):
    """A setting as it stands, values as TOML knows them.

    ``origin``: ``default``, ``file``, the option of the command line, or ``until it stops``.
    ``pending``: the file says ``next_value``, which is for the next start.
    """

    row: Setting
    value: Any
    origin: str
    pending: bool
    next_value: Any


@dataclass(frozen=True, slots=True, repr=False)
class Report(Value):
    """``problem``: what is wrong in the file now, which the node has not read yet; else empty."""

    settings: tuple[Shown, ...]
    problem: str = ""


class Configuration:
    """What a node runs with. Not for several threads."""

    def __init__(self, loaded: Loaded) -> None:
        self.paths = loaded.paths
        self.settings = loaded.settings
        self._origins = dict(loaded.origins)
        self._appliers: dict[str, Callable[[Any], None]] = {}

    def on_change(self, key: str, apply: Callable[[Any], None]) -> None:
        """Call ``apply`` with the new value when the setting, which must be marked live, changes."""
        if not SETTINGS[key].live:
            raise ValueError(f"{key} is not marked live in the table")
        self._appliers[key] = apply

    def report(self, key: str | None = None) -> Report:
        """All settings, one, or those of a section. Raises ``ConfigError`` for any other key."""
        rows = [row for row in SETTINGS.values() if key is None or key in (row.key, row.section)]
        if not rows:
            raise ConfigError(unknown(key or "", SETTINGS))
        try:
            found = self._file()
        except ConfigError as error:
            return Report(tuple(self._shown(row, None) for row in rows), str(error))
        return Report(tuple(self._shown(row, found) for row in rows))

    def adopt(self, key: str) -> str:
        """Let what the file says of a setting act, if it can; when it does: ``now``, ``next_start``,
        or ``overridden`` where an option of the command line goes before the file."""
        row = SETTINGS.get(key)
        if row is None:
            return NOW
        origin = self._origins.get(key, DEFAULT)
        if origin not in (DEFAULT, FILE, UNTIL_STOP):
            return OVERRIDDEN
        if key not in self._appliers:
            return NEXT_START
        found = self._file()
        value = getattr(found.table, row.field)
        self._act(row, value, FILE if key in found.keys else DEFAULT)
        return NOW

    def change_until_stop(self, key: str, value: Any) -> None:
        """Let a live setting act without putting it into the file. Raises ``ConfigError``."""
        row = known(key)
        self._act(row, parsed(row, value, f"the setting {key}"), UNTIL_STOP)

    def _act(self, row: Setting, value: Any, origin: str) -> None:
        self._appliers[row.key](value)
        self.settings = replace(self.settings, **{row.field: value})
        self._origins[row.key] = origin

    def origin(self, key: str) -> str:
        """Where the value that a setting has comes from."""
        return self._origins.get(key, DEFAULT)

    def _file(self) -> Found[Settings]:
        return read_table(Settings, read_file(self.paths.config), self.paths.config)

    def _shown(self, row: Setting, found: Found[Settings] | None) -> Shown:
        value, origin = getattr(self.settings, row.field), self.origin(row.key)
        next_value = getattr(found.table, row.field) if found is not None else value
        pending = value != next_value and origin in (DEFAULT, FILE, UNTIL_STOP)
        return Shown(row, plain(value), origin, pending, plain(next_value))

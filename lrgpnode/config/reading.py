"""Reading ``lrgpnode.toml`` by the table, and what the command line says over it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from lrgpnode.config.kinds import ConfigError
from lrgpnode.config.paths import Paths, RunOptions, absolute, resolve
from lrgpnode.config.table import SETTINGS, Setting, Settings, rows
from lrgpnode.protocol.value import Value

T = TypeVar("T")

DEFAULT: Final = "default"
FILE: Final = "file"


@dataclass(frozen=True, slots=True, repr=False)
class Loaded(Value):
    """Which node, its settings, and where each that is not a default comes from, by key."""

    paths: Paths
    settings: Settings
    origins: Mapping[str, str]


def load(options: RunOptions, environ: Mapping[str, str] = os.environ) -> Loaded:
    """Paths and settings of the node that the options mean, which go before its settings file."""
    paths = resolve(options, environ)
    content = read_file(paths.config, required=options.config is not None)
    found = read_table(Settings, content, paths.config)
    rns_config = None if options.rns_config is None else str(absolute(options.rns_config))
    given = (
        ("--name", "node.name", options.name),
        ("--log-level", "node.log_level", options.log_level),
        ("--rns-config", "rns.config_dir", rns_config),
    )
    said = [(option, SETTINGS[key], value) for option, key, value in given if value is not None]
    changes = {row.field: parsed(row, value, option) for option, row, value in said}
    origins = dict.fromkeys(found.keys, FILE) | {row.key: option for option, row, _ in said}
    return Loaded(paths, replace(found.table, **changes), origins)


def read_settings(path: Path, *, required: bool = False) -> Settings:
    """The settings in a file; the defaults where there is none, unless it is ``required``."""
    return parse_settings(read_file(path, required=required), path)


def read_file(path: Path, *, required: bool = False) -> bytes:
    """The content of a settings file; nothing where there is none, unless it is ``required``."""
    try:
        content = path.read_bytes()
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        if required:
            raise ConfigError(f"there is no settings file {path}") from None
        return b""
    except OSError as error:
        raise ConfigError(f"cannot read the settings file {path}: {error.strerror}") from error
    if mode & 0o077:
        check_private(Settings, content, path)
    return content


def parse_settings(content: bytes, path: Path) -> Settings:
    """The settings in the text of a file; ``path`` is for messages and relative paths."""
    return read_table(Settings, content, path).table


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """What is in a file: all settings, and the keys that it sets."""

    table: T
    keys: frozenset[str]


def read_table(cls: type[T], content: bytes, path: Path) -> Found[T]:
    """The text of a file read by any table like ``Settings``."""
    table = rows(cls)
    values = _values(table, content, path)
    for problem in _problems(table, values):
        raise ConfigError(f"{path}: {problem}")
    fields = {}
    for key, value in values.items():
        field = parsed(table[key], value, f"{path}: {key}")
        fields[table[key].field] = path.parent / field if isinstance(field, Path) else field
    return Found(cls(**fields), frozenset(values))


def problems(content: bytes, path: Path) -> tuple[str, ...]:
    """Everything that is wrong in the text of a file, a sentence each."""
    try:
        return tuple(
            f"{path}: {problem}" for problem in _problems(SETTINGS, _values(SETTINGS, content, path))
        )
    except ConfigError as error:
        return (str(error),)


def parsed(row: Setting, value: Any, where: str) -> Any:
    """The checked value of a setting; ``where`` begins the message."""
    try:
        return row.kind.parse(value)
    except ValueError:
        shown = "that" if row.secret else _shown(value)
        raise ConfigError(f"{where} must be {row.kind.words}, not {shown}") from None


def typed(key: str, value: str) -> Any:
    """What a person typed as a value, as TOML knows it. Raises ``ConfigError``."""
    row = known(key)
    try:
        return row.kind.read(value)
    except ValueError:
        # The message is that of any other wrong value.
        parsed(row, value, f"the setting {key}")
        raise


def known(key: str) -> Setting:
    """The setting of a key that a person typed."""
    row = SETTINGS.get(key)
    if row is None:
        raise ConfigError(unknown(key, SETTINGS))
    return row


def check_private(cls: type, content: bytes, path: Path) -> None:
    """Refuse secrets in a file that others may read."""
    table = rows(cls)
    if not any(row.secret for row in table.values()):
        return
    for key in _values(table, content, path):
        if key in table and table[key].secret:
            raise ConfigError(f"{path} holds the secret {key} and others may read it; run: chmod 600 {path}")


def _values(table: Mapping[str, Setting], content: bytes, path: Path) -> dict[str, Any]:
    # A client command seldom comes here, and starts faster without it.
    import tomllib  # noqa: PLC0415

    try:
        return _flatten(tomllib.loads(content.decode()), table)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def _problems(table: Mapping[str, Setting], values: Mapping[str, Any]) -> Iterator[str]:
    for key in values:
        if key not in table:
            yield unknown(key, table)
    for key, value in values.items():
        if key in table:
            try:
                parsed(table[key], value, key)
            except ConfigError as error:
                yield str(error)


def _shown(value: Any) -> str:
    try:
        return f"{value!r:.80}"
    except ValueError:
        # Python refuses to write very long integers.
        return "that"


def _flatten(found: Mapping[str, Any], table: Mapping[str, Setting], prefix: str = "") -> dict[str, Any]:
    """Dotted names of everything that is no table, and of empty tables that no setting is in."""
    flat: dict[str, Any] = {}
    for key, value in found.items():
        name = prefix + key
        if not isinstance(value, dict):
            flat[name] = value
        elif value:
            flat.update(_flatten(value, table, f"{name}."))
        elif not is_table(name, table):
            flat[name] = value
    return flat


def is_table(name: str, table: Mapping[str, Setting]) -> bool:
    """Whether a name is that of a section with settings in it."""
    return any(key.startswith(f"{name}.") for key in table)


def unknown(name: str, table: Mapping[str, Setting]) -> str:
    """What to say about a key that no setting has."""
    if is_table(name, table):
        return f"{name} is a table: write its settings under [{name}]"
    import difflib  # noqa: PLC0415

    # A key that was put into the wrong table is as likely as a slip in its spelling.
    last = name.rpartition(".")[2]
    near = [key for key in table if key.rpartition(".")[2] == last]
    near = near or difflib.get_close_matches(name, list(table), n=1)
    return f"there is no setting {name}" + (f"; did you mean {near[0]}?" if near else "")

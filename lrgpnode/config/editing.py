"""Changing one setting in ``lrgpnode.toml``, with the comments and the layout of its author kept."""

from __future__ import annotations

import fcntl
import os
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from lrgpnode.config.kinds import ConfigError
from lrgpnode.config.reading import check_private, is_table, known, parse_settings, parsed, unknown
from lrgpnode.config.table import SETTINGS, Settings


class Remove:
    """Instead of a value: take the setting out of the file."""


REMOVE = Remove()


def edited(content: bytes, key: str, value: Any, path: Path) -> bytes:
    """The text of a settings file with one setting changed, or removed where ``value`` is ``REMOVE``.

    The result is valid as a whole. Raises ``ConfigError``, with ``path`` in the message.
    """
    # Slow to load, and only needed here.
    import tomlkit  # noqa: PLC0415
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        before = tomllib.loads(content.decode())
        document = tomlkit.parse(content)
        if document and key.partition(".")[0] not in document and not isinstance(value, Remove):
            document.add(tomlkit.nl())
        _put(document, key.split("."), value)
        result = document.as_string().encode()
        # What an editing library does to an unusual layout is not taken on trust.
        _put(before, key.split("."), value)
        trusted = _filled(tomllib.loads(result.decode())) == _filled(before)
    except (ValueError, TypeError, RecursionError, TOMLKitError) as error:
        raise ConfigError(f"{path} cannot be edited: {error}") from None
    if not trusted:
        raise ConfigError(f"{path} has a layout that is not understood; change {key} there with an editor")
    parse_settings(result, path)
    return result


def _put(table: MutableMapping[str, Any], names: list[str], value: Any) -> None:
    *sections, last = names
    for name in sections:
        if isinstance(value, Remove) and name not in table:
            return
        table = table.setdefault(name, {})
        if not isinstance(table, MutableMapping):
            raise ValueError(f"{name} is not a table")
    if not isinstance(value, Remove):
        table[last] = value
    elif last in table:
        del table[last]


def _filled(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table without the empty ones in it."""
    tidy = {name: _filled(value) if isinstance(value, dict) else value for name, value in table.items()}
    return {name: value for name, value in tidy.items() if value != {}}


def write_setting(path: Path, key: str, value: Any) -> None:
    """Put a setting into a file, which is made if it is missing, or take it out (``REMOVE``).

    Durable when it returns. What is no setting can be taken out: how else would a slip be mended.
    Raises ``ConfigError``.
    """
    row = SETTINGS.get(key)
    if not isinstance(value, Remove):
        parsed(known(key), value, f"the setting {key}")
    elif is_table(key, SETTINGS):
        raise ConfigError(unknown(key, SETTINGS))
    if not _change(path, key, value) and row is None:
        raise ConfigError(unknown(key, SETTINGS))


def _change(path: Path, key: str, value: Any) -> bool:
    """Whether the file had to be changed."""
    path = Path(os.path.realpath(path))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(path.parent) as directory:
            content = path.read_bytes() if path.exists() else b""
            result = edited(content, key, value, path)
            if result == content:
                return False
            _replace(path, result)
            os.fsync(directory)
            return True
    except OSError as error:
        raise ConfigError(f"cannot change the settings file {path}: {error.strerror}") from error


@contextmanager
def _locked(directory: Path) -> Iterator[int]:
    """A handle of a directory, in which nobody else changes settings meanwhile."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)


def _replace(path: Path, content: bytes) -> None:
    """Put a file in the place of another, with its owner and mode; a new one is private."""
    try:
        old = path.stat()
        mode = old.st_mode & 0o777
    except FileNotFoundError:
        old, mode = path.parent.stat(), 0o600
    if mode & 0o077:
        check_private(Settings, content, path)
    handle, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            # With sudo the file of the service must not become root's.
            if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()) and os.geteuid() == 0:
                os.fchown(file.fileno(), old.st_uid, old.st_gid)
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise

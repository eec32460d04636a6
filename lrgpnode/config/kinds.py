"""What a setting may be: from TOML, from a command line, and in words for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

_FLAGS: Final = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_HASH: Final = re.compile(r"[0-9a-f]{32}")


_LISTENING: Final = re.compile(
    r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9.-]+)):(?P<port>[0-9]{1,5})"
)
_WEB: Final = re.compile(r"(?:[a-z]+://[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~/-]*)?)?")
_REMOTE: Final = re.compile(
    r"(?P<host>[A-Za-z0-9._-]{1,253}|\[(?P<v6>[0-9A-Fa-f:]{2,45})\])(?::(?P<port>[0-9]{1,5}))?"
)


class ConfigError(Exception):
    """A setting, an option or a path is wrong; ``str()`` is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What a setting may be.

    ``words`` complete "must be …". ``parse`` takes the value as TOML gives it, ``read`` makes such a
    value out of what a person typed; both raise ``ValueError``. ``choices`` is empty where there are
    too many to list.
    """

    words: str
    parse: Callable[[Any], T]
    read: Callable[[str], Any]
    choices: tuple[str, ...] = ()


def plain(value: Any) -> Any:
    """The value of a setting as TOML and JSON know it."""
    if isinstance(value, Path):
        return str(value)
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def flag() -> Kind[bool]:
    def parse(value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value

    def read(typed: str) -> Any:
        return _FLAGS.get(typed.lower(), typed)

    return Kind("true or false", parse, read, ("true", "false"))


def text(most: int, *, least: int = 1) -> Kind[str]:
    """Printable text of ``least`` to ``most`` characters."""

    def parse(value: Any) -> str:
        if not isinstance(value, str) or not least <= len(value) <= most or not value.isprintable():
            raise ValueError
        return value

    return Kind(f"a text of {least} to {most} printable characters", parse, str)


def title(most: int) -> Kind[str]:
    """What something is called: printable text; spaces around it do not count."""
    kind = text(most)
    return replace(
        kind, parse=lambda value: kind.parse(value.strip(" ") if isinstance(value, str) else value)
    )


def whole(low: int, high: int) -> Kind[int]:
    def parse(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError
        return value

    return Kind(f"a whole number from {low} to {high}", parse, int)


def number(low: float, high: float) -> Kind[float]:
    def parse(value: Any) -> float:
        # Not-a-number is in no range.
        if type(value) not in {int, float} or not low <= value <= high:
            raise ValueError
        return float(value)

    return Kind(f"a number from {low:g} to {high:g}", parse, float)


def choice(*values: str) -> Kind[str]:
    def parse(value: Any) -> str:
        if value not in values:
            raise ValueError
        return str(value)

    return Kind(f"one of {', '.join(values)}", parse, str, values)


def folder() -> Kind[Path | None]:
    """A directory. A relative path is one from the directory of the settings file."""
    return Kind("the path of a directory", _path, _typed_path)


def file() -> Kind[Path | None]:
    """A file. A relative path is one from the directory of the settings file."""
    return Kind("the path of a file", _path, _typed_path)


def several(item: Kind[T], most: int) -> Kind[tuple[T, ...]]:
    """A list of at most ``most`` values of a kind, in order and each once; typed with commas between."""

    def parse(value: Any) -> tuple[T, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > most:
            raise ValueError
        parsed = tuple(item.parse(one) for one in value)
        if any(one in parsed[:place] for place, one in enumerate(parsed)):
            raise ValueError
        return parsed

    def read(typed: str) -> Any:
        return [item.read(one.strip()) for one in typed.split(",")] if typed.strip() else []

    return Kind(f"a list of at most {most} different values, each {item.words}", parse, read)


def address() -> Kind[str]:
    """The hash of a Reticulum destination."""

    def parse(value: Any) -> str:
        if not isinstance(value, str) or not _HASH.fullmatch(value):
            raise ValueError
        return value

    return Kind("a hash of 32 digits 0-9 and a-f", parse, str.lower)


def listening(*, nowhere: bool = False) -> Kind[str]:
    """Where to listen: ``HOST:PORT``, an IPv6 address in brackets. Port 0 is the system's choice.

    ``nowhere``: it may be empty.
    """

    def parse(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError
        text: str = value
        if text or not nowhere:
            host_and_port(text)
        return text

    words = "HOST:PORT, such as 127.0.0.1:8820"
    return Kind(f"{words}, or empty" if nowhere else words, parse, str)


def host_and_port(text: str) -> tuple[str, int]:
    """The parts of what ``listening`` allows. Raises ``ValueError``."""
    found = _LISTENING.fullmatch(text)
    if found is None or int(found["port"]) > 65_535:
        raise ValueError
    return found["v6"] or found["host"], int(found["port"])


def route(games: Sequence[str], platforms: Sequence[str]) -> Kind[str]:
    """To which platform a game goes: ``GAME=PLATFORM``, spaces around both do not count."""

    def parse(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError
        game, _, platform = (part.strip() for part in value.partition("="))
        if game not in games or platform not in platforms:
            raise ValueError
        return f"{game}={platform}"

    words = f"GAME=PLATFORM, a game of {', '.join(games)} and a platform of {', '.join(platforms)}"
    return Kind(words, parse, str)


def web_address(*schemes: str) -> Kind[str]:
    """Where others reach a web server: a host behind one of ``schemes`` (``http``, ``https``), or nothing."""
    begins = [f"{scheme}://" for scheme in schemes or ("http", "https")]

    def parse(value: Any) -> str:
        if not isinstance(value, str) or not _WEB.fullmatch(value):
            raise ValueError
        if value and not value.startswith(tuple(begins)):
            raise ValueError
        return value.rstrip("/")

    return Kind(f"an address that begins with {' or '.join(begins)}, or empty", parse, str)


def remote() -> Kind[str]:
    """A host of others, with a port or without, or nothing."""

    def parse(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError
        if value:
            host_and_maybe_port(value, 1)
        return value

    return Kind("HOST or HOST:PORT, or empty", parse, str)


def host_and_maybe_port(text: str, default: int) -> tuple[str, int]:
    """The parts of what ``remote`` allows; ``default`` where it names no port. Raises ``ValueError``."""
    found = _REMOTE.fullmatch(text)
    if found is None or not 0 < int(found["port"] or default) <= 65_535:
        raise ValueError
    return found["v6"] or found["host"], int(found["port"] or default)


def _path(value: Any) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise ValueError from None


def _typed_path(typed: str) -> str:
    # Whoever types a relative path means it from where he is.
    path = _path(typed)
    return str(path.absolute())

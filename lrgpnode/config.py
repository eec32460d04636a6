"""Where a node keeps its files, and its settings (architecture §7). Imports nothing heavy.

``SETTINGS`` is the one table of what ``lrgpnode.toml`` may contain. A setting is added by a row there
and a field of ``Settings``, whose name is the setting's with ``_`` for ``.``.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

SERVICE_DATA: Final = Path("/var/lib/lrgpnode")
SERVICE_SOCKET: Final = Path("/run/lrgpnode/control.sock")
UNIT_FILES: Final = tuple(
    Path(folder) / "lrgpnode.service"
    for folder in (
        "/etc/systemd/system",
        "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system",
        "/lib/systemd/system",
    )
)
"""Where the unit of the service may be installed."""

FILE_NAME: Final = "lrgpnode.toml"
LOCK_NAME: Final = "lock"
MAX_SOCKET_PATH: Final = 107
"""What the kernel takes for the path of a socket, in bytes."""

_TEMPORARY: Final = Path("/tmp")  # noqa: S108 - only for a directory of mode 0700 that is checked


class ConfigError(Exception):
    """A setting, an option or a path is wrong; ``str()`` is a sentence for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the command line says; None where it says nothing. Goes before the settings file."""

    data: Path | None = None
    config: Path | None = None
    socket: Path | None = None
    listen: str | None = None
    connect: tuple[str, ...] = ()
    rns_config: Path | None = None
    name: str | None = None
    log_level: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The files of a node, absolute. ``service``: it is the installed service's node, not one of the user."""

    data: Path
    config: Path
    socket: Path
    socket_mode: int
    service: bool


def service_installed() -> bool:
    """Whether this machine has the systemd unit of lrgpnode."""
    return any(unit.exists() for unit in UNIT_FILES)


def resolve(options: RunOptions, environ: Mapping[str, str] = os.environ) -> Paths:
    """Which node is meant. The same for the node and its clients, given the same options.

    Without a data directory given, it is the service's node where that is installed.
    """
    chosen = options.data or _path(environ, "LRGPNODE_DATA")
    service = chosen is None and service_installed()
    # Symbolic links are followed, so that each spelling of a directory leads to the same socket.
    data = SERVICE_DATA if service else _absolute(chosen or _user_data(environ), follow=True)
    explicit = options.socket or _path(environ, "LRGPNODE_SOCKET")
    if explicit is not None:
        socket = _absolute(explicit)
    elif service:
        socket = SERVICE_SOCKET
    else:
        socket = _user_socket(data, environ)
    if not _fits(socket):
        raise ConfigError(
            f"the path of the control socket is longer than {MAX_SOCKET_PATH} bytes: {socket}; "
            "choose a shorter one with $LRGPNODE_SOCKET"
        )
    config = _absolute(options.config) if options.config else data / FILE_NAME
    return Paths(
        data=data, config=config, socket=socket, socket_mode=0o660 if service else 0o600, service=service
    )


def _path(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name)
    return Path(value) if value else None


def _absolute(path: Path, *, follow: bool = False) -> Path:
    try:
        path = path.expanduser()
        return path.resolve() if follow else path.absolute()
    except (OSError, RuntimeError, ValueError) as error:
        # An unknown ~user, a loop of symbolic links, a NUL byte.
        raise ConfigError(f"{str(path)!r} cannot be a path: {error}") from None


def _user_data(environ: Mapping[str, str]) -> Path:
    base = _path(environ, "XDG_DATA_HOME")
    # The XDG specification has relative paths ignored.
    return (base if base and base.is_absolute() else Path("~/.local/share")) / "lrgpnode"


def _user_socket(data: Path, environ: Mapping[str, str]) -> Path:
    name = f"{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}.sock"
    runtime = _path(environ, "XDG_RUNTIME_DIR")
    if runtime is not None and _is_ours(runtime):
        socket = runtime / "lrgpnode" / name
        if _fits(socket):
            return socket
    return _private_directory(_TEMPORARY / f"lrgpnode-{os.getuid()}") / "lrgpnode" / name


def _is_ours(runtime: Path) -> bool:
    """Whether a runtime directory can be used: after `su` it may still be the other user's."""
    try:
        status = runtime.stat()
    except OSError:
        return False
    return runtime.is_absolute() and stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def write_lock(handle: int, socket: Path) -> None:
    """Note in the data directory's lock file who holds it and where it answers."""
    content = json.dumps({"pid": os.getpid(), "socket": str(socket)}).encode()
    os.ftruncate(handle, 0)
    os.pwrite(handle, content, 0)


def read_lock(data: Path) -> tuple[int, Path] | None:
    """(process, control socket) of the node that holds, or last held, a data directory."""
    try:
        content = json.loads((data / LOCK_NAME).read_text())
        return int(content["pid"]), Path(content["socket"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _private_directory(path: Path) -> Path:
    """``path`` as a directory that nobody else can enter; made if it is missing."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
    except OSError as error:
        raise ConfigError(f"cannot make the directory {path}: {error.strerror}") from error
    # Under /tmp anybody may have made it before us, to lend us a socket of his.
    mine = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    if not mine or stat.S_IMODE(status.st_mode) & 0o077:
        raise ConfigError(
            f"{path} must be a directory of yours with mode 0700; remove it, or set $XDG_RUNTIME_DIR"
        )
    return path


def _fits(socket: Path) -> bool:
    return len(os.fsencode(socket)) <= MAX_SOCKET_PATH


class Kind(NamedTuple):
    """What a setting may be: ``words`` for people, ``parse`` raises ``ValueError``."""

    words: str
    parse: Callable[[Any], Any]


def text(most: int) -> Kind:
    def parse(value: Any) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= most or not value.isprintable():
            raise ValueError
        return value

    return Kind(f"a text of 1 to {most} printable characters", parse)


def whole(low: int, high: int) -> Kind:
    def parse(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError
        return value

    return Kind(f"a whole number from {low} to {high}", parse)


def choice(*values: str) -> Kind:
    def parse(value: Any) -> str:
        if value not in values:
            raise ValueError
        return str(value)

    return Kind(f"one of {', '.join(values)}", parse)


def folder() -> Kind:
    def parse(value: Any) -> Path:
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError
        try:
            return Path(value).expanduser()
        except RuntimeError:
            raise ValueError from None

    return Kind("the path of a directory", parse)


def hostname() -> str:
    """The name of this machine, without its domain."""
    return os.uname().nodename.partition(".")[0] or "lrgpnode"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. A callable ``default`` is called each time."""

    name: str
    kind: Kind
    default: Any
    help: str

    @property
    def field(self) -> str:
        return self.name.replace(".", "_")


SETTINGS: Final = (
    Setting("node.name", text(64), hostname, "Name of the node, also of its first identity."),
    Setting("node.log_level", choice("debug", "info", "warning", "error"), "info", "How much is logged."),
    Setting(
        "rns.config_dir",
        folder(),
        None,
        "Reticulum's configuration directory; without it the machine's usual one.",
    ),
    Setting(
        "announce.interval_minutes",
        whole(0, 10_080),
        180,
        "Pause between announces; 0 for none but the first.",
    ),
    Setting("announce.at_start_seconds", whole(0, 3600), 5, "When to announce after the start."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a node; see ``SETTINGS`` for what they mean."""

    node_name: str
    node_log_level: str
    rns_config_dir: Path | None
    announce_interval_minutes: int
    announce_at_start_seconds: int


def load(options: RunOptions, environ: Mapping[str, str] = os.environ) -> tuple[Paths, Settings]:
    """Paths and settings of the node that the options mean, which go before its settings file."""
    paths = resolve(options, environ)
    settings = read_settings(paths.config, required=options.config is not None)
    rns_config = None if options.rns_config is None else str(_absolute(options.rns_config))
    given = (
        ("--name", "node.name", options.name),
        ("--log-level", "node.log_level", options.log_level),
        ("--rns-config", "rns.config_dir", rns_config),
    )
    known = {setting.name: setting for setting in SETTINGS}
    changes = {
        known[name].field: _parsed(known[name], value, option)
        for option, name, value in given
        if value is not None
    }
    return paths, replace(settings, **changes)


def read_settings(path: Path, *, required: bool = False) -> Settings:
    """The settings in a file; the defaults where there is none, unless it is ``required``."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        if required:
            raise ConfigError(f"there is no settings file {path}") from None
        content = b""
    except OSError as error:
        raise ConfigError(f"cannot read the settings file {path}: {error.strerror}") from error
    return parse_settings(content, path)


def parse_settings(content: bytes, path: Path) -> Settings:
    """The settings in the text of a file; ``path`` is for messages and relative paths."""
    # A client command never comes here, and starts faster without it.
    import tomllib  # noqa: PLC0415

    try:
        found = _flatten(tomllib.loads(content.decode()))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    known = {setting.name: setting for setting in SETTINGS}
    for name in found:
        if name not in known:
            raise ConfigError(f"{path}: {_unknown(name)}")
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        if setting.name in found:
            value = _parsed(setting, found[setting.name], f"{path}: {setting.name}")
            values[setting.field] = path.parent / value if isinstance(value, Path) else value
        else:
            values[setting.field] = setting.default() if callable(setting.default) else setting.default
    return Settings(**values)


def _parsed(setting: Setting, value: Any, where: str) -> Any:
    try:
        return setting.kind.parse(value)
    except ValueError:
        raise ConfigError(f"{where} must be {setting.kind.words}, not {_shown(value)}") from None


def _shown(value: Any) -> str:
    try:
        return f"{value!r:.80}"
    except ValueError:
        # Python refuses to write very long integers.
        return "that"


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Dotted names of everything that is no table, and of empty tables that no setting is in."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        name = prefix + key
        if not isinstance(value, dict):
            flat[name] = value
        elif value:
            flat.update(_flatten(value, f"{name}."))
        elif not _is_table(name):
            flat[name] = value
    return flat


def _is_table(name: str) -> bool:
    return any(setting.name.startswith(f"{name}.") for setting in SETTINGS)


def _unknown(name: str) -> str:
    if _is_table(name):
        return f"{name} is a table: write its settings under [{name}]"
    import difflib  # noqa: PLC0415

    names = [setting.name for setting in SETTINGS]
    # A key that was put into the wrong table is as likely as a slip in its spelling.
    last = name.rpartition(".")[2]
    near = [known for known in names if known.rpartition(".")[2] == last]
    near = near or difflib.get_close_matches(name, names, n=1)
    return f"there is no setting {name}" + (f"; did you mean {near[0]}?" if near else "")

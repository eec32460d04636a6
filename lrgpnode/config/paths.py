"""Where a node keeps its files, and which node is meant (architecture §7). Imports nothing heavy."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lrgpnode.config.kinds import ConfigError
from lrgpnode.protocol.value import Value

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
DATABASE_NAME: Final = "lrgpnode.db"
TOKENS_NAME: Final = "gateway-tokens"
"""Tokens at platforms: a folder for each platform, a file for each account."""
MAX_SOCKET_PATH: Final = 107
"""What the kernel takes for the path of a socket, in bytes."""

_TEMPORARY: Final = Path("/tmp")  # noqa: S108 - only for a directory of mode 0700 that is checked


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunOptions(Value):
    """What the command line says; None where it says nothing. Goes before the settings file."""

    data: Path | None = None
    config: Path | None = None
    socket: Path | None = None
    listen: str | None = None
    connect: tuple[str, ...] = ()
    rns_config: Path | None = None
    name: str | None = None
    log_level: str | None = None
    service: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Paths(Value):
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
    if options.service:
        return _of_service(options, environ)
    chosen = options.data or _path(environ, "LRGPNODE_DATA")
    service = chosen is None and service_installed()
    # Symbolic links are followed, so that each spelling of a directory leads to the same socket.
    data = SERVICE_DATA if service else absolute(chosen or _user_data(environ), follow=True)
    explicit = options.socket or _path(environ, "LRGPNODE_SOCKET")
    if explicit is not None:
        socket = absolute(explicit)
    elif service:
        socket = SERVICE_SOCKET
    else:
        socket = _user_socket(data, environ)
    if not _fits(socket):
        raise ConfigError(
            f"the path of the control socket is longer than {MAX_SOCKET_PATH} bytes: {socket}; "
            "choose a shorter one with $LRGPNODE_SOCKET"
        )
    config = absolute(options.config) if options.config else data / FILE_NAME
    return Paths(
        data=data, config=config, socket=socket, socket_mode=0o660 if service else 0o600, service=service
    )


def _of_service(options: RunOptions, environ: Mapping[str, str]) -> Paths:
    """Where systemd says that the service's directories are; else where they always are."""
    if options.data is not None or options.socket is not None:
        raise ConfigError("--service has its own directories; it cannot be combined with --data or --socket")
    data = _path(environ, "STATE_DIRECTORY") or SERVICE_DATA
    runtime = _path(environ, "RUNTIME_DIRECTORY") or SERVICE_SOCKET.parent
    config = absolute(options.config) if options.config else data / FILE_NAME
    socket = runtime / SERVICE_SOCKET.name
    return Paths(data=data, config=config, socket=socket, socket_mode=0o660, service=True)


def _path(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name)
    return Path(value) if value else None


def absolute(path: Path, *, follow: bool = False) -> Path:
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

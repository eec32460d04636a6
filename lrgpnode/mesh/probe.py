"""Looking at Reticulum from outside, without starting it: its configuration, who shares an instance.

A second Reticulum in the doctor's process would bring up interfaces, or become the machine's shared
instance itself. So the configuration is read with Reticulum's own parser, and a running instance is
asked over its RPC socket, as ``rnstatus`` does. Importing this module loads Reticulum.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any, Final

import RNS
from RNS.Interfaces.RNodeInterface import RNodeInterface
from RNS.vendor import umsgpack
from RNS.vendor.configobj import ConfigObj, ConfigObjError

from lrgpnode.protocol.value import Value

DATA_PORT: Final = 37428
RPC_PORT: Final = 37429
"""Of a shared instance over TCP, where the configuration names no others."""

REQUIRED_FIRMWARE: Final = (
    RNodeInterface.REQUIRED_FW_VER_MAJ,
    RNodeInterface.REQUIRED_FW_VER_MIN,
)
"""The oldest firmware of an RNode that Reticulum does not end the process over."""

_YES: Final = frozenset({"yes", "true", "on", "1"})


class ConfigUnusable(Exception):
    """Reticulum would refuse this configuration; ``str()`` says why."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RnsInterface(Value):
    """A section under ``[interfaces]``. ``options`` are its texts; ``parts`` the sections in it."""

    name: str
    kind: str
    enabled: bool
    options: Mapping[str, str]
    parts: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RnsConfig(Value):
    """What matters of a configuration. ``socket`` names a Unix instance; None where it is TCP."""

    file: Path
    shares: bool
    socket: str | None
    data_port: int
    rpc_port: int
    rpc_key: bytes | None
    interfaces: tuple[RnsInterface, ...]


class Answer(Enum):
    """What a shared instance said."""

    STATUS = "status"
    WRONG_KEY = "wrong key"
    ABSENT = "absent"
    SILENT = "silent"
    UNKNOWN = "the key to ask with cannot be read"


@dataclass(frozen=True, slots=True, repr=False)
class InstanceStatus(Value):
    """``interfaces``: name and whether it is online, of those that carry traffic off this machine."""

    answer: Answer
    interfaces: tuple[tuple[str, bool], ...] = ()


def config_dir(home: Path, etc: Path = Path("/etc")) -> Path:
    """Where Reticulum looks for its configuration if it is told nothing."""
    for folder in (etc / "reticulum", home / ".config/reticulum"):
        # Like Reticulum: what may not be seen is not there. Path.is_file would raise.
        if os.path.isfile(folder / "config"):  # noqa: PTH113
            return folder
    return home / ".reticulum"


def read_config(directory: Path) -> RnsConfig:
    """The configuration in a directory, or the one that Reticulum would make there.

    Raises ``ConfigUnusable`` and ``OSError``.
    """
    file = directory / "config"
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        lines = sys.modules["RNS.Reticulum"].__default_rns_config__
    return parse_config(lines, file)


def parse_config(lines: list[str], file: Path) -> RnsConfig:
    """The configuration that these lines are. Raises ``ConfigUnusable``."""
    try:
        parsed = ConfigObj(lines)
    except ConfigObjError as error:
        raise ConfigUnusable(str(error)) from None
    general = _texts(parsed.get("reticulum"))
    try:
        data_port = int(general.get("shared_instance_port", DATA_PORT))
        rpc_port = int(general.get("instance_control_port", RPC_PORT))
    except ValueError as error:
        raise ConfigUnusable(f"a port of the shared instance is no number: {error}") from None
    unix = RNS.vendor.platformutils.use_af_unix() and general.get("shared_instance_type", "") != "tcp"
    return RnsConfig(
        file=file,
        shares=_is_yes(general.get("share_instance", "yes")),
        socket=general.get("instance_name", "default") if unix else None,
        data_port=data_port,
        rpc_port=rpc_port,
        rpc_key=_hex(general.get("rpc_key", "")),
        interfaces=tuple(
            _interface(name, section) for name, section in _sections(parsed.get("interfaces")).items()
        ),
    )


def ask(config: RnsConfig, seconds: float) -> InstanceStatus:
    """The interfaces of the shared instance that this configuration leads to."""
    try:
        key = config.rpc_key or _default_key(config.file.parent)
    except OSError:
        return InstanceStatus(Answer.UNKNOWN)
    address = f"\0rns/{config.socket}/rpc" if config.socket is not None else ("127.0.0.1", config.rpc_port)
    return _within(seconds, lambda: _ask(address, key))


def propagation_nodes(directory: Path) -> int:
    """How many active propagation nodes Reticulum has heard of. Raises ``OSError``, ``ValueError``."""
    file = directory / "storage/known_destinations"
    try:
        known = umsgpack.unpackb(file.read_bytes())
        return sum(_is_propagation_node(hash, entry[2], entry[3]) for hash, entry in known.items())
    except FileNotFoundError:
        return 0
    except (umsgpack.UnpackException, AttributeError, TypeError, IndexError) as error:
        raise ValueError(f"{file} cannot be read") from error


def _is_propagation_node(hash: bytes, public_key: Any, app_data: Any) -> bool:
    if not isinstance(app_data, bytes) or not isinstance(public_key, bytes) or len(public_key) != 64:
        return False
    try:
        said = umsgpack.unpackb(app_data)
        # [.., .., active, ...] of a propagation node; a delivery destination begins with a name.
        if not (isinstance(said, list) and len(said) >= 7 and said[2] is True):
            return False
    except umsgpack.UnpackException:
        return False
    identity = RNS.Identity(create_keys=False)
    identity.load_public_key(public_key)
    return bool(RNS.Destination.hash_from_name_and_identity("lxmf.propagation", identity) == hash)


def _ask(address: Any, key: bytes) -> InstanceStatus:
    family = "AF_UNIX" if isinstance(address, str) else "AF_INET"
    try:
        with Client(address, family=family, authkey=key) as connection:
            connection.send_bytes(umsgpack.packb({"get": "interface_stats"}))
            stats = umsgpack.unpackb(connection.recv_bytes())
    except AuthenticationError:
        return InstanceStatus(Answer.WRONG_KEY)
    except (ConnectionRefusedError, FileNotFoundError):
        return InstanceStatus(Answer.ABSENT)
    except (OSError, EOFError, umsgpack.UnpackException):
        return InstanceStatus(Answer.SILENT)
    return InstanceStatus(Answer.STATUS, _carriers(stats))


def _carriers(stats: Any) -> tuple[tuple[str, bool], ...]:
    """Without the interfaces that programs of this machine use to reach the instance."""
    found = stats.get("interfaces", []) if isinstance(stats, dict) else []
    return tuple(
        (str(item.get("short_name") or item.get("name")), bool(item.get("status")))
        for item in found
        if not str(item.get("type", "")).startswith("Local")
    )


def _within(seconds: float, call: Callable[[], InstanceStatus]) -> InstanceStatus:
    """The handshake of ``multiprocessing`` has no time-out; whoever does not answer keeps only a thread."""
    answer: queue.SimpleQueue[InstanceStatus] = queue.SimpleQueue()
    threading.Thread(target=lambda: answer.put(call()), name="ask-reticulum", daemon=True).start()
    try:
        return answer.get(timeout=seconds)
    except queue.Empty:
        return InstanceStatus(Answer.SILENT)


def _default_key(directory: Path) -> bytes:
    """What Reticulum derives from its transport identity. A missing one it would make, matching nobody."""
    try:
        private = (directory / "storage/transport_identity").read_bytes()
    except FileNotFoundError:
        private = b""
    hashed: bytes = RNS.Identity.full_hash(private)
    return hashed


def _interface(name: str, section: Mapping[str, Any]) -> RnsInterface:
    options = _texts(section)
    return RnsInterface(
        name=name,
        kind=options.get("type", ""),
        enabled=any(_is_yes(options.get(key, "")) for key in ("enabled", "interface_enabled")),
        options=options,
        parts={part: _texts(content) for part, content in _sections(section).items()},
    )


def _sections(value: Any) -> dict[str, Mapping[str, Any]]:
    return {str(key): item for key, item in dict(value or {}).items() if isinstance(item, Mapping)}


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {
        str(key): ", ".join(map(str, item)) if isinstance(item, list) else str(item)
        for key, item in value.items()
        if not isinstance(item, Mapping)
    }


def _is_yes(value: str) -> bool:
    return value.strip().lower() in _YES


def _hex(value: str) -> bytes | None:
    try:
        return bytes.fromhex(value) or None
    except ValueError:
        return None

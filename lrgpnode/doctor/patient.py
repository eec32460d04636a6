"""What one examination knows: the machine, the node's files and settings, Reticulum, a running node.

Whatever needs Reticulum is handed in as a ``Probe`` by the command, since only the mesh room imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from lrgpnode.radio.tuned import Section

from .machine import Account, Machine
from .unit import Unit


class Config(Protocol):
    """Reticulum's configuration. ``socket`` is the name of a Unix instance, None for TCP."""

    @property
    def file(self) -> Path: ...
    @property
    def shares(self) -> bool: ...
    @property
    def socket(self) -> str | None: ...
    @property
    def data_port(self) -> int: ...
    @property
    def rpc_port(self) -> int: ...
    @property
    def interfaces(self) -> Sequence[Section]: ...


class Answer(Enum):
    """What a shared instance said when it was asked for its interfaces."""

    STATUS = "status"
    WRONG_KEY = "wrong key"
    ABSENT = "absent"
    SILENT = "silent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What only the mesh room can do. ``firmware`` is the oldest that Reticulum works with.

    ``ask``: what the shared instance of a configuration says, and its interfaces with their state.
    ``nodes``: how many propagation nodes Reticulum knows, given its directory; raises ``ValueError``.
    ``identity``: the hash that a private key makes; raises ``ValueError``.
    """

    ask: Callable[[], tuple[Answer, Sequence[tuple[str, bool]]]]
    nodes: Callable[[Path], int]
    identity: Callable[[bytes], str]
    firmware: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A node that answers: its process and the result of ``node.status``."""

    pid: int
    status: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """What the settings say of gateway and arcade. ``needed_by``: settings that need the web client.

    ``unset``: platforms that are named and not set up, as (setting, platform, words for ``config set``).
    ``ssh``: settings that need SSH.
    """

    needed_by: tuple[str, ...] = ()
    unset: tuple[tuple[str, str, tuple[str, str]], ...] = ()
    ssh: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """``config`` is None where Reticulum would make one; ``config_error`` says what is wrong with it,
    ``config_closed`` that the doctor may not read it.

    ``propagation``: whether the settings name a propagation node, ``propagation_auto`` whether one that
    is heard may be used. ``region``: whose law the settings name for radios, "" for none. ``command`` makes
    a command line for this node. ``service``: it is the service's node, with its ``unit`` if that is
    installed.
    """

    machine: Machine
    account: Account
    data: Path
    socket: Path
    settings: Path
    settings_error: str
    rns_dir: Path
    rns_dir_is_set: bool
    config: Config | None
    config_error: str
    config_closed: bool
    propagation: bool
    propagation_auto: bool
    region: str
    web: Web
    probe: Probe
    running: Running | None
    service: bool
    unit: Unit | None
    command: Callable[..., str]
    now: float

    @property
    def start(self) -> str:
        return "sudo systemctl start lrgpnode" if self.service else self.command("run")

    @property
    def interfaces(self) -> list[Section]:
        """Those of the configuration that are enabled."""
        return [] if self.config is None else [item for item in self.config.interfaces if item.enabled]

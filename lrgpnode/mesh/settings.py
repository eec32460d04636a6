"""What the mesh is started with, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lrgpnode.protocol.value import Value

from .airtime.settings import AirtimeSettings
from .floor import Moment
from .identity import LocalIdentity
from .propagation.settings import PropagationSettings
from .rns_config import Endpoint

if TYPE_CHECKING:
    from .instance import InterfaceStatus

ANNOUNCE_INTERVAL: Final = 3 * 3600.0
PATH_WAIT: Final = 15.0
MESSAGE_KB: Final = 16
"""Largest message that a link or a propagation node may bring, in thousands of bytes."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MeshSettings(Value):
    """What the mesh is started with.

    With ``listen`` or ``connect`` it has a Reticulum configuration of its own under ``data``; else
    it uses ``rns_config_dir``; else the machine's. An ``announce_interval`` of 0 means never.
    ``silent`` identities are never announced: they are for the other identities of this node.
    ``shared_is_slow``: announces through another program's instance may go out by radio.
    ``synchronised``: whether the system vouches for the wall clock. ``moment``: clocks in place of the
    machine's.
    ``message_kb`` is the largest message taken, in thousands of bytes. ``automatic`` says which identities
    the node plays and writes as by itself; what they send counts as that of a gateway.
    """

    data: Path
    identities: tuple[LocalIdentity, ...]
    silent: tuple[str, ...] = ()
    display_names: Mapping[str, str] = field(default_factory=dict)
    rns_config_dir: Path | None = None
    listen: Endpoint | None = None
    connect: tuple[Endpoint, ...] = ()
    announce_delay: float = 3.0
    announce_interval: float = ANNOUNCE_INTERVAL
    shared_is_slow: bool = True
    path_wait: float = PATH_WAIT
    boot_id: str = ""
    synchronised: Callable[[], bool] = lambda: False
    moment: Callable[[], Moment] | None = None
    message_kb: int = MESSAGE_KB
    propagation: PropagationSettings = field(default_factory=PropagationSettings)
    airtime: AirtimeSettings = field(default_factory=AirtimeSettings)
    automatic: Callable[[str], bool] = lambda identity: False
    rns_loglevel: int = 2


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MeshStatus(Value):
    """A snapshot. ``instance`` is ``own``, ``shared`` (others use ours) or ``client`` (we use another's)."""

    instance: str
    interfaces: tuple[InterfaceStatus, ...]
    identities: tuple[str, ...]
    peers_known: int
    in_flight: int
    waiting: int

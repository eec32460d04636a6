"""``node.status``: the state of the node for people and programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from lrgpnode import __version__
from lrgpnode.airtime.report import AirtimeReport, RadioReport
from lrgpnode.config import Paths
from lrgpnode.control import models
from lrgpnode.protocol.game import Game
from lrgpnode.vitals import Vitals

from .radio import trouble_info

if TYPE_CHECKING:
    from lrgpnode.mesh.instance import InterfaceStatus


class Time(Protocol):
    """Whether the wall clock can be believed."""

    @property
    def trusted(self) -> bool: ...
    @property
    def reason(self) -> str: ...


def node_status(
    vitals: Vitals,
    paths: Paths,
    *,
    games: Iterable[Game],
    problems: Iterable[str],
    airtime: AirtimeReport,
    propagation_node: str,
    time: Time,
) -> models.NodeStatus:
    """``problems`` are sentences; those of interfaces and of airtime are added."""
    mesh = vitals.mesh.status()
    last = vitals.counters.last()
    return models.NodeStatus(
        name=vitals.name,
        version=__version__,
        pid=os.getpid(),
        started_at=vitals.started_at,
        data=str(paths.data),
        socket=str(paths.socket),
        seq=vitals.seq(),
        unsent=vitals.unsent(),
        oldest_unsent_at=vitals.oldest_unsent(),
        inbox_entries=vitals.mesh.inbox_entries(),
        activity=models.ActivityInfo(**{f"{name}_at": at for name, at in last.items()}),
        live_games=vitals.live_games(),
        open_outbox=sum(vitals.store.outbox.counts().values()),
        identities=len(tuple(vitals.identities())),
        shared_instance=mesh.instance == "client",
        propagation_node=propagation_node,
        mail_fetched_at=vitals.mail_fetched_at(),
        interfaces=tuple(
            models.InterfaceInfo(
                name=interface.name,
                online=interface.online,
                kind=interface.kind,
                trouble=trouble_info(interface.trouble),
            )
            for interface in mesh.interfaces
        ),
        games=tuple(map(_game, games)),
        airtime=tuple(map(_airtime, airtime.radios)),
        problems=(
            *problems,
            *_left_out(mesh.interfaces),
            *(f"Airtime of {radio.name}: {radio.problem}" for radio in airtime.radios if radio.problem),
        ),
        clock_trusted=time.trusted,
        clock_reason=time.reason,
        unread_texts=vitals.store.messages.unread(),
    )


def _airtime(radio: RadioReport) -> models.AirtimeBrief:
    figures = radio.figures
    return models.AirtimeBrief(
        radio=radio.name,
        used=figures.used if figures else 0.0,
        limit=figures.limit if figures else None,
        left=figures.left if figures else None,
    )


def _left_out(interfaces: Iterable[InterfaceStatus]) -> Iterator[str]:
    """Those that could not be made; of a radio its trouble says so."""
    return (f"Interface {one.name}: {one.error}" for one in interfaces if one.error and one.trouble is None)


def _game(game: Game) -> models.GameInfo:
    manifest = game.manifest
    return models.GameInfo(
        app=manifest.app_id,
        version=manifest.version,
        name=manifest.display_name,
        icon=manifest.icon,
        actions=tuple(map(str, manifest.actions)),
    )

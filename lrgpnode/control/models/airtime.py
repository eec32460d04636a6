"""How much of the hour the radios are on the air, and how much of it is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .base import Method, Model, Nothing


class AirtimeUse(Model, frozen=True, kw_only=True):
    """What was used for one purpose within the hour. ``most``: its share, in seconds.

    Purposes are `moves`, `texts`, `announces`, `sync` and `gateway`, which keep to their shares; out of the
    reserve come `proofs`, `paths`, `relay` (packets of others) and `other`.
    """

    purpose: str
    seconds: float
    most: float | None = None


class AirtimeOfGame(Model, frozen=True, kw_only=True):
    """What was used for the actions of one game within the hour."""

    app: str
    seconds: float


class PacketCount(Model, frozen=True, kw_only=True):
    """Packets of one kind that the radio was given since the node started."""

    kind: str
    packets: int
    bytes: int
    seconds: float


class RadioAirtime(Model, frozen=True, kw_only=True):
    """One radio. All times are in seconds of airtime, and of the last hour.

    ``metered``: every packet is counted as it is handed to the radio, and ``packets`` says which; else the
    radio belongs to another program, its packets are not visible here, and ``used`` is only what this node
    has submitted. ``limit`` is null where nothing limits it: ``law`` says why, ``problem`` what is wrong with
    that. ``held`` is set aside for what is under way, ``left`` can be asked for now.
    """

    name: str
    metered: bool
    law: str
    problem: str = ""
    bandwidth: int | None = None
    spreading_factor: int | None = None
    coding_rate: int | None = None
    limit: float | None = None
    reserve: float = 0.0
    used: float = 0.0
    held: float = 0.0
    left: float | None = None
    refused: int = 0
    purposes: tuple[AirtimeUse, ...] = ()
    games: tuple[AirtimeOfGame, ...] = ()
    packets: tuple[PacketCount, ...] = ()


class Airtime(Model, frozen=True, kw_only=True):
    """``why`` says why no radio is listed. ``waiting``: actions that wait for airtime, and ``next_at``, when
    the first of them may go out; null where that depends on what is under way."""

    radios: tuple[RadioAirtime, ...] = ()
    why: str = ""
    waiting: int = 0
    next_at: float | None = None


METHODS: Final = (
    Method("radio.airtime", Nothing, Airtime, "Airtime of the radios: what was used, and what is left."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}

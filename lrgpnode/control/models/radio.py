"""The radios: how they are, and listening with them for a while."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from .base import Method, Model, Nothing

Minutes = Annotated[float, Meta(ge=0.01, le=120, description="How long to listen, 0.01 to 120.")]


class HeardInfo(Model, frozen=True, kw_only=True):
    """What a radio has heard since the node started.

    Of the ``packets`` that could be read the last came ``at``, with ``rssi`` (dBm) and ``snr`` (dB). Of the
    board's ``reports`` ``loud`` showed a transmission of somebody, at most ``loudest`` dBm.
    """

    packets: int = 0
    rssi: int | None = None
    snr: float | None = None
    at: float | None = None
    reports: int = 0
    loud: int = 0
    loudest: int | None = None


class TroubleInfo(Model, frozen=True, kw_only=True):
    """Why a radio is not online, and what to do. ``id`` is that of docs/radio-status.md."""

    id: str
    cause: str
    fix: str


class RadioInfo(Model, frozen=True, kw_only=True):
    """One radio. Null is what is not known, or not visible through another program's Reticulum.

    ``state`` is `failed` where its section of the configuration makes no radio. ``since`` is when it
    came into this state, ``signed_at`` when the board last said anything, ``reopened`` how often its
    port was opened anew because it hung. Hz, dBm; airtime, load and the firmware's limits in percent,
    `short` of the last seconds, `long` of the last hour. ``queue``: packets and announces that
    Reticulum holds back for it. ``errors`` are what the board reported of its hardware.
    """

    name: str
    kind: str
    state: Literal["starting", "online", "offline", "failed"]
    port: str | None = None
    since: float | None = None
    trouble: TroubleInfo | None = None
    reopened: int | None = None
    frequency: int | None = None
    bandwidth: int | None = None
    spreading_factor: int | None = None
    coding_rate: int | None = None
    tx_power: int | None = None
    bitrate: float | None = None
    firmware: str | None = None
    heard: HeardInfo | None = None
    quality: float | None = None
    signed_at: float | None = None
    noise_floor: int | None = None
    rssi_now: int | None = None
    interference: int | None = None
    airtime_short: float | None = None
    airtime_long: float | None = None
    load_short: float | None = None
    load_long: float | None = None
    limit_short: float | None = None
    limit_long: float | None = None
    temperature: int | None = None
    battery: int | None = None
    battery_state: str | None = None
    errors: tuple[str, ...] = ()
    queue: int | None = None
    bytes_in: int = 0
    bytes_out: int = 0


class LastPacketInfo(Model, frozen=True, kw_only=True):
    """The last packet with a message for this node: dBm and dB."""

    rssi: float | None
    snr: float | None
    at: float


class RadioStatus(Model, frozen=True, kw_only=True):
    """The radios. ``instance``: whose Reticulum they belong to, see node.status; as a `client` only part of
    them is visible, and ``problem`` says why nothing is. ``last``: only as a client. ``waiting``: messages of
    ours given to Reticulum or waiting for that; ``unsent``: envelopes in the outbox that have not arrived."""

    instance: Literal["own", "shared", "client"]
    radios: tuple[RadioInfo, ...] = ()
    problem: str = ""
    last: LastPacketInfo | None = None
    waiting: int = 0
    unsent: int = 0


class CheckParams(Model, frozen=True, kw_only=True):
    """It ends sooner when every radio has heard somebody."""

    minutes: Minutes = 5.0


class CheckStarted(Model, frozen=True, kw_only=True):
    """The event ``radio.checked`` with this ``check`` comes at ``until`` at the latest."""

    check: int
    until: float
    radios: tuple[RadioInfo, ...]


class CheckedRadio(Model, frozen=True, kw_only=True):
    """What one radio heard meanwhile.

    ``verdict``: `heard` somebody; `unreadable`: somebody sends, but nothing could be read, so parameters
    differ, or it is no RNode of this network; `nothing`; `down`: it was not online in the end, see its
    trouble in ``radio``. ``packets``, ``reports`` and ``loud`` as in HeardInfo, of this time only; through
    another program's Reticulum they are looks, one in five seconds, that found something.
    """

    radio: RadioInfo
    verdict: Literal["heard", "unreadable", "nothing", "down"]
    packets: int
    reports: int
    loud: int
    loudest: int | None = None


class RadioChecked(Model, frozen=True, kw_only=True):
    """``seconds``: how long it listened. ``peers``: hashes of those whose announces were heard meanwhile."""

    check: int
    seconds: float
    radios: tuple[CheckedRadio, ...]
    problem: str = ""
    peers: tuple[str, ...] = ()


class RadioChanged(Model, frozen=True, kw_only=True):
    """A radio came up, or went down, or is down for another reason than before."""

    name: str
    up: bool
    trouble: TroubleInfo | None = None


METHODS: Final = (
    Method("radio.status", Nothing, RadioStatus, "How the radios are."),
    Method("radio.check", CheckParams, CheckStarted, "Listen with the radios for a while."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {"radio.changed": RadioChanged, "radio.checked": RadioChecked}

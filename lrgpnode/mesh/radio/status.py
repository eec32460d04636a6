"""How each radio is, now: from the driver's own attributes, or through the RPC of another program.

As a client of a shared instance a node sees of a radio what that program's RPC shows, and asks it for
signal strength and SNR of the last packet that it received itself. The rest is None.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing import AuthenticationError
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeVar

import RNS

from lrgpnode.mesh.instance import RADIO, Instance, interface_name
from lrgpnode.protocol.value import Value
from lrgpnode.rnode.troubles import Diagnosis, version

from . import port
from .ears import Heard

RPC_SECONDS: Final = 5.0
"""How long the other program may take to answer."""

_ERRORS: Final = 5
"""The last reports of a fault of the hardware that are shown."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RadioStatus(Value):
    """``state`` is ``starting``, ``online``, ``offline`` or ``failed`` (its section makes no radio).

    Frequency and bandwidth in Hz; airtime, load and limits in percent; levels in dBm, ``heard.snr`` and
    ``quality`` in dB and percent; ``since`` and ``signed_at`` (its last sign of life) in Unix seconds.
    Airtime and load are of the last 15 and 7.5 seconds, and of the last hour. ``queue`` are packets and
    announces that the interface holds back. None is what is not known or not visible here.
    """

    name: str
    kind: str
    state: str
    port: str | None = None
    since: float | None = None
    trouble: Diagnosis | None = None
    reopened: int | None = None
    frequency: int | None = None
    bandwidth: int | None = None
    spreading_factor: int | None = None
    coding_rate: int | None = None
    tx_power: int | None = None
    bitrate: float | None = None
    firmware: str | None = None
    heard: Heard | None = None
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


@dataclass(frozen=True, slots=True, repr=False)
class LastPacket(Value):
    """The last packet that was for this node: dBm, dB, Unix seconds."""

    rssi: float | None
    snr: float | None
    at: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RadiosStatus(Value):
    """``problem``: why nothing can be seen of the radios of the program whose Reticulum this is."""

    instance: str
    radios: tuple[RadioStatus, ...] = field(default=())
    problem: str = ""
    last: LastPacket | None = None


class Packets(Protocol):
    """What remembers the last packet that was for this node: its hash, and when it came."""

    @property
    def last_packet(self) -> tuple[bytes, float] | None: ...


class RadioView:
    """``look`` may take seconds where another program is asked, and is not for the loop's thread."""

    def __init__(self, instance: Instance, packets: Packets) -> None:
        self._instance = instance
        self._packets = packets

    @property
    def visible(self) -> bool:
        """Whether the radios are this process's own."""
        return self._instance.kind != "client"

    def listen(self, called: Callable[[str], None]) -> Callable[[], None]:
        """See ``RadioWatch.listen``."""
        return self._instance.radios.listen(called)

    def own(self) -> tuple[RadioStatus, ...]:
        """Of this process's own Reticulum, at once."""
        made = tuple(self._own(one) for one in list(RNS.Transport.interfaces) if is_radio(one))
        failed = tuple(
            RadioStatus(name=name, kind=RADIO, state="failed", trouble=trouble)
            for name, trouble in self._instance.faulty.items()
        )
        return (*made, *failed)

    def look(self) -> RadiosStatus:
        kind = self._instance.kind
        if self.visible:
            return RadiosStatus(instance=kind, radios=self.own())
        try:
            stats = _within(RPC_SECONDS, self._instance.reticulum.get_interface_stats)
            return RadiosStatus(instance=kind, radios=of_stats(stats), last=self._last())
        except AuthenticationError:
            return RadiosStatus(instance=kind, problem=WRONG_KEY)
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            return RadiosStatus(instance=kind, problem=NO_ANSWER.format(reason=reason))

    def _last(self) -> LastPacket | None:
        last = self._packets.last_packet
        if last is None:
            return None
        hashed, at = last
        reticulum = self._instance.reticulum
        rssi = _within(RPC_SECONDS, lambda: reticulum.get_packet_rssi(hashed))
        snr = _within(RPC_SECONDS, lambda: reticulum.get_packet_snr(hashed))
        return None if rssi is None and snr is None else LastPacket(_number(rssi), _number(snr), at)

    def _own(self, interface: Any) -> RadioStatus:
        watched = self._instance.radios.state(interface)

        def said(name: str) -> Any:
            return getattr(interface, name, None)

        online = bool(interface.online) and (watched is None or watched.up)
        trouble = watched.trouble if watched is not None and not online else None
        # Of other kinds of radio the driver is not watched.
        watchable = type(interface).__name__ == RADIO
        battery = said("r_battery_state")
        counted = bool(watched and watched.heard.reports)
        version_said = (said("maj_version") or 0, said("min_version") or 0)
        errors = [str(error.get("description", "")) for error in said("hw_errors") or ()]
        return RadioStatus(
            name=interface_name(interface),
            kind=type(interface).__name__,
            state="online" if online else "offline" if trouble or not watchable else "starting",
            port=port.name(interface) if hasattr(interface, "use_tcp") else said("port"),
            since=watched.since if watched else None,
            trouble=trouble,
            reopened=watched.reopened if watched else None,
            frequency=said("r_frequency") or said("frequency"),
            bandwidth=said("r_bandwidth") or said("bandwidth"),
            spreading_factor=said("r_sf") or said("sf"),
            coding_rate=said("r_cr") or said("cr"),
            tx_power=said("r_txpower") if said("r_txpower") is not None else said("txpower"),
            bitrate=said("bitrate"),
            firmware=version(version_said) if any(version_said) else None,
            heard=watched.heard if watched else None,
            quality=said("r_stat_q"),
            signed_at=watched.signed_at if watched else None,
            noise_floor=said("r_noise_floor"),
            rssi_now=said("r_current_rssi"),
            interference=said("r_interference"),
            airtime_short=said("r_airtime_short") if counted else None,
            airtime_long=said("r_airtime_long") if counted else None,
            load_short=said("r_channel_load_short") if counted else None,
            load_long=said("r_channel_load_long") if counted else None,
            limit_short=said("r_st_alock"),
            limit_long=said("r_lt_alock"),
            temperature=said("r_temperature"),
            battery=said("r_battery_percent") if battery else None,
            battery_state=interface.get_battery_state_string() if battery else None,
            errors=tuple(errors[-_ERRORS:]),
            queue=len(said("packet_queue") or ()) + len(said("announce_queue") or ()),
            bytes_in=interface.rxb,
            bytes_out=interface.txb,
        )


WRONG_KEY: Final = (
    "RPC authentication failed: the program that shares its Reticulum has another key; give both one "
    "configuration directory, or the same line `rpc_key = ...` under [reticulum]"
)
NO_ANSWER: Final = "the program that shares its Reticulum does not tell how its radios are: {reason}"


def is_radio(interface: Any) -> bool:
    return type(interface).__name__.startswith("RNode")


def of_stats(stats: Any) -> tuple[RadioStatus, ...]:
    """The radios in what a shared instance's RPC said, which is believed in nothing but its form."""
    found = stats.get("interfaces") if isinstance(stats, Mapping) else None
    if not isinstance(found, list):
        raise ValueError("its answer is not understood")
    named = (one for one in found if isinstance(one, Mapping))
    return tuple(_of_rpc(one) for one in named if str(one.get("type", "")).startswith("RNode"))


def _of_rpc(stats: Mapping[str, Any]) -> RadioStatus:
    def number(name: str) -> float | None:
        return _number(stats.get(name))

    def whole(name: str) -> int | None:
        value = number(name)
        return None if value is None else int(value)

    # Without any report yet, all of these are 0.
    reported = whole("noise_floor") is not None
    battery = stats.get("battery_state")
    return RadioStatus(
        name=str(stats.get("short_name") or stats.get("name") or "?"),
        kind=str(stats.get("type")),
        state="online" if stats.get("status") is True else "offline",
        bitrate=number("bitrate"),
        noise_floor=whole("noise_floor"),
        interference=whole("interference"),
        airtime_short=number("airtime_short") if reported else None,
        airtime_long=number("airtime_long") if reported else None,
        load_short=number("channel_load_short") if reported else None,
        load_long=number("channel_load_long") if reported else None,
        temperature=whole("cpu_temp"),
        battery=whole("battery_percent") if battery else None,
        battery_state=str(battery) if battery else None,
        queue=whole("announce_queue"),
        bytes_in=whole("rxb") or 0,
        bytes_out=whole("txb") or 0,
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _within(seconds: float, call: Callable[[], T]) -> T:
    """Reticulum's RPC has no time-out; whoever does not answer keeps only a thread. Raises what it does."""
    answer: SimpleQueue[T | BaseException] = SimpleQueue()

    def ask() -> None:
        try:
            answer.put(call())
        except BaseException as error:  # noqa: BLE001 - raised in the thread that asked
            answer.put(error)

    threading.Thread(target=ask, name="ask-reticulum", daemon=True).start()
    try:
        result = answer.get(timeout=seconds)
    except Empty:
        raise TimeoutError("no answer") from None
    if isinstance(result, BaseException):
        raise result
    return result

"""The radios in numbers, for ``lrgpnode metrics``. The label is the interface's name in the configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from lrgpnode.airtime.budget import Figures, Purpose
from lrgpnode.metrics import Family, Sample

if TYPE_CHECKING:
    from lrgpnode.airtime.report import AirtimeReport

    from .status import RadioStatus

_Read = Callable[["RadioStatus"], float | None]

_GAUGES: Final[tuple[tuple[str, str, _Read], ...]] = (
    ("lrgpnode_radio_up", "Whether a radio can send and receive.", lambda one: one.state == "online"),
    ("lrgpnode_radio_noise_floor_dbm", "Noise floor.", lambda one: one.noise_floor),
    ("lrgpnode_radio_rssi_dbm", "Signal strength of the last packet.", lambda one: _heard(one, "rssi")),
    ("lrgpnode_radio_snr_db", "Signal to noise of the last packet.", lambda one: _heard(one, "snr")),
    (
        "lrgpnode_radio_heard_timestamp_seconds",
        "When the last packet was heard; absent before the first.",
        lambda one: _heard(one, "at"),
    ),
    (
        "lrgpnode_radio_sign_timestamp_seconds",
        "When the board last said anything; absent before the first time.",
        lambda one: one.signed_at,
    ),
    ("lrgpnode_radio_queue", "Packets and announces that Reticulum holds back.", lambda one: one.queue),
    ("lrgpnode_radio_battery_percent", "Charge of the board's battery.", lambda one: one.battery),
    ("lrgpnode_radio_temperature_celsius", "Temperature of the board.", lambda one: one.temperature),
)

_COUNTERS: Final[tuple[tuple[str, str, _Read], ...]] = (
    ("lrgpnode_radio_packets_received_total", "Packets heard.", lambda one: _heard(one, "packets")),
    (
        "lrgpnode_radio_reopened_total",
        "How often a port was opened anew because its board hung.",
        lambda one: one.reopened,
    ),
)

_PER_WINDOW: Final[tuple[tuple[str, str, _Read, _Read], ...]] = (
    (
        "lrgpnode_radio_airtime_percent",
        "Own airtime as the board counts it, of the last seconds and of the hour.",
        lambda one: one.airtime_short,
        lambda one: one.airtime_long,
    ),
    (
        "lrgpnode_radio_channel_load_percent",
        "Airtime of everybody in reach, of the last seconds and of the hour.",
        lambda one: one.load_short,
        lambda one: one.load_long,
    ),
    (
        "lrgpnode_radio_limit_percent",
        "Airtime that the board's own limiter allows; absent where it is off.",
        lambda one: one.limit_short or None,
        lambda one: one.limit_long or None,
    ),
)


def families(radios: Iterable[RadioStatus]) -> Iterator[Family]:
    """Nothing where there is no radio; no sample where a number is not known."""
    known = [one for one in radios if one.state != "failed"]
    if not known:
        return
    for rows, type in ((_GAUGES, "gauge"), (_COUNTERS, "counter")):
        for name, help, read in rows:
            yield Family(name, type, help, tuple(_samples(known, name, read, {})))
    for name, help, short, long in _PER_WINDOW:
        samples = (*_samples(known, name, short, {"window": "short"}), *_samples(known, name, long, _HOUR))
        yield Family(name, "gauge", help, samples)
    name = "lrgpnode_radio_bytes_total"
    received = _samples(known, name, lambda one: one.bytes_in, {"direction": "in"})
    sent = _samples(known, name, lambda one: one.bytes_out, {"direction": "out"})
    yield Family(name, "counter", "Bytes of packets over a radio.", (*received, *sent))


_HOUR: Final = {"window": "hour"}


def _samples(
    radios: Iterable[RadioStatus], name: str, read: _Read, labels: dict[str, str]
) -> Iterator[Sample]:
    for radio in radios:
        value = read(radio)
        if value is not None:
            yield Sample(name, float(value), {"interface": radio.name, **labels})


def _heard(radio: RadioStatus, what: str) -> float | None:
    return None if radio.heard is None else getattr(radio.heard, what)


def budgets(report: AirtimeReport) -> Iterator[Family]:
    """What the node keeps to in the sliding hour, in seconds; nothing where no radio is counted."""
    known = [(one.name, one.figures) for one in report.radios if one.figures is not None]
    if not known:
        return

    def gauge(name: str, help: str, read: Callable[[Figures], float | None]) -> Family:
        values = ((radio, read(figures)) for radio, figures in known)
        samples = (Sample(name, value, {"interface": radio}) for radio, value in values if value is not None)
        return Family(name, "gauge", help, tuple(samples))

    yield gauge(
        "lrgpnode_airtime_limit_seconds",
        "Airtime that may be used in an hour; absent without a limit.",
        lambda one: one.limit,
    )
    yield gauge("lrgpnode_airtime_used_seconds", "Airtime used in the last hour.", lambda one: one.used)
    yield gauge(
        "lrgpnode_airtime_held_seconds", "Airtime set aside for what is under way.", lambda one: one.held
    )
    yield gauge(
        "lrgpnode_airtime_left_seconds",
        "Airtime that can be asked for now; absent without a limit.",
        lambda one: one.left,
    )
    name = "lrgpnode_airtime_purpose_seconds"
    yield Family(
        name,
        "gauge",
        "Airtime used in the last hour, by what for.",
        tuple(
            Sample(name, figures.purposes.get(purpose, 0.0), {"interface": radio, "purpose": str(purpose)})
            for radio, figures in known
            for purpose in Purpose
        ),
    )
    name = "lrgpnode_airtime_game_seconds"
    yield Family(
        name,
        "gauge",
        "Airtime used in the last hour for the actions of a game of this node.",
        tuple(
            Sample(name, seconds, {"interface": radio, "app": app})
            for radio, figures in known
            for app, seconds in sorted(figures.apps.items())
        ),
    )
    name = "lrgpnode_airtime_refused_total"
    refused = tuple(Sample(name, figures.refused, {"interface": radio}) for radio, figures in known)
    yield Family(name, "counter", "Packets that were not sent, because the limit was reached.", refused)

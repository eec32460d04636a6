"""What the node counts, and the text format of Prometheus.

Every label has a closed set of values, given here: nothing that a peer can choose makes a new series.
What is counted is from the start of the process on; what can be looked up when it is asked for (sizes,
queues) is not kept here but comes from ``lrgpnode.vitals``.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from lrgpnode.protocol.errors import ErrorCode, Kind
from lrgpnode.protocol.game import Command

OTHER: Final = "other"
"""The value of a label for all that is not in its set."""


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Family:
    """Samples of one meaning. ``type``: counter, gauge or histogram."""

    name: str
    type: str
    help: str
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """A row of the table of counters."""

    name: str
    help: str
    label: str = ""
    values: tuple[str, ...] = ()


MESSAGES_IN: Final = Counted(
    "lrgpnode_messages_received_total", "Messages with a valid signature.", "kind", ("lrgp", OTHER)
)
ENVELOPE_BYTES_IN: Final = Counted("lrgpnode_envelope_bytes_received_total", "Bytes of LRGP envelopes.")
REFUSED: Final = Counted(
    "lrgpnode_refused_total",
    "Envelopes that changed nothing, by the reason.",
    "reason",
    tuple(dict.fromkeys((*map(str, ErrorCode), *map(str, Kind), "duplicate", "handled_before", OTHER))),
)
ATTEMPTS: Final = Counted(
    "lrgpnode_send_attempts_total",
    "What became of attempts to send, by what was known then.",
    "progress",
    ("sent", "delivered", "stored", "failed"),
)
ACTIONS: Final = Counted(
    "lrgpnode_actions_own_total", "Actions of ours, committed.", "command", (*map(str, Command), OTHER)
)
ACTIONS_IN: Final = Counted(
    "lrgpnode_actions_peer_total", "Actions of peers, committed.", "command", (*map(str, Command), OTHER)
)
ENDED: Final = Counted(
    "lrgpnode_games_ended_total", "Sessions that ended.", "status", ("completed", "declined", "expired")
)
REMOTE_ERRORS: Final = Counted(
    "lrgpnode_errors_received_total", "Error actions of peers.", "code", (*map(str, ErrorCode), OTHER)
)
PEERS_HEARD: Final = Counted("lrgpnode_announces_heard_total", "Announces of peers and answers about them.")
SEATS_ENDED: Final = Counted(
    "lrgpnode_gateway_seats_ended_total",
    "Seats of the gateway that are over, by what their players got.",
    "result",
    ("won", "lost", "drawn", "none"),
)
LOG_LINES: Final = Counted(
    "lrgpnode_log_lines_total", "Lines logged.", "level", ("debug", "info", "warning", "error")
)
EVENTS: Final = Counted("lrgpnode_events_total", "Events published to subscribers.")

COUNTERS: Final = (
    MESSAGES_IN,
    ENVELOPE_BYTES_IN,
    REFUSED,
    ATTEMPTS,
    ACTIONS,
    ACTIONS_IN,
    ENDED,
    REMOTE_ERRORS,
    PEERS_HEARD,
    SEATS_ENDED,
    LOG_LINES,
    EVENTS,
)

WRITE_SECONDS: Final = "lrgpnode_database_write_seconds"
BUCKETS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds in seconds; an SD card takes 5 to 50 ms for a sync, a bad one seconds."""

ACTIVITIES: Final = ("heard", "received", "sent", "delivered", "written")
"""What is worth knowing the last time of."""


class Counters:
    """May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = {
            (row.name, value): 0 for row in COUNTERS for value in (row.values if row.label else ("",))
        }
        self._buckets = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0
        self._last: dict[str, float] = {}

    def add(self, counted: Counted, value: str = "", amount: int = 1) -> None:
        """Count; a value of the label that is not in its set counts as ``other``."""
        key = (counted.name, value)
        with self._lock:
            if key not in self._counts:
                key = (counted.name, OTHER)
            self._counts[key] += amount

    def wrote(self, seconds: float) -> None:
        """The database's thread has done a piece of work."""
        with self._lock:
            self._buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds += seconds
        self.did("written")

    def did(self, activity: str) -> None:
        """Note the time of the last one of ``ACTIVITIES``."""
        self._last[activity] = time.time()

    def last(self) -> dict[str, float]:
        """When each activity was last, for those that ever were."""
        return dict(self._last)

    def families(self) -> Iterable[Family]:
        """A snapshot of everything."""
        with self._lock:
            counts, buckets, seconds = dict(self._counts), list(self._buckets), self._seconds
        for row in COUNTERS:
            samples = (
                Sample(row.name, counts[row.name, value], {row.label: value} if row.label else {})
                for value in (row.values if row.label else ("",))
            )
            yield Family(row.name, "counter", row.help, tuple(samples))
        yield _histogram(WRITE_SECONDS, "Pieces of work of the database's thread.", buckets, seconds)
        moments = tuple(
            Sample("lrgpnode_last_activity_timestamp_seconds", moment, {"activity": name})
            for name, moment in sorted(self._last.items())
        )
        help = "When something was last done; absent before the first time."
        yield Family("lrgpnode_last_activity_timestamp_seconds", "gauge", help, moments)


def gauge(name: str, help: str, value: float | None) -> Family:
    """One number; no sample where it is not known."""
    return Family(name, "gauge", help, () if value is None else (Sample(name, value),))


def gauges(name: str, help: str, label: str, values: Mapping[str, float]) -> Family:
    """A number for each value of a label, which must come from a closed set."""
    return Family(name, "gauge", help, tuple(Sample(name, n, {label: key}) for key, n in values.items()))


def _histogram(name: str, help: str, buckets: list[int], seconds: float) -> Family:
    samples, total = [], 0
    for bound, count in zip((*BUCKETS, None), buckets, strict=True):
        total += count
        samples.append(Sample(f"{name}_bucket", total, {"le": "+Inf" if bound is None else f"{bound:g}"}))
    samples += [Sample(f"{name}_sum", seconds), Sample(f"{name}_count", total)]
    return Family(name, "histogram", help, tuple(samples))


def render(families: Iterable[Family]) -> str:
    """The text format of Prometheus, version 0.0.4."""
    lines: list[str] = []
    for family in families:
        lines += [f"# HELP {family.name} {_escaped(family.help)}", f"# TYPE {family.name} {family.type}"]
        lines += [f"{one.name}{_labels(one.labels)} {_number(one.value)}" for one in family.samples]
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{_escaped(value, quote=True)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _escaped(text: str, *, quote: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quote else text


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))

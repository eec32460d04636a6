"""The state of the node in numbers: for ``metrics``, ``status`` and the line that systemd shows.

Nothing here grows with the number of ended games; all is looked up when it is asked for.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from lrgpnode import __version__, metrics
from lrgpnode.mesh.radio import numbers
from lrgpnode.mesh.settings import MeshStatus
from lrgpnode.metrics import Counters, Family, Sample, gauge, gauges
from lrgpnode.protocol.value import Value
from storage.gateway_model import SeatStage
from storage.model import ASSISTED, OutboxState
from storage.store import Store

if TYPE_CHECKING:
    from lrgpnode.airtime.report import AirtimeReport
    from lrgpnode.mesh.radio.status import RadioStatus

_OPEN_STATES: Final = tuple(state for state in OutboxState if state.open)
_UNSENT: Final = frozenset(_OPEN_STATES) - {OutboxState.STORED, OutboxState.DELIVERED}
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_ENDED: Final = frozenset(metrics.ENDED.values)


class Mesh(Protocol):
    """What of the mesh is looked at."""

    def status(self) -> MeshStatus: ...
    def inbox_entries(self) -> int: ...
    def traffic(self) -> tuple[int, int]: ...
    def radios(self) -> Iterable[RadioStatus]: ...
    def airtime_report(self) -> AirtimeReport: ...


@dataclass(frozen=True, slots=True, repr=False)
class Vitals(Value):
    """``seq`` gives the number of the last event, ``identities`` the hashes of the local ones.

    ``people`` are those of them that belong to somebody: the house has games only with these and peers.
    """

    name: str
    started_at: float
    store: Store
    mesh: Mesh
    counters: Counters
    seq: Callable[[], int]
    identities: Callable[[], Iterable[str]]
    mail_fetched_at: Callable[[], float | None]
    people: Callable[[], Iterable[str]]

    def families(self) -> Iterator[Family]:
        """Everything that ``lrgpnode metrics`` shows."""
        yield Family(
            "lrgpnode_info",
            "gauge",
            "The version of the node.",
            (Sample("lrgpnode_info", 1, {"version": __version__}),),
        )
        yield gauge("lrgpnode_start_time_seconds", "When the node started.", self.started_at)
        yield gauge("lrgpnode_uptime_seconds", "Time since then.", max(0.0, time.time() - self.started_at))
        yield gauge("lrgpnode_identities", "Local identities.", len(tuple(self.identities())))
        yield from self._games()
        yield from self._database()
        yield from self._mesh_families()
        yield from numbers.families(self.mesh.radios())
        yield from numbers.budgets(self.mesh.airtime_report())
        yield gauge("lrgpnode_event_seq", "Number of the last event.", self.seq())
        yield from self.counters.families()
        yield from _process()

    def line(self) -> str:
        """The state of the node in a line."""
        interfaces = self.mesh.status().interfaces
        online = sum(interface.online for interface in interfaces)
        return (
            f"{self.name}: {self.live_games()} live games, {self.unsent()} actions on their way, "
            f"{online} of {len(interfaces)} interfaces online"
        )

    def live_games(self) -> int:
        """Of people."""
        return sum(map(self.store.sessions.live_count, self.people()))

    def unsent(self) -> int:
        """Envelopes of ours that still have to arrive."""
        return sum(count for state, count in self.store.outbox.counts().items() if state in _UNSENT)

    def oldest_unsent(self) -> float | None:
        """When the oldest of them was committed; None where there is none."""
        return self.store.outbox.oldest_unsent()

    def _games(self) -> Iterator[Family]:
        live = {str(status): float(count) for status, count in self.store.sessions.live().items()}
        yield gauges("lrgpnode_sessions", "Sessions that have not ended.", "status", live)
        astray = {flag.key for flag in self.store.mail.live_flags() if flag.flag != ASSISTED}
        yield gauge("lrgpnode_sessions_flagged", "Live sessions whose sides may differ.", len(astray))
        stages = Counter(str(seat.stage) for seat in self.store.gateway.live())
        seats = {str(stage): float(stages[stage]) for stage in SeatStage if stage is not SeatStage.OVER}
        yield gauges("lrgpnode_gateway_seats", "Seats of the gateway that go on.", "stage", seats)
        parked = self.store.mail.parked_until()
        yield gauge("lrgpnode_parked", "Actions that came too early.", len(parked))
        counts = self.store.outbox.counts()
        states = {str(state): float(counts.get(state, 0)) for state in _OPEN_STATES}
        yield gauges("lrgpnode_outbox", "Envelopes of ours that are not settled.", "state", states)
        oldest = self.oldest_unsent()
        age = None if oldest is None else max(0.0, time.time() - oldest)
        help = "Age of the oldest envelope that has not arrived; absent where there is none."
        yield gauge("lrgpnode_outbox_oldest_unsent_seconds", help, age)

    def _database(self) -> Iterator[Family]:
        path = Path(self.store.path)
        yield gauge("lrgpnode_database_bytes", "Size of the database.", _size(path))
        log = _size(path.with_name(f"{path.name}-wal"))
        yield gauge("lrgpnode_database_log_bytes", "Size of its write-ahead log.", log)
        disk = os.statvfs(path.parent)
        free = disk.f_bavail * disk.f_frsize
        yield gauge("lrgpnode_disk_free_bytes", "Room left on the disk of the data.", free)

    def _mesh_families(self) -> Iterator[Family]:
        status = self.mesh.status()
        online = sum(interface.online for interface in status.interfaces)
        states = {"online": float(online), "offline": float(len(status.interfaces) - online)}
        yield gauges("lrgpnode_interfaces", "Interfaces of Reticulum.", "state", states)
        yield gauge("lrgpnode_in_flight", "Messages given to Reticulum, not proved yet.", status.in_flight)
        yield gauge("lrgpnode_waiting_for_path", "Messages that wait for a path.", status.waiting)
        yield gauge("lrgpnode_inbox_entries", "Packets that are not handled yet.", self.mesh.inbox_entries())
        help = "When all mail was last fetched from a propagation node; absent where it never was."
        yield gauge("lrgpnode_mail_fetched_timestamp_seconds", help, self.mail_fetched_at())
        received, sent = self.mesh.traffic()
        name = "lrgpnode_reticulum_bytes_total"
        samples = (Sample(name, received, {"direction": "in"}), Sample(name, sent, {"direction": "out"}))
        yield Family(name, "counter", "Bytes over all interfaces of this process's Reticulum.", samples)


def count_event(counters: Counters, type: str, fields: Mapping[str, Any]) -> None:
    """Count what is published; see ``lrgpnode.node.news``."""
    counters.add(metrics.EVENTS)
    match type:
        case "game.applied":
            counters.add(metrics.ACTIONS if fields["own"] else metrics.ACTIONS_IN, fields["command"])
            if fields["status"] in _ENDED:
                counters.add(metrics.ENDED, fields["status"])
        case "game.expired":
            counters.add(metrics.ENDED, "expired")
        case "game.error":
            counters.add(metrics.REMOTE_ERRORS, fields["code"])
        case "gateway.seat":
            if fields["result"] is not None:
                counters.add(metrics.SEATS_ENDED, fields["result"])


def _process() -> Iterator[Family]:
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    cpu = (int(fields[11]) + int(fields[12])) / _TICKS
    samples = (Sample("process_cpu_seconds_total", cpu),)
    yield Family("process_cpu_seconds_total", "counter", "Processor time of the process.", samples)
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    yield gauge("process_resident_memory_bytes", "Memory of the process.", resident)
    yield gauge(
        "process_open_fds", "Open files of the process.", sum(1 for _ in Path("/proc/self/fd").iterdir())
    )
    yield gauge("process_threads", "Threads of the process.", int(fields[17]))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0

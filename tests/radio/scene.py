"""Software RNodes in virtual time, with hosts that write down what they are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interfaces.radio.sim.links import Link
from interfaces.radio.sim.topology import NodeSpec, Topology, all_in_range
from interfaces.radio.sim.world import World
from tests.radio.protocol import ON, Host, Wire, packet, settings


class Scene:
    """``names`` or whole node descriptions. ``t`` is the time in the world."""

    def __init__(
        self, *nodes: str | NodeSpec, links: Mapping[tuple[str, str], Link] | None = None, **options: Any
    ) -> None:
        specs = tuple(NodeSpec(node) if isinstance(node, str) else node for node in nodes)
        names = [spec.name for spec in specs]
        self.trace: list[dict[str, Any]] = []
        self.world = World(
            Topology(specs, all_in_range(names) if links is None else links, **options), self.trace.append
        )
        self.hosts = {name: Host() for name in names}
        for name, host in self.hosts.items():
            self.world.devices[name].send = host.take

    @property
    def t(self) -> float:
        return self.world.schedule.now

    def run(self, seconds: float) -> None:
        self.world.schedule.run_until(self.t + seconds)

    def wire(self, name: str) -> Wire:
        return Wire(self.world.devices[name].feed, self.run, self.hosts[name])

    def on(self, **parameters: int) -> Scene:
        """Switch every radio on, and wait until all listen."""
        for device in self.world.devices.values():
            device.feed(settings(**parameters) + ON)
        self.run(1.0)
        return self

    def send(self, name: str, payload: bytes) -> None:
        self.world.devices[name].feed(packet(payload))

    def at_once(self, name: str, payload: bytes) -> None:
        """Put a frame on the air now, whatever carrier sense says."""
        self.world.ether.transmit(name, payload, lambda sent: self.trace.append(heard(sent)))

    def got(self, name: str) -> list[bytes]:
        return self.hosts[name].all(0x00)

    def frames(self, sender: str | None = None) -> list[dict[str, Any]]:
        return [row for row in self.trace if row["event"] == "frame" and sender in {None, row["node"]}]

    def outcomes(self, receiver: str) -> list[str]:
        return [row["to"][receiver]["outcome"] for row in self.frames() if receiver in row["to"]]


def heard(sent: Any) -> dict[str, Any]:
    got = {name: {"outcome": reception.outcome.value} for name, reception in sent.receptions.items()}
    return {"event": "frame", "node": sent.sender, "time": sent.start, "to": got}

"""A topology brought to life: the schedule, the ether and the devices in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from interfaces.radio.sim.device import Device
from interfaces.radio.sim.ether import Ether
from interfaces.radio.sim.links import Link
from interfaces.radio.sim.schedule import Schedule
from interfaces.radio.sim.topology import Topology
from interfaces.radio.sim.trace import Tell

REPORT_SECONDS = 1.0


class World:
    """``tell`` gets every event of the trace. Devices that are plugged in have power from the start."""

    def __init__(self, topology: Topology, tell: Tell) -> None:
        self.schedule = Schedule()
        self.ether = Ether(self.schedule, topology.links, seed=topology.seed, capture=topology.capture)
        self._tell = tell
        self.devices = {
            spec.name: Device(
                spec.name,
                spec.board,
                self.schedule,
                self.ether,
                tell,
                serial=number,
                seed=topology.seed,
                firmware=spec.firmware,
                faults=spec.faults,
                # A host reads as fast as ever, however fast the air is.
                report_seconds=REPORT_SECONDS * topology.scale,
            )
            for number, spec in enumerate(topology.nodes, 1)
        }
        for spec in topology.nodes:
            if spec.plugged:
                self.power(spec.name, on=True)

    def power(self, name: str, *, on: bool) -> None:
        if self.devices[name].powered != on:
            self.devices[name].power(on)
            self.note(name, "plugged" if on else "unplugged")

    def change_link(self, sender: str, receiver: str, **values: Any) -> Link:
        """Set some of the values of a directed link. Raises ``ValueError``."""
        old = self.ether.link(sender, receiver)
        new = replace(old, **values)
        self.ether.set_link(sender, receiver, new)
        self.note(f"{sender}>{receiver}", "link", **values)
        return new

    def change_faults(self, name: str, **values: Any) -> None:
        device = self.devices[name]
        device.faults = replace(device.faults, **values)
        self.note(name, "faults", **values)

    def note(self, node: str, what: str, **values: Any) -> None:
        """Put something that was done to the world into the trace."""
        time = round(self.schedule.now, 6)
        self._tell({"event": "change", "time": time, "node": node, "what": what, **values})

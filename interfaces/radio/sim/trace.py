"""The trace: what happened, one JSON object for each event. docs/software-rnode.md lists the fields."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from interfaces.radio.sim.ether import Transmission

Event = dict[str, Any]
Tell = Callable[[Event], None]


def line(event: Event) -> str:
    return json.dumps(event, separators=(", ", ": "))


def frame_event(
    sent: Transmission, *, packet: bytes, number: int, part: int, parts: int, power: int
) -> Event:
    """A LoRa frame that has ended, with what each receiver in range got of it."""
    modem = sent.channel.modem
    return {
        "event": "frame",
        "time": round(sent.start, 6),
        "node": sent.sender,
        "packet": number,
        "part": part,
        "parts": parts,
        "bytes": len(sent.frame),
        "airtime_ms": round((sent.end - sent.start) * 1000, 3),
        "frequency": sent.channel.frequency,
        "bandwidth": modem.bandwidth,
        "sf": modem.spreading_factor,
        "cr": modem.coding_rate,
        "power": power,
        "host": packet.hex(),
        "frame": sent.frame.hex(),
        "to": {
            name: {"outcome": got.outcome.value, "rssi": got.rssi, "snr": round(got.snr, 2)}
            for name, got in sent.receptions.items()
        },
    }

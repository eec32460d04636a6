"""What goes over the simulated air, for a person: which frames, how long, and for what."""

from __future__ import annotations

import json
import queue
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from threading import Thread
from typing import IO, Any

from lrgpnode.protocol.value import Value


class Kind(Enum):
    """What an RNS packet is for, by the last two bits of its first byte; the values are words for it."""

    MESSAGE = "message"
    ANNOUNCE = "announce"
    LINK = "link request"
    PROOF = "proof of delivery"


_KINDS = (Kind.MESSAGE, Kind.ANNOUNCE, Kind.LINK, Kind.PROOF)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Packet(Value):
    """One packet that has gone out: the bytes of each of its LoRa frames, their time on the air together in
    seconds, and whether anybody got all of it."""

    node: str
    number: int
    kind: Kind
    frames: tuple[int, ...]
    seconds: float
    heard: bool


class Assembler:
    """Puts the frames of the trace together to packets."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], list[Mapping[str, Any]]] = {}

    def add(self, event: Mapping[str, Any]) -> Packet | None:
        """The packet whose last frame this event is."""
        if event["event"] != "frame":
            return None
        key = (event["node"], event["packet"])
        frames = self._open.setdefault(key, [])
        frames.append(event)
        if len(frames) < event["parts"]:
            return None
        del self._open[key]
        got_all = set.intersection(*map(_receivers, frames))
        return Packet(
            node=key[0],
            number=key[1],
            kind=_KINDS[bytes.fromhex(event["host"][:2])[0] & 3],
            frames=tuple(frame["bytes"] for frame in frames),
            seconds=sum(frame["airtime_ms"] for frame in frames) / 1000,
            heard=bool(got_all),
        )


def _receivers(frame: Mapping[str, Any]) -> set[str]:
    return {name for name, got in frame["to"].items() if got["outcome"] == "received"}


class Air:
    """Reads the trace, which the simulator writes into a pipe, in a thread of its own."""

    def __init__(self, pipe: Path, packets: queue.SimpleQueue[Packet | Mapping[str, Any] | None]) -> None:
        self._pipe = pipe
        self._packets = packets
        Thread(target=self._read, name="demo-air", daemon=True).start()

    def _read(self) -> None:
        with self._pipe.open() as trace:
            self._follow(trace)

    def _follow(self, trace: IO[str]) -> None:
        assembler = Assembler()
        for line in trace:
            packet = assembler.add(json.loads(line))
            if packet is not None:
                self._packets.put(packet)

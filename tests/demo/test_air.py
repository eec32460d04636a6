"""What the demonstration makes of the simulator's trace."""

from typing import Any

from interfaces.demo.air import Assembler, Kind


def frame(part: int, parts: int, *, first: int = 0x00, to: dict[str, str] | None = None) -> dict[str, Any]:
    return {
        "event": "frame",
        "node": "you",
        "packet": 3,
        "part": part,
        "parts": parts,
        "bytes": 255 if part < parts - 1 else 38,
        "airtime_ms": 500.0,
        "host": f"{first:02x}00ff",
        "to": {name: {"outcome": outcome} for name, outcome in (to or {"hill": "received"}).items()},
    }


def test_frames_of_a_packet_are_put_together() -> None:
    assembler = Assembler()
    assert assembler.add(frame(0, 2)) is None
    packet = assembler.add(frame(1, 2))
    assert packet is not None
    assert (packet.node, packet.frames, packet.seconds) == ("you", (255, 38), 1.0)
    assert packet.kind is Kind.MESSAGE
    assert packet.heard


def test_a_packet_is_heard_by_who_gets_every_frame() -> None:
    assembler = Assembler()
    assembler.add(frame(0, 2, to={"hill": "received", "bob": "lost"}))
    packet = assembler.add(frame(1, 2, to={"hill": "collision", "bob": "received"}))
    assert packet is not None
    assert not packet.heard


def test_what_a_packet_is_for_is_told_by_its_first_byte() -> None:
    kinds = [Assembler().add(frame(0, 1, first=first)) for first in (0x00, 0x51, 0x42, 0x03)]
    assert [packet.kind for packet in kinds if packet] == [
        Kind.MESSAGE,
        Kind.ANNOUNCE,
        Kind.LINK,
        Kind.PROOF,
    ]


def test_other_events_are_no_frames() -> None:
    assert Assembler().add({"event": "change", "what": "plugged"}) is None

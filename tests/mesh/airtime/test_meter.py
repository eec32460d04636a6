"""The meter in the door of an interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lrgpnode.airtime.budget import Budget, Limits, Purpose, Use
from lrgpnode.airtime.modem import Modem
from lrgpnode.airtime.packets import Kind
from lrgpnode.mesh.airtime import meter
from lrgpnode.mesh.airtime.meter import Meter, modem_of, note_packets

OWN, PEER, STRANGER = b"\x01" * 16, b"\x02" * 16, b"\x03" * 16
MOVE = Use(Purpose.MOVES, PEER.hex(), "ttt")


class Interface:
    """An RNode's, as far as the meter knows it."""

    bandwidth, sf, cr = 125_000, 8, 5
    ifac_identity = None

    def __init__(self) -> None:
        self.online = self.interface_ready = True
        self.handed: list[bytes] = []

    def process_outgoing(self, data: bytes) -> None:
        self.handed.append(data)


class Door:
    def __init__(self, seconds: float | None = 36.0) -> None:
        self.interface = Interface()
        self.budget = Budget(Limits(seconds=seconds, peer=1.0), lambda: 1000.0)
        self.meter = Meter(self.budget, lambda: modem_of(self.interface), lambda hashed: hashed == OWN)
        self.meter.attach(self.interface)
        self.send: Callable[[bytes], None] = self.interface.process_outgoing

    def purposes(self) -> dict[str, float]:
        return {str(name): n for name, n in self.budget.figures().purposes.items() if n}


def packet(type: int, to: bytes, *, of: int = 0, context: int = 0, hops: int = 0, size: int = 100) -> bytes:
    head = bytes((of << 2 | type, hops)) + to + bytes((context,))
    return head + b"x" * (size - len(head))


@pytest.mark.parametrize(
    ("raw", "purpose"),
    [
        (packet(1, OWN), "announces"),
        (packet(1, STRANGER, hops=2), "relay"),
        (packet(1, OWN, context=0x0B), "paths"),
        (packet(3, STRANGER), "proofs"),
        (packet(3, STRANGER, hops=1), "relay"),
        (packet(0, PEER), "moves"),
        (packet(0, PEER, hops=1), "relay"),
        (packet(0, STRANGER), "other"),
        (packet(0, STRANGER, of=3), "other"),
        (b"CALL", "other"),
    ],
)
def test_what_a_packet_is_for(raw: bytes, purpose: str) -> None:
    door = Door()
    door.budget.ask(1, MOVE, 5.0, destination=PEER.hex())
    door.send(raw)
    assert door.interface.handed == [raw]
    assert door.purposes() == {
        purpose: pytest.approx(Modem(125_000, 8, 5).packet_seconds(len(raw)), abs=1e-5)
    }


def test_a_link_to_a_peer_is_what_was_asked_for() -> None:
    import hashlib

    door = Door()
    door.budget.ask(1, MOVE, 5.0, destination=PEER.hex())
    request = packet(2, PEER, size=19 + 67)
    link = hashlib.sha256(bytes((request[0] & 0b1111,)) + request[2 : 19 + 64]).digest()[:16]
    door.send(request)
    door.send(packet(0, link, of=3, size=300))
    assert list(door.purposes()) == ["moves"]
    sent = door.meter.sent
    assert (sent[Kind.LINK].packets, sent[Kind.LINK].bytes) == (2, 386)


def test_what_would_exceed_the_limit_is_not_handed_over() -> None:
    door = Door(1.0)
    raw = packet(3, STRANGER, size=250)
    for _ in range(5):
        door.send(raw)
    assert len(door.interface.handed) == 1
    assert door.budget.figures().refused == 4
    assert door.meter.sent[Kind.PROOF].packets == 1


@pytest.mark.parametrize("state", ["online", "interface_ready"])
def test_what_the_interface_drops_or_keeps_for_later_is_not_counted(state: str) -> None:
    door = Door()
    setattr(door.interface, state, False)
    door.send(packet(3, STRANGER))
    assert len(door.interface.handed) == 1
    assert door.budget.figures().used == 0.0
    assert door.meter.sent[Kind.PROOF].packets == 0


def test_behind_an_access_code_the_packet_is_known_from_before_it_was_masked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import RNS

    def transmit(interface: Any, raw: bytes) -> None:
        interface.process_outgoing(bytes(byte ^ 0x5A for byte in raw) + b"code" * 2)

    monkeypatch.setattr(RNS.Transport, "transmit", staticmethod(transmit))
    note_packets()
    door = Door()
    door.budget.ask(1, MOVE, 5.0, destination=PEER.hex())
    RNS.Transport.transmit(door.interface, packet(0, PEER, size=100))
    assert list(door.purposes()) == ["moves"]
    assert door.meter.sent[Kind.DATA].bytes == 108
    assert getattr(meter._here, "packet", None) is None


def test_an_interface_without_parameters_is_let_alone() -> None:
    door = Door()
    door.interface.sf = 99
    door.send(packet(3, STRANGER))
    assert len(door.interface.handed) == 1
    assert door.budget.figures().used == 0.0


def test_the_chip_of_an_avr_board_is_known() -> None:
    """Its preamble is four symbols shorter on the air; what is not known counts as the longer one."""
    radio = Interface()
    seconds = []
    for platform in (None, 0x80, 0x70, 0x90):
        radio.platform = platform  # type: ignore[attr-defined]
        modem = modem_of(radio)
        assert modem is not None
        seconds.append(modem.packet_seconds(83))
    assert seconds[:3] == [seconds[0]] * 3
    assert seconds[0] - seconds[3] == pytest.approx(4 * modem.symbol_seconds)

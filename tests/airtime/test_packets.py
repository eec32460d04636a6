"""What a packet's header says, against packets that Reticulum itself has made."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, strategies as st

from lrgpnode.airtime import cost
from lrgpnode.airtime.modem import Modem
from lrgpnode.airtime.packets import PATH_REQUEST, Kind, look

DESTINATION = bytes(range(16))
NEXT_HOP = b"\xaa" * 16


def packet(
    type: int, *, of: int = 0, context: int = 0, far: bool = False, hops: int = 0, data: bytes = b"x" * 40
) -> bytes:
    flags = (0b0101_0000 if far else 0) | of << 2 | type
    return bytes((flags, hops)) + (NEXT_HOP if far else b"") + DESTINATION + bytes((context,)) + data


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"type": 0}, Kind.DATA),
        ({"type": 0, "of": 3}, Kind.LINK),
        ({"type": 1}, Kind.ANNOUNCE),
        ({"type": 1, "context": 0x0B}, Kind.PATH_ANSWER),
        ({"type": 2}, Kind.LINK),
        ({"type": 3}, Kind.PROOF),
        ({"type": 3, "of": 3, "context": 0xFF}, Kind.PROOF),
    ],
)
def test_kinds(raw: dict[str, int], kind: Kind, far: bool) -> None:
    sight = look(packet(**raw, far=far, hops=3))  # type: ignore[arg-type]
    assert (sight.kind, sight.destination, sight.hops) == (kind, DESTINATION.hex(), 3)


def test_a_path_request_is_for_whom_it_asks() -> None:
    sight = look(bytes((0b1000, 0)) + PATH_REQUEST + b"\0" + DESTINATION + os.urandom(16))
    assert (sight.kind, sight.destination) == (Kind.PATH_REQUEST, DESTINATION.hex())


@pytest.mark.parametrize("far", [False, True])
def test_a_link_has_the_same_id_as_with_reticulum(far: bool) -> None:
    import RNS

    raw = packet(2, far=far, data=os.urandom(64 + 3))
    theirs = RNS.Packet(None, raw)
    assert theirs.unpack()
    assert look(raw).link == RNS.Link.link_id_from_lr_packet(theirs).hex()


def test_the_destination_of_path_requests_is_that_of_reticulum() -> None:
    import RNS

    name = "rnstransport.path.request"
    assert RNS.Destination.hash_from_name_and_identity(name, None) == PATH_REQUEST


@given(st.binary(max_size=80))
def test_anything_can_be_looked_at(raw: bytes) -> None:
    sight = look(raw)
    assert sight.kind in Kind
    if len(raw) < 19:
        assert sight.kind is Kind.OTHER


@pytest.mark.parametrize(
    ("envelope", "text", "packed", "size"), [(97, 20, 240, 339), (200, 20, 343, 435), (200, 76, 399, 483)]
)
def test_sizes_are_those_that_were_measured(envelope: int, text: int, packed: int, size: int) -> None:
    assert cost.message_bytes(envelope, text) == packed
    assert cost.single_packet(packed) == size


@given(st.integers(0, 200), st.integers(0, 300))
def test_sizes_are_those_of_lxmf(envelope: int, text: int) -> None:
    import msgpack

    fields = {0xFB: "lrgp.v1", 0xFD: msgpack.ExtType(1, b"")} if envelope else {}
    payload = msgpack.packb([1.5, b"", b"t" * text, fields])
    # The stand-in for the envelope has three bytes.
    packed = 96 + len(payload) + (envelope - 3 if envelope else 0)
    assert cost.message_bytes(envelope, text) == packed


@pytest.mark.parametrize("factor", [7, 8, 10, 12])
@pytest.mark.parametrize("far", [False, True])
def test_costs_are_in_order_and_cover_what_lxmf_may_send(factor: int, far: bool) -> None:
    hop = cost.Hop(Modem(125_000, factor, 5), 8, far)
    once = hop.modem.packet_seconds(339 + 8 + 16 * far)
    found = cost.opportunistic(hop, 240)
    assert found.once == pytest.approx(once)
    assert found.most >= 5 * once
    assert found.least >= 2 * once
    for other in (
        found,
        cost.over_link(hop, 240),
        cost.over_link(hop, 900),
        cost.upload(hop, 240),
        cost.sync(hop),
    ):
        assert other.once <= other.least <= other.most
        assert other.once > 0
    assert cost.upload(hop, 240).once > hop.packet(86) + hop.packet(83) + hop.packet(195) + hop.packet(451)


@given(st.floats(0.5, 100), st.floats(0.1, 3600))
def test_no_more_than_half_of_the_hour_is_asked_for_unless_one_message_needs_it(
    once: float, room: float
) -> None:
    most, least = cost.Cost(5 * once, 2 * once, once).within(room)
    assert once <= least <= most <= max(least, room / 2)

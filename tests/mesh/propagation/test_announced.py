"""Announces of propagation nodes, as LXMF writes them and as strangers might."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given, strategies as st

from lrgpnode.mesh.propagation import announced
from lrgpnode.mesh.propagation.announced import NodeAnnounce

# LXMF 1.2.1 as LXMRouter(name="C", propagation_cost=13, propagation_limit=64, sync_limit=256).
LXMD = bytes.fromhex("97c2ce6b0d31afc340cd0100930d031283ccfea46c786d6400a5312e322e3101c40143")

PARTS: list[Any] = [False, 1_700_000_000, True, 256, 10_240, [16, 3, 18], {1: b"House"}]


def test_an_announce_of_lxmf_is_read() -> None:
    assert announced.parse(LXMD) == NodeAnnounce(
        enabled=True,
        timebase=0x6B0D31AF,
        message_kb=64,
        transfer_kb=256,
        stamp_cost=13,
        flexibility=3,
        peering_cost=18,
        name="C",
    )


def test_limits_may_be_written_as_floats() -> None:
    node = announced.parse(msgpack.packb([*PARTS[:3], 256.5, 1e4, *PARTS[5:]]))
    assert node is not None
    assert (node.message_kb, node.transfer_kb) == (256, 10_000)


@pytest.mark.parametrize(
    "change",
    [
        {2: 1},
        {2: None},
        {1: "now"},
        {3: -1},
        {3: float("nan")},
        {4: float("inf")},
        {4: 2**60},
        {5: [16, 3]},
        {5: [300, 3, 18]},
        {5: [True, 3, 18]},
        {5: 16},
        {6: [b"House"]},
    ],
)
def test_what_is_no_announce_of_a_node_is_refused(change: dict[int, Any]) -> None:
    parts = list(PARTS)
    for index, value in change.items():
        parts[index] = value
    assert announced.parse(msgpack.packb(parts)) is None


def test_a_name_is_cleaned() -> None:
    node = announced.parse(msgpack.packb([*PARTS[:6], {1: b"a\x1b[31m\nb" + b"x" * 500}]))
    assert node is not None
    assert node.name.startswith("a[31mb")
    assert len(node.name.encode()) <= 128


def test_a_node_that_is_switched_off_says_so() -> None:
    node = announced.parse(announced.switched_off())
    assert node is not None
    assert not node.enabled


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    announced.parse(data)


@given(
    st.builds(
        NodeAnnounce,
        enabled=st.booleans(),
        timebase=st.integers(0, 2**40),
        message_kb=st.integers(0, 10**6),
        transfer_kb=st.integers(0, 10**6),
        stamp_cost=st.integers(0, 255),
        flexibility=st.integers(0, 255),
        peering_cost=st.integers(0, 255),
        name=st.text("abcäß ♔", max_size=20).map(str.strip),
    )
)
def test_what_is_written_is_read_back(node: NodeAnnounce) -> None:
    assert announced.parse(announced.pack(node)) == node

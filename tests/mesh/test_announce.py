from __future__ import annotations

from typing import Any

import LXMF
import msgpack
import pytest
from hypothesis import given, strategies as st

from lrgpnode.mesh.announce import AnnounceData, clean_name, parse, with_capabilities

PLAIN = bytes.fromhex("93c405416c696365c09100")
"""An announce of LXMF 1.2 by "Alice"."""


def test_ours_is_lxmfs_with_a_fourth_element() -> None:
    ours = with_capabilities(PLAIN)
    assert msgpack.unpackb(ours) == [b"Alice", None, [0], [1, 3, {"s": ""}]]
    assert ours.startswith(b"\x94" + PLAIN[1:])
    assert parse(ours) == AnnounceData("Alice", games=True)
    assert LXMF.display_name_from_app_data(ours) == "Alice"
    assert LXMF.stamp_cost_from_app_data(ours) is None
    assert LXMF.compression_support_from_app_data(ours) is True


def test_a_plain_client_says_nothing_about_games() -> None:
    assert parse(PLAIN) == AnnounceData("Alice")
    assert parse(None) == parse(b"") == AnnounceData()
    assert parse("Zoë".encode()) == AnnounceData("Zoë")


@pytest.mark.parametrize(
    ("part", "games"),
    [
        ([1, 7, {"s": ""}], True),
        ([1, 5], False),
        ([1, 1], False),
        ([1, 3], True),
        ([1, 2], None),
        ([1, 0], None),
        ([2, 7], None),
        ([1, -1], None),
        ([1, True], None),
        ([1, "7"], None),
        ([1], None),
        ([], None),
        ({}, None),
        (None, None),
    ],
)
def test_capabilities(part: Any, games: bool | None) -> None:
    assert parse(msgpack.packb([b"x", None, [0], part])).games is games


@pytest.mark.parametrize(
    ("cost", "said"), [(8, 8), (None, None), (0, None), (255, None), (True, None), ("8", None), (-3, None)]
)
def test_stamp_cost(cost: Any, said: int | None) -> None:
    assert parse(msgpack.packb([b"x", cost])).stamp_cost == said


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"Alice", "Alice"),
        ("Alice", "Alice"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"two\nlines\x1b[31m\x00", "twolines[31m"),
        ("\u202eevil", "evil"),
        ("  space  ", "space"),
        (b"x" * 1000, "x" * 128),
        ("é" * 1000, "é" * 64),
        ("\ud800", ""),
        (None, ""),
        (7, ""),
        ([b"x"], ""),
    ],
)
def test_names_are_made_showable(name: Any, shown: str) -> None:
    assert clean_name(name) == shown


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(data: bytes) -> None:
    for app_data in (data, b"\x94" + data, b"\xdc" + data, b"\x91" * 1500 + data):
        said = parse(app_data)
        assert len(said.name.encode()) <= 128
        assert said.name.isprintable()

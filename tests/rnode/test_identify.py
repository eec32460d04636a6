"""Asking a board what it is, on a real terminal device."""

from __future__ import annotations

import pytest

from lrgpnode.rnode.identify import Detection
from lrgpnode.rnode.kiss import Decoder


@pytest.mark.parametrize(
    ("heard", "version"),
    [
        (b"", None),
        (b"\xc0\x50\x01\x56\xc0", None),  # a version, but it does not say that it is an RNode
        (b"\xc0\x08\x46\xc0", None),
        (b"\xc0\x08\x46\xc0\xc0\x50\x01\x56\xc0", (1, 86)),
        (b"noise\xc0\x08\x46\xc0\x50\x01\xdb\xdc\xc0", (1, 0xC0)),
        (b"\xc0\x08\x46\xc0\xc0\x50\x01", None),  # the rest is still to come
    ],
)
def test_what_a_board_says(heard: bytes, version: tuple[int, int] | None) -> None:
    detection = Detection()
    said = [detection.take(*frame) for frame in Decoder().feed(heard)]
    assert (said[-1] if said else None) == version

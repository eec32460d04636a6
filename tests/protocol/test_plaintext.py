"""What may be written, how long it is, and what is kept of what peers write."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from lrgpnode.airtime.cost import ONE_PACKET, message_bytes
from lrgpnode.protocol import plaintext
from lrgpnode.protocol.plaintext import Unwritable, bytes_left, checked


def test_a_packet_is_as_large_as_lxmf_makes_it() -> None:
    assert message_bytes(0, plaintext.PACKET_BYTES) == ONE_PACKET


@pytest.mark.parametrize("text", ["", " \n ", "\u200b", "a\x1b[2J", "nul\0", "x" * 1025, "ä" * 513])
def test_what_cannot_be_written(text: str) -> None:
    with pytest.raises(Unwritable):
        checked(text)


def test_what_can() -> None:
    assert checked(" Good move!\r\nAgain? ") == "Good move!\nAgain?"
    assert checked("x" * 1024)
    assert bytes_left("ä" * 143) == 1
    assert bytes_left("x" * 288) == -1


@given(st.text(), st.text(max_size=3000))
def test_what_is_kept_is_bounded(title: str, content: str) -> None:
    text, cut = plaintext.received(title, content)
    assert len(text) <= plaintext.LONGEST
    assert cut or not content.strip() or text.endswith(content.strip())
    assert text or not (title.strip() or content.strip())

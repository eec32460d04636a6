from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgpack
import pytest
from hypothesis import given, strategies as st

from lrgpnode.mesh.fields import PAYLOAD_AT, envelope_bytes, hashed_part, signed_part
from lrgpnode.protocol.errors import PeerError

HEAD = bytes(range(PAYLOAD_AT))
ENVELOPE = {"a": "ttt.1", "c": "challenge", "s": "0123456789abcdef", "p": {}, "n": b"12345678"}


def packed(fields: dict[Any, Any], *stamp: bytes) -> bytes:
    return HEAD + bytes(msgpack.packb([1.5, b"", b"text", fields, *stamp]))


def test_the_exact_bytes_of_a_marked_envelope() -> None:
    message = packed({0xFB: "lrgp.v1", 0xFD: ENVELOPE, 0x0C: [1, b"ticket"]})
    assert envelope_bytes(message) == msgpack.packb(ENVELOPE)
    assert envelope_bytes(packed({0xFD: ENVELOPE, 0xFB: "lrgp.v1"}, b"stamp")) == msgpack.packb(ENVELOPE)


def test_longer_forms_are_kept_as_they_are() -> None:
    strange = b"\xde\x00\x01\xd9\x01a\xcd\x00\x05"
    payload = b"\x94\x00\xc4\x00\xc4\x00\x82\xcd\x00\xfb\xdb\x00\x00\x00\x07lrgp.v1\xd1\x00\xfd" + strange
    assert envelope_bytes(HEAD + payload) == strange


@pytest.mark.parametrize("marker", [b"lrgp.v1", "lrgp.v2", "LRGP.V1", "lrgp.v1 ", 1, None, ["lrgp.v1"]])
def test_other_markers_are_not_lrgp(marker: Any) -> None:
    assert envelope_bytes(packed({0xFB: marker, 0xFD: ENVELOPE})) is None
    assert envelope_bytes(packed({0xFD: ENVELOPE})) is None
    assert envelope_bytes(packed({})) is None


def test_a_marked_message_without_envelope_gives_no_bytes() -> None:
    assert envelope_bytes(packed({0xFB: "lrgp.v1"})) == b""


def test_a_field_given_twice_is_refused() -> None:
    payload = b"\x94\x00\xc4\x00\xc4\x00\x82\xcc\xfb\xa7lrgp.v1\xcd\x00\xfb\xa7lrgp.v1"
    with pytest.raises(PeerError):
        envelope_bytes(HEAD + payload)


@given(st.binary(max_size=300))
def test_hostile_bytes_raise_only_the_typed_error(data: bytes) -> None:
    for read in (envelope_bytes, hashed_part, signed_part):
        for message in (
            data,
            HEAD + data,
            HEAD + b"\x94\x00\xc4\x00\xc4\x00\x82\xcc\xfb\xa7lrgp.v1\xcc\xfd" + data,
        ):
            try:
                read(message)
            except PeerError:
                continue


@given(
    st.dictionaries(st.integers(0, 255), st.text() | st.binary(), max_size=5),
    st.binary(min_size=1, max_size=40),
)
def test_cutting_the_stamp_gives_the_unstamped_message(fields: dict[int, Any], stamp: bytes) -> None:
    bare = packed(fields)
    assert hashed_part(packed(fields, stamp)) == hashed_part(bare) == bare[:32] + bare[PAYLOAD_AT:]


@pytest.mark.parametrize(
    ("stamped", "bare"),
    [
        (b"\x95", b"\x94"),
        (b"\xdc\x00\x05", b"\xdc\x00\x04"),
        (b"\xdd\x00\x00\x00\x05", b"\xdd\x00\x00\x00\x04"),
    ],
)
def test_the_array_header_keeps_its_width(stamped: bytes, bare: bytes) -> None:
    body = b"\xcb12345678\xd9\x00\xc5\x00\x04text\x80"
    assert hashed_part(HEAD + stamped + body + b"\xc4\x01s") == HEAD[:32] + bare + body


def test_what_is_signed() -> None:
    message = packed({}, b"stamp")
    digest, signed, signature = signed_part(message)
    assert digest == sha256(hashed_part(message)).digest()
    assert signed == hashed_part(message) + digest
    assert signature == HEAD[32:96]

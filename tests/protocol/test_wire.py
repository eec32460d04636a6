"""The byte walker agrees with msgpack on valid data and fails in one way only on the rest."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given, settings, strategies as st

from lrgpnode.protocol.errors import Kind
from lrgpnode.protocol.wire import MAX_DEPTH, WireError, fields, skip, text, unsigned

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=300)
    | st.binary(max_size=300)
    | st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=20))
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner, max_size=20),
    max_leaves=30,
)


@given(values, st.binary(max_size=8))
def test_skip_finds_the_end_of_what_msgpack_packs(value: Any, tail: bytes) -> None:
    packed = msgpack.packb(value)
    assert skip(packed + tail, 0, depth=64) == len(packed)


@given(values, st.data())
def test_a_value_cut_short_is_the_one_typed_error(value: Any, data: st.DataObject) -> None:
    packed = msgpack.packb(value)
    cut = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(WireError) as caught:
        skip(packed[:cut], 0, depth=64)
    assert caught.value.kind is Kind.INVALID_ENVELOPE


@settings(max_examples=500)
@given(st.binary(max_size=200), st.integers(-5, 220))
def test_hostile_bytes_end_inside_the_data_or_in_the_typed_error(data: bytes, index: int) -> None:
    try:
        end = skip(data, index)
    except WireError:
        return
    assert index < end <= len(data)


@given(st.binary(max_size=200) | st.binary(max_size=100).map(b"\x94\xcb12345678\xc4\x00\xc4\x00".__add__))
def test_hostile_payloads_raise_only_the_typed_error(payload: bytes) -> None:
    try:
        found = fields(payload)
    except WireError:
        return
    assert all(0 < start < end <= len(payload) for start, end in found.values())


def test_nesting_is_bounded() -> None:
    assert skip(b"\x91" * MAX_DEPTH + b"\xc0", 0) == MAX_DEPTH + 1
    with pytest.raises(WireError) as caught:
        skip(b"\x91" * (MAX_DEPTH + 1) + b"\xc0", 0)
    assert caught.value.nesting
    with pytest.raises(WireError):
        skip(b"\x91" * 100_000, 0)


@pytest.mark.parametrize("first", [0xDD, 0xDF, 0xC6, 0xC9, 0xDB])
def test_a_huge_count_costs_nothing(first: int) -> None:
    with pytest.raises(WireError):
        skip(bytes([first]) + b"\xff\xff\xff\xff" + b"\x00" * 50, 0)


def payload_of(field_map: bytes, elements: int = 4) -> bytes:
    head = msgpack.packb([1.5, b"", b"text"])[1:]
    return bytes([0x90 + elements]) + head + field_map + (b"\xc4\x10" + bytes(16) if elements == 5 else b"")


@pytest.mark.parametrize("elements", [4, 5])
@pytest.mark.parametrize(
    "key",
    ["ccfd", "cd00fd", "ce000000fd", "cf00000000000000fd", "d100fd", "d2000000fd", "d300000000000000fd"],
)
def test_a_field_key_counts_in_any_integer_width(key: str, elements: int) -> None:
    payload = payload_of(b"\x82\xcc\xfb\xa7lrgp.v1" + bytes.fromhex(key) + b"\x81\xa1a\x01", elements)
    found = fields(payload)
    assert set(found) == {0xFB, 0xFD}
    start, end = found[0xFD]
    assert payload[start:end] == b"\x81\xa1a\x01"


@pytest.mark.parametrize("again", ["ccfd", "cd00fd", "d100fd"])
def test_a_field_given_twice_is_refused(again: str) -> None:
    with pytest.raises(WireError):
        fields(payload_of(b"\x82\xcc\xfd\xc0" + bytes.fromhex(again) + b"\xc0"))


def test_keys_that_are_no_integers_are_passed_over() -> None:
    assert fields(payload_of(b"\x83\xa1a\x01\x91\x01\x02\xff\x03")) == {}


@pytest.mark.parametrize(
    "payload", [b"", b"\x90", b"\x93\x01\x02\x03", b"\x96" + b"\x01" * 6, b"\x84" + b"\x01" * 8, b"\xc0"]
)
def test_what_is_no_lxmf_payload_is_refused(payload: bytes) -> None:
    with pytest.raises(WireError):
        fields(payload)


@pytest.mark.parametrize("field_map", [b"\xc0", b"\x91\x01", b"\x01", b"\xc4\x01\x80", b""])
def test_fields_that_are_no_map_are_refused(field_map: bytes) -> None:
    with pytest.raises(WireError):
        fields(payload_of(field_map))


@given(st.text(max_size=50))
def test_text_reads_strings_of_every_width_and_no_binary(value: str) -> None:
    raw = value.encode()
    for packed in (
        msgpack.packb(value),
        b"\xda" + len(raw).to_bytes(2, "big") + raw,
        b"\xdb" + len(raw).to_bytes(4, "big") + raw,
    ):
        assert text(packed, 0, len(packed)) == value
    packed = msgpack.packb(raw)
    assert text(packed, 0, len(packed)) is None
    assert text(b"\xa1\xff", 0, 2) is None


@given(st.integers(-(2**63), 2**64 - 1))
def test_unsigned_reads_what_msgpack_packs(value: int) -> None:
    packed = msgpack.packb(value)
    assert unsigned(packed, 0, len(packed)) == (value if value >= 0 else None)

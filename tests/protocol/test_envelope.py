"""The canonical form (spec §3, §4): every rule, both ways, on both decoding paths."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings, strategies as st

from lrgpnode.protocol import envelope as module
from lrgpnode.protocol.envelope import (
    Envelope,
    InvalidEnvelope,
    Rule,
    UnsendableEnvelope,
    error_payload,
    fit_error,
)
from lrgpnode.protocol.errors import ErrorCode, Kind, LrgpError

NONCE = bytes(range(8))
SESSION = "0123456789abcdef"
VECTORS = json.loads((Path(__file__).parent / "vectors" / "four_in_a_row.json").read_text())["vectors"]


def good(**changes: Any) -> dict[str, Any]:
    return {"a": "ttt.1", "c": "move", "s": SESSION, "p": {"i": 4}, "n": NONCE} | changes


def rule_of(raw: bytes) -> Rule:
    with pytest.raises(InvalidEnvelope) as caught:
        Envelope.unpack(raw)
    return caught.value.rule


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["name"])
def test_published_vectors(vector: dict[str, Any]) -> None:
    fields = vector["envelope"]
    app, version = fields["a"].rsplit(".", 1)
    built = Envelope(app, int(version), fields["c"], fields["s"], fields["p"], bytes.fromhex(fields["n"]))
    packed = built.pack()
    assert len(packed) == vector["length"]
    assert hashlib.sha256(packed).hexdigest() == vector["sha256"]
    assert Envelope.unpack(packed) == built


def test_keys_are_written_in_the_order_a_c_s_p_n() -> None:
    packed = Envelope("ttt", 1, "move", SESSION, {"i": 4}, NONCE).pack()
    assert list(msgpack.unpackb(packed)) == ["a", "c", "s", "p", "n"]
    assert packed[-10:] == b"\xc4\x08" + NONCE


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"a": "ttt"}, Rule.APP),
        ({"a": "ttt."}, Rule.APP),
        ({"a": "ttt.0"}, Rule.APP),
        ({"a": "ttt.01"}, Rule.APP),
        ({"a": "ttt.+1"}, Rule.APP),
        ({"a": "ttt.1\n"}, Rule.APP),
        ({"a": "ttt.1 "}, Rule.APP),
        ({"a": "ttt.\u0661"}, Rule.APP),
        ({"a": "ttt.4294967296"}, Rule.APP),
        ({"a": "ttt.99999999999"}, Rule.APP),
        ({"a": "Ttt.1"}, Rule.APP),
        ({"a": "1tt.1"}, Rule.APP),
        ({"a": ".1"}, Rule.APP),
        ({"a": b"ttt.1"}, Rule.APP),
        ({"a": 1}, Rule.APP),
        ({"a": None}, Rule.APP),
        ({"c": ""}, Rule.COMMAND),
        ({"c": "Move"}, Rule.COMMAND),
        ({"c": "move\n"}, Rule.COMMAND),
        ({"c": "_move"}, Rule.COMMAND),
        ({"c": "mo-ve"}, Rule.COMMAND),
        ({"c": "mov\u00e9"}, Rule.COMMAND),
        ({"c": b"move"}, Rule.COMMAND),
        ({"c": ["move"]}, Rule.COMMAND),
        ({"s": ""}, Rule.SESSION),
        ({"s": SESSION[:-1]}, Rule.SESSION),
        ({"s": SESSION + "0"}, Rule.SESSION),
        ({"s": SESSION.upper()}, Rule.SESSION),
        ({"s": SESSION[:-1] + "g"}, Rule.SESSION),
        ({"s": SESSION + "\n"}, Rule.SESSION),
        ({"s": SESSION[:-1] + "\u0661"}, Rule.SESSION),
        ({"s": bytes.fromhex(SESSION)}, Rule.SESSION),
        ({"s": 0x123}, Rule.SESSION),
        ({"p": []}, Rule.PAYLOAD),
        ({"p": None}, Rule.PAYLOAD),
        ({"p": ""}, Rule.PAYLOAD),
        ({"p": b"\x80"}, Rule.PAYLOAD),
        ({"p": True}, Rule.PAYLOAD),
        ({"p": {"x": msgpack.ExtType(5, b"abc")}}, Rule.PAYLOAD),
        ({"n": NONCE[:-1]}, Rule.NONCE),
        ({"n": NONCE + b"8"}, Rule.NONCE),
        ({"n": b""}, Rule.NONCE),
        ({"n": "01234567"}, Rule.NONCE),
        ({"n": True}, Rule.NONCE),
        ({"n": 8}, Rule.NONCE),
        ({"n": list(NONCE)}, Rule.NONCE),
    ],
)
def test_a_value_outside_its_canonical_form_is_refused(changes: dict[str, Any], rule: Rule) -> None:
    assert rule_of(msgpack.packb(good(**changes))) is rule


@pytest.mark.parametrize("app", ["ttt.1", "a.4294967295", "a.b.c.7", "a-b_c.9", "x.1.2", "t..1"])
def test_app_forms_that_are_canonical(app: str) -> None:
    decoded = Envelope.unpack(msgpack.packb(good(a=app)))
    assert f"{decoded.app_id}.{decoded.version}" == app
    assert decoded.app_id == app.rpartition(".")[0]


@pytest.mark.parametrize("key", list("acspn"))
def test_a_missing_key_is_refused(key: str) -> None:
    value = good()
    del value[key]
    assert rule_of(msgpack.packb(value)) is Rule.KEYS


@pytest.mark.parametrize("extra", ["x", "A", "", 1, b"n", None, "aa"])
def test_an_additional_key_is_refused(extra: Any) -> None:
    assert rule_of(msgpack.packb(good() | {extra: 1})) is Rule.KEYS
    swapped = good()
    swapped[extra] = swapped.pop("n")
    assert rule_of(msgpack.packb(swapped)) is Rule.KEYS


@pytest.mark.parametrize(
    "raw", [b"\x80", b"\x90", b"\xc0", b"\x01", b"\xa1a", b"\xc4\x00", b"\x95\x00\x00\x00\x00\x00"]
)
def test_one_value_that_is_no_envelope_map(raw: bytes) -> None:
    assert rule_of(raw) in (Rule.NOT_A_MAP, Rule.KEYS)


def pair(key: bytes, value: Any) -> bytes:
    return key + msgpack.packb(value)


def raw_map(pairs: list[bytes], header: bytes | None = None) -> bytes:
    return (header if header is not None else bytes([0x80 | len(pairs)])) + b"".join(pairs)


def pairs(**changes: Any) -> list[bytes]:
    return [pair(msgpack.packb(k), v) for k, v in good(**changes).items()]


@pytest.mark.parametrize("key", list("acspn"))
def test_a_duplicate_top_level_key_is_refused(key: str) -> None:
    doubled = [*pairs(), pair(msgpack.packb(key), good()[key])]
    assert rule_of(raw_map(doubled)) is Rule.DUPLICATE_KEY
    without = [p for p in doubled if not p.startswith(msgpack.packb("c" if key != "c" else "a"))]
    assert rule_of(raw_map(without)) is Rule.DUPLICATE_KEY


@pytest.mark.parametrize(
    "payload",
    [
        b"\x82\xa1i\x04\xa1i\x04",
        b"\x82\xa1i\x04\xa1i\x05",
        b"\x82\xa1i\x04\xd9\x01i\x04",
        b"\x82\x01\x04\xcc\x01\x04",
        b"\x82\x01\x04\xc3\x04",
        b"\x81\xa1x\x82\xa1i\x04\xa1i\x04",
        b"\x81\xa1x\x91\x82\xa1i\x04\xa1i\x04",
    ],
)
def test_a_duplicate_key_inside_the_payload_is_refused_at_every_level(payload: bytes) -> None:
    body = [b"\xa1p" + payload if p.startswith(b"\xa1p") else p for p in pairs()]
    assert rule_of(raw_map(body)) is Rule.DUPLICATE_KEY


@pytest.mark.parametrize("tail", [b"\x00", b"\xc0", b"\x80", NONCE])
def test_trailing_bytes_are_refused(tail: bytes) -> None:
    assert rule_of(msgpack.packb(good()) + tail) is Rule.TRAILING_BYTES
    long_form = raw_map(pairs(), b"\xde\x00\x05")
    assert rule_of(long_form + tail) is Rule.TRAILING_BYTES


def test_every_truncation_is_refused() -> None:
    for form in (msgpack.packb(good()), raw_map(pairs(), b"\xde\x00\x05")):
        for cut in range(len(form)):
            assert rule_of(form[:cut]) is Rule.MSGPACK


@pytest.mark.parametrize("header", [b"\xde\x00\x05", b"\xdf\x00\x00\x00\x05"])
def test_longer_forms_of_maps_strings_and_integers_are_the_same_value(header: bytes) -> None:
    expected = Envelope.unpack(msgpack.packb(good()))
    assert Envelope.unpack(raw_map(pairs(), header)) == expected
    body = [
        b"\xd9\x01a\xda\x00\x05ttt.1",
        b"\xdb\x00\x00\x00\x01c\xa4move",
        b"\xa1s\xd9\x10" + SESSION.encode(),
        b"\xa1p\x81\xa1i\xcf" + (4).to_bytes(8, "big"),
        b"\xd9\x01n\xc4\x08" + NONCE,
    ]
    assert Envelope.unpack(raw_map(body, header)) == expected
    signed = [b"\xa1p\x81\xa1i\xd1\x00\x04" if p.startswith(b"\xa1p") else p for p in pairs()]
    assert Envelope.unpack(raw_map(signed, header)) == expected


@pytest.mark.parametrize("nonce", [b"\xc5\x00\x08" + NONCE, b"\xc6\x00\x00\x00\x08" + NONCE])
@pytest.mark.parametrize("position", range(5))
def test_a_nonce_that_is_not_bin8_is_refused_wherever_it_stands(nonce: bytes, position: int) -> None:
    body = [p for p in pairs() if not p.startswith(b"\xa1n")]
    body.insert(position, b"\xa1n" + nonce)
    assert rule_of(raw_map(body)) is Rule.NONCE


def test_a_bin8_nonce_hidden_in_the_payload_does_not_excuse_a_wrong_one() -> None:
    decoy = b"\xa1n\xc4\x08" + NONCE
    body = [b"\xa1n\xc5\x00\x08" + NONCE, *[p for p in pairs(p={"z": decoy}) if not p.startswith(b"\xa1n")]]
    assert rule_of(raw_map(body)) is Rule.NONCE


def test_any_key_order_is_accepted() -> None:
    for turned in (pairs()[::-1], pairs()[2:] + pairs()[:2]):
        assert Envelope.unpack(raw_map(turned)) == Envelope.unpack(msgpack.packb(good()))


def nested(depth: int, *, maps: bool) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"x": value} if maps else [value]
    return value


@pytest.mark.parametrize("maps", [True, False])
def test_nesting_is_bounded(maps: bool) -> None:
    fits = nested(module.MAX_DEPTH - 2, maps=maps)
    assert Envelope.unpack(msgpack.packb(good(p={"d": fits}))).payload == {"d": fits}
    assert Envelope("ttt", 1, "move", SESSION, {"d": fits}, NONCE).payload == {"d": fits}
    deep = nested(module.MAX_DEPTH - 1, maps=maps)
    assert rule_of(msgpack.packb(good(p={"d": deep}))) is Rule.NESTING
    with pytest.raises(UnsendableEnvelope) as caught:
        Envelope("ttt", 1, "move", SESSION, {"d": deep}, NONCE)
    assert caught.value.rule is Rule.NESTING
    assert rule_of(b"\x91" * 150 + b"\xc0") is Rule.NESTING
    assert rule_of(b"\x81\xa1x" * 60 + b"\xc0") is Rule.NESTING


def test_200_bytes_is_the_limit_both_ways() -> None:
    empty = len(msgpack.packb(good(p={"t": "x" * 32})))  # str8 from 32 on
    at_limit = good(p={"t": "x" * (32 + 200 - empty)})
    raw = msgpack.packb(at_limit)
    assert len(raw) == 200
    assert Envelope.unpack(raw).pack() == raw
    over = at_limit["p"]["t"] + "x"
    assert rule_of(msgpack.packb(good(p={"t": over}))) is Rule.SIZE
    with pytest.raises(UnsendableEnvelope) as caught:
        Envelope("ttt", 1, "move", SESSION, {"t": over}, NONCE)
    assert caught.value.kind is Kind.ENVELOPE_TOO_LARGE


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("app_id", "Ttt", Rule.APP),
        ("app_id", "ttt\n", Rule.APP),
        ("app_id", "", Rule.APP),
        ("version", 0, Rule.APP),
        ("version", True, Rule.APP),
        ("version", 2**32, Rule.APP),
        ("version", "1", Rule.APP),
        ("command", "Move", Rule.COMMAND),
        ("command", b"move", Rule.COMMAND),
        ("session_id", "", Rule.SESSION),
        ("payload", [], Rule.PAYLOAD),
        ("payload", {"x": object()}, Rule.PAYLOAD),
        ("payload", {"x": (1,)}, Rule.PAYLOAD),
        ("payload", {1.5: 1}, Rule.PAYLOAD),
        ("payload", {"x": 2**64}, Rule.PAYLOAD),
        ("nonce", b"", Rule.NONCE),
        ("nonce", "01234567", Rule.NONCE),
        ("nonce", bytearray(8), Rule.NONCE),
    ],
)
def test_an_invalid_envelope_cannot_be_built(field: str, value: Any, rule: Rule) -> None:
    values: dict[str, Any] = {
        "app_id": "ttt",
        "version": 1,
        "command": "move",
        "session_id": SESSION,
        "payload": {},
        "nonce": NONCE,
    }
    with pytest.raises(UnsendableEnvelope) as caught:
        Envelope(**values | {field: value})
    assert caught.value.rule is rule


# LXMF field maps


def test_fields_round_trip() -> None:
    built = Envelope("ttt", 1, "move", SESSION, {"i": 4}, NONCE)
    fields = built.to_fields()
    assert list(fields) == [0xFB, 0xFD]
    assert Envelope.from_fields(fields) == built
    assert Envelope.from_fields(fields, built.pack()) == built


@pytest.mark.parametrize(
    "marker", [b"lrgp.v1", "lrgp.v2", "LRGP.V1", "lrgp.v1\n", None, 1, ["lrgp.v1"], "rlap.v1"]
)
def test_another_marker_is_not_lrgp(marker: Any) -> None:
    assert Envelope.from_fields({0xFB: marker, 0xFD: good()}) is None


def test_no_fields_is_not_lrgp() -> None:
    assert Envelope.from_fields({}) is None
    assert Envelope.from_fields({0xFD: good()}) is None


@pytest.mark.parametrize("meta", [None, msgpack.packb(good()), "text", [1], 5])
def test_a_marked_message_without_a_native_map_is_invalid(meta: Any) -> None:
    with pytest.raises(InvalidEnvelope):
        Envelope.from_fields({0xFB: "lrgp.v1", 0xFD: meta})
    with pytest.raises(InvalidEnvelope):
        Envelope.from_fields({0xFB: "lrgp.v1"})


def test_the_bytes_decide_what_the_map_cannot_show() -> None:
    body = [b"\xa1n\xc5\x00\x08" + NONCE if p.startswith(b"\xa1n") else p for p in pairs()]
    with pytest.raises(InvalidEnvelope) as caught:
        Envelope.from_fields({0xFB: "lrgp.v1", 0xFD: good()}, raw_map(body))
    assert caught.value.rule is Rule.NONCE


def test_map_and_bytes_that_disagree_are_refused() -> None:
    with pytest.raises(InvalidEnvelope):
        Envelope.from_fields({0xFB: "lrgp.v1", 0xFD: good(c="accept")}, msgpack.packb(good()))


def test_a_map_with_values_that_msgpack_lacks_is_refused() -> None:
    deep: Any = []
    for _ in range(2000):
        deep = [deep]
    for value in (object(), {1, 2}, 2**70, deep):
        with pytest.raises(InvalidEnvelope):
            Envelope.from_fields({0xFB: "lrgp.v1", 0xFD: good(p={"x": value})})


# Error actions


def test_error_payload_is_exact() -> None:
    assert error_payload({"code": "a", "msg": "b", "ref": "c"}) == ("a", "b", "c")
    for bad in (
        {},
        {"code": "a", "msg": "b"},
        {"code": "a", "msg": "", "ref": "c"},
        {"code": "a", "msg": 1, "ref": "c"},
        {"code": "a", "msg": "b", "ref": "c", "x": 1},
        {"code": b"a", "msg": "b", "ref": "c"},
    ):
        assert error_payload(bad) is None


@given(st.text(max_size=300), st.sampled_from(list(ErrorCode)))
def test_a_long_error_message_is_cut_to_fit(msg: str, code: ErrorCode) -> None:
    payload = fit_error("four_in_a_row", 4294967295, SESSION, code, msg, "draw_decline")
    built = Envelope("four_in_a_row", 4294967295, "error", SESSION, payload, NONCE)
    assert error_payload(built.payload) is not None
    assert msg.startswith(payload["msg"]) or payload["msg"] == "-"


# Anything else

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4) | st.integers(0, 300) | st.none(), inner, max_size=3)
    ),
    max_leaves=8,
)
envelopes = st.builds(
    lambda a, v, c, s, p, n: {"a": f"{a}.{v}", "c": c, "s": s, "p": p, "n": n},
    st.from_regex(r"\A[a-z][a-z0-9_.-]{0,8}\Z"),
    st.integers(1, 2**32 - 1),
    st.from_regex(r"\A[a-z][a-z0-9_]{0,8}\Z"),
    st.from_regex(r"\A[0-9a-f]{16}\Z"),
    st.dictionaries(st.text(max_size=3), values, max_size=4),
    st.binary(min_size=8, max_size=8),
)


@given(envelopes)
def test_what_fits_decodes_to_the_same_map_and_packs_again(value: dict[str, Any]) -> None:
    raw = msgpack.packb(value)
    if len(raw) > 200:
        assert rule_of(raw) is Rule.SIZE
        return
    try:
        decoded = Envelope.unpack(raw)
    except InvalidEnvelope as error:
        assert error.rule is Rule.NESTING
        return
    assert decoded.as_map() == value
    assert decoded.pack() == raw


def mutate(raw: bytes, edits: list[tuple[int, int, int]]) -> bytes:
    data = bytearray(raw)
    for where, what, byte in edits:
        at = where % (len(data) + 1)
        if what == 0:
            data.insert(at, byte)
        elif data and at < len(data):
            if what == 1:
                del data[at]
            else:
                data[at] = byte
    return bytes(data)


EDITS = st.lists(st.tuples(st.integers(0, 250), st.integers(0, 2), st.integers(0, 255)), max_size=4)


def both_paths(raw: bytes) -> None:
    """Never anything but the typed error, and the careful path alone gives the same verdict."""
    try:
        quick: Envelope | None = Envelope.unpack(raw)
    except LrgpError as error:
        assert type(error) is InvalidEnvelope
        quick = None
    if len(raw) > 200:
        assert quick is None
        return
    try:
        careful: Envelope | None = module._careful(raw)
    except InvalidEnvelope:
        careful = None
    assert repr(quick) == repr(careful)  # NaN is not equal to itself


@settings(max_examples=150)
@given(envelopes, EDITS)
def test_mutated_bytes(value: dict[str, Any], edits: list[tuple[int, int, int]]) -> None:
    both_paths(mutate(msgpack.packb(value), edits))


@settings(max_examples=150)
@given(st.binary(max_size=220))
def test_random_bytes(raw: bytes) -> None:
    both_paths(raw)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_random_and_mutated_envelopes() -> None:
    """10^6 inputs from a seeded generator: bytes at random, mutations, splices of valid envelopes."""
    import random

    source = random.Random(20261130)
    seeds = [
        msgpack.packb(good(p=p, c=c))
        for c, p in (
            ("move", {"i": 4, "b": "____X____", "n": 1, "t": "a" * 32, "x": ""}),
            ("challenge", {}),
            ("error", {"code": "invalid_move", "msg": "no", "ref": "move"}),
            ("move", {"m": "e2e4", "n": 0, "x": ""}),
            ("accept", {"deep": {"a": [1, {"b": 2.5}], "c": b"bin"}}),
        )
    ]
    accepted = 0
    for number in range(1_000_000):
        kind = number % 4
        if kind == 0:
            raw = source.randbytes(source.randrange(210))
        elif kind == 1:
            raw = source.choice(seeds)
            cut = source.randrange(len(raw))
            raw = raw[:cut] + source.choice(seeds)[source.randrange(len(raw)) :]
        else:
            edits = [(source.randrange(250), source.randrange(3), source.randrange(256)) for _ in range(kind)]
            raw = mutate(source.choice(seeds), edits)
        try:
            Envelope.unpack(raw)
            accepted += 1
        except InvalidEnvelope:
            continue
    assert accepted > 1000  # mutations that stay canonical: the generator reaches both verdicts

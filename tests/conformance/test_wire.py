"""What is not a canonical envelope, or not one for this node (spec §3; facts §1, §3).

Every refusal here must leave no trace: the right envelope with the very same nonce is taken afterwards.
"""

from __future__ import annotations

import msgpack
import pytest

from tests.conformance.conftest import Quiet
from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    COMMANDS,
    DUPLICATE,
    ERROR,
    IDEMPOTENT,
    TTT,
    A,
    B,
    Driver,
    S,
    Table,
    envelope,
    pack,
    refused,
    rejected,
)

N = bytes(range(8))
GOOD = {"a": "ttt.1", "c": "challenge", "s": S, "p": {}, "n": N}


def without(key: str) -> str:
    return pack({k: v for k, v in GOOD.items() if k != key})


def but(**changes: object) -> str:
    return pack(GOOD | changes)


def items(*pairs: tuple[bytes, bytes], header: bytes | None = None) -> str:
    """A map written pair by pair, so that keys may repeat."""
    head = bytes([0x80 | len(pairs)]) if header is None else header
    return (head + b"".join(key + value for key, value in pairs)).hex()


PAIRS = [(bytes(msgpack.packb(key)), bytes(msgpack.packb(value))) for key, value in GOOD.items()]


def with_bytes(key: str, encoded: bytes, header: bytes | None = None) -> str:
    """GOOD with the value of ``key`` encoded in a way of its own."""
    name = bytes(msgpack.packb(key))
    return items(*[(k, encoded if k == name else v) for k, v in PAIRS], header=header)


STRINGS = {
    "integer": 1,
    "nil": None,
    "true": True,
    "float": 1.0,
    "binary": b"ttt.1",
    "list": ["ttt.1"],
    "map": {"ttt": 1},
    "empty": "",
}
BAD_APPS = [
    "ttt",
    "ttt.",
    ".1",
    "ttt.0",
    "ttt.01",
    "ttt.+1",
    "ttt.-1",
    "ttt.1.",
    "ttt..",
    "ttt.1 ",
    " ttt.1",
    "ttt.1\n",
    "ttt.\n1",
    "ttt.1\x00",
    "ttt.x",
    "ttt.1x",
    "ttt.0x1",
    "ttt.1e0",
    "ttt.1_0",
    "ttt.4294967296",
    "ttt.99999999999999999999",
    "ttt.١",
    "ttt.１",
    "ttt.²",
    "TTT.1",
    "Ttt.1",
    "tTt.1",
    "1ttt.1",
    "_ttt.1",
    "-ttt.1",
    ".ttt.1",
    "tt t.1",
    "tt/t.1",
    "tét.1",
    "тtt.1",
    "ttt:1",
    "ttt@1",
]
BAD_COMMANDS = [
    "Move",
    "MOVE",
    "challengE",
    "1move",
    "_move",
    "-move",
    "draw-offer",
    "draw offer",
    "draw.offer",
    "challenge\n",
    "challenge ",
    " challenge",
    "challenge\x00",
    "chällenge",
    "challenge١",
]
BAD_SESSIONS = [
    S[:15],
    S + "0",
    S.upper(),
    S[:15] + "F",
    S[:15] + "g",
    S[:15] + "G",
    S[:15] + " ",
    " " + S[:15],
    S + "\n",
    S[:15] + "\n",
    S[:15] + "١",
    S[:15] + "１",
    S[:14] + "0x",
    "-" + S[:15],
    S[:15] + "é",
    "0" * 32,
]
FRESH = but(c="move")
"""For a session that does not exist: not found if the nonce of GOOD is unused, else a duplicate."""

INVALID = (
    {f"no {key}": without(key) for key in "acspn"}
    | {f"only {key}": pack({key: GOOD[key]}) for key in "acspn"}
    | {f"extra {key!r}": pack(GOOD | {key: 1}) for key in ("x", "v", "A", "", "nn", "a ", 1, b"a")}
    | {
        f"{key} renamed": pack({(k if k != key else k.upper()): v for k, v in GOOD.items()})
        for key in "acspn"
    }
    | {
        f"{key} binary key": pack({(k if k != key else k.encode()): v for k, v in GOOD.items()})
        for key in "acspn"
    }
    | {f"{key} twice": items(*PAIRS, PAIRS["acspn".index(key)]) for key in "acspn"}
    | {f"{key} instead of n": items(*PAIRS[:4], PAIRS["acspn".index(key)]) for key in "acsp"}
    | {f"a {name}": but(a=value) for name, value in STRINGS.items()}
    | {f"c {name}": but(c=value) for name, value in STRINGS.items()}
    | {f"s {name}": but(s=value) for name, value in STRINGS.items()}
    | {"s bytes": but(s=S.encode()), "s raw": but(s=bytes.fromhex(S)), "s number": but(s=int(S, 16))}
    | {f"a={value!r}": but(a=value) for value in BAD_APPS}
    | {f"c={value!r}": but(c=value) for value in BAD_COMMANDS}
    | {f"s={value!r}": but(s=value) for value in BAD_SESSIONS}
    | {
        f"p={value!r}": but(p=value)
        for value in (None, [], "", "{}", 0, False, 1.5, b"", b"\x80", [["i", 1]])
    }
    | {f"n={value!r}": but(n=value) for value in (None, "", "12345678", 0, 2**63, [0] * 8, {}, True, 1.0)}
    | {f"n of {length}": but(n=bytes(length)) for length in (0, 1, 4, 7, 9, 16, 32)}
    | {
        "n str8": with_bytes("n", b"\xd9\x08abcdefgh"),
        "n fixstr": with_bytes("n", b"\xa8abcdefgh"),
        "n bin16": with_bytes("n", b"\xc5\x00\x08" + N),
        "n bin32": with_bytes("n", b"\xc6\x00\x00\x00\x08" + N),
        "n fixext8": with_bytes("n", b"\xd7\x05" + N),
        "n timestamp": with_bytes("n", b"\xd7\xff" + N),
        "n uint64": with_bytes("n", b"\xcf" + N),
        "p key twice": with_bytes("p", b"\x82\xa1i\x01\xa1i\x02"),
        "p key twice, same value": with_bytes("p", b"\x82\xa1i\x01\xa1i\x01"),
        "p key twice, other width": with_bytes("p", b"\x82\xa1i\x01\xd9\x01i\x01"),
        "nested key twice": with_bytes("p", b"\x81\xa1d\x82\xa1i\x01\xa1i\x02"),
        "key twice in a list": with_bytes("p", b"\x81\xa1d\x91\x82\xa1i\x01\xa1i\x02"),
        "key twice deep": with_bytes("p", b"\x81\xa1d\x91\x81\xa1e\x82\xa1i\x01\xa1i\x02"),
        "a not utf-8": with_bytes("a", b"\xa5tt\xff.1"),
        "c not utf-8": with_bytes("c", b"\xa4mov\xff"),
        "a key of wide twice": items(*PAIRS, (b"\xd9\x01a", PAIRS[0][1])),
    }
    | {
        "no bytes": "",
        "nil": "c0",
        "true": "c3",
        "integer": "05",
        "text": pack("lrgp"),
        "binary": pack(bytes.fromhex(but())),
        "text of it": pack(but()),
        "list": pack([GOOD]),
        "list of pairs": pack([list(pair) for pair in GOOD.items()]),
        "list of values": pack(list(GOOD.values())),
        "empty map": "80",
        "reserved byte": "c1",
        "ext": pack(msgpack.ExtType(1, b"abc")),
        "JSON": b'{"a":"ttt.1","c":"challenge","s":"0123456789abcdef","p":{}}'.hex(),
        "wide count": items(*PAIRS, header=b"\xdf\xff\xff\xff\xff"),
        "count one more": items(*PAIRS, header=b"\x86"),
        "count one less": items(*PAIRS, header=b"\x84"),
        "trailing nil": but() + "c0",
        "trailing zero": but() + "00",
        "trailing envelope": but() + but(),
        "trailing reserved": but() + "c1",
        "trailing open map": but() + "81",
        "leading nil": "c0" + but(),
    }
    | {f"cut at {end}": but()[: 2 * end] for end in (1, 2, 3, 8, 20, 38, 40, 42, 45, 50, len(but()) // 2 - 1)}
)


@pytest.mark.parametrize("raw", INVALID.values(), ids=INVALID.keys())
def test_an_envelope_that_is_not_canonical_leaves_no_trace(quiet: Quiet, raw: str) -> None:
    bob = quiet.node(B)
    for _ in range(2):
        assert bob.wire(raw, A) == refused("invalid_envelope")
    assert bob.state(TTT) is None
    assert bob.wire(FRESH, A) == refused("session_not_found")


def test_a_used_nonce_would_show(driver: Driver) -> None:
    bob = driver.node(B)
    assert bob.wire(FRESH, A) == refused("session_not_found")
    assert bob.wire(but(p={"x": 1}), A)["outcome"] == "rejected"
    assert bob.wire(FRESH, A) == DUPLICATE


WIDE = {
    "a str8": with_bytes("a", b"\xd9\x05ttt.1"),
    "a str16": with_bytes("a", b"\xda\x00\x05ttt.1"),
    "a str32": with_bytes("a", b"\xdb\x00\x00\x00\x05ttt.1"),
    "c str8": with_bytes("c", b"\xd9\x09challenge"),
    "s str8": with_bytes("s", b"\xd9\x10" + S.encode()),
    "p map16": with_bytes("p", b"\xde\x00\x00"),
    "p map32": with_bytes("p", b"\xdf\x00\x00\x00\x00"),
    "map16": items(*PAIRS, header=b"\xde\x00\x05"),
    "map32": items(*PAIRS, header=b"\xdf\x00\x00\x00\x05"),
    "key str8": items((b"\xd9\x01a", PAIRS[0][1]), *PAIRS[1:]),
    "key n str8": items(*PAIRS[:4], (b"\xd9\x01n", PAIRS[4][1])),
    "reversed": items(*reversed(PAIRS)),
    "n first": items(PAIRS[4], *PAIRS[:4]),
}


@pytest.mark.parametrize("raw", WIDE.values(), ids=WIDE.keys())
def test_other_widths_and_orders_are_the_same_value(driver: Driver, raw: str) -> None:
    bob = driver.node(B)
    assert bob.wire(raw, A) == ACCEPTED
    assert bob.wire(but(), A) == DUPLICATE


@pytest.mark.parametrize(
    "number", [b"\xcc\x00", b"\xcd\x00\x00", b"\xce\x00\x00\x00\x00", b"\xd0\x00", b"\xd3" + bytes(8)]
)
def test_a_number_of_any_width_is_the_same_move(driver: Driver, number: bytes) -> None:

    table = Table(driver, TTT).open()
    raw = table.prepare(table.alice, "move", {"i": 0})
    wide = bytes.fromhex(raw).replace(b"\xa1i\x00", b"\xa1i" + number).hex()
    assert wide != raw
    assert table.bob.wire(wide, A) == ACCEPTED


def sized(length: int) -> str:
    """An error envelope of exactly ``length`` bytes."""
    msg = "m" * (length - len(bytes.fromhex(envelope(TTT, "error", ERROR | {"msg": ""}))) - 1)
    raw = envelope(TTT, "error", ERROR | {"msg": msg})
    assert len(raw) == 2 * length
    return raw


@pytest.mark.parametrize("length", [150, 199, 200])
def test_two_hundred_bytes_fit(driver: Driver, length: int) -> None:
    bob = driver.node(B)
    bob.wire(envelope(TTT, "challenge"), A)
    assert bob.wire(sized(length), A)["outcome"] == "remote_error"


@pytest.mark.parametrize("length", [201, 202, 255, 300])
def test_more_than_two_hundred_do_not(driver: Driver, length: int) -> None:
    bob = driver.node(B)
    bob.wire(envelope(TTT, "challenge"), A)
    raw = sized(length)
    for _ in range(2):
        assert bob.wire(raw, A) == refused("envelope_too_large")


UNKNOWN = [
    ("nosuch.1", "unknown_app"),
    ("ttt.1.1", "unknown_app"),
    ("ttt-x.1", "unknown_app"),
    ("a.1", "unknown_app"),
    ("a_b.c-d.4294967295", "unknown_app"),
    ("four.1", "unknown_app"),
    ("lrgp.v1.1", "unknown_app"),
    ("nosuch.2", "unknown_app"),
    ("ttt.2", "unsupported_version"),
    ("chess.2", "unsupported_version"),
    ("four_in_a_row.10", "unsupported_version"),
    ("ttt.4294967295", "unsupported_version"),
]


@pytest.mark.parametrize("command", ["challenge", "move", "error", "nosuch"])
@pytest.mark.parametrize(("app", "kind"), UNKNOWN)
def test_an_unknown_app_or_version_leaves_no_trace(quiet: Quiet, app: str, kind: str, command: str) -> None:
    bob = quiet.node(B)
    raw = but(a=app, c=command, p={})
    for _ in range(2):
        assert bob.wire(raw, A) == refused(kind)
    assert bob.wire(FRESH, A) == refused("session_not_found")


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(
    "command", ["nosuch", "drop", "castle", "cancel", "challenge2", "resigned", "a", "z_9"]
)
def test_an_unknown_action_leaves_no_trace(quiet: Quiet, app: str, command: str) -> None:
    bob = quiet.node(B)
    raw = but(a=f"{app}.1", c=command)
    for _ in range(2):
        assert bob.wire(raw, A) == refused("unsupported_action")
    assert bob.wire(FRESH, A) == refused("session_not_found")


BAD_ERRORS = {
    "empty": {},
    "no code": {"msg": "m", "ref": "move"},
    "no msg": {"code": "c", "ref": "move"},
    "no ref": {"code": "c", "msg": "m"},
    "extra": ERROR | {"x": 1},
    "empty code": ERROR | {"code": ""},
    "empty msg": ERROR | {"msg": ""},
    "empty ref": ERROR | {"ref": ""},
    "code number": ERROR | {"code": 1},
    "msg nil": ERROR | {"msg": None},
    "ref binary": ERROR | {"ref": b"move"},
    "msg list": ERROR | {"msg": ["no"]},
    "ref true": ERROR | {"ref": True},
    "binary keys": {b"code": "c", b"msg": "m", b"ref": "r"},
    "capital keys": {"Code": "c", "Msg": "m", "Ref": "r"},
    "spare key": {"code": "c", "msg": "m", "reference": "r"},
}


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("payload", BAD_ERRORS.values(), ids=BAD_ERRORS.keys())
def test_a_malformed_error_leaves_no_trace(driver: Driver, app: str, payload: object) -> None:
    bob = driver.node(B)
    bob.wire(envelope(app, "challenge"), A)
    for _ in range(2):
        assert bob.wire(but(a=f"{app}.1", c="error", p=payload), A) == refused("invalid_envelope")
    assert bob.wire(but(a=f"{app}.1", c="error", p=ERROR), A)["outcome"] == "remote_error"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_sender_comes_first_then_the_identity(driver: Driver, app: str, command: str) -> None:
    bob = driver.node(B)
    for raw in (but(a=f"{app}.1", c=command), "c1", but(a="nosuch.1"), "00" * 300):
        assert bob.wire(raw, "") == refused("sender_required")
        assert bob.wire(raw, "  ") == refused("sender_required")
        assert bob.wire(raw, "", identity="") == refused("sender_required")
        assert bob.wire(raw, A, identity="") == refused("identity_required")
        assert bob.wire(raw, A, identity=" ") == refused("identity_required")
    assert bob.wire(but(a=f"{app}.1"), A) == ACCEPTED
    assert bob.wire(but(a=f"{app}.1"), "") == refused("sender_required")


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("payload", [{"x": 1}, {"": None}, {"i": 0}, {1: 2}, {"d": {"e": [1.5, b"x"]}}])
def test_a_challenge_carries_nothing(driver: Driver, app: str, payload: object) -> None:
    bob = driver.node(B)
    raw = envelope(app, "challenge", payload)
    assert bob.wire(raw, A) == rejected("protocol_error", "challenge")
    assert bob.wire(raw, A) == DUPLICATE
    assert bob.state(app) is None
    assert bob.wire(envelope(app, "challenge"), A) == ACCEPTED
    assert bob.wire(envelope(app, "challenge"), A) == IDEMPOTENT

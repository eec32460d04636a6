"""The LRGP envelope: exactly five keys in at most 200 bytes of MessagePack (spec §3, §4).

Decoding is strict and has two paths with one verdict. Almost every envelope is written in shortest
form; for those, packing the decoded map again must give the same bytes, which proves at once that
there is one value, no trailing byte, no duplicate key and a bin8 nonce. Whatever differs takes the
careful path, which allows longer integer and string forms (they are the same value) and names the
rule that was broken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

import msgpack

from .errors import CallerError, ErrorCode, Kind, PeerError
from .game import Command, Manifest, Payload
from .replay import NONCE_BYTES
from .session import is_session_id
from .value import Value
from .wire import MAX_DEPTH, WireError, skip

FIELD_CUSTOM_TYPE: Final = 0xFB
FIELD_CUSTOM_META: Final = 0xFD
MARKER: Final = "lrgp.v1"
"""The value of ``FIELD_CUSTOM_TYPE`` (spec §2)."""

MAX_ENVELOPE_BYTES: Final = 200
MAX_VERSION: Final = 0xFFFF_FFFF

_KEYS: Final = frozenset("acspn")
_APP = re.compile(r"([a-z][a-z0-9_.-]*)\.([1-9][0-9]{0,9})")
_COMMAND = re.compile(r"[a-z][a-z0-9_]*")
_BIN8: Final = 0xC4


class Rule(StrEnum):
    """The rule of the canonical form that an envelope breaks."""

    SIZE = "size"
    MSGPACK = "msgpack"
    TRAILING_BYTES = "trailing_bytes"
    NOT_A_MAP = "not_a_map"
    KEYS = "keys"
    DUPLICATE_KEY = "duplicate_key"
    NESTING = "nesting"
    APP = "app"
    COMMAND = "command"
    SESSION = "session"
    PAYLOAD = "payload"
    NONCE = "nonce"


_WORDS: Final[Mapping[Rule, str]] = {
    Rule.SIZE: f"the envelope exceeds {MAX_ENVELOPE_BYTES} bytes",
    Rule.MSGPACK: "the envelope is not one well-formed MessagePack value",
    Rule.TRAILING_BYTES: "bytes follow the envelope",
    Rule.NOT_A_MAP: "the envelope is not a map",
    Rule.KEYS: "the envelope must have exactly the keys a, c, s, p and n",
    Rule.DUPLICATE_KEY: "a map contains a key twice",
    Rule.NESTING: f"values are nested more than {MAX_DEPTH} deep",
    Rule.APP: "a must be <game_id>.<version>",
    Rule.COMMAND: "c must be a command name",
    Rule.SESSION: "s must be 16 lower-case hexadecimal characters",
    Rule.PAYLOAD: "p must be a map of plain MessagePack values",
    Rule.NONCE: "n must be exactly 8 bytes encoded as bin8",
}


def _kind(rule: Rule) -> Kind:
    return Kind.ENVELOPE_TOO_LARGE if rule is Rule.SIZE else Kind.INVALID_ENVELOPE


class InvalidEnvelope(PeerError):
    """Received bytes that are not a canonical envelope; ``rule`` says which rule they break."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(_kind(rule), _WORDS[rule])
        self.rule = rule


class UnsendableEnvelope(CallerError):
    """Local values that do not make a canonical envelope."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(_kind(rule), _WORDS[rule])
        self.rule = rule


@lru_cache(maxsize=64)
def _split_app(text: str) -> tuple[str, int] | None:
    """(game id, version) of ``a``. The game id may contain dots: the last one separates."""
    match = _APP.fullmatch(text)
    if match is None or int(match[2]) > MAX_VERSION:
        return None
    return match[1], int(match[2])


@dataclass(frozen=True, slots=True, repr=False)
class Envelope(Value):
    """One action on the wire. Construction validates; the error is ``UnsendableEnvelope``."""

    app_id: str
    version: int
    command: str
    session_id: str
    payload: Payload
    nonce: bytes

    def __post_init__(self) -> None:
        rule = _broken_rule(self)
        if rule is not None:
            raise UnsendableEnvelope(rule)
        self.pack()

    def as_map(self) -> dict[str, Any]:
        """The native map, in the key order that every known implementation writes."""
        return {
            "a": f"{self.app_id}.{self.version}",
            "c": self.command,
            "s": self.session_id,
            "p": self.payload,
            "n": self.nonce,
        }

    def pack(self) -> bytes:
        """The envelope in shortest form, at most 200 bytes."""
        try:
            packed: bytes = msgpack.packb(self.as_map())
        except (TypeError, ValueError, OverflowError) as error:
            raise UnsendableEnvelope(Rule.PAYLOAD) from error
        if len(packed) > MAX_ENVELOPE_BYTES:
            raise UnsendableEnvelope(Rule.SIZE)
        return packed

    @classmethod
    def unpack(cls, raw: bytes) -> Envelope:
        """Decode exactly one canonical envelope. Raises ``InvalidEnvelope``, nothing else."""
        if len(raw) > MAX_ENVELOPE_BYTES:
            raise InvalidEnvelope(Rule.SIZE)
        try:
            value = msgpack.unpackb(raw)
            shortest = msgpack.packb(value) == raw
        except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
            return _careful(raw)
        if not shortest or type(value) is not dict or len(value) != len(_KEYS):
            return _careful(raw)
        try:
            app, command = value["a"], value["c"]
            session_id, payload, nonce = value["s"], value["p"], value["n"]
        except KeyError:
            raise InvalidEnvelope(Rule.KEYS) from None
        if type(payload) is not dict:
            raise InvalidEnvelope(Rule.PAYLOAD)
        for key, item in payload.items():
            if type(key) is not str or type(item) not in _SCALARS:
                return _careful(raw)
        return _build(app, command, session_id, payload, nonce)

    @classmethod
    def from_fields(cls, fields: Mapping[Any, Any], raw: bytes | None = None) -> Envelope | None:
        """The envelope in an LXMF field map (spec §2), or None where the message is not LRGP.

        ``raw`` is the exact encoding of field 0xFD as it was on the wire; only it can show a nonce
        that is not bin8, so a receiver passes it whenever it has it. Raises ``InvalidEnvelope``.
        """
        marker = fields.get(FIELD_CUSTOM_TYPE)
        if type(marker) is not str or marker != MARKER:
            return None
        value = fields.get(FIELD_CUSTOM_META)
        if type(value) is not dict:
            raise InvalidEnvelope(Rule.NOT_A_MAP)
        if raw is None:
            try:
                raw = msgpack.packb(value)
            except (TypeError, ValueError, OverflowError, RecursionError):
                raise InvalidEnvelope(Rule.PAYLOAD) from None
        envelope = cls.unpack(raw)
        if envelope.as_map() != value:
            raise InvalidEnvelope(Rule.MSGPACK)
        return envelope

    def to_fields(self) -> dict[int, Any]:
        """The LXMF field map of this envelope: native values, never wrapped bytes (spec §2)."""
        return {FIELD_CUSTOM_TYPE: MARKER, FIELD_CUSTOM_META: self.as_map()}


_SCALARS: Final = frozenset((str, int, bool, bytes, float, type(None)))
_MAP_KEYS: Final = frozenset((str, int, bool, bytes, type(None)))

# Setting slots directly skips __post_init__, whose checks `_build` has just made.
_new = object.__new__
_SET = tuple(Envelope.__dict__[name].__set__ for name in Envelope.__slots__)
_set_app, _set_version, _set_command, _set_session, _set_payload, _set_nonce = _SET


def _build(app: object, command: object, session_id: object, payload: Payload, nonce: object) -> Envelope:
    """An envelope from decoded values whose payload and encoding have been checked."""
    split = _split_app(app) if type(app) is str else None
    if split is None:
        raise InvalidEnvelope(Rule.APP)
    if type(command) is not str or _COMMAND.fullmatch(command) is None:
        raise InvalidEnvelope(Rule.COMMAND)
    if type(session_id) is not str or not is_session_id(session_id):
        raise InvalidEnvelope(Rule.SESSION)
    if type(nonce) is not bytes or len(nonce) != NONCE_BYTES:
        raise InvalidEnvelope(Rule.NONCE)
    envelope = _new(Envelope)
    _set_app(envelope, split[0])
    _set_version(envelope, split[1])
    _set_command(envelope, command)
    _set_session(envelope, session_id)
    _set_payload(envelope, payload)
    _set_nonce(envelope, nonce)
    return envelope


def _broken_rule(envelope: Envelope) -> Rule | None:
    """The first rule that locally given values break; size is checked by packing."""
    version = envelope.version
    if type(version) is not int or _split_app(f"{envelope.app_id}.{version}") != (envelope.app_id, version):
        return Rule.APP
    if type(envelope.command) is not str or _COMMAND.fullmatch(envelope.command) is None:
        return Rule.COMMAND
    if not is_session_id(envelope.session_id):
        return Rule.SESSION
    if type(envelope.payload) is not dict:
        return Rule.PAYLOAD
    if type(envelope.nonce) is not bytes or len(envelope.nonce) != NONCE_BYTES:
        return Rule.NONCE
    return _broken_payload(envelope.payload, MAX_DEPTH - 1)


def _broken_payload(value: object, depth: int) -> Rule | None:
    if depth < 0:
        return Rule.NESTING
    kind = type(value)
    if kind is dict:
        assert isinstance(value, dict)
        if any(type(key) not in _MAP_KEYS for key in value):
            return Rule.PAYLOAD
        items = list(value.values())
    elif kind is list:
        assert isinstance(value, list)
        items = value
    else:
        return None if kind in _SCALARS else Rule.PAYLOAD
    return next(filter(None, (_broken_payload(item, depth - 1) for item in items)), None)


class _DuplicateKeyError(Exception):
    pass


def _pairs(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _DuplicateKeyError
    return result


def _careful(raw: bytes) -> Envelope:
    """Decode with a reason for every refusal; accepts values that are not in shortest form."""
    if _end(raw) != len(raw):
        raise InvalidEnvelope(Rule.TRAILING_BYTES)
    try:
        value = msgpack.unpackb(raw, strict_map_key=False, object_pairs_hook=_pairs)
    except _DuplicateKeyError:
        raise InvalidEnvelope(Rule.DUPLICATE_KEY) from None
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
        raise InvalidEnvelope(Rule.MSGPACK) from None
    if type(value) is not dict:
        raise InvalidEnvelope(Rule.NOT_A_MAP)
    if value.keys() != _KEYS:
        raise InvalidEnvelope(Rule.KEYS)
    payload = value["p"]
    if type(payload) is not dict:
        raise InvalidEnvelope(Rule.PAYLOAD)
    rule = _broken_payload(payload, MAX_DEPTH - 1)
    if rule is not None:
        raise InvalidEnvelope(rule)
    envelope = _build(value["a"], value["c"], value["s"], payload, value["n"])
    if raw[_nonce_offset(raw)] != _BIN8:
        raise InvalidEnvelope(Rule.NONCE)
    return envelope


def _end(raw: bytes) -> int:
    """Index after the first value."""
    try:
        return skip(raw, 0)
    except WireError as error:
        raise InvalidEnvelope(Rule.NESTING if error.nesting else Rule.MSGPACK) from None


def _nonce_offset(raw: bytes) -> int:
    """Where the value of ``n`` starts in a map that has been decoded."""
    index = {0xDE: 3, 0xDF: 5}.get(raw[0], 1)
    while True:
        value = skip(raw, index)
        if msgpack.unpackb(raw[index:value]) == "n":
            return value
        index = skip(raw, value)


def check_manifest(manifest: Manifest) -> None:
    """Raises ``ValueError`` for a manifest whose envelopes nobody could send (spec §1, §3, §12)."""
    if not isinstance(manifest, Manifest):
        raise ValueError("there is no manifest")
    if manifest.max_players != 2:
        raise ValueError("LRGP games have exactly two players (spec §1)")
    app = f"{manifest.app_id}.{manifest.version}"
    if type(manifest.version) is not int or _split_app(app) != (manifest.app_id, manifest.version):
        raise ValueError(f"{app!r} is no <game_id>.<version> (spec §3)")
    bad = [name for name in manifest.actions if not isinstance(name, str) or not _COMMAND.fullmatch(name)]
    if bad or Command.CHALLENGE not in manifest.actions:
        raise ValueError("actions must be command names, challenge among them (spec §3, §12)")


def error_payload(payload: Payload) -> tuple[str, str, str] | None:
    """(code, msg, ref) of an ``error`` action, or None where it is malformed (spec §9)."""
    if payload.keys() != {"code", "msg", "ref"}:
        return None
    code, msg, ref = payload["code"], payload["msg"], payload["ref"]
    if not all(type(text) is str and text for text in (code, msg, ref)):
        return None
    return code, msg, ref


def fit_error(app_id: str, version: int, session_id: str, code: ErrorCode, msg: str, ref: str) -> Payload:
    """The payload of an error action whose ``msg`` is cut so that the envelope fits."""
    text = msg
    while True:
        payload: Payload = {"code": str(code), "msg": text or "-", "ref": ref}
        whole = {
            "a": f"{app_id}.{version}",
            "c": str(Command.ERROR),
            "s": session_id,
            "p": payload,
            "n": b"8 bytes!",
        }
        excess = len(msgpack.packb(whole)) - MAX_ENVELOPE_BYTES
        if excess <= 0 or not text:
            return payload
        text = text.encode()[:-excess].decode(errors="ignore")

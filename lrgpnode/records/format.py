"""The file: text for people, and lines that begin with ``%`` for programs (docs/records.md).

    %LRGP-RECORD 1
    ... the game as people read it, e.g. PGN, whose readers skip lines that begin with % ...
    %{"game":{...}}
    %{"action":{...}}        one for each action, in order
    %{"index":{...}}         what the exporter says it all amounts to, with a digest of all before
    %{"signature":"..."}     the exporter's, over the index line

A file has one form only: a line that is not written as ``encode`` writes it is refused, so that no
two programs can read different things in it. Reading raises ``Refused`` and nothing else, and takes
time and memory in the size of the file, which is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Final, TypeVar

import msgspec

from lrgpnode.protocol.printable import printable

from .errors import Refusal, Refused

MAGIC: Final = b"%LRGP-RECORD "
VERSION: Final = 1

MAX_FILE: Final = 8 * 1024 * 1024
MAX_ACTIONS: Final = 10_000
MAX_MESSAGE: Final = 20 * 1024
"""A message that came in parts may have 16 KB of text beside its envelope."""
MAX_NAME: Final = 64
MAX_REMARK: Final = 240
MAX_REMARKS: Final = 8
MAX_LINES: Final = 2 * MAX_ACTIONS

_DOMAIN: Final = b"lrgpnode record index, version 1: signed by its exporter\n"
"""Before what is signed. Longer than the two addresses that everything signed for LXMF begins with,
so that neither signature can ever pass for the other."""

S = TypeVar("S", bound=msgspec.Struct)
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Player(_Line, frozen=True):
    """``name`` is what the exporter calls the player; nothing proves it."""

    address: str
    public_key: str
    name: str


class Game(_Line, frozen=True, omit_defaults=True):
    """Which game, between whom. ``title`` is what it is called; ``exported_at`` in Unix seconds.

    ``remarks``: what the exporter's node says besides, such as that moves were not a player's own; the field
    is not there where there are none.
    """

    app: str
    version: Count
    title: str
    session: str
    initiator: str
    players: tuple[Player, Player]
    exporter: str
    exported_at: Count
    remarks: tuple[str, ...] = ()


class Action(_Line, frozen=True):
    """One action. ``at``: when the exporter's node took it, in Unix seconds.

    ``message`` is the signed LXMF message; an action that is not proven has ``envelope`` instead.
    """

    number: Count
    author: str
    command: str
    at: Count
    message: bytes | None
    envelope: bytes | None


class Result(_Line, frozen=True):
    """``winner`` is an address, or "" for nobody."""

    reason: str
    winner: str


class Index(_Line, frozen=True):
    """What the exporter signs. ``digest`` is the SHA-256 of all bytes before the index line.

    ``messages`` are the LXMF hashes of all actions in order, "" for one that is not proven.
    """

    app: str
    version: Count
    session: str
    players: tuple[str, str]
    exporter: str
    messages: tuple[str, ...]
    status: str
    result: Result | None
    turn: str
    ply: Count
    position: tuple[tuple[str, ...], ...]
    digest: str


class _GameLine(_Line, frozen=True):
    game: Game


class _ActionLine(_Line, frozen=True):
    action: Action


class _IndexLine(_Line, frozen=True):
    index: Index


class _SignatureLine(_Line, frozen=True):
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What comes before the index. ``text`` ends with a newline and has no line that begins with %."""

    text: str
    game: Game
    actions: tuple[Action, ...]

    def encode(self) -> bytes:
        lines = [_line(_GameLine(self.game)), *(_line(_ActionLine(action)) for action in self.actions)]
        return MAGIC + b"%d\n" % VERSION + self.text.encode() + b"".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A file that has been read. Nothing of it has been proven."""

    content: Content
    index: Index
    digest: str
    signed: bytes
    signature: bytes


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def index_line(index: Index) -> bytes:
    return _line(_IndexLine(index))


def to_sign(line: bytes) -> bytes:
    """What the exporter signs: a fixed text, then the index line without its newline."""
    return _DOMAIN + line.removesuffix(b"\n")


def signature_line(signature: bytes) -> bytes:
    return _line(_SignatureLine(signature.hex()))


def _line(value: msgspec.Struct) -> bytes:
    return b"%" + msgspec.json.encode(value) + b"\n"


def read(data: bytes) -> Record:
    """Take a file apart. Raises ``Refused``."""
    if len(data) > MAX_FILE:
        raise Refused(Refusal.TOO_LARGE, f"A record has at most {MAX_FILE // 1024 // 1024} MiB.")
    _check_magic(data)
    if data.count(b"\n") > MAX_LINES:
        raise Refused(Refusal.TOO_LARGE, f"A record has at most {MAX_LINES} lines.")
    lines = data.split(b"\n")
    # The text may hold no % at the beginning of a line, so the first one begins the record proper.
    first = next((i for i in range(1, len(lines)) if lines[i].startswith(b"%")), len(lines))
    if lines[-1] or len(lines) < first + 5:
        raise Refused(Refusal.MALFORMED, "The file is cut short.")
    if len(lines) > first + MAX_ACTIONS + 4:
        raise Refused(Refusal.TOO_LARGE, f"A record has at most {MAX_ACTIONS} actions.")
    game, index = _parse(lines[first], _GameLine).game, _parse(lines[-3], _IndexLine).index
    actions = tuple(_parse(line, _ActionLine).action for line in lines[first + 1 : -3])
    before = len(data) - len(lines[-3]) - len(lines[-2]) - 2
    return Record(
        content=Content(text=_text(lines[1:first]), game=game, actions=actions),
        index=index,
        digest=digest(data[:before]),
        signed=to_sign(lines[-3]),
        signature=_signature(_parse(lines[-2], _SignatureLine).signature),
    )


def _check_magic(data: bytes) -> None:
    first, _, _ = data[:64].partition(b"\n")
    if not first.startswith(MAGIC):
        raise Refused(Refusal.NOT_A_RECORD, "This is no signed LRGP record.")
    if first != MAGIC + b"%d" % VERSION:
        raise Refused(Refusal.UNSUPPORTED_VERSION, "The record has a format that this program does not know.")


def _text(lines: list[bytes]) -> str:
    try:
        text = b"".join(line + b"\n" for line in lines).decode()
    except UnicodeDecodeError:
        raise Refused(Refusal.MALFORMED, "The text is not UTF-8.") from None
    if not all(char == "\n" or printable(char) for char in text):
        raise Refused(Refusal.MALFORMED, "The text has characters that do not print.")
    return text


def _parse(line: bytes, kind: type[S]) -> S:
    wanted = kind.__struct_fields__[0]
    try:
        value = msgspec.json.decode(line[1:], type=kind)
        same = b"%" + msgspec.json.encode(value) == line
    except (ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise Refused(Refusal.MALFORMED, f"A line is no {wanted} line: {_short(error)}.") from None
    if not same:
        raise Refused(Refusal.MALFORMED, f"The {wanted} line is not written the one way it may be.")
    return value


def _short(error: Exception) -> str:
    text = str(error).split("\n")[0][:120]
    return "".join(c if c.isprintable() else "?" for c in text)


def _signature(text: str) -> bytes:
    value = unhex(text, 64)
    if value is None:
        raise Refused(Refusal.MALFORMED, "The signature must be 128 lower-case hex characters.")
    return value


def unhex(text: str, size: int) -> bytes | None:
    """The ``size`` bytes that ``text`` writes in lower-case hex, or None."""
    if len(text) != 2 * size or not set(text) <= set("0123456789abcdef"):
        return None
    return bytes.fromhex(text)

"""What only our server says and reads, beside the messages of ``wire``."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from gateway.agentgames import wire

REPLACED: Final = "another connection of this account waits for this game now"
INPUT_ENDED: Final = "your input has ended, so that you could not move"
REVOKED: Final = "your token or key was revoked"
CLOSING: Final = "the arcade is closing \u2014 the match does not count"
NOT_RECORDED: Final = "the arcade cannot record matches now \u2014 try again later"
NO_THOUGHT: Final = "the house cannot play now \u2014 try again later"
MUCH_PRACTICE: Final = "you practise as often as one account may \u2014 end a match first"

LARGE: Final = 4096
"""Bytes of a message above which only what may matter of it is read: the rest would take time."""

MOST_MEMBERS: Final = 5000
"""Colons in a large message, with more of which it is noise."""

MOST_LEVELS: Final = 9
MOST_SHOWN: Final = 100


class UnratedHello(wire.Hello, frozen=True, kw_only=True, tag="hello"):
    """Of a practice match, off the ladder."""

    rated: bool


class UnratedResult(wire.Result, frozen=True, kw_only=True, tag="result", omit_defaults=True):
    """Of a practice match; ``rating`` is what it was before."""

    rated: bool


class _Practice(msgspec.Struct):
    practice: msgspec.Raw = msgspec.Raw(b"false")
    level: msgspec.Raw = msgspec.Raw(b"0")


_practice: Final = msgspec.json.Decoder(_Practice)
_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_KNOWN: Final = ("type", "game", "move")
_NO: Final = (b"false", b"null", b"0", b'""', b'"0"', b'"false"')
_LEVEL: Final = re.compile(rf"[0-{MOST_LEVELS}]\Z")


def read(line: bytes | str) -> wire.Request | None:
    """As ``wire.read_request``, and quickly so for the largest message that is allowed."""
    if len(line) <= LARGE:
        return wire.read_request(line)
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    if text.count(":") > MOST_MEMBERS:
        return None
    try:
        fields = _fields.decode(text)
        known = {name: _cut(value) for name, value in fields.items() if name.lower() in _KNOWN}
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return wire.read_request(msgspec.json.encode(known))


def _cut(value: msgspec.Raw) -> Any:
    """A text that is too long for anything is still a text, and a move that is wrong."""
    found = msgspec.json.decode(value)
    return found[:LARGE] if isinstance(found, str) else None if found is None else 0


def read_practice(line: bytes | str) -> int | None:
    """The level of a join that asks for practice, 0 where it names none; None for a rated match.

    Whoever asks for practice in a way that is not ours, or for a level that is none, is not rated for it.
    """
    if len(line) > LARGE:
        return None
    try:
        found = _practice.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if bytes(found.practice).strip() in _NO:
        return None
    asked = bytes(found.level).strip().strip(b'"').decode("ascii", "replace")
    return min(int(asked), MOST_LEVELS) if re.fullmatch("[0-9]{1,4}", asked) else 0


def asks_practice(text: str) -> bool:
    """Of ``practice`` in an address; as `read_practice`."""
    return text.lower() not in ("", "0", "false")


def level(text: str) -> int | None:
    """A level that was typed; "" is 0, the arena's own. None: it is none."""
    return int(text) if _LEVEL.match(text) else None if text else 0


def shown(game: str) -> str:
    """An unknown game as an error names it: it may be a megabyte of anything."""
    return game if len(game) <= MOST_SHOWN else game[:MOST_SHOWN] + "..."

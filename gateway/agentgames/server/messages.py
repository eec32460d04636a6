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


_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_KNOWN: Final = ("type", "game", "move")
_LEVEL: Final = re.compile(r"[0-9]{1,9}\Z")
_NO: Final = ("", "0", "false", "no", "off")


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

    Names match without regard to case, as in ``read``, and a padded join means what a short one does.
    """
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    if len(text) > LARGE and text.count(":") > MOST_MEMBERS:
        return None
    try:
        fields = {name.lower(): value for name, value in _fields.decode(text).items()}
        wished, asked = (_plain(fields.get(name)) for name in ("practice", "level"))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return level(asked) if wants_practice(wished) else None


def _plain(value: msgspec.Raw | None) -> Any:
    """A value of a wish; one that is too long or no number of ours stays raw, which nobody knows."""
    if value is None or len(bytes(value)) > MOST_SHOWN:
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError):
        return value


def wants_practice(value: object) -> bool:
    """Whatever is not a no is a yes, since who spells it in another way must not play for a rating."""
    return value is not None and str(value).strip().lower() not in _NO


def level(value: object) -> int:
    """A level that was typed or sent, from 1; 0, the arena's own, for whatever is none."""
    if isinstance(value, str) and _LEVEL.match(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return min(max(value, 0), MOST_LEVELS)


def shown(game: str) -> str:
    """An unknown game as an error names it: it may be a megabyte of anything."""
    return game if len(game) <= MOST_SHOWN else game[:MOST_SHOWN] + "..."

"""Texts that people write each other beside their games: plain LXMF messages, with no envelope in them."""

from __future__ import annotations

from typing import Final

PACKET_BYTES: Final = 287
"""So much UTF-8 goes out as one LXMF packet, without a title and without fields."""

MOST_BYTES: Final = 1024
"""The longest text that is sent. Beyond a packet it needs a link, which on a radio costs much more."""

LONGEST: Final = 2000
"""Most characters of a peer's text that are kept."""

COMMAND: Final = "text"
"""What stands in the place of a command where a text is listed among actions."""


class Unwritable(ValueError):
    """A text that cannot be sent; the message says why, for people."""


def checked(text: str) -> str:
    """``text`` as it is sent. Raises ``Unwritable``."""
    text = text.replace("\r\n", "\n").strip()
    if not any(char.isprintable() and not char.isspace() for char in text):
        raise Unwritable("There is nothing in that text.")
    if any(not (char.isprintable() or char.isspace()) and ord(char) < 0xA0 for char in text):
        raise Unwritable("That text has control characters in it.")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise Unwritable(f"That text has {size} bytes; {MOST_BYTES} are the most.")
    return text


def bytes_left(text: str) -> int:
    """How many bytes more fit into the one packet; negative where it needs more."""
    return PACKET_BYTES - len(text.encode("utf-8", "surrogatepass"))


def received(title: str, content: str) -> tuple[str, bool]:
    """What is kept of a peer's message, and whether something was cut off. "" where it says nothing."""
    text = f"{title.strip()}\n{content.strip()}".strip()
    return text[:LONGEST], len(text) > LONGEST

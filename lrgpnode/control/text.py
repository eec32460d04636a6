"""Making texts of strangers fit to be shown, whatever shows them.

Whatever a peer can have a hand in passes through ``clean`` before a person sees it: names, reasons,
error texts, labels on boards. JSON output is not cleaned; it is pure ASCII with everything else escaped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

LONGEST: Final = 200
"""Most characters of one text."""

MARKS: Final = 2
"""Most combining marks on one character."""

# Letters by category, and yet nothing is seen of them.
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_UNSEEN_MARKS: Final = frozenset("\u034f\u17b4\u17b5")


def clean(text: object, most: int = LONGEST) -> str:
    """``text`` in one line of visible characters, at most ``most`` of them.

    Control, escape, bidi and zero-width characters vanish; any white space becomes one space.
    """
    shown: list[str] = []
    marks = 0
    # Cut first: a peer's text may be of any length. Nothing visible of what is cut would be shown.
    for char in unicodedata.normalize("NFC", str(text)[: most * 8]):
        if char.isspace():
            if shown and shown[-1] != " ":
                shown.append(" ")
            marks = 0
        elif _is_mark(char):
            marks += 1
            if shown and marks <= MARKS and not _is_selector(char):
                shown.append(char)
        elif char not in _BLANK_LETTERS and char.isprintable():
            shown.append(char)
            marks = 0
    result = "".join(shown).strip()
    return result if len(result) <= most else result[: most - 3].rstrip() + "..."


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me")


def _is_selector(char: str) -> bool:
    """Marks that never show: joiners and variation selectors."""
    return (
        char in "\u034f\u17b4\u17b5" or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    )


def width(text: str) -> int:
    """How many terminal cells a cleaned text takes."""
    return sum(
        0 if _is_mark(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def score(record: Mapping[str, Any]) -> str:
    """How games have ended, from a record of the API: ``won 3, drawn 1, lost 2``."""
    return f"won {int(record['won'])}, drawn {int(record['drawn'])}, lost {int(record['lost'])}"


def who(name: str, peer: str) -> str:
    """A peer for a person. The hash is always there: a name is what the peer calls itself."""
    short = clean(peer, 32)[:8]
    name = clean(name, 32)
    return f"{name} ({short})" if name else short

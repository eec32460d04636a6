"""Texts of strangers as lines that can be read: no control characters, no escape sequences, no odd forms."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from lrgpnode.control.text import clean

LONGEST: Final = 120
"""Characters of a line that are read."""

MOST_LINES: Final = 8

_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_PIECES: Final = str.maketrans(dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBN KQRBN ", strict=True)))
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—―−→➔➜", "-") | {"×": "x", "’": "'", "…": "."})
_KEYCAPS: Final = str.maketrans(dict.fromkeys("\ufe0f\u20e3"))


def lines(text: str) -> tuple[str, ...]:
    """What there is to read, line by line; () where there is nothing."""
    shown = []
    for line in text[: LONGEST * MOST_LINES * 4].splitlines():
        readable = one(line)
        if readable and not readable.startswith(">"):  # what is quoted was said by somebody else
            shown.append(readable)
        if len(shown) == MOST_LINES:
            break
    return tuple(shown)


def one(line: str) -> str:
    """One line: letters and digits in their plain forms, single blanks."""
    plain = _ESCAPES.sub("", line).translate(_KEYCAPS).translate(_PIECES).translate(_DASHES)
    return clean(unicodedata.normalize("NFKC", plain), LONGEST)


def fold(word: str) -> str:
    """A word as it is compared: small letters without marks."""
    decomposed = unicodedata.normalize("NFKD", word.casefold().replace("ß", "ss"))
    return "".join(char for char in decomposed if not unicodedata.combining(char))

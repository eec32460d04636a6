"""Texts for cells: whatever a stranger wrote, made printable and of a known width.

``line(text, script)``        one line: white space collapsed, at most ``most`` characters
``fit(text, cells, script)``  at most ``cells`` wide, cut with an ellipsis
``pad(text, cells, script)``  exactly ``cells`` wide
``wrap(text, cells, script)`` several lines, each at most ``cells`` wide
``width(text)``               cells of a text that one of these has returned

``script`` is ``UNICODE`` or ``ASCII``. Every function makes its input safe by itself, so nothing else has to.

A character is kept if terminals agree on how wide it is: letters, digits, punctuation and signs of one
or two cells, with at most two marks over a letter. Controls, escapes, bidi and zero-width characters, emoji,
signs that a selector turns into emoji, joined scripts whose clusters terminals measure differently, and what
is not assigned show as one replacement sign for each run. In ``ASCII`` accents fall off their letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from wcwidth import iter_graphemes, wcwidth, width as wide

from lrgpnode.protocol.printable import printable
from lrgpnode.protocol.value import Value

LONGEST: Final = 200
"""Most characters of one line, if not said otherwise."""

MARKS: Final = 2
"""Most marks on one letter."""


@dataclass(frozen=True, slots=True, repr=False)
class Script(Value):
    """Which characters may be shown, and what stands for those that may not."""

    name: str
    replacement: str
    ellipsis: str


UNICODE: Final = Script("unicode", "\ufffd", "\u2026")
ASCII: Final = Script("ascii", "?", "..")

PAWN: Final = "\u265f"
"""The one sign some fonts have an emoji for that is let through: boards need it. It takes one cell."""

Align = Literal["left", "right", "center"]

# Letters or signs by category, and yet nothing is seen of them.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_UNSEEN: Final = frozenset("\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
_JAMO: Final = (range(0x1100, 0x1200), range(0xA960, 0xA980), range(0xD7B0, 0xD800))
# What the compatibility decomposition leaves, as people without the character write it.
_PLAIN: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ′", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "‹": "<",
        "›": ">",
        "•": "*",
        "·": ".",
        "×": "x",
        "÷": "/",
        "⁄": "/",
        "¡": "!",
        "¿": "?",
        "ß": "ss",
        "ẞ": "SS",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "Th",
        "ł": "l",
        "Ł": "L",
        "ı": "i",
        "€": "EUR",
        "£": "GBP",
        "©": "(c)",
        "®": "(R)",
    }
)


def line(text: object, script: Script, most: int = LONGEST) -> str:
    """``text`` as one safe line of at most ``most`` characters, white space collapsed and stripped."""
    shown = " ".join(_safe(str(text)[: most * 8], script).split(" ")).split()
    joined = " ".join(shown)
    return joined if len(joined) <= most else _cut(joined, most, script)


def fit(text: object, cells: int, script: Script) -> str:
    """``text`` in at most ``cells`` cells; what is cut ends in an ellipsis."""
    safe = _safe(_bounded(text, cells), script)
    return safe if width(safe) <= cells else _cut(safe, cells, script)


def pad(text: object, cells: int, script: Script, align: Align = "left") -> str:
    """``text`` in exactly ``cells`` cells."""
    shown = fit(text, cells, script)
    room = max(0, cells - width(shown))
    left = {"left": 0, "right": room, "center": room // 2}[align]
    return " " * left + shown + " " * (room - left)


def wrap(text: object, cells: int, script: Script, most: int = 4000) -> list[str]:
    """``text`` in lines of at most ``cells`` cells, broken at blanks where there are any.

    Line ends of the text are kept. At least one line; ``cells`` under 2 counts as 2.
    """
    cells = max(2, cells)
    lines: list[str] = []
    for paragraph in str(text)[:most].replace("\r\n", "\n").split("\n"):
        lines += _wrapped(line(paragraph, script, most), cells)
    return lines


def width(text: str) -> int:
    """Cells of a safe text."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """What stands in one place each of a safe text: a character with its marks, and its cells."""
    if text.isascii():
        for char in text:
            yield char, 1
        return
    held, cells = "", 0
    for char in text:
        if held and not _cells(char):
            held += char
            continue
        if held:
            yield held, cells
        held, cells = char, _cells(char)
    if held:
        yield held, cells


def _bounded(text: object, cells: int) -> str:
    # A character that shows takes a cell; marks beyond the third make no difference any more.
    return str(text)[: max(cells, 1) * 8 + 64]


def _wrapped(text: str, cells: int) -> list[str]:
    lines, now, room = [], "", cells
    for word in text.split(" "):
        size = width(word)
        if now and size + 1 <= room:
            now, room = f"{now} {word}", room - size - 1
            continue
        if now:
            lines.append(now)
        *full, now = _broken(word, cells)
        lines += full
        room = cells - width(now)
    return [*lines, now]


def _broken(word: str, cells: int) -> list[str]:
    """A word in pieces that fit."""
    pieces, now, used = [], "", 0
    for cluster, size in clusters(word):
        if used + size > cells:
            pieces.append(now)
            now, used = "", 0
        now, used = now + cluster, used + size
    return [*pieces, now]


def _cut(safe: str, cells: int, script: Script) -> str:
    tail = script.ellipsis if cells > len(script.ellipsis) else script.ellipsis[:1]
    room, kept = cells - len(tail), ""
    if cells <= 0:
        return ""
    for cluster, size in clusters(safe):
        if size > room:
            break
        kept, room = kept + cluster, room - size
    return kept.rstrip() + tail


def _safe(text: str, script: Script) -> str:
    """Every character shown or replaced; white space as blanks."""
    if text.isascii() and text.isprintable():
        return text
    if script is ASCII:
        return _spelled(text)
    shown: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", text):
        if char.isspace():
            shown.append(" ")
            marks = MARKS
        elif _is_mark(char):
            marks += 1
            if shown and marks <= MARKS and _sits(char):
                shown.append(char)
            else:
                _replace(shown, script)
                marks = MARKS
        elif _stable(char):
            shown.append(char)
            marks = 0 if unicodedata.category(char)[0] == "L" else MARKS
        else:
            _replace(shown, script)
            marks = MARKS
    return _unjoined("".join(shown), script)


def _replace(shown: list[str], script: Script) -> None:
    if not shown or shown[-1] != script.replacement:
        shown.append(script.replacement)


def _unjoined(text: str, script: Script) -> str:
    """Without clusters of several letters: terminals disagree on their width."""
    if text.isascii():
        return text
    shown: list[str] = []
    for cluster in iter_graphemes(text):
        if len(cluster) == 1 or (
            all(_is_mark(char) for char in cluster[1:]) and wide(cluster) == _cells(cluster[0])
        ):
            shown.append(cluster)
        else:
            _replace(shown, script)
    return "".join(shown)


def _spelled(text: str) -> str:
    shown: list[str] = []
    marks, unfit = MARKS, False
    for char in unicodedata.normalize("NFKD", text.translate(_PLAIN)).translate(_PLAIN):
        if char.isspace():
            shown.append(" ")
            marks, unfit = MARKS, False
        elif _is_mark(char) and marks < MARKS and _sits(char):
            marks += 1
        elif " " < char <= "~":
            shown.append(char)
            marks, unfit = 0 if char.isalpha() else MARKS, False
        elif not unfit:
            shown.append(ASCII.replacement)
            marks, unfit = MARKS, True
    return "".join(shown)


@lru_cache(maxsize=1024)
def _cells(char: str) -> int:
    return max(0, wcwidth(char))


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me", "Mc")


@lru_cache(maxsize=1024)
def _sits(mark: str) -> bool:
    """Shows over or under its letter and takes no place. A virama (class 9) joins letters instead."""
    return (
        unicodedata.category(mark) == "Mn"
        and unicodedata.combining(mark) != 9
        and mark not in _UNSEEN
        and not "\ufe00" <= mark <= "\ufe0f"
        and mark < "\U000e0100"
        and wcwidth(mark) == 0
    )


@lru_cache(maxsize=1024)
def _stable(char: str) -> bool:
    """Stands alone, can be seen, and is as wide everywhere."""
    code, category = ord(char), unicodedata.category(char)
    if not printable(char) or wcwidth(char) not in (1, 2) or char in _BLANK:
        return False
    if category[0] not in "LNPS" or 0x1F000 <= code < 0x1FC00 or any(code in jamo for jamo in _JAMO):
        return False
    if len(list(iter_graphemes(f"a{char}a"))) != 3:
        return False
    # Alone a sign, with the selector an emoji: some fonts show the emoji in both cases.
    return code <= 0xFF or char == PAWN or wide(char + "\ufe0f") == wcwidth(char)

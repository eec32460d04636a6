"""Colours: what a role looks like in a theme and a colour depth.

``theme(name, depth).pen(role)`` is all the rest needs; a role is the attribute of a urwid widget, e.g.
``urwid.AttrMap(row, "row", "focus")``. ``ROLES`` and ``SQUARES`` are the one table. A square's role is
``square(kind, who)``: ``kind`` of ``SQUARES``, ``who`` one of ``first``, ``second`` (whose piece) and
``mark`` (nothing, or the hint of a legal target).

Every colour is given twice: as 24 bits, from which the one of 256 is found, and as one of sixteen, whose real
colours are the terminal's. Foreground and background are always both set, so no palette of the terminal
makes a text unreadable. No meaning is in a colour alone: what matters has a mark as well (``glyphs``), and
what is selected is bold, underlined or reversed where there is no colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from lrgpnode.protocol.value import Value


class Depth(Enum):
    """How many colours there are."""

    MONO = 1
    SIXTEEN = 16
    INDEXED = 256
    TRUE = 1 << 24


class Pen(NamedTuple):
    """How cells are written. The colours are SGR parameters, empty for the terminal's own."""

    fg: str = ""
    bg: str = ""
    bold: bool = False
    underline: bool = False
    reverse: bool = False


class Colour(NamedTuple):
    """``rgb`` as 0xRRGGBB, and the number of the nearest of the usual sixteen, under 8 for backgrounds."""

    rgb: int
    basic: int


class Role(NamedTuple):
    """``colour`` and ``mono`` are letters: b bold, u underline, r reverse."""

    fg: str
    bg: str
    colour: str = ""
    mono: str = ""


NAMES: Final = ("dark", "light", "high-contrast")

ROLES: Final[Mapping[str, Role]] = {
    "text": Role("ink", "paper"),
    "faint": Role("faint", "paper"),
    "strong": Role("strong", "paper", "b", "b"),
    "heading": Role("accent", "paper", "b", "b"),
    "accent": Role("accent", "paper"),
    "good": Role("good", "paper"),
    "warn": Role("warn", "paper", "b", "b"),
    "bad": Role("bad", "paper", "b", "b"),
    "unread": Role("warn", "paper", "b", "b"),
    "mine": Role("accent", "paper"),
    "theirs": Role("ink", "paper"),
    "row": Role("ink", "paper"),
    "focus": Role("focus ink", "focus", "b", "r"),
    "focus faint": Role("focus ink", "focus", "", "r"),
    "bar": Role("bar ink", "bar", "", "r"),
    "bar strong": Role("bar ink", "bar", "b", "rb"),
    "key": Role("key", "bar", "b", "b"),
    "key label": Role("bar ink", "bar", "", ""),
    "status": Role("bar ink", "bar", "", "r"),
    "status bad": Role("bar bad", "bar", "b", "rb"),
    "field": Role("ink", "field", "", "u"),
    "field focus": Role("strong", "field", "", "u"),
    "dialog": Role("ink", "dialog"),
    "dialog strong": Role("strong", "dialog", "b", "b"),
    "frame": Role("faint", "paper"),
    "dialog frame": Role("accent", "dialog"),
    "label": Role("faint", "paper"),
}
"""What may be written: how, by names of the palette."""

SQUARES: Final = ("light", "dark", "last", "chosen", "cursor", "check")
"""Kinds of a board's squares: the two of a chequered board, the last move's, the chosen one's, and so on."""

_SQUARE_MONO: Final = {"light": "", "dark": "", "last": "u", "chosen": "r", "cursor": "rb", "check": "bu"}
_WHO: Final = ("first", "second", "mark")

_DARK: Final = {
    "paper": Colour(0x101418, 0),
    "ink": Colour(0xD0D4D8, 7),
    "faint": Colour(0x98A0A8, 7),
    "strong": Colour(0xFFFFFF, 15),
    "accent": Colour(0x87D7FF, 14),
    "good": Colour(0x87D787, 10),
    "warn": Colour(0xFFD75F, 11),
    "bad": Colour(0xFF8787, 15),
    "focus": Colour(0x264F78, 4),
    "focus ink": Colour(0xFFFFFF, 15),
    "bar": Colour(0x303840, 4),
    "bar ink": Colour(0xE4E4E4, 15),
    "bar bad": Colour(0xFFAFAF, 11),
    "key": Colour(0xFFD75F, 11),
    "field": Colour(0x262C32, 4),
    "dialog": Colour(0x262C32, 0),
}
_LIGHT: Final = {
    "paper": Colour(0xFAFAF5, 7),
    "ink": Colour(0x202428, 0),
    "faint": Colour(0x5F6468, 0),
    "strong": Colour(0x000000, 0),
    "accent": Colour(0x005F87, 4),
    "good": Colour(0x005F00, 4),
    "warn": Colour(0x7A4A00, 0),
    "bad": Colour(0xAF0000, 0),
    "focus": Colour(0x005F87, 4),
    "focus ink": Colour(0xFFFFFF, 15),
    "bar": Colour(0xD7DCE0, 4),
    "bar ink": Colour(0x202428, 15),
    "bar bad": Colour(0x870000, 11),
    "key": Colour(0x003F87, 11),
    "field": Colour(0xE8ECEE, 7),
    "dialog": Colour(0xEEEEE8, 7),
}
_HIGH: Final = {
    "paper": Colour(0x000000, 0),
    "ink": Colour(0xFFFFFF, 15),
    "faint": Colour(0xFFFFFF, 15),
    "strong": Colour(0xFFFFFF, 15),
    "accent": Colour(0x00FFFF, 14),
    "good": Colour(0x5FFF5F, 10),
    "warn": Colour(0xFFFF00, 11),
    "bad": Colour(0xFFAFAF, 15),
    "focus": Colour(0xFFFFFF, 7),
    "focus ink": Colour(0x000000, 0),
    "bar": Colour(0xFFFFFF, 7),
    "bar ink": Colour(0x000000, 0),
    "bar bad": Colour(0x5F0000, 0),
    "key": Colour(0x000087, 0),
    "field": Colour(0x000000, 0),
    "dialog": Colour(0x000000, 0),
}

_WHITE: Final = Colour(0xFFFFFF, 15)
_BLACK: Final = Colour(0x000000, 0)
_YELLOW: Final = Colour(0xFFFF00, 11)
_NAVY: Final = Colour(0x000087, 4)
# Sixteen colours have no two backgrounds on which both white and black can be read; the second side is yellow
# there, or blue on what is bright. With more colours a wooden board has room for white and black.
_SECOND: Final = Colour(0x000000, 11)
_WOOD: Final = {
    "light": (Colour(0xA87C50, 4), _WHITE, _SECOND, _WHITE),
    "dark": (Colour(0x8A5A24, 0), _WHITE, _SECOND, _WHITE),
    "last": (Colour(0x4F7FA8, 5), _WHITE, _SECOND, _WHITE),
    "chosen": (Colour(0x4E8450, 6), Colour(0xFFFFFF, 0), Colour(0x000000, 4), Colour(0xFFFFFF, 0)),
    "cursor": (Colour(0xA858B4, 7), Colour(0xFFFFFF, 0), Colour(0x000000, 4), Colour(0xFFFFFF, 0)),
    "check": (Colour(0xD03030, 1), _WHITE, _SECOND, _WHITE),
}
_STARK: Final = {
    "light": (Colour(0x00005F, 4), _WHITE, _YELLOW, _WHITE),
    "dark": (Colour(0x000000, 0), _WHITE, _YELLOW, _WHITE),
    "last": (Colour(0x5F005F, 5), _WHITE, _YELLOW, _WHITE),
    "chosen": (Colour(0x00FFFF, 6), _BLACK, _NAVY, _BLACK),
    "cursor": (Colour(0xFFFFFF, 7), _BLACK, _NAVY, _BLACK),
    "check": (Colour(0x700000, 1), _WHITE, _YELLOW, _WHITE),
}
_PALETTES: Final = {"dark": _DARK, "light": _LIGHT, "high-contrast": _HIGH}
_BOARDS: Final = {"dark": _WOOD, "light": _WOOD, "high-contrast": _STARK}

_STEPS: Final = (0, 95, 135, 175, 215, 255)
_NO_COLOUR_TERMS: Final = (
    "dumb",
    "unknown",
    "vt52",
    "vt100",
    "vt102",
    "vt220",
    "vt320",
    "vt420",
    "hpterm",
    "sun",
)


@dataclass(frozen=True, slots=True, repr=False)
class Theme(Value):
    """A theme in a colour depth."""

    name: str
    depth: Depth
    pens: Mapping[str, Pen]

    def pen(self, role: object) -> Pen:
        """How ``role`` is written; what is unknown, and None, as ``text``."""
        found = self.pens.get(role) if isinstance(role, str) else None
        return self.pens["text"] if found is None else found


@lru_cache(maxsize=16)
def theme(name: str, depth: Depth) -> Theme:
    """The theme ``name``, one of ``NAMES``. Raises ``KeyError`` for another."""
    pens = {}
    for role, (fg, bg) in colours(name).items():
        if role in ROLES:
            marks = ROLES[role].mono if depth is Depth.MONO else ROLES[role].colour
        elif depth is Depth.MONO:
            marks = _SQUARE_MONO[role.split()[1]]
        else:
            marks = "b"
        pens[role] = Pen(
            _parameters(fg, depth, 38), _parameters(bg, depth, 48), "b" in marks, "u" in marks, "r" in marks
        )
    return Theme(name, depth, pens)


def colours(name: str) -> dict[str, tuple[Colour, Colour]]:
    """Foreground and background of every role of a theme."""
    palette, board = _PALETTES[name], _BOARDS[name]
    found = {role: (palette[row.fg], palette[row.bg]) for role, row in ROLES.items()}
    for kind in SQUARES:
        under, *over = board[kind]
        found |= {square(kind, who): (fg, under) for who, fg in zip(_WHO, over, strict=True)}
    return found


def square(kind: str, who: str = "mark") -> str:
    """The role of a board's square."""
    return f"square {kind} {who}"


def detect(environ: Mapping[str, str]) -> Depth:
    """The colour depth that the environment tells of. Mono if ``NO_COLOR`` is set to anything."""
    term, more = environ.get("TERM", "").lower(), environ.get("COLORTERM", "").lower()
    if environ.get("NO_COLOR") or not term or term.startswith(_NO_COLOUR_TERMS) or term.endswith("-m"):
        return Depth.MONO
    if term.startswith("linux"):
        return Depth.SIXTEEN
    if more in ("truecolor", "24bit") or "direct" in term:
        # Apple's terminal shows 24-bit codes as wrong colours, and the variable comes along over SSH.
        return Depth.INDEXED if environ.get("TERM_PROGRAM") == "Apple_Terminal" else Depth.TRUE
    return Depth.INDEXED if more or "256" in term else Depth.SIXTEEN


def contrast(one: int, other: int) -> float:
    """How well two colours (0xRRGGBB) stand out from each other by WCAG 2: from 1 to 21."""
    dark, bright = sorted((_luminance(one), _luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def indexed(rgb: int) -> int:
    """The nearest of the fixed colours 16 to 255 of xterm."""
    red, green, blue = _parts(rgb)
    nearest = [_step(part) for part in (red, green, blue)]
    cube = 16 + 36 * nearest[0] + 6 * nearest[1] + nearest[2]
    grey = 232 + min(23, max(0, round(((red + green + blue) / 3 - 8) / 10)))
    return min((cube, grey), key=lambda index: _distance(value(index), rgb))


def _step(part: int) -> int:
    return min(range(6), key=lambda step: abs(_STEPS[step] - part))


def value(index: int) -> int:
    """The 0xRRGGBB of one of the colours 16 to 255."""
    if index >= 232:
        return (8 + 10 * (index - 232)) * 0x010101
    index -= 16
    return _STEPS[index // 36] << 16 | _STEPS[index // 6 % 6] << 8 | _STEPS[index % 6]


def _parameters(colour: Colour, depth: Depth, plane: int) -> str:
    if depth is Depth.MONO:
        return ""
    if depth is Depth.SIXTEEN:
        return str(plane - 8 + colour.basic) if colour.basic < 8 else str(plane + 52 + colour.basic - 8)
    if depth is Depth.INDEXED:
        return f"{plane};5;{indexed(colour.rgb)}"
    return f"{plane};2;" + ";".join(map(str, _parts(colour.rgb)))


def _parts(rgb: int) -> tuple[int, int, int]:
    return rgb >> 16, rgb >> 8 & 255, rgb & 255


def _distance(one: int, other: int) -> int:
    return sum((a - b) ** 2 for a, b in zip(_parts(one), _parts(other), strict=True))


def _luminance(rgb: int) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (part / 255 for part in _parts(rgb))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

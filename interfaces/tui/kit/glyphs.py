"""Signs: the ascii and the unicode set.

``ASCII`` is the set that always works and lacks nothing; ``UNICODE`` looks better where the font has it.
Every glyph takes one cell. Names say what is meant, so a screen never writes a sign of its own:

    glyphs["unread"], glyphs.piece("n"), glyphs["delivered"]

Delivery states are those of the outbox; ``stored`` and ``failed`` look unlike all others without colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lrgpnode.protocol.value import Value

from . import text
from .text import Script


@dataclass(frozen=True, slots=True, repr=False)
class Glyphs(Value):
    """A set of signs, and the script of the texts beside them."""

    script: Script
    signs: Mapping[str, str]
    pieces: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """The sign for a meaning. Raises ``KeyError`` for a name that is not in ``NAMES``."""
        return self.signs[name]

    def piece(self, token: str) -> str:
        """The sign for a token of a board, in one cell: a known piece, or the token's first character."""
        known = self.pieces.get(token)
        return known if known is not None else text.pad(token[:1], 1, self.script)

    @property
    def unicode(self) -> bool:
        return self.script is text.UNICODE


# name: (ascii, unicode)
_SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    # lists
    "cursor": (">", "▸"),
    "unread": ("*", "●"),
    "your turn": ("!", "◆"),
    "waiting": (".", "·"),
    "invitation": ("+", "+"),
    "finished": ("-", "─"),
    "warning": ("!", "!"),
    "out of sync": ("#", "≠"),
    "here": ("+", "●"),
    "away": ("-", "○"),
    "unknown": ("?", "?"),
    "chosen": ("x", "x"),
    "not chosen": (" ", " "),
    "more above": ("^", "↑"),
    "more below": ("v", "↓"),
    "left": ("<", "←"),
    "right": (">", "→"),
    # delivery of the last own action
    "queued": ("o", "○"),
    "sending": (">", "»"),
    "sent": (">", "»"),
    "delivered": ("=", "√"),
    "confirmed": ("=", "√"),
    "stored": ("s", "□"),
    "failed": ("!", "×"),
    "dropped": ("x", "×"),
    # boards
    "light square": (" ", " "),
    "dark square": (":", "░"),
    "empty": (".", "·"),
    "target": ("*", "•"),
    "capture": ("x", "×"),
    "first disc": ("X", "●"),
    "second disc": ("O", "○"),
    "open bracket": ("[", "["),
    "close bracket": ("]", "]"),
    "last move": ("'", "'"),
    # frames
    "horizontal": ("-", "─"),
    "vertical": ("|", "│"),
    "top left": ("+", "┌"),
    "top right": ("+", "┐"),
    "bottom left": ("+", "└"),
    "bottom right": ("+", "┘"),
    "tee left": ("+", "├"),
    "tee right": ("+", "┤"),
    "tee down": ("+", "┬"),
    "tee up": ("+", "┴"),
    "cross": ("+", "┼"),
    # levels: of airtime, of signal
    "full": ("#", "█"),
    "half": ("=", "▒"),
    "hollow": ("-", "░"),
}
NAMES: Final = tuple(_SIGNS)

# One side has the hollow signs, the other the solid ones. The solid pawn, U+265F, is the only sign that some
# fonts have an emoji for: it takes one cell everywhere, but may look out of place on a phone.
_CHESS: Final = dict(zip("KQRBNPkqrbnp", f"♔♕♖♗♘♙♚♛♜♝♞{text.PAWN}", strict=True))

ASCII: Final = Glyphs(text.ASCII, {name: signs[0] for name, signs in _SIGNS.items()}, {})
UNICODE: Final = Glyphs(text.UNICODE, {name: signs[1] for name, signs in _SIGNS.items()}, _CHESS)
SETS: Final = {"ascii": ASCII, "unicode": UNICODE}

# Terminals with a font of a few hundred signs, or none but their own.
_POOR_TERMS: Final = (
    "linux",
    "dumb",
    "unknown",
    "vt52",
    "vt100",
    "vt102",
    "vt220",
    "vt320",
    "cons25",
    "ansi",
)
# Where such signs as circles and lines take two cells in many fonts.
_WIDE_LANGUAGES: Final = ("zh", "ja", "ko")


def detect(environ: Mapping[str, str]) -> Glyphs:
    """The set that the environment's locale and terminal can show."""
    language = _locale(environ)
    code, _, encoding = language.lower().partition(".")
    if encoding.partition("@")[0].replace("-", "") != "utf8":
        return ASCII
    if environ.get("TERM", "").lower().startswith(_POOR_TERMS) or code.startswith(_WIDE_LANGUAGES):
        return ASCII
    return UNICODE


def _locale(environ: Mapping[str, str]) -> str:
    """The locale that was set by a person.

    Python itself sets ``LC_CTYPE`` to ``C.UTF-8`` where it finds the locale C (PEP 538): that says nothing.
    """
    if environ.get("LC_ALL"):
        return environ["LC_ALL"]
    language = environ.get("LANG", "")
    kind = environ.get("LC_CTYPE", "")
    coerced = kind in ("C.UTF-8", "C.utf8", "UTF-8") and language in ("", "C", "POSIX")
    return language if coerced or not kind else kind

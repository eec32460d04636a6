"""What this terminal is written to with: found in the environment, unless a setting says otherwise.

    look = choose(os.environ, theme="dark", colours="auto", glyphs="auto")
    look.theme.pen("focus"), look.glyphs["unread"], look.glyphs.script

``refusal`` says in one line why there can be no interface here at all, e.g. in a pipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lrgpnode.protocol.value import Value

from . import glyphs as signs, theme as themes
from .glyphs import Glyphs
from .theme import Depth, Theme

THEMES: Final = themes.NAMES
COLOURS: Final = ("auto", "mono", "16", "256", "24bit")
GLYPHS: Final = ("auto", *signs.SETS)

_DEPTHS: Final = {"mono": Depth.MONO, "16": Depth.SIXTEEN, "256": Depth.INDEXED, "24bit": Depth.TRUE}


@dataclass(frozen=True, slots=True, repr=False)
class Look(Value):
    """Theme in its colour depth, and glyphs."""

    theme: Theme
    glyphs: Glyphs


def choose(
    environ: Mapping[str, str], theme: str = "dark", colours: str = "auto", glyphs: str = "auto"
) -> Look:
    """The settings are of ``THEMES``, ``COLOURS`` and ``GLYPHS``; ``KeyError`` for another."""
    depth = themes.detect(environ) if colours == "auto" else _DEPTHS[colours]
    chosen = signs.detect(environ) if glyphs == "auto" else signs.SETS[glyphs]
    return Look(themes.theme(theme, depth), chosen)


def refusal(environ: Mapping[str, str], reads: bool, writes: bool, program: str = "lrgpnode") -> str | None:
    """Why there can be no interface here, or None. ``reads``, ``writes``: whether each end is a terminal."""
    term = environ.get("TERM", "")
    if not reads or not writes:
        end = "input" if not reads else "output"
        return (
            f"The {end} is not a terminal, so there is no interface; the commands do it all: {program} --help"
        )
    if term in ("", "dumb", "unknown"):
        return (
            f"This terminal (TERM={term}) cannot show the interface; the commands do it all: {program} --help"
        )
    return None

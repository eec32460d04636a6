"""How the interface looks and what it tells: settings of the node (``[tui]``), over which options go.

looks = Looks.of({"theme": "light"}, {"tui.theme": "dark", "tui.bell": False})   # light, no bell
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from interfaces.tui.kit import look
from interfaces.tui.kit.look import Look
from interfaces.tui.kit.terminal import Notices
from lrgpnode.protocol.value import Value

SECTION: Final = "tui"
"""Of the settings."""

NOTICES: Final = tuple(one.value for one in Notices)

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "theme": look.THEMES,
    "colours": look.COLOURS,
    "glyphs": look.GLYPHS,
    "notices": NOTICES,
}
_FLAGS: Final = ("bell", "mouse")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Looks(Value):
    """What holds now."""

    theme: str = "dark"
    colours: str = "auto"
    glyphs: str = "auto"
    notices: str = "plain"
    bell: bool = True
    mouse: bool = True

    @classmethod
    def of(cls, said: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """``said`` are options by field, None where nothing was said; ``settings`` by key. What is no value
        of a field, from a node of another version, is left out."""
        found = {name: settings.get(f"{SECTION}.{name}") for name in (*_CHOICES, *_FLAGS)}
        found |= {name: value for name, value in said.items() if value is not None}
        fitting: dict[str, Any] = {name: value for name, value in found.items() if _fits(name, value)}
        return cls(**fitting)

    def look(self, environ: Mapping[str, str]) -> Look:
        """Colours and signs in a terminal."""
        return look.choose(environ, self.theme, self.colours, self.glyphs)

    def tells(self) -> Notices:
        """How much bell and title tell."""
        return Notices(self.notices)


def _fits(name: str, value: Any) -> bool:
    return value in _CHOICES[name] if name in _CHOICES else isinstance(value, bool)


def shown(report: Mapping[str, Any]) -> dict[str, Any]:
    """The values in a report of ``node.config_show``, by key."""
    return {str(one["key"]): one["value"] for one in report.get("settings", ())}

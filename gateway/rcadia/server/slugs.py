"""Names that people gave, made fit for lists and addresses."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_NOT_IN_SLUGS: Final = re.compile(r"[^a-z0-9]+")
_CONTROLS: Final = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
_SLUG_LENGTH: Final = 60


def label(text: str | None) -> str | None:
    """``text`` in one line without control characters; None where nothing is left."""
    if text is None:
        return None
    shown = "".join(one if unicodedata.category(one) not in _CONTROLS else " " for one in text)
    return " ".join(shown.split()) or None


def slug(*names: str | None) -> str:
    """The first name of which something is left in lower-case letters, digits and hyphens; else ``game``."""
    for name in names:
        plain = unicodedata.normalize("NFKD", name or "").encode("ascii", "ignore").decode()
        made = _NOT_IN_SLUGS.sub("-", plain.lower())[:_SLUG_LENGTH].strip("-")
        if made:
            return made
    return "game"

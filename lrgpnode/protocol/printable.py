"""Which characters a name or a line may have."""

from __future__ import annotations

import unicodedata
from typing import Final

_HIDDEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))


def printable(char: str) -> bool:
    """As ``str.isprintable``, but the same in every Python: that asks which Unicode this one knows.

    What is not assigned yet counts as printable, so a text that is signed here is read the same elsewhere.
    """
    return char == " " or (unicodedata.category(char) not in _HIDDEN and not char.isspace())

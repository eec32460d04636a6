from __future__ import annotations

import sys
import unicodedata

from lrgpnode.protocol.printable import printable


def test_as_python_says_where_the_character_exists() -> None:
    for code in (*range(0x20000), *range(0x20000, sys.maxunicode + 1, 61)):
        char = chr(code)
        assigned = unicodedata.category(char) != "Cn"
        assert printable(char) == (char.isprintable() if assigned else True), hex(code)

"""Lines of the node's log."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

Json = Mapping[str, Any]

LEVELS: Final = ("debug", "info", "warning", "error")
_SIGNS: Final = {"debug": " ", "info": " ", "warning": "!", "error": "E"}
_ROLES: Final = {"debug": "faint", "info": "text", "warning": "warn", "error": "bad"}


def lines(kept: Iterable[Json], *, seconds: bool = True) -> Iterator[tuple[str, str, str]]:
    """Role, head (local time and sign), and text of each line; a traceback goes on with an empty head."""
    form = "%H:%M:%S" if seconds else "%H:%M"
    for one in kept:
        at = time.strftime(form, time.localtime(one["at"]))
        level = str(one["level"])
        role = _ROLES.get(level, "text")
        first, *more = str(one["text"]).split("\n")
        yield role, f"{at} {_SIGNS.get(level, '?')}", first
        for line in more:
            yield role, "", line

"""Whether a table can be played, as far as that can be told before anybody sits down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .errors import NotOneMove, Unreadable
from .reader import Reader
from .values import plain

_LOBBY: Final = frozenset((
    "players", "playerids", "seats", "scores", "score", "settings", "options", "config", "spectators",
    "names", "clocks", "timers", "message", "status", "phase", "colors", "colours", "series", "winner",
    "result", "turn", "gametype", "title",
))  # fmt: skip


def unplayable(app: str, state: Any) -> str:
    """Why a table that shows ``state`` cannot be played; "" if nothing speaks against it.

    A state with only names, numbers and settings is one whose game has not begun. The position of
    another game that was played at this table before is no obstacle.
    """
    if _not_begun(state):
        return ""
    try:
        Reader(app).read(state)
    except NotOneMove:
        return ""
    except Unreadable as error:
        return str(error)
    return ""


def _not_begun(state: Any) -> bool:
    if not isinstance(state, Mapping):
        return state is None or state in ([], "")
    return all(plain(name) in _LOBBY or _says_nothing(value) for name, value in state.items())


def _says_nothing(value: Any) -> bool:
    """No position of any game is a text shorter than its cells, or one of words."""
    if isinstance(value, str):
        return len(value) < 9 or (" " in value and value.replace(" ", "").strip(".!?,").isalpha())
    return value is None or isinstance(value, bool | int | float) or value in ({}, [], "")

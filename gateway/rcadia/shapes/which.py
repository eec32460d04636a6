"""Which game a table plays, from what the platform calls it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gateway.rcadia.wire import Config, PublicView, Table, read_answered_config

_NAMES: Final = {
    "chess": frozenset(("chess", "chess1", "classicchess", "standardchess", "chessclassic")),
    "ttt": frozenset(("tictactoe", "ttt", "noughtsandcrosses", "xsandos", "ttt1", "tictactoeclassic")),
    "four_in_a_row": frozenset(
        (
            "connectfour",
            "connect4",
            "fourinarow",
            "4inarow",
            "four",
            "fourinarow1",
            "c4",
            "connectfourclassic",
        )
    ),
}
_APPS: Final = {name: app for app, names in _NAMES.items() for name in names}

APPS: Final = tuple(_NAMES)
"""App ids of the games that are recognised."""


def app_of_names(names: Iterable[str | None]) -> str | None:
    """The game that the names agree on; None where they name none, or two."""
    found = {_app(name) for name in names if name}
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def app_of(table: Table | PublicView) -> str | None:
    """The game of a table, by title, slug, id, game type or the address of its skill page."""
    names = [table.game_title, table.game_id]
    if isinstance(table, Table):
        names += [table.game_slug, table.config.get("gameType"), _of_skill(table.skill_url)]
    return app_of_names(name for name in names if isinstance(name, str))


def playable(table: Table) -> bool:
    """Whether the table is one for two who move in turn, as all our games are."""
    try:
        config: Config = read_answered_config(table.config)
    except ValueError:
        return False
    seats = table.max_players == 2 and config.max_players == 2 and config.min_players <= 2
    return seats and config.turn_based and not config.simultaneous


def _app(name: str) -> str | None:
    word = re.sub(r"[^a-z0-9]", "", name.lower())
    if word in _APPS:
        return _APPS[word]
    # "RCADIA Chess" and "Chess (rapid)" are chess; "Chess 960" and "Chess Poker" may be anything.
    words = re.sub(r"\([^)]*\)", "", name.lower())
    word = re.sub(r"[^a-z0-9]", "", words.removeprefix("rcadia"))
    return _APPS.get(word)


def _of_skill(url: str | None) -> str | None:
    """``chess`` of ``https://.../games/chess/skill.md``."""
    found = re.search(r"/games/([^/]+)/skill\.md$", url or "")
    return found[1] if found else None

"""The screens by name: the one place where another one is added.

A screen with a ``key`` is opened by it from the list of games, whose footer and help name it. Modules are
imported when their screen is first shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from lrgpnode.protocol.value import Value

from .base import Desk, Screen


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Entry(Value):
    """``place`` is ``module:class`` below this package; ``what`` stands in the help."""

    name: str
    place: str
    key: str = ""
    label: str = ""
    what: str = ""


ENTRIES: Final = (
    Entry(name="home", place="home:HomeScreen"),
    Entry(name="game", place="game:GameScreen"),
    Entry(
        name="invite",
        place="invite:InviteScreen",
        key="n",
        label="new game",
        what="challenge somebody, or the opponent in the house",
    ),
    Entry(
        name="talks",
        place="talks:TalksScreen",
        key="t",
        label="texts",
        what="texts: what you and others have written, also without a game",
    ),
    Entry(
        name="network",
        place="network:NetworkScreen",
        key="w",
        label="network",
        what="network: radios, mail, who was heard, the outbox, the log",
    ),
    Entry(
        name="settings",
        place="settings:SettingsScreen",
        key="o",
        label="settings",
        what="your name, whose challenges you take, and all settings of the node",
    ),
    Entry(
        name="identities",
        place="identities:IdentitiesScreen",
        key="i",
        label="identities",
        what="play as another identity, or make one",
    ),
    Entry(
        name="ladder",
        place="ladder:LadderScreen",
        key="l",
        label="ladder",
        what="the ladder of the arcade, and its matches move by move",
    ),
)
BY_NAME: Final = {entry.name: entry for entry in ENTRIES}
BY_KEY: Final = {entry.key: entry for entry in ENTRIES if entry.key}


def make(name: str, desk: Desk) -> Screen:
    """The screen of a name. Raises ``KeyError`` for one that is not registered."""
    module, _, kind = BY_NAME[name].place.partition(":")
    screen = getattr(import_module(f"{__package__}.{module}"), kind)(desk)
    assert isinstance(screen, Screen)
    return screen

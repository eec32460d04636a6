"""What a screen is, and what it is given.

A screen is a box widget with a title, hints for the footer and a help page. It asks the ``World`` what there
is and draws it; it changes nothing of the world itself, but asks the node to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import urwid

from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.layers import Layers
from interfaces.tui.kit.look import Look
from interfaces.tui.live.lists import Key
from interfaces.tui.live.needs import Loop
from interfaces.tui.live.world import Topic, World

Json = Mapping[str, Any]


class Desk(Protocol):
    """What the interface offers its screens."""

    @property
    def world(self) -> World: ...

    @property
    def look(self) -> Look: ...

    @property
    def glyphs(self) -> Glyphs: ...

    @property
    def layers(self) -> Layers: ...

    @property
    def loop(self) -> Loop: ...

    def go(self, name: str) -> None:
        """Show the screen of this name, see ``registry``."""
        ...

    def open_game(self, key: Key) -> None:
        """Show a game."""
        ...

    def open_talk(self, peer: str) -> None:
        """Show what was written with somebody, and a line to write in."""
        ...

    def back(self) -> None:
        """Show the screen before this one."""
        ...

    def say(self, text: str, *, trouble: bool = False) -> None:
        """A sentence in the status line, until something else is said or done."""
        ...

    def act(self, method: str, params: Json, done: Callable[[Json], object] | None = None) -> None:
        """Ask the node; if it refuses, the status line says why."""
        ...

    def load_looks(self) -> None:
        """Ask the node again how the interface is to look."""
        ...

    def refresh(self) -> None:
        """Title, status line and hints of the screen have changed."""
        ...


class Screen:
    """Base of all screens: what most of them do not need to say."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    @property
    def widget(self) -> urwid.Widget:
        """What is shown, a box."""
        raise NotImplementedError

    def title(self) -> tuple[str, str]:
        """Of the first row: at the left and at the right."""
        raise NotImplementedError

    def status(self) -> str:
        """What the status line says while there is nothing new."""
        return ""

    @property
    def covered(self) -> bool:
        """Whether something of its own hides what it is about, so that news of that must be told."""
        return False

    def hints(self) -> Sequence[Hint]:
        return ()

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        """Title, keys, paragraphs."""
        raise NotImplementedError

    def key(self, key: str) -> bool:
        """A key that the widget did not take; False if it is none of this screen's."""
        return False

    def changed(self, topic: Topic) -> None:
        """Something that the screen may show has changed."""

    def shown(self) -> None:
        """It is on the screen from now on."""

    def hidden(self) -> None:
        """It is not on the screen any more."""

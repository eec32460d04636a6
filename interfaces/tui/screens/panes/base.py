"""A part of the network screen: a box of its own with what it asks for and its keys."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit.bars import Hint
from interfaces.tui.live.answers import Ask
from interfaces.tui.live.world import Topic
from interfaces.tui.screens.base import Desk


class Pane:
    """``label`` is its tab."""

    label = ""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    @property
    def widget(self) -> urwid.Widget:
        """What is shown, a box."""
        raise NotImplementedError

    @property
    def every(self) -> float:
        """Seconds between two ``tick``s while it is open."""
        return 30.0

    def wants(self) -> Sequence[Ask]:
        """What is asked while it is open."""
        return ()

    def shown(self) -> None:
        """It is on the screen from now on."""

    def make(self) -> None:
        """Draw what is known now."""

    def changed(self, topic: Topic) -> None:
        """Something that it may show has changed."""
        if topic in (Topic.ANSWERS, Topic.STATE):
            self.make()

    def tick(self) -> None:
        """Some time has passed: what is said of times is another one."""
        self.make()

    def status(self) -> str:
        return ""

    def hints(self) -> Sequence[Hint]:
        return ()

    def keys(self) -> Sequence[tuple[str, str]]:
        """For the help."""
        return ()

    def notes(self) -> Sequence[str]:
        return ()

    def key(self, key: str) -> bool:
        return False

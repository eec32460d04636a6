"""What two people write each other: the texts, a line to write in, and how much of a packet is left."""

from __future__ import annotations

import urwid

from interfaces.tui.kit.edit import Field
from interfaces.tui.kit.rows import Scroll
from interfaces.tui.kit.segments import Line, Lines
from interfaces.tui.kit.size import Size, across, down
from interfaces.tui.models import talk
from lrgpnode.control.client import CallFailed, ClientError
from lrgpnode.protocol.plaintext import MOST_BYTES

from .base import Desk

SCROLLS = ("page up", "page down")


class TalkPane(urwid.Pile):
    """A box. It shows the conversation that the world has open; ``name`` is what the peer is called."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.name = ""
        script = desk.glyphs.script
        self._texts = Scroll(desk.glyphs, self._lines, tail=True)
        self.field = Field(
            script,
            most=MOST_BYTES,
            label="> ",
            history=[],
            submit=self._submit,
            changed=lambda _: self._count(),
        )
        self._left = Lines([()], script)
        super().__init__(
            [("weight", 1, self._texts), ("pack", self.field), ("pack", self._left)], focus_item=1
        )
        self._count()

    def use(self, name: str) -> None:
        """Another conversation: what was typed is for nobody else."""
        self.name = name
        self.field.value = ""
        self._texts.to_end()
        self.changed()

    def changed(self) -> None:
        """What is shown has changed."""
        self._texts.changed()

    def keypress(self, size: Size, key: str) -> str | None:
        """Page keys scroll, whatever has the cursor."""
        if key in SCROLLS:
            left = self._texts.keypress((across(size), max(1, down(size) - 2)), key)
            if left is not None and key == "page up":
                self._desk.world.talks.older()
            return None
        taken: str | None = super().keypress(size, key)
        return taken

    def _lines(self, columns: int) -> list[Line]:
        talks = self._desk.world.talks
        found = talk.lines(talks.texts, self.name, columns, self._desk.glyphs, more=talks.more is not None)
        if found:
            return found
        words = f"Nothing has been written to {self.name} yet." if talks.loaded else "Loading."
        return [(("faint", words),)]

    def _count(self) -> None:
        role, words = talk.counter(self.field.value)
        self._left.show([((role, f"  {words}"),)])

    def _submit(self, typed: str) -> None:
        if not typed.strip():
            return
        peer = self._desk.world.talks.peer

        def refused(error: ClientError) -> None:
            # What was typed comes back. If something else is being typed by now, Up finds it.
            if not self.field.value and self._desk.world.talks.peer == peer:
                self.field.value = typed
            hint = error.hint if isinstance(error, CallFailed) and "`" not in error.hint else ""
            self._desk.say(f"{error} {hint}".strip(), trouble=True)

        # At once: whoever goes on typing writes the next one.
        self.field.clear(remember=True)
        self._texts.to_end()
        self._desk.world.talks.send(typed.strip(), refused)

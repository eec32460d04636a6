"""A small program made of the kit, for tests in a pseudo-terminal.

``python -m tests.tui.kit.demo [notices]``: a list of ten thousand rows with a field below. ``ctrl t`` opens a
question, ``?`` help, ``x`` and ``a`` raise, ``w`` warns, ``b`` notifies, ``t`` changes the theme, ``s`` shows
what the terminal can, ``e`` goes to the field.
"""

from __future__ import annotations

import os
import sys

import urwid

from interfaces.tui.kit.bars import Footer, Hint, Status
from interfaces.tui.kit.edit import Field
from interfaces.tui.kit.layers import Layers, Text
from interfaces.tui.kit.look import choose, refusal
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.kit.terminal import Notices, Terminal
from tests.tui.kit.sample import sample

HINTS = [
    Hint("enter", "open"),
    Hint("e", "edit"),
    Hint("b", "bell"),
    Hint("t", "theme"),
    Hint("ctrl t", "ask"),
    Hint("?", "help", last=True),
    Hint("q", "quit", last=True),
]


class Demo:
    def __init__(self, notices: Notices) -> None:
        self.terminal = Terminal(choose(os.environ), notices=notices)
        glyphs = self.terminal.look.glyphs
        self.drawn = 0
        self.status = Status(glyphs, "ready", "10000 rows")
        self.rows = Rows(
            glyphs,
            lambda: 10_000,
            self.draw,
            selectable=lambda index: index % 10 != 0,
            activate=lambda index: self.status.show(f"opened {index}"),
        )
        self.footer = Footer(glyphs, self.key)
        self.footer.show(HINTS)
        self.field = Field(glyphs.script, label="Say: ", most=30, submit=self.said)
        self.frame = urwid.Pile(
            [("pack", self.status), self.rows, ("pack", self.field), ("pack", self.footer)], focus_item=1
        )
        self.layers = Layers(self.frame, glyphs)
        self.terminal.show(self.layers)

    def draw(self, index: int, _columns: int, focus: bool) -> Line:
        self.drawn += 1
        if index % 10 == 0:
            return [("heading", f"Part {index // 10}")]
        mark = self.terminal.look.glyphs["cursor"] if focus else " "
        return [
            (
                "focus" if focus else "row",
                f"{mark} row {index} \x1b[31m\u202e{self.terminal.look.glyphs.piece('n')}",
            )
        ]

    def said(self, words: str) -> None:
        self.status.show(f"said {words}")
        self.field.clear(remember=True)

    def fail(self, *_: object) -> None:
        raise ValueError("as wanted")

    def key(self, key: str) -> None:
        match key:
            case "q" | "ctrl c":
                self.terminal.end(3)
            case "x":
                raise ValueError("as wanted")
            case "a":
                self.terminal.loop.set_alarm_in(0, self.fail)
            case "w":
                sys.stderr.write("a warning\n")
                self.status.show("warned")
            case "e" | "esc":
                self.frame.focus_position = 2 if key == "e" else 1
            case "b":
                self.terminal.notify("Your turn", "Ana \x1b]2;evil\x07 has moved")
            case "t":
                self.terminal.restyle(choose(os.environ, "light"))
            case "d":
                self.status.show(f"drawn {self.drawn}")
            case "?":
                self.layers.help("Keys", [(hint.key, hint.label) for hint in HINTS], ["A note."])
            case "s":
                look = self.terminal.look
                page = Text("Terminal", lambda columns: sample(look, columns), self.layers.close, look.glyphs)
                self.layers.open(page)
            case "ctrl t":
                self.layers.confirm("Really?", lambda: self.status.show("it is done"), "Do it", "Leave it")
            case _:
                self.status.show(f"key {key}")


if __name__ == "__main__":
    reason = refusal(os.environ, sys.stdin.isatty(), sys.stdout.isatty())
    if reason is not None:
        sys.exit(reason)
    demo = Demo(Notices(sys.argv[1] if len(sys.argv) > 1 else "plain"))
    sys.exit(demo.terminal.run(demo.key))

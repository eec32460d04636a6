"""One match of the ladder: its board, and stepping through it move by move."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import urwid

from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.theme import Depth
from interfaces.tui.live.past import Past
from interfaces.tui.models import board, ladder, picture
from interfaces.tui.models.board import Pointer
from interfaces.tui.models.entry import Place
from interfaces.tui.models.picture import Picture
from interfaces.tui.models.sheet import Sheet, Shown, sheet
from lrgpnode.control.client import ClientError

from .base import Desk, Json
from .boardpane import BoardPane

BACKWARD, FORWARD = ("[", ",", "left", "page up"), ("]", ".", "right", "page down", " ")
KEYS = (
    ("left right", "one move back, one move on; also [ and ]"),
    ("home end", "the beginning, and the end"),
    ("f", "turn the board"),
    ("esc", "back to the ladder"),
)


class ReplayPane:
    """``changed`` is called when something else is to be shown."""

    def __init__(self, desk: Desk, changed: Callable[[], object]) -> None:
        self._desk = desk
        self._changed = changed
        self._number = 0
        self._replay: Json | None = None
        self._past: Past | None = None
        self._at = 0
        self._flipped = False
        self._trouble = ""
        self.widget: urwid.Widget = BoardPane(desk.glyphs, self._sheet, _nothing_hit, self._pressed, _nothing)

    @property
    def title(self) -> str:
        return f"Match {self._number}" if self._replay is None else ladder.page(self._replay).title

    @property
    def hints(self) -> Sequence[Hint]:
        return [Hint("left", "back"), Hint("right", "on"), Hint("f", "turn")]

    def use(self, number: int) -> None:
        """Show this match from its beginning."""
        self._number, self._replay, self._past, self._trouble = number, None, None, ""
        self._at, self._flipped = 0, False
        params = {"number": number}

        def arrived(replay: Json) -> None:
            if self._number == number:
                self._replay = replay
                self._past = Past(self._desk.world.call, "ladder.replay", params)
                self._update()

        self._desk.world.call("ladder.replay", {**params, "limit": 1}, arrived, self._failed)
        self._update()

    # Within

    def _pressed(self, key: str) -> bool:
        if key in BACKWARD or key in FORWARD:
            self._go(self._at + (1 if key in FORWARD else -1))
        elif key in ("home", "end"):
            self._go(self._plies if key == "end" else 0)
        elif key == "f":
            self._flipped = not self._flipped
            self._update()
        else:
            return False
        return True

    @property
    def _plies(self) -> int:
        return 0 if self._replay is None else len(self._replay["view"]["history"])

    def _go(self, at: int) -> None:
        self._at = min(max(0, at), self._plies)
        self._update()

    def _failed(self, error: ClientError) -> None:
        self._trouble = str(error)
        self._update()

    def _update(self) -> None:
        self.widget._invalidate()
        self._changed()

    def _frame(self) -> Json | None:
        """The position that is looked at; None while it is on its way."""
        if self._past is None:
            return None
        return self._past.at(self._at, self._update, self._failed)

    def _picture(self, replay: Json, frame: Json | None, columns: int) -> Picture:
        view = replay["view"]
        empty = {"grid": view["grid"], "last_cells": (), "extras": {}}
        pointer = Pointer(flipped=self._flipped, shown=False)
        shape = board.board(view, pointer, frame or empty)
        colours = self._desk.look.theme.depth is not Depth.MONO
        return picture.draw(shape, self._desk.glyphs, colours=colours, columns=columns - 1, hints={})

    def _sheet(self, columns: int, rows: int) -> Sheet:
        replay = self._replay
        if replay is None or self._trouble:
            said = self._trouble or "Loading the match."
            return Sheet(lines=((), (("bad" if self._trouble else "text", f" {said}"),)), board=(0, 0))
        frame = self._frame()
        view = replay["view"] if frame is None else {**replay["view"], "extras": frame["extras"]}
        over = self._at == self._plies
        shown = Shown(
            page=ladder.page(replay),
            picture=self._picture(replay, frame, columns),
            view=view,
            at=None if over else self._at,
            fetching=frame is None,
        )
        return sheet(shown, columns, rows, self._desk.glyphs)


def _nothing_hit(_line: int, _column: int) -> Place | None:
    """Nothing can be played."""
    return None


def _nothing(_: Place) -> None:
    """Where clicks do nothing."""

"""One game: its board, what it says, and moves by cursor, mouse, digit or text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import urwid

from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.beside import Beside
from interfaces.tui.kit.theme import Depth
from interfaces.tui.live.lists import Key
from interfaces.tui.live.world import Topic
from interfaces.tui.models import board, entry, game, picture, words
from interfaces.tui.models.board import Pointer
from interfaces.tui.models.entry import Fit, Move, Place
from interfaces.tui.models.game import Page
from interfaces.tui.models.picture import Picture
from interfaces.tui.models.sheet import Sheet, Shown, sheet
from lrgpnode.control.client import ClientError

from . import export, gamehelp
from .acting import Acting
from .base import Desk, Json, Screen
from .boardpane import BoardPane
from .gamehelp import Doing
from .moveline import MoveLine, advice
from .talkpane import TalkPane

BACKWARD, FORWARD = ("[", ",", "page up"), ("]", ".", "page down")


class GameScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._key: Key | None = None
        self._pointer = Pointer()
        self._touched = False
        self._at: int | None = None
        self._columns = 80
        self._acting = Acting(desk, self._made, self._update)
        self._pane = BoardPane(desk.glyphs, self._sheet, self._hit, self._pane_key, self._clicked)
        self._line = MoveLine(desk, self._submit, self._preview)
        self._pile = urwid.Pile([("weight", 1, self._pane), ("pack", self._line)], focus_item=0)
        self._talk = TalkPane(desk)
        self._sides = Beside(
            self._pile, self._talk, desk.glyphs, lambda: self._peer is not None, self._sides_changed
        )

    # What the interface asks

    @property
    def widget(self) -> urwid.Widget:
        return self._sides

    def use(self, key: Key) -> None:
        """Show this game from now on."""
        if key == self._key:
            return
        self._key, self._touched, self._at = key, False, None
        self._acting.use(key)
        self._pointer = Pointer()
        self._line.forget()
        self._sides.show(False, keys=False)

    def shown(self) -> None:
        self.desk.world.show(self._key)
        self._focus_board()
        self._update()

    def hidden(self) -> None:
        self.desk.world.talks.look(False)

    def changed(self, topic: Topic) -> None:
        if topic is Topic.TALKS:
            self._talk.changed()
            self.desk.refresh()
        if topic in (Topic.OPEN, Topic.PEOPLE, Topic.STATE):
            self._update()

    def title(self) -> tuple[str, str]:
        page = self._page()
        if page is None:
            return "Game", ""
        return page.title, f"game {self._key[1][:6]}" if self._key else ""

    def status(self) -> str:
        detail = self._detail
        if detail is None:
            return self.desk.world.words or "Loading the game."
        if self._sides.at_side:
            return f"What you write to {self._talk.name}. Tab or Esc: back to the board."
        if self._at is not None:
            return "This is how it was. Esc: back to now."
        if self._pointer.chosen is not None:
            return f"From {entry.cell_name(detail['view'], self._pointer.chosen)} to: Enter. Esc lets go."
        return ""

    @property
    def covered(self) -> bool:
        return self._sides.covered

    def hints(self) -> Sequence[Hint]:
        page = self._page()
        if page is None:
            return gamehelp.LAST
        if self._sides.at_side:
            return gamehelp.beside(self._sides.open)
        if self._line.open:
            return gamehelp.typing()
        doing = Doing(
            past=self._at is not None,
            chosen=self._pointer.chosen is not None,
            digits=bool(self._digits),
            legal=self._legal,
            chequered=self._chequered,
            talks=self._peer is not None,
            unread=self._unread,
            played=self._ply > 0,
        )
        return gamehelp.hints(page, doing)

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        return "A game", gamehelp.KEYS, gamehelp.NOTES

    def key(self, key: str) -> bool:
        if self._sides.at_side:
            if key in ("tab", "shift tab", "esc"):
                self._open_talk(self._sides.open and key != "esc", keys=False)
            return key in ("tab", "shift tab", "esc", "up", "down")
        if key in ("tab", "shift tab"):
            self._toggle()
        elif key == "esc":
            return self._escape()
        elif self._line.open:
            # What the field does not take does nothing there.
            return key in ("up", "down", "page up", "page down")
        else:
            return self._letter(key)
        return True

    # What there is

    @property
    def _detail(self) -> Json | None:
        world = self.desk.world
        return world.detail if world.open == self._key else None

    @property
    def _peer(self) -> str | None:
        """Whom one can write to beside this game."""
        row = self._row
        peer = None if row is None else str(row["peer"])
        return peer if peer is not None and self.desk.world.reads(peer) else None

    @property
    def _row(self) -> Json | None:
        """What is known of the game before it is loaded, too."""
        return self._detail or (self.desk.world.games.get(self._key) if self._key else None)

    @property
    def _unread(self) -> int:
        return self.desk.world.talks.unread.get(self._peer or "", 0)

    @property
    def _view(self) -> Json:
        detail = self._detail
        return {} if detail is None else detail["view"]

    @property
    def _legal(self) -> bool:
        return bool(self._view.get("legal"))

    @property
    def _ply(self) -> int:
        return len(self._view.get("history", ()))

    @property
    def _digits(self) -> Mapping[str, Move]:
        return board.digits(self._view)

    @property
    def _chequered(self) -> bool:
        return self._detail is not None and board.board(self._view, self._pointer).chequered

    def _page(self) -> Page | None:
        detail = self._detail
        if detail is None:
            return None
        world = self.desk.world
        app = str(detail["app"])
        heard = world.heard_at(str(detail["peer"]))
        return game.page(detail, world.names.get(app, app), world.actions(app), world.now(), heard)

    def _frame(self) -> Json | None:
        """The position that is looked at, if it is not the present one."""
        past = self.desk.world.past
        if self._at is None or past is None:
            return None
        return past.at(self._at, self._update, self._past_failed)

    def _past_failed(self, error: ClientError) -> None:
        self._at = None
        self.desk.say(str(error), trouble=True)
        self._update()

    # Drawing

    def _picture(self, columns: int) -> Picture:
        view, frame = self._view, self._frame()
        pointer = self._pointer
        if self._at is not None and frame is None:
            frame = {"grid": view.get("grid", ()), "last_cells": (), "extras": {}}
        pointer = replace(pointer, shown=pointer.shown and not self._line.open and bool(view.get("my_turn")))
        glyphs = self.desk.glyphs
        hints = picture.hints(view) if frame is None else {}
        colours = self.desk.look.theme.depth is not Depth.MONO
        return picture.draw(
            board.board(view, pointer, frame), glyphs, colours=colours, columns=columns - 1, hints=hints
        )

    def _sheet(self, columns: int, rows: int) -> Sheet:
        self._columns = columns
        page = self._page()
        if page is None:
            return Sheet(
                lines=((), (("text", f" {self.desk.world.words or 'Loading the game.'}"),)), board=(0, 0)
            )
        frame = self._frame()
        view = self._view if frame is None else {**self._view, "extras": frame["extras"]}
        shown = Shown(
            page=page,
            picture=self._picture(columns),
            view=view,
            at=self._at,
            fetching=self._at is not None and frame is None,
        )
        return sheet(shown, columns, rows, self.desk.glyphs)

    def _hit(self, line: int, column: int) -> Place | None:
        return self._picture(self._columns).hit(line, column)

    def _update(self) -> None:
        detail = self._detail
        if detail is not None:
            if not self._touched:
                self._pointer = board.start(self._view)
            self._pointer = board.settled(self._view, self._pointer)
            if self._at is not None and self._at >= self._ply:
                self._at = None
            if self._key is not None:
                self.desk.world.read(self._key)
            if self._line.open and not self._may_type:
                self._focus_board()
        self._meet()
        self._preview()
        self._pane.changed()
        self.desk.refresh()

    @property
    def _may_type(self) -> bool:
        detail = self._detail
        return detail is not None and detail["status"] == "active" and bool(self._view.get("my_turn"))

    def _preview(self) -> None:
        if self._line.open:
            self._line.preview(self._view, self._chequered)
        elif self._may_type and self._at is None:
            digits = tuple(self._digits)
            self._line.advise(advice(digits, chequered=self._chequered, legal=self._legal))
        else:
            self._line.advise("")

    # Keys

    def _pane_key(self, key: str) -> bool:
        if self._at is not None and key in ("left", "right"):
            self._step(-1 if key == "left" else 1)
        elif self._at is not None and key in ("enter", " "):
            self._leave_past()
        elif key in board.DIRECTIONS:
            if self._at is None:
                self._point(board.moved(self._view, self._pointer, key))
        elif key in ("enter", " "):
            self._press(None)
        elif key in self._digits and self._at is None:
            self._acting.play((self._digits[key],))
        else:
            return False
        return True

    def _letter(self, key: str) -> bool:
        page = self._page()
        if key in BACKWARD or key in FORWARD:
            self._step(-1 if key in BACKWARD else 1)
            return True
        if key in ("home", "end"):
            self._look(0 if key == "home" else self._ply)
            return True
        if key == "t":
            self._open_talk(True, keys=True)
            return True
        if page is None:
            return False
        offer = next((one for one in page.offers if one.key == key), None)
        if offer is not None:
            self._acting.do(offer)
        elif key == "f":
            self._point(replace(self._pointer, flipped=not self._pointer.flipped))
        elif key == "e" and self._detail is not None:
            export.export(self.desk, self._detail)
        elif key == "o":
            self._acting.other(page.ended)
        elif key in ("m", "/", ":"):
            self._toggle()
        else:
            return False
        return True

    def _escape(self) -> bool:
        if self._line.open:
            self._focus_board()
            self._update()
        elif self._at is not None:
            self._leave_past()
        elif self._pointer.chosen is not None:
            self._point(replace(self._pointer, chosen=None))
        else:
            return False
        return True

    def _toggle(self) -> None:
        if self._line.open:
            self._focus_board()
        elif self._may_type:
            self._at = None
            self._line.show(True)
            self._pile.focus_position = 1
        else:
            self.desk.say("It is not your turn.")
        self._update()

    def _focus_board(self) -> None:
        self._pile.focus_position = 0
        self._line.show(False)

    def _point(self, pointer: Pointer) -> None:
        self._touched = True
        self._pointer = pointer
        self._pane.changed()
        self.desk.refresh()

    # Texts

    def _meet(self) -> None:
        """The game is with somebody: so are the texts beside it."""
        row = self._row
        if row is None:
            return
        name = words.who(str(row.get("peer_name", "")), str(row["peer"]))
        if self.desk.world.talks.peer != self._peer:
            self.desk.world.talks.show(self._peer)
            self._talk.use(name)
        self._talk.name = name
        self._sides.changed()
        self.desk.world.talks.look(self._sides.side_shown)

    def _open_talk(self, open: bool, *, keys: bool) -> None:
        if open and self._peer is None:
            self.desk.say("Who plays here does not read." if self._row else "Loading the game.")
            return
        self._sides.show(open, keys=keys)
        self.desk.world.talks.look(self._sides.side_shown)
        self.desk.refresh()

    def _sides_changed(self) -> None:
        # Not in the middle of drawing.
        self.desk.loop.after(0.0, self._update)

    # History

    def _step(self, steps: int) -> None:
        self._look((self._ply if self._at is None else self._at) + steps)

    def _look(self, at: int) -> None:
        if not self._ply:
            self.desk.say("No move has been made yet.")
            return
        at = max(0, at)
        self._at = None if at >= self._ply else at
        self._update()

    def _leave_past(self) -> None:
        self._at = None
        self._update()

    # Acting

    def _made(self) -> None:
        """A move of ours is committed."""
        self._line.made()
        self._focus_board()

    def _clicked(self, place: Place) -> None:
        self._focus_board()
        if self._at is not None:
            self._leave_past()
        else:
            self._press(place)

    def _press(self, place: Place | None) -> None:
        if self._detail is None:
            return
        if not self._view.get("my_turn"):
            self.desk.say("It is not your turn.")
            return
        before = self._pointer.chosen
        made = board.press(self._view, self._pointer, place)
        self._point(made.pointer)
        if made.moves:
            self._acting.play(made.moves)
        elif not self._legal:
            self._toggle()
        elif before is None and made.pointer.chosen is None:
            self.desk.say(f"Nothing can be played at {entry.cell_name(self._view, made.pointer.cursor)}.")

    def _submit(self, typed: str) -> None:
        found = entry.read(self._view, typed)
        if found.fit in (Fit.ONE, Fit.CHOICE):
            self._acting.play(found.moves)
        elif found.fit is Fit.SEVERAL:
            self.desk.say(f"Which one? {found.preview}")
        elif found.fit is Fit.NONE:
            # The node knows more spellings, and says what is wrong with this one.
            self._acting.send({"move": typed})

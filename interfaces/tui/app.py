"""The interface as a whole: terminal, link, screens, and the node that it may have started itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import urwid

from interfaces.tui import feed
from interfaces.tui.feed import Feed, Strip
from interfaces.tui.kit.bars import Footer, Hint, Status
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.layers import Layers
from interfaces.tui.kit.look import Look
from interfaces.tui.kit.size import Size
from interfaces.tui.kit.terminal import Key as Typed, Notices, Terminal
from interfaces.tui.live.link import Link
from interfaces.tui.live.needs import Cancel, Loop
from interfaces.tui.live.world import Key, State, Topic, World
from interfaces.tui.models.notices import Notice
from interfaces.tui.screens.base import Json, Screen
from interfaces.tui.screens.game import GameScreen
from interfaces.tui.screens.registry import make
from interfaces.tui.screens.waiting import WaitingScreen
from interfaces.tui.start import OwnNode, Starter, is_first_run
from lrgpnode.control.client import CallFailed, ClientError, NotRunning
from lrgpnode.protocol.value import Value

NOTICE_SECONDS = 12.0
"""How long something new stays in the status line."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Options(Value):
    """``path`` finds the control socket. ``start`` begins a node of the interface's own, None where it must
    not; ``data`` is that node's directory. ``session`` is the game to open, by a prefix of its id."""

    path: Callable[[], Path]
    data: Path
    look: Look
    identity: str | None = None
    start: Starter | None = None
    no_start: str = ""
    stay: bool = False
    session: str = ""
    mouse: bool = True
    bell: bool = True
    notices: Notices = Notices.PLAIN
    feed: Feed | None = None


class _Loop(Loop):
    """The loop of the terminal, as the live part needs it."""

    def __init__(self, main: urwid.MainLoop) -> None:
        self._main = main

    def watch(self, descriptor: int, ready: Callable[[], object]) -> Cancel:
        handle = self._main.watch_file(descriptor, ready)
        return lambda: _ignore(self._main.remove_watch_file(handle))

    def after(self, seconds: float, then: Callable[[], object]) -> Cancel:
        handle = self._main.set_alarm_in(seconds, lambda *_: then())
        return lambda: _ignore(self._main.remove_alarm(handle))


def _ignore(_: object) -> None:
    """urwid says whether a handle was still known; nobody asks."""


class _Root(Layers):
    """Tells of every key before it is handled."""

    def __init__(self, body: urwid.Widget, glyphs: Glyphs, typed: Callable[[], object]) -> None:
        super().__init__(body, glyphs)
        self._typed = typed

    def keypress(self, size: Size, key: str) -> str | None:
        self._typed()
        return super().keypress(size, key)


class App:
    """Implements ``Desk`` for the screens."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.look = options.look
        self.terminal = Terminal(
            options.look, notices=options.notices, bell=options.bell, mouse=options.mouse
        )
        self.loop: Loop = _Loop(self.terminal.loop)
        self.world = World(options.identity, time.time, self._changed, self._told)
        self._link = Link(self.loop, options.path, self)
        self.world.use(self._link)
        self._own: OwnNode | None = None
        self._unwatch: Cancel | None = None
        self._begun = False
        self._screens: dict[str, Screen] = {}
        self._before: list[str] = []
        self._name = ""
        self._notice = ("", False)
        self._forget: Cancel | None = None
        self._bar = Status(self.glyphs, role="bar strong")
        self._status = Status(self.glyphs)
        self._footer = Footer(self.glyphs, self._pressed)
        self._waiting = WaitingScreen(self)
        self._body = urwid.WidgetPlaceholder(self._waiting.widget)
        self._feed_box: feed.Box | None = None
        pile = urwid.Pile(
            [
                ("pack", self._bar),
                ("weight", 1, self._body),
                ("pack", self._status),
                ("pack", self._footer),
            ],
            focus_item=1,
        )
        if options.feed is not None:
            self._strip = Strip(options.feed, self.glyphs)
            pile.contents.insert(2, (self._strip, pile.options("pack")))
        self.layers: Layers = _Root(pile, self.glyphs, self._any_key)

    @property
    def glyphs(self) -> Glyphs:
        return self.look.glyphs

    def run(self) -> int:
        """Until the person quits; the exit code."""
        self.terminal.show(self.layers)
        self.refresh()
        self._link.start()
        if self._options.feed is not None:
            self.loop.watch(self._options.feed.descriptor, self._fed)
        try:
            return self.terminal.run(self._key)
        finally:
            self._link.stop()
            if self._own is not None and not self._options.stay:
                self._own.stop()

    # What the screens ask

    def go(self, name: str) -> None:
        if name == self._name:
            return
        if self._name:
            self._before = [one for one in self._before if one != name] + [self._name]
        self._show(name)

    def open_game(self, key: Key) -> None:
        self._unsay()
        screen = self._screen("game")
        assert isinstance(screen, GameScreen)
        screen.use(key)
        if self._name == "game":
            screen.shown()
        elif self._name == "invite":
            # Back leads to the games, not to the list of people.
            self._show("game")
        else:
            self.go("game")

    def back(self) -> None:
        if self._before:
            self._show(self._before.pop())
        elif self._name != "home":
            self._show("home")
        else:
            self._ask_to_quit()

    def say(self, text: str, *, trouble: bool = False) -> None:
        self._notice = (text, trouble)
        if self._forget is not None:
            self._forget()
        self._forget = self.loop.after(NOTICE_SECONDS, self._unsay)
        self.refresh()

    def act(self, method: str, params: Json, done: Callable[[Json], object] | None = None) -> None:
        def failed(error: ClientError) -> None:
            hint = error.hint if isinstance(error, CallFailed) else ""
            # Hints name commands; here there are keys.
            self.say(f"{error} {hint if '`' not in hint else ''}".strip(), trouble=True)

        self.world.call(method, params, done or _ignore, failed)

    def refresh(self) -> None:
        screen = self._current()
        left, right = screen.title()
        self._bar.show(left, right, "bar strong")
        words, trouble = self._notice
        if self.world.state is not State.READY and self._name:
            words, trouble = self.world.words, self.world.state is State.LOST
        self._status.show(words or screen.status(), "", "status bad" if trouble else "status")
        hints = screen.hints()
        if self._options.feed is not None:
            hints = [*hints[:1], Hint(feed.KEY, self._options.feed.title.lower()), *hints[1:]]
        self._footer.show(hints)

    # The node

    def connected(self, seq: int, missed: bool) -> None:
        self._begun = True
        self.world.connected(seq, missed)

    def lost(self, why: ClientError) -> None:
        first = not self._begun and self._own is None
        self.world.lost(why)
        if first and isinstance(why, NotRunning):
            self._no_node(why)
        self.refresh()

    def event(self, event: Json) -> None:
        self.world.event(event)

    def _no_node(self, why: NotRunning) -> None:
        """At the start nobody answers: begin a node, if that is ours to do."""
        self._begun = True
        if self._options.start is None or isinstance(why.__cause__, PermissionError):
            self._waiting.explain(self._options.no_start or str(why))
        elif is_first_run(self._options.data):
            self._waiting.welcome(self.start_node)
        else:
            self.start_node(None)

    def start_node(self, name: str | None) -> None:
        """Begin a node of our own; the link finds it."""
        assert self._options.start is not None
        try:
            self._own = self._options.start(name)
        except OSError as error:
            self._waiting.explain(f"The node cannot be started: {error}")
            return
        self._unwatch = self.loop.watch(self._own.ended, self._own_ended)
        self._waiting.starting()
        self.refresh()

    def _own_ended(self) -> None:
        """The process is gone: the pipe that it held is closed."""
        assert self._own is not None
        if self._unwatch is not None:
            self._unwatch()
        own, self._own = self._own, None
        own.release()
        own.gone()
        if self._name:
            self.say(f"The node of this window has ended: {own.why()}", trouble=True)
        else:
            self._waiting.explain(f"The node did not start: {own.why()}", self.start_again)
        self.refresh()

    def start_again(self) -> None:
        """After it has ended by itself."""
        if self._options.start is not None and self._own is None and not self._link.up:
            self.start_node(None)

    # What happens

    def _changed(self, topic: Topic) -> None:
        if topic is Topic.STATE and self.world.state is State.READY and not self._name:
            self._first()
        self._current().changed(topic)
        if topic in (Topic.STATE, Topic.GAMES) and self._options.notices is Notices.PLAIN:
            turns = self.world.waiting_turn()
            self.terminal.title(f"lrgpnode: {turns} your turn" if turns else "lrgpnode")
        self.refresh()

    def _first(self) -> None:
        self._show("home")
        wanted = self._options.session
        if not wanted:
            return
        found = [key for key in self.world.games if key[1].startswith(wanted)]
        if len(found) == 1:
            self.open_game(found[0])
        else:
            self.say(f"There is no game {wanted}." if not found else f"Several games begin with {wanted}.")

    def _told(self, notice: Notice) -> None:
        game = self.world.games.get(notice.game) if notice.game is not None else None
        # Who plays on this very node answers at once: that is no news.
        if notice.bell and (game is None or game["peer"] not in self.world.always_here):
            self.terminal.notify("lrgpnode: something is new", notice.text)
        here = self._name == "game" and notice.game == self.world.open and not self._current().covered
        if not here or notice.trouble:
            self.say(notice.text, trouble=notice.trouble)

    def _unsay(self) -> None:
        if self._forget is not None:
            self._forget()
        self._forget = None
        self._notice = ("", False)
        self.refresh()

    # Keys

    def _any_key(self) -> None:
        """What was said has been read."""
        if self._notice[0]:
            self._unsay()

    def _pressed(self, key: str) -> None:
        """A hint of the footer was clicked."""
        size = self.terminal.size
        left = self.layers.keypress(size, key)
        if left is not None:
            self._key(left)

    def _key(self, key: Typed) -> bool:
        if not isinstance(key, str):
            return False
        if key == "ctrl l":
            self.terminal.loop.screen.clear()
            return True
        if key == "ctrl c":
            self._ask_to_quit()
            return True
        if self.layers.top is not None:
            return True
        if self._current().key(key):
            return True
        if key in ("?", "f1"):
            title, keys, notes = self._current().help()
            everywhere = [("ctrl l", "draw the screen again"), ("ctrl c", "quit")]
            self.layers.help(title, [*keys, *everywhere], notes)
        elif key == feed.KEY and self._options.feed is not None:
            self._open_feed(self._options.feed)
        elif key in ("esc", "q"):
            if key == "q" and self._name in ("", "home"):
                self._ask_to_quit()
            elif self._name != "home" or key == "q":
                self.back()
        elif key == "s" and self.world.state is State.LOST:
            self.start_again()
        else:
            return False
        return True

    def _open_feed(self, shown: Feed) -> None:
        box = feed.Box(shown, lambda: self.layers.close(box), self.glyphs)
        self._feed_box = box
        self.layers.open(box)

    def _fed(self) -> None:
        """There is news from beside the node."""
        assert self._options.feed is not None
        self._options.feed.take()
        self._strip.changed()
        if self._feed_box is not None:
            self._feed_box.changed()

    def _ask_to_quit(self) -> None:
        if self._own is None or self._options.stay:
            self.terminal.end(0)
        unsent = self.world.status.get("unsent", 0)
        later = " What has not arrived yet is sent when it runs again." if unsent else ""
        self.layers.choose(
            f"The node of this window ends with it.{later}",
            [("q", "Quit, and end the node"), ("k", "Quit, and keep the node running"), ("n", "Stay here")],
            self._quit,
        )

    def _quit(self, key: str) -> None:
        if key == "k" and self._own is not None:
            self._own.release()
            self._own = None
        if key in ("q", "k"):
            self.terminal.end(0)

    # Screens

    def _current(self) -> Screen:
        return self._screens[self._name] if self._name else self._waiting

    def _screen(self, name: str) -> Screen:
        if name not in self._screens:
            self._screens[name] = make(name, self)
        return self._screens[name]

    def _show(self, name: str) -> None:
        if self._name:
            self._current().hidden()
        screen = self._screen(name)
        self._name = name
        if name == "home":
            self._before.clear()
        self._body.original_widget = screen.widget
        screen.shown()
        self.refresh()


def run(options: Options) -> int:
    """The interface, until it is left; the exit code."""
    return App(options).run()

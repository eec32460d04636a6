"""The interface as a whole: terminal, link, screens, and the node that it may have started itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final

from interfaces.tui import feed
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.layers import Layers
from interfaces.tui.kit.terminal import Key as Typed, Notices, Terminal
from interfaces.tui.live.link import Link
from interfaces.tui.live.lists import Key
from interfaces.tui.live.needs import Cancel, Loop
from interfaces.tui.live.world import State, Topic, World
from interfaces.tui.looks import SECTION, Looks, shown
from interfaces.tui.loop import TerminalLoop
from interfaces.tui.models.notices import Notice
from interfaces.tui.options import Options
from interfaces.tui.owned import Owned
from interfaces.tui.screens.base import Json, Screen
from interfaces.tui.screens.game import GameScreen
from interfaces.tui.screens.registry import make
from interfaces.tui.screens.talks import TalksScreen
from interfaces.tui.screens.waiting import WaitingScreen
from interfaces.tui.start import is_first_run
from interfaces.tui.window import Window
from lrgpnode.control.client import CallFailed, ClientError, NotRunning

NOTICE_SECONDS: Final = 12.0
"""How long something new stays in the status line."""


def _ignore(_: object) -> None:
    """Where an answer does not matter."""


class App:
    """Implements ``Desk`` for the screens."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._looks = looks = Looks.of(options.said, options.settings)
        self.look = looks.look(os.environ)
        self.terminal = Terminal(self.look, notices=looks.tells(), bell=looks.bell, mouse=looks.mouse)
        self.loop: Loop = TerminalLoop(self.terminal.loop)
        self.world = World(options.identity, time.time, self._changed, self._told)
        self._link = Link(self.loop, options.path, self)
        self.world.use(self._link)
        self._own = Owned(options.start, self.loop, self._own_ended)
        self._begun = False
        self._before: list[str] = []
        self._name = ""
        self._notice = ("", False)
        self._forget: Cancel | None = None
        self._build()

    def _build(self) -> None:
        """The widgets, in the signs of the look."""
        self._screens: dict[str, Screen] = {}
        self._window = Window(self.glyphs, self._options.feed, self._pressed, self._any_key)
        self._waiting = WaitingScreen(self)
        self._window.show(self._waiting.widget)

    @property
    def layers(self) -> Layers:
        return self._window.layers

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
            if not self._options.stay:
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

    def open_talk(self, peer: str) -> None:
        self._unsay()
        self.go("talks")
        screen = self._screen("talks")
        assert isinstance(screen, TalksScreen)
        screen.use(peer)

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
        words, trouble = self._notice
        if self.world.state is not State.READY and self._name:
            words, trouble = self.world.words, self.world.state is State.LOST
        self._window.tell(
            screen.title(), words or screen.status(), screen.hints(), trouble=trouble, said=bool(words)
        )

    # Looks

    def load_looks(self) -> None:
        self.world.call("node.config_show", {"key": SECTION}, self._wear, _ignore)

    def _wear(self, report: Json) -> None:
        """Look as the settings say."""
        wanted = Looks.of(self._options.said, shown(report))
        if wanted == self._looks:
            return
        before, self._looks = self._looks, wanted
        self.terminal.notices, self.terminal.bell = wanted.tells(), wanted.bell
        if wanted.mouse is not before.mouse:
            self.terminal.mouse(wanted.mouse)
        look = wanted.look(os.environ)
        if look != self.look:
            others, self.look = look.glyphs != self.look.glyphs, look
            self.terminal.restyle(look)
            if others:
                self._rebuild()

    def _rebuild(self) -> None:
        """Other signs: widgets have them from when they are made. What lay over the screen is closed."""
        key, words = self.world.open, self._waiting.words
        self._build()
        if not self._name:
            self._waiting.explain(words)
        else:
            screen = self._screen(self._name)
            if isinstance(screen, GameScreen) and key is not None:
                screen.use(key)
            self._window.show(screen.widget)
            screen.shown()
        self.terminal.show(self.layers)
        self.refresh()

    # The node

    def connected(self, seq: int, missed: bool) -> None:
        self._begun = True
        self.load_looks()
        self.world.connected(seq, missed)

    def lost(self, why: ClientError) -> None:
        first = not self._begun and not self._own
        self.world.lost(why)
        if first and isinstance(why, NotRunning):
            self._no_node(why)
        self.refresh()

    def event(self, event: Json) -> None:
        self.world.event(event)

    def _no_node(self, why: NotRunning) -> None:
        """At the start nobody answers: begin a node, if that is ours to do."""
        self._begun = True
        if not self._own.possible or isinstance(why.__cause__, PermissionError):
            self._waiting.explain(self._options.no_start or str(why))
        elif is_first_run(self._options.data):
            self._waiting.welcome(self.start_node)
        else:
            self.start_node(None)

    def start_node(self, name: str | None) -> None:
        """Begin a node of our own."""
        try:
            self._own.begin(name)
        except OSError as error:
            self._waiting.explain(f"The node cannot be started: {error}")
            return
        self._waiting.starting()
        self.refresh()

    def _own_ended(self, why: str) -> None:
        if self._name:
            self.say(f"The node of this window has ended: {why}", trouble=True)
        else:
            self._waiting.explain(f"The node did not start: {why}", self.start_again)
        self.refresh()

    def start_again(self) -> None:
        """After it has ended by itself."""
        if self._own.possible and not self._own and not self._link.up:
            self.start_node(None)

    # What happens

    def _changed(self, topic: Topic) -> None:
        if topic is Topic.STATE and self.world.state is State.READY and not self._name:
            self._first()
        self._current().changed(topic)
        if topic in (Topic.STATE, Topic.GAMES) and self.terminal.notices is Notices.PLAIN:
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

    def _fed(self) -> None:
        assert self._options.feed is not None
        self._options.feed.take()
        self._window.fed()

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
        """A key that neither a layer nor the widget of the screen took; whether it did something."""
        if not isinstance(key, str):
            return False
        if key == "ctrl l":
            self.terminal.loop.screen.clear()
        elif key == "ctrl c":
            self._ask_to_quit()
        elif self.layers.top is None and not self._current().key(key):
            return self._everywhere(key)
        return True

    def _everywhere(self, key: str) -> bool:
        """Keys that mean the same on every screen, unless it has another meaning for them."""
        if key in ("?", "f1"):
            title, keys, notes = self._current().help()
            more = [("ctrl l", "draw the screen again"), ("ctrl c", "quit")]
            self.layers.help(title, [*keys, *more], notes)
        elif key == "q" and self._name in ("", "home"):
            self._ask_to_quit()
        elif key in ("esc", "q"):
            if self._name != "home":
                self.back()
        elif key == "s" and self.world.state is State.LOST:
            self.start_again()
        else:
            return key == feed.KEY and self._window.open_feed()
        return True

    def _ask_to_quit(self) -> None:
        if not self._own or self._options.stay:
            self.terminal.end(0)
        unsent = self.world.status.get("unsent", 0)
        later = " What has not arrived yet is sent when it runs again." if unsent else ""
        self.layers.choose(
            f"The node of this window ends with it.{later}",
            [("q", "Quit, and end the node"), ("k", "Quit, and keep the node running"), ("n", "Stay here")],
            self._quit,
        )

    def _quit(self, key: str) -> None:
        if key == "k":
            self._own.release()
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
        self._window.show(screen.widget)
        screen.shown()
        self.refresh()


def run(options: Options) -> int:
    """The interface, until it is left; the exit code."""
    return App(options).run()

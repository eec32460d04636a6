"""The loop of the terminal, as the live part needs it."""

from __future__ import annotations

from collections.abc import Callable

import urwid

from interfaces.tui.live.needs import Cancel, Loop


class TerminalLoop(Loop):
    """On the loop of urwid."""

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

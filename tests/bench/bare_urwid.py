"""The least that a program with urwid can be: a list on the whole screen, until q."""

import urwid


def key(pressed: str) -> None:
    if pressed == "q":
        raise urwid.ExitMainLoop


rows = urwid.SimpleFocusListWalker([urwid.Text(f"row {number}") for number in range(100)])
urwid.MainLoop(urwid.ListBox(rows), unhandled_input=key).run()

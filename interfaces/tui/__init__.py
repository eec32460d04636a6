"""The terminal UI (urwid): a client of the control socket."""

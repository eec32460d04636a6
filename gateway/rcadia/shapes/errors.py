"""What cannot be read."""

from __future__ import annotations


class Unreadable(Exception):
    """The state or the actions of a table are in no form that is recognised. ``str()``: one sentence."""


class NotOneMove(Unreadable):
    """The position is readable, but no play from the one known before leads to it."""

"""Texts on a terminal: cleaned, padded, and times as people read them."""

from __future__ import annotations

import time

from lrgpnode.control.text import LONGEST, MARKS, clean, score, who, width

__all__ = ["LONGEST", "MARKS", "ago", "clean", "clock", "counted", "pad", "score", "when", "who", "width"]


def counted(number: int, one: str) -> str:
    """A number of things, with the plural of a regular noun."""
    return f"{number} {one}" + ("" if number == 1 else "s")


def pad(text: str, cells: int) -> str:
    """``text`` with spaces up to a width of ``cells``."""
    return text + " " * (cells - width(text))


def when(at: float) -> str:
    """A moment in local time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"


def ago(seconds: float) -> str:
    """How long something is past, in a few letters."""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "now"


def clock(at: float) -> str:
    """The time of day of a moment."""
    try:
        return time.strftime("%H:%M:%S", time.localtime(at))
    except (ValueError, OverflowError, OSError):
        return "--:--:--"


def moment(at: float) -> str:
    """A moment to the second, in local time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    except (ValueError, OverflowError, OSError):
        return "at an unknown time "


def age(seconds: float) -> str:
    """A length of time in one or two units, e.g. ``3 min`` or ``2 d 4 h``."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min"
    if whole < 86_400:
        hours, minutes = divmod(whole // 60, 60)
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(whole // 3600, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"

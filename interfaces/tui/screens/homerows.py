"""What stands in the list of games, and how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.segments import Line
from interfaces.tui.models import words
from interfaces.tui.models.home import SIGNS, Row
from interfaces.tui.models.notices import Unplayable
from interfaces.tui.models.people import Choice
from interfaces.tui.models.talks import Thread
from lrgpnode.protocol.value import Value

WIDE = 66
"""From so many columns on a row says in words what it waits for."""


@dataclass(frozen=True, slots=True, repr=False)
class Heading(Value):
    """A line that cannot be chosen. ``role`` is of the theme."""

    text: str
    role: str = "heading"


@dataclass(frozen=True, slots=True, repr=False)
class More(Value):
    """There are more finished games."""


Item = Heading | Row | Unplayable | Thread | Choice | More


def draw(item: Item, columns: int, focus: bool, glyphs: Glyphs) -> Line:
    """One row of the list."""
    match item:
        case Heading():
            return ((item.role, f" {item.text}"),)
        case Row():
            return _row(item, columns, focus, glyphs)
        case Unplayable():
            return _plain(f"{glyphs['warning']} {item.title}", focus, glyphs)
        case Thread():
            return _plain(f"{glyphs['unread']} {item.who}: {item.last}", focus, glyphs)
        case Choice():
            return _plain(f"  {item.name}", focus, glyphs)
        case _:
            return _plain("  Older games", focus, glyphs)


def _plain(words_: str, focus: bool, glyphs: Glyphs) -> Line:
    mark = glyphs["cursor"] if focus else " "
    return (("focus" if focus else "row", f"{mark} {words_}"),)


def _row(row: Row, columns: int, focus: bool, glyphs: Glyphs) -> Line:
    script = glyphs.script
    base, faint = ("focus", "focus faint") if focus else ("row", "faint")
    wide = columns >= WIDE
    game = 15 if wide else 11
    state = 15 if wide else 0
    tail = f"{glyphs[row.delivery.state] if row.delivery else ' '}{glyphs[row.presence]}{row.age:>6} "
    tail = tail if wide else f" {tail}"
    mark = glyphs["cursor"] if focus else " "
    news = glyphs["unread"] if row.unread or row.texts else glyphs["out of sync"] if row.flag else " "
    sign = "?" if row.stranger else glyphs[SIGNS[row.section]]
    used = 5 + game + 1 + state + len(tail) + (1 if state else 0)
    peer = text.pad(words.who(row.peer_name, row.peer), max(8, columns - used), script)
    strong = "unread" if (row.unread or row.texts) and not focus else base
    line: list[tuple[str, str]] = [
        (base, f"{mark} "),
        (strong, news),
        (base, f"{sign} {text.pad(row.game, game, script)} "),
        (strong, peer),
    ]
    if state:
        line.append((faint, f" {text.pad(row.flag or texts(row) or row.state, state, script)}"))
    line.append((("bad" if row.delivery.trouble and not focus else faint) if row.delivery else faint, tail))
    return line


def place(items: Sequence[Item], before: Item | None) -> int | None:
    """Where the chosen item is now."""
    if before is None:
        return None
    for number, item in enumerate(items):
        if isinstance(before, Row) and isinstance(item, Row) and item.key == before.key:
            return number
        if isinstance(before, Thread) and isinstance(item, Thread) and item.peer == before.peer:
            return number
        if item == before:
            return number
    return None


def texts(row: Row) -> str:
    """What the other player has written, in a few words."""
    return "" if not row.texts else "1 new text" if row.texts == 1 else f"{row.texts} new texts"

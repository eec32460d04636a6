"""Parts and facts as lines: names in a column, values wrapped, shares as bars."""

from __future__ import annotations

from collections.abc import Iterable

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.segments import Line
from interfaces.tui.models.facts import Fact, Part

WIDE = 60
"""From so many columns on there is room for bars."""

_NAMES = 14
_BAR = 10


def parts_lines(parts: Iterable[Part], columns: int, glyphs: Glyphs) -> list[Line]:
    """All parts, a blank line between them."""
    lines: list[Line] = []
    for part in parts:
        if lines:
            lines.append(())
        lines += [(("heading", f" {line}"),) for line in text.wrap(part.title, columns - 2, glyphs.script)]
        lines += facts_lines(part.facts, columns, glyphs)
    return lines


def facts_lines(facts: Iterable[Fact], columns: int, glyphs: Glyphs) -> list[Line]:
    """One line a fact, or more where its value is long."""
    lines: list[Line] = []
    for fact in facts:
        if not fact.name:
            wrapped = text.wrap(fact.value, columns - 3, glyphs.script)
            sign = glyphs["warning"] if fact.role == "bad" else " "
            lines += [
                ((fact.role, f"{sign if not number else ' '} {line}"),) for number, line in enumerate(wrapped)
            ]
            continue
        bar = _bar(fact.share, glyphs) if fact.share is not None and columns >= WIDE else ""
        room = columns - _NAMES - 3 - text.width(bar)
        first, *more = text.wrap(fact.value, room, glyphs.script)
        sign = glyphs["warning"] if fact.role == "bad" else " "
        name = text.pad(fact.name, _NAMES, glyphs.script)
        lines.append(((fact.role, sign), ("label", f" {name}"), ("accent", bar), (fact.role, first)))
        lines += [((fact.role, " " * (columns - room - 1) + line),) for line in more]
    return lines


def _bar(share: float, glyphs: Glyphs) -> str:
    full = round(max(0.0, min(share, 1.0)) * _BAR)
    return f"{glyphs['full'] * full}{glyphs['hollow'] * (_BAR - full)} "

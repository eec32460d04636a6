"""What is said of something as names and values, in parts with a title."""

from __future__ import annotations

from dataclasses import dataclass

from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fact(Value):
    """``name`` is "" for a plain sentence. ``share``: 0 to 1, to be drawn as a bar before the value.

    ``role`` is of the theme; nothing is told by it alone.
    """

    value: str
    name: str = ""
    share: float | None = None
    role: str = "text"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Part(Value):
    title: str
    facts: tuple[Fact, ...] = ()


def fact(name: str, value: str, share: float | None = None, *, bad: bool = False) -> Fact:
    return Fact(name=name, value=value, share=share, role="bad" if bad else "text")


def bad(sentence: str) -> Fact:
    """Something that somebody should look at."""
    return Fact(value=sentence, role="bad")

"""A token, which nothing shows by accident."""

from __future__ import annotations

from typing import Final, NoReturn

HIDDEN: Final = "<secret>"


class Secret:
    """A token of a platform. ``reveal`` is the one way to its text; whatever else shows, pickles or compares
    it by value is refused or gets ``<secret>``."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the request that carries it and the file that keeps it."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return HIDDEN

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")

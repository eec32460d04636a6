"""Sizes as urwid hands them to its widgets."""

from __future__ import annotations

Size = tuple[()] | tuple[int] | tuple[int, int]


def across(size: Size) -> int:
    """Columns; 0 where the widget may choose."""
    return size[0] if size else 0


def down(size: Size) -> int:
    """Rows; 0 where the widget may choose."""
    return size[1] if len(size) == 2 else 0

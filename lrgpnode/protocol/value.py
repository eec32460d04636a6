"""The base of frozen dataclasses: one ``__repr__`` for all.

The one that ``dataclass`` generates is compiled for each class anew, a third of what making the class
takes; of the hundred and more that a node loads at its start, a slow computer notices that.
"""

from __future__ import annotations

from dataclasses import fields


class Value:
    """For ``@dataclass(repr=False)``; shows what the generated one would."""

    __slots__ = ()

    def __repr__(self) -> str:
        known = fields(self)  # type: ignore[arg-type]  # whoever has this as its base is a dataclass
        shown = (f"{field.name}={getattr(self, field.name)!r}" for field in known if field.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

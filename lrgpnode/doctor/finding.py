"""What the doctor says: a fault of the catalogue, with the words that belong to this machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from string import Formatter


class Severity(Enum):
    """``ERROR``: something does not work. ``WARNING``: it will go wrong. ``NOTE``: worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault that was found, with its one cause and its one fix, as sentences.

    ``interface``: which one of Reticulum's it is about, if it is about one.
    """

    id: str
    severity: Severity
    cause: str
    fix: str
    interface: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A row of the catalogue; ``cause`` and ``fix`` have ``{names}`` for what differs by machine."""

    id: str
    severity: Severity
    cause: str
    fix: str

    @property
    def names(self) -> frozenset[str]:
        """The names that must be given to make a finding."""
        parts = [*Formatter().parse(self.cause), *Formatter().parse(self.fix)]
        return frozenset(name for _, name, _, _ in parts if name)

    def __call__(self, **values: object) -> Finding:
        """The finding. Raises ``TypeError`` where other values are given than the texts name."""
        if values.keys() != self.names:
            raise TypeError(f"{self.id} needs {sorted(self.names)}, not {sorted(values)}")
        return Finding(
            id=self.id,
            severity=self.severity,
            cause=self.cause.format(**values),
            fix=self.fix.format(**values),
            interface=str(values.get("interface", "")),
        )

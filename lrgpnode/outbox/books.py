"""Who stores the rows of the outbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lrgpnode.protocol.session import SessionKey
from storage.model import OutboxRow


class Books(Protocol):
    """What the outbox needs of whoever stores its rows."""

    def changed(self, row: OutboxRow) -> None:
        """A row has a new state: store it where it must last, and tell subscribers."""
        ...

    def attempted(self, row: OutboxRow) -> None:
        """One more attempt is being made; ``row.attempts`` includes it."""
        ...

    def open_rows(self, key: SessionKey) -> Sequence[OutboxRow]:
        """Every open row of a session as it is known now, in order."""
        ...

    def ended(self, key: SessionKey) -> bool:
        """Whether the session is over or gone."""
        ...

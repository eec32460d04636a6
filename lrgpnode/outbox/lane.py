"""The rows of one session that are to be sent."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from lrgpnode.agenda import Entry
from lrgpnode.protocol.session import SessionKey
from storage.model import OutboxRow, OutboxState


@dataclass(slots=True, eq=False)
class Lane:
    """The rows of one session that are to be sent, oldest first; the first may be in flight.

    ``timer``: when the first is tried again. ``via``: the next attempt goes to a propagation node.
    ``heard``: the peer was heard during the attempt. ``kept``: rows that are sent again after they were
    delivered or stored, with that state, which a failure does not take away. ``radio``: what it waits for
    airtime on, and ``dry_until`` until when, as far as is known.
    """

    key: SessionKey
    peer: str
    rows: deque[OutboxRow]
    timer: Entry | None = None
    via: bool = False
    heard: bool = False
    kept: dict[int, OutboxState] = field(default_factory=dict)
    radio: str = ""
    dry_until: float | None = None

    @property
    def head(self) -> OutboxRow:
        return self.rows[0]

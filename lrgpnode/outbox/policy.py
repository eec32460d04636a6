"""When an envelope is sent again, and when no more: the numbers, and pure functions of rows.

Times are in seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from lrgpnode.mesh.transport import Outgoing, Progress
from lrgpnode.protocol.game import Command
from storage.model import OutboxRow, OutboxState

PRESUPPOSING: Final = frozenset(
    (Command.ACCEPT, Command.DECLINE, Command.MOVE, Command.DRAW_ACCEPT, Command.DRAW_DECLINE)
)
"""What the opponent can only send after our last action has arrived; the others may have crossed it."""

RETRY_SECONDS: Final = (60.0, 300.0, 900.0, 3600.0, 3 * 3600.0, 6 * 3600.0)
"""Pause after the n-th failed attempt; the last one repeats. LXMF has made its own retries before."""

STORED_SECONDS: Final = 86_400.0
"""How long a message rests at a propagation node before it is sent again."""

HEAL_SECONDS: Final = (3600.0, 6 * 3600.0, 86_400.0)
"""What was delivered n times but never confirmed is sent again when its peer is heard after so long; the
last one repeats. Most opponents only think: our own peers lose nothing they have proved, others may."""

SOONEST_LOOK: Final = 600.0
"""Where there was nothing to heal, the database is not asked again for so long, however often the peer is
heard."""

NO_NEWS_SECONDS: Final = 900.0
"""An attempt of which nothing is heard for so long has failed. LXMF takes up to two minutes on slow
radio, and longer where it sends one at a time."""

ATTEMPTS_A_DAY: Final = 12
DAY: Final = 86_400.0

KEEP_SECONDS: Final = 30 * DAY
"""How long the last action of an ended game is sent: the lifetime of mail at a propagation node."""

MAX_IN_FLIGHT: Final = 8
SLOT_SECONDS: Final = 8.0
"""LXMF checks each proof against every outstanding packet: few at a time (rns-lxmf facts §9). What has
no proof after some seconds is most likely for somebody who is not there, and must not hold up the
others: it takes no more of the eight places."""

MAX_OUTSTANDING: Final = 40
"""Attempts to peers not known to be there, also those that hold no place any more."""

MAX_TO_AWAY: Final = 4
"""Attempts to peers that did not answer the last one."""

KNOWN_PRESENT: Final = 512
"""Peers remembered as being there: they proved or sent something last, and need not wait for others."""

STATES: Final = {
    Progress.SENDING: OutboxState.SENDING,
    Progress.SENT: OutboxState.SENT,
    Progress.DELIVERED: OutboxState.DELIVERED,
    Progress.STORED: OutboxState.STORED,
    Progress.FAILED: OutboxState.FAILED,
}

NO_NEWS: Final = "nothing was heard of the attempt"
GIVEN_UP: Final = "it could not be delivered in 30 days"
SUPERSEDED: Final = "a later action of ours made the offer pointless"


class Waits(StrEnum):
    """Why a row does not go out yet; see ``lrgpnode.control.models.outbox.WaitsFor``."""

    NOTHING = ""
    EARLIER = "earlier"
    DISABLED = "disabled"
    BLOCKED = "blocked"
    PATH = "path"
    PEER = "peer"
    DAY = "day"
    PLACE = "place"
    AIRTIME = "airtime"


def retry_pause(attempts: int) -> float:
    """The pause after this many attempts, the last of which has failed."""
    return RETRY_SECONDS[min(max(attempts, 1), len(RETRY_SECONDS)) - 1]


def heal_pause(attempts: int) -> float:
    """How long a delivered envelope is trusted to have arrived, after this many attempts."""
    return HEAL_SECONDS[min(max(attempts, 1), len(HEAL_SECONDS)) - 1]


def budget_free_at(times: deque[float], now: float) -> float:
    """When the next attempt is within the day's limit; ``now`` if it is. Forgets what is over."""
    while times and times[0] <= now - DAY:
        times.popleft()
    if len(times) < ATTEMPTS_A_DAY:
        return now
    return times[len(times) - ATTEMPTS_A_DAY] + DAY


def without_superseded(rows: Sequence[OutboxRow]) -> list[OutboxRow]:
    """Rows of a session that may be sent again: no offer that a later action of ours followed.

    A draw by rule is claimed with an offer, too, but ends the game: nothing follows it.
    """
    return [row for n, row in enumerate(rows, 1) if row.command != Command.DRAW_OFFER or n == len(rows)]


def to_heal(rows: Iterable[OutboxRow], now: float) -> list[OutboxRow]:
    """The open rows of a session that are sent again when the peer is heard. ``now``: Unix seconds."""
    candidates = without_superseded([row for row in rows if row.state.open])
    if not candidates:
        return []
    # What comes after the first that is needed is needed, too: in order, or not at all.
    for n, row in enumerate(candidates):
        if row.state is not OutboxState.DELIVERED or not 0 <= now - row.updated_at < heal_pause(row.attempts):
            return candidates[n:]
    return []


def pointless(row: OutboxRow, now: float, *, followed: bool, ended: bool) -> str:
    """Why a row that was sent before is not sent again, "" if it is. ``now``: Unix seconds.

    ``followed``: there is a later one of its session; ``ended``: the session is over.
    """
    if followed and row.command == Command.DRAW_OFFER:
        return SUPERSEDED
    return GIVEN_UP if ended and now - row.created_at > KEEP_SECONDS else ""


def outgoing(row: OutboxRow, *, via_propagation: bool) -> Outgoing:
    """One attempt to send this row."""
    return Outgoing(
        ref=row.id,
        identity=row.key.identity,
        peer=row.peer,
        envelope=row.envelope,
        content=row.content,
        delivery=row.delivery,
        via_propagation=via_propagation,
    )

"""What ``storage.text`` takes and gives: seats, the people in them, and what they are to be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.value import Value

HOUSE: Final = "0" * 32
"""Where the house sits. No LXMF destination has this hash."""


FULL: Final = "board"
"""In the place of a text that is due: how the game stands when it is sent, with the board in any case."""

POSITIONS: Final = ("", FULL)
"""What stands for a position that is put into words when it is sent."""


class Kind(StrEnum):
    """TABLE: both sides are here. LRGP: the other side is a peer, the session one of our identity's.

    WIRE: the other side is our identity itself, in a session by LRGP of which this is the player's side.
    """

    TABLE = "table"
    LRGP = "lrgp"
    WIRE = "wire"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Seat(Value):
    """One side of one game. ``player`` writes to ``identity`` and knows the game by ``number``.

    ``status`` and ``metadata`` are that of the session as this side has it; of LRGP only whether the game
    goes on. Times are in Unix seconds. Of WIRE, ``unsent`` is the last envelope of the player, ``heard`` the
    nonces of those that came for him, one behind the other.
    """

    game_id: str
    player: str
    identity: str
    number: int
    kind: Kind
    opponent: str
    app_id: str
    app_version: int
    initiator: str
    status: Status
    metadata: Mapping[str, Any]
    created_at: float
    last_action_at: float
    unsent: bytes = b""
    heard: bytes = b""

    @property
    def live(self) -> bool:
        return not self.status.ended

    @property
    def key(self) -> SessionKey:
        """Of the session: among those of the node (LRGP), or for this table only."""
        return SessionKey(self.identity if self.kind is Kind.LRGP else self.player, self.game_id)

    def session(self) -> Session:
        """This side of a game, but for LRGP."""
        return Session(
            self.key,
            self.app_id,
            self.app_version,
            self.opponent,
            self.initiator,
            self.status,
            self.metadata,
            0,
            self.created_at,
            self.last_action_at,
            self.last_action_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TextPlayer(Value):
    """Who writes to ``identity``.

    ``current``: the game he means where he names none. ``shown``: what the numbers of the list stand for that
    he was shown last; () where something else was shown since. ``said``: the slot of what he was told last.
    ``muted``: he is told nothing that he has not asked for.
    """

    identity: str
    player: str
    current: str = ""
    shown: tuple[str, ...] = ()
    said: str = ""
    muted: bool = False
    seen_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Seek(Value):
    """Somebody waits for an opponent."""

    identity: str
    player: str
    app_id: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewDue(Value):
    """What a player is to be told: ``text``, or how game ``slot`` stands when it is sent (``POSITIONS``).

    ``asked``: it answers something that he wrote.
    """

    identity: str
    player: str
    slot: str
    text: str = ""
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Due(NewDue):
    id: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TextCommit(Value):
    """What one transaction writes. ``handled``: the number of the text that has led to it, by identity."""

    seats: tuple[Seat, ...] = ()
    players: tuple[TextPlayer, ...] = ()
    seek: tuple[Seek, ...] = ()
    unseek: tuple[Seek, ...] = ()
    due: tuple[NewDue, ...] = ()
    told: tuple[int, ...] = ()
    handled: tuple[tuple[str, int], ...] = ()
    read: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Incoming(Value):
    """A text that was received and not handled yet."""

    id: int
    identity: str
    player: str
    text: str
    at: float

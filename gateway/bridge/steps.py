"""What a bridge can do next. Values; ``driver`` carries them out.

``notes`` of a step are what is to be remembered once it is done, in the same transaction where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass

from lrgpnode.protocol.game import Intent
from lrgpnode.protocol.value import Value
from storage.gateway_model import SeatResult

from ..seat import Side, Word, YourTurn
from .notes import Notes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Wait(Value):
    """Nothing to do before something happens, or before ``until``, Unix seconds."""

    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Note(Value):
    """Only something to remember."""

    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Play(Value):
    """The player has accepted our challenge: the game goes on."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settle(Value):
    """The table's game is over: its slot is free."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class End(Value):
    """Nothing is left to do. ``reason`` is for people, one line."""

    result: SeatResult
    reason: str


# To the player


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tell(Value):
    """Write to the player."""

    text: str
    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Challenge(Value):
    """Challenge the player, who moves second then."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Accept(Value):
    """Accept the player's challenge. ``first``: who moves first where lots are drawn; None: draw them."""

    first: Side | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Decline(Value):
    """Decline the player's challenge, or take ours back."""

    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MeshMove(Value):
    """The other side's move, as ours in the game with the player."""

    intent: Intent


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MeshResign(Value):
    """The other side has lost other than by the moves."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OfferDraw(Value):
    """Offer the player a draw. ``claim``: the reason of a claim that holds, which ends the game, or ""."""

    claim: str
    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AnswerDraw(Value):
    """Answer the player's draw offer."""

    accept: bool
    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Close(Value):
    """End the game here, as LRGP has no action for how it has ended; what still comes is answered so."""

    reason: str


# To the table


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Begin(Value):
    """Start the game at a table of ours."""

    first: Side


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Act(Value):
    """The player's move, number ``ply`` from 0."""

    intent: Intent
    ply: int
    turn: YourTurn


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Say(Value):
    word: Word
    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Leave(Value):
    """Give the seat up."""

    notes: Notes


Step = (
    Wait
    | Note
    | Play
    | Settle
    | End
    | Tell
    | Challenge
    | Accept
    | Decline
    | MeshMove
    | MeshResign
    | OfferDraw
    | AnswerDraw
    | Close
    | Begin
    | Act
    | Say
    | Leave
)

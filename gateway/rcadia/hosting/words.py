"""What a hosted game says on the web: its state in well-named fields, its actions, and how they are read.

One ``Words`` for each game. It knows the LRGP game of the same rules and translates between a session of
that and the web's JSON; it decides nothing. The fields are listed in docs/rcadia-host.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.session import Session
from lrgpnode.protocol.turn_based import TurnBasedGame, invalid

MOVE: Final = "move"
RESIGN: Final = "resign"
OFFER_DRAW: Final = "offer_draw"
ACCEPT_DRAW: Final = "accept_draw"
DECLINE_DRAW: Final = "decline_draw"
CLAIM_DRAW: Final = "claim_draw"

_OTHER: Final = {
    "resign": RESIGN,
    "offer_draw": OFFER_DRAW,
    "draw_offer": OFFER_DRAW,
    "accept_draw": ACCEPT_DRAW,
    "draw_accept": ACCEPT_DRAW,
    "decline_draw": DECLINE_DRAW,
    "draw_decline": DECLINE_DRAW,
    "claim_draw": CLAIM_DRAW,
}
_OFFERING: Final = ("offerDraw", "offer_draw", "drawOffer")

LONGEST_TEXT: Final = 32
"""Characters of a text in an action that are looked at; longer ones are no move."""


class Words(ABC):
    """``app``: the LRGP game. ``title``, ``kind``: what the web calls it. ``seats``: first to move first."""

    app: ClassVar[str]
    title: ClassVar[str]
    kind: ClassVar[str]
    seats: ClassVar[tuple[str, str]]

    def __init__(self, game: TurnBasedGame) -> None:
        self.game = game

    @abstractmethod
    def describe(self, session: Session | None) -> dict[str, Any]:
        """The game's own fields of the public state; of a game that has not begun for None."""

    @abstractmethod
    def moves(self, session: Session) -> list[dict[str, Any]]:
        """Every legal move of whoever is to move, each of which can be submitted as it is."""

    @abstractmethod
    def move(self, session: Session, action: Any) -> dict[str, Any]:
        """The LRGP intent that an action means. Raises ``Rejection`` with a sentence for its sender."""

    def claim(self, session: Session) -> str:
        """The draw that the position allows to be claimed, "" for none."""
        return ""


def kind_of(action: Any) -> str:
    """What an action is: ``MOVE``, or one of the other words."""
    word = action.get("type", action.get("action")) if isinstance(action, Mapping) else action
    return _OTHER.get(word, MOVE) if isinstance(word, str) else MOVE


def offers_draw(action: Any) -> bool:
    """Whether a move comes with the offer of a draw."""
    return isinstance(action, Mapping) and any(action.get(name) is True for name in _OFFERING)


def whole(value: Any) -> int | None:
    """A small whole number, also in digits; None for anything else."""
    if type(value) is int and -1000 < value < 1000:
        return value
    if isinstance(value, str) and len(value) <= 3 and value.isascii() and value.isdecimal():
        return int(value)
    return None


def one_of(action: Mapping[Any, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these names that is there, None where none is."""
    return next((action[name] for name in names if action.get(name) is not None), None)


def no_move(example: str) -> Rejection:
    return invalid(f"This is no move; send one of legalActions, such as {example}")

"""What the footer and the help of a game say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from interfaces.tui.kit.bars import Hint
from interfaces.tui.models.game import Page
from lrgpnode.protocol.value import Value

LAST: Final = (Hint("?", "help", last=True), Hint("esc", "back", last=True))

KEYS: Final = (
    ("enter", "choose a piece, then where it goes; or click both. Arrows move the cursor"),
    ("tab", "type the move: Nf3, e2e4, O-O or 0-0; Tab or Esc leads back to the board"),
    ("1 to 9", "play that cell or column, in games that number them"),
    ("[ ]", "step through the game; also , and . or PgUp and PgDn; Home and End are its ends"),
    ("f", "see the board from the other side"),
    ("a", "accept the challenge, or the draw that is offered"),
    ("x", "decline it, or take your own challenge back"),
    ("d", "offer a draw"),
    ("c", "claim a draw by rule, where that is possible"),
    ("r", "resign"),
    ("s", "send again what has not arrived"),
    ("n", "play again, when the game is over"),
    ("t", "what you have written each other, and a line to write in; PgUp and PgDn scroll"),
    ("o", "any other command of the game"),
    ("e", "export the game as PGN, text or JSON"),
    ("esc", "let go of a piece, else back to the list"),
)
NOTES: Final = (
    "[ ] is the cursor, ( ) the chosen piece, ' the last move, a dot or * where it can go, x what it "
    "can take, ! a king in check.",
    "A move is safe as soon as it is made: it is sent again by itself until the other side has it.",
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Doing(Value):
    """What somebody is about. ``past``: an earlier position is shown; ``chosen``: a piece is chosen;
    ``talks``: there is a conversation beside it, with ``unread`` texts; ``played``: a move was made."""

    past: bool
    chosen: bool
    digits: bool
    legal: bool
    chequered: bool
    talks: bool
    unread: int
    played: bool


def beside(open: bool) -> Sequence[Hint]:
    """While the conversation has the keys."""
    return (
        Hint("enter", "send"),
        Hint("page up", "older"),
        Hint("tab", "board"),
        Hint("esc", "close" if open else "board", last=True),
    )


def typing() -> Sequence[Hint]:
    """While a move is typed."""
    return Hint("enter", "play"), Hint("tab", "board"), Hint("esc", "board", last=True)


def hints(page: Page, now: Doing) -> Sequence[Hint]:
    """While the board has the keys: first what is asked, then moves."""
    offers = [Hint(offer.key, offer.label) for offer in page.offers]
    asked = [hint for hint in offers if hint.key in ("a", "x")]
    rest = [hint for hint in offers if hint not in asked]
    chat = [Hint("t", f"chat ({now.unread} new)" if now.unread else "chat")] if now.talks else []
    return [*asked, *_moves(page, now), *chat, *rest, *_more(page, now), Hint("e", "export"), *LAST]


def _moves(page: Page, now: Doing) -> Iterator[Hint]:
    if now.past:
        yield from (Hint("[", "before"), Hint("]", "after"))
    elif page.my_turn:
        yield Hint("enter", "play" if now.chosen or now.digits else "choose")
        if not now.digits:
            yield Hint("tab", "type a move")


def _more(page: Page, now: Doing) -> Iterator[Hint]:
    if not now.past and now.played:
        yield Hint("[", "before")
    if page.own_commands or not now.legal:
        yield Hint("o", "other")
    if now.chequered:
        yield Hint("f", "flip")

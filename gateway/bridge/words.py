"""What players are written, and what stands in records and errors. One packet each by radio."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from lrgpnode.protocol.printable import printable

from ..seat import Finished, Reason, Winner

LONGEST: Final = 160
"""Characters of what a platform says that are passed on."""

_WON: Final = {
    Reason.LEFT: "Your opponent has left the table: you have won.",
    Reason.TIMEOUT: "Your opponent's time is up: you have won.",
    Reason.HOST_LOST: "The table's host is gone, so I give the game up for your opponent.",
}
_LOST: Final = {
    Reason.LEFT: "At the table you count as having left: the game is lost there.",
    Reason.TIMEOUT: "Your time at the table is up: the game is lost there.",
    Reason.RESIGNED: "At the table the game counts as given up by you.",
    Reason.HOST_LOST: "The table is gone, and the game counts as lost there.",
}


def quoted(text: str) -> str:
    """What somebody else said, fit to be passed on."""
    return "".join(filter(printable, text.replace("\n", " ")))[:LONGEST].strip().rstrip(".")


def won(finished: Finished) -> str:
    """Why we give up for the other side; "" where resigning says it all."""
    if finished.reason in (Reason.RESIGNED, Reason.BOARD):
        return ""
    return _WON.get(finished.reason) or f"At the table you have won{_said(finished)}"


def lost(finished: Finished) -> str:
    """How the player has lost other than by the moves."""
    return _LOST.get(finished.reason) or f"At the table the game is lost{_said(finished)}"


def drawn(finished: Finished) -> str:
    """Why we offer a draw."""
    if finished.reason is Reason.ABORTED:
        return f"The platform does not count the game{_said(finished)} I offer a draw, to end it."
    return f"At the table the game is a draw{_said(finished)} So I offer one: accept it."


def gone(reason: str) -> str:
    """The seat is lost without a result."""
    return f"The table is lost: {quoted(reason)}. I give the game up for your opponent."


def broken(reason: str) -> str:
    return f"The game cannot go on: {quoted(reason)}. It ends here, and at the table as given up."


def not_seated(reason: str) -> str:
    return f"No seat for you: {quoted(reason)}."


def not_begun(finished: Finished | None, reason: str) -> str:
    """It is over before the player's game has begun: at the table it may have."""
    ended = ""
    if finished is not None and finished.winner is not Winner.NONE:
        ended = won(finished) if finished.winner is Winner.US else lost(finished)
    return ended or not_seated(reason)


def swapped(game: str, seconds: float | None = None) -> str:
    """``seconds``: the time for a move there, which passes for an accept, too."""
    told = f"At this table your opponent moves first, so I decline and challenge you to {game}: accept that"
    return f"{told}." if seconds is None else f"{told} at once, you have {seconds:g} s for each move."


def strike(number: int, deadline: float | None) -> str:
    """The table's clock has warned the player. Times in UTC: nobody knows the player's zone."""
    when = "" if deadline is None else f" by {datetime.fromtimestamp(deadline, UTC):%H:%M} UTC"
    return f"The table's clock has warned you ({number}): move{when}, or the game is lost."


def rematch(game: str, seconds: float | None) -> str:
    left = "" if seconds is None else f" within {max(1, round(seconds))} seconds"
    return f"Your opponent wants another game: challenge me to {game}{left}."


def no_draws() -> str:
    return "This table knows no draw offers, so your opponent does not hear of yours."


def claim_unheard() -> str:
    return "Your claim holds, but this table knows none: there the game counts as given up."


def too_late(finished: Finished) -> str:
    return f"Your last action came too late for the table. {lost(finished)}"


def result(finished: Finished) -> str:
    """One line for the record."""
    words = {Winner.US: "won", Winner.THEM: "lost", Winner.NONE: "no winner"}
    return f"{words[finished.winner]} ({finished.reason.replace('_', ' ')}){_said(finished, end='')}"


def _said(finished: Finished, end: str = ".") -> str:
    text = quoted(finished.text)
    return f": {text}{end}" if text else end

"""What people are answered: texts of at most one packet. Pure.

Everything that others have a hand in passes through ``clean``. Whoever reads it has no other view of the
game, so that every text about one begins with its number and the opponent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lrgpnode.control.text import clean
from lrgpnode.protocol.game import GameView, Reason
from lrgpnode.protocol.plaintext import PACKET_BYTES
from lrgpnode.protocol.value import Value

from . import board
from .parse import MARK

NAME: Final = 16
"""Characters of a name; with more of them the board of chess would not fit."""

_WITHOUT_BOARD: Final = frozenset(
    (Reason.RESIGNATION, Reason.AGREEMENT, Reason.EXPIRED, Reason.DECLINED, Reason.CANCELLED)
)
"""Ends that no move has made: the board is as it was."""

SHORT: Final = {"chess": "chess", "ttt": "ttt", "four_in_a_row": "four"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Shown(Value):
    """One game as its player sees it. ``opponent`` is a name; ``waits``: the opponent is yet to say yes.

    ``left``: seconds that the clock of the table gives him, None where it has none or is not his.
    ``assisted``: the node moves for him before that is over.
    """

    number: int
    app: str
    opponent: str
    view: GameView
    challenged: bool = False
    waits: bool = False
    left: float | None = None
    assisted: bool = False


def fit(text: str, most: int = PACKET_BYTES) -> str:
    """``text`` as it is sent: marked as a program's, and cut to one packet."""
    text = MARK + text
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return data.decode()
    return data[: most - 3].decode("utf-8", "ignore").rstrip() + "..."


def sentence(text: str) -> str:
    """What a game or the node says of a refusal, as a sentence."""
    text = clean(text, 240)
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def name(known: str, peer: str) -> str:
    """What somebody is called, the beginning of his hash where nobody knows."""
    return clean(known, NAME) or clean(peer, NAME)[:8]


def short(app: str) -> str:
    return SHORT.get(app) or clean(app, NAME)


def head(shown: Shown) -> str:
    seat = clean(shown.view.seat, NAME)
    said = [seat] if seat and shown.view.result is None else []
    said += ["assisted"] if shown.assisted else []
    sits = f" ({', '.join(said)})" if said else ""
    return f"#{shown.number} {short(shown.app)} v {shown.opponent}{sits}"


def position(shown: Shown, *, board_too: bool) -> str:
    """How a game stands. The board is left out where the player only waits, unless he asked for it."""
    if shown.challenged:
        return fit(f"{shown.opponent} invites you to {short(shown.app)} (#{shown.number}). Say yes or no.")
    if shown.waits:
        return fit(f"{head(shown)}: invited, no answer yet. leave takes it back.")
    view = shown.view
    said = moves(view, 2)
    status = status_of(shown)
    decided = view.result is not None and view.result.reason not in _WITHOUT_BOARD
    if not board_too and not view.my_turn and not decided:
        return fit(f"{head(shown)}: {said + '. ' if said else ''}{status}")
    return with_board(f"{head(shown)}: {said}" if said else head(shown), board.draw(view), status)


def with_board(top: str, drawn: Sequence[str], status: str) -> str:
    """A board between what is said of it: with blanks, without them, or left out, as a packet has room."""
    whole = "\n".join(drawn)
    for shown in (whole, whole.replace(" ", "")):
        text = "\n".join(part for part in (top, shown, status) if part)
        if len((MARK + text).encode()) <= PACKET_BYTES:
            return fit(text)
    return fit(f"{top}\n{status}")


def brief(shown: Shown) -> str:
    """How a game stands after something that has changed nothing on the board."""
    said = moves(shown.view, 2) if shown.view.result is None else ""
    return fit(f"{head(shown)}: {said + '. ' if said else ''}{status_of(shown)}")


def status_of(shown: Shown) -> str:
    """One sentence or two: whose turn it is, what may be answered, how it ended."""
    view = shown.view
    line = view.status_line.replace("the other player's", "the other's")
    if view.extras.get("claimable") and view.result is None:
        line += " draw claims a draw."
    elif "offered to you" in line and view.result is None:
        line += " draw accepts, no declines."
    if shown.left is not None and view.my_turn and view.result is None:
        line += f" {_time(shown.left)} left."
    return clean(line, 120)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds // 60:.0f} min"


def moves(view: GameView, count: int) -> str:
    """The last moves, numbered as the players of the game do."""
    played, each = len(view.history), max(1, view.numbered)
    parts: list[str] = []
    for ply in range(max(0, played - count), played):
        label = clean(view.history[ply], 8)
        turn = ply % each
        if turn == 0:
            label = f"{ply // each + 1}.{label}"
        elif not parts:
            label = f"{ply // each + 1}...{label}"
        parts.append(label)
    return " ".join(parts)


def summary(shown: Shown) -> str:
    """One line for a list."""
    if shown.challenged:
        state = "invites you: yes or no"
    elif shown.waits:
        state = "invited"
    elif shown.view.result is not None:
        state = clean(shown.view.status_line, 40).rstrip(".").lower()
    else:
        state = "your move" if shown.view.my_turn else "waiting"
        if shown.left is not None and shown.view.my_turn:
            state += f", {_time(shown.left)} left"
        if shown.assisted:
            state += ", assisted"
    return f"#{shown.number} {short(shown.app)} v {shown.opponent}: {state}"


def listed(title: str, lines: Iterable[str], end: str = "") -> tuple[str, int]:
    """A list in one packet, and how many of its lines are in it."""
    kept: list[str] = []
    rest = list(lines)
    for line in rest:
        more = "" if len(kept) + 1 == len(rest) else "\n+ more"
        whole = "\n".join((title, *kept, line)) + more + (f"\n{end}" if end else "")
        if len((MARK + whole).encode()) > PACKET_BYTES:
            break
        kept.append(line)
    more = "" if len(kept) == len(rest) else f"\n+ {len(rest) - len(kept)} more"
    return fit("\n".join((title, *kept)) + more + (f"\n{end}" if end else "")), len(kept)


def unknown(text: str) -> str:
    return fit(f"I do not understand '{clean(text, 24)}'. help says what can be said.")


def help_text(games: Sequence[str]) -> str:
    known = ", ".join(map(short, games))
    return fit(
        "play GAME [house 1-5|NAME], seek GAME, tables, who - find a game\n"
        "e4 or move e4 - just the move. board, games, draw, resign, leave, yes, no\n"
        "#2 e4 - in game 2. resend, mute, unmute, ladder. help GAME\n"
        f"Games: {known}"
    )


_HELP: Final = {
    "chess": "Chess: e4, Nf3, e2e4, O-O, e8=Q. CAPITALS are White's pieces, small letters Black's. draw "
    "offers, accepts or claims a draw. play chess house 2 begins one.",
    "ttt": "Tic-tac-toe: type the number of a free cell, 1 to 9 in reading order, or a1 to c3. The one who "
    "invites is X and begins. play ttt house 3 begins one.",
    "four_in_a_row": "Four in a row: type the number of a column, 1 to 7. The one who invites is A and "
    "begins. play four house 2 begins one.",
}


def help_game(app: str, title: str) -> str:
    return fit(_HELP.get(app) or f"{clean(title, 40)}: type a move; play {short(app)} NAME begins one.")

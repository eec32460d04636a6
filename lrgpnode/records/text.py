"""A game as people read it: in its own notation where it has one, else as a list of moves."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from lrgpnode.protocol.game import Command, Game, Notation
from lrgpnode.protocol.printable import printable
from lrgpnode.protocol.session import Session

from .format import MAX_NAME
from .replay import Outcome, Played, guarded


def name(text: str) -> str:
    """A player's name in one line of characters that print."""
    visible = "".join(c if printable(c) else " " for c in unicodedata.normalize("NFC", text[:1024]))
    return " ".join(visible.split())[:MAX_NAME].rstrip()


def date(at: float) -> str:
    """The day of a moment in the form of PGN, UTC."""
    try:
        return time.strftime("%Y.%m.%d", time.gmtime(at))
    except (ValueError, OverflowError, OSError):
        return "????.??.??"


def written(
    game: Game, session: Session, names: Mapping[str, str], began: float, movers: Sequence[str], end: Outcome
) -> Notation:
    """The whole text, which ends with a newline. Raises ``Refused`` where the game fails.

    ``began`` in Unix seconds; ``movers``: who made each move, in order.
    """
    shown = {player: names.get(player) or player for player in session.participants}
    notation = guarded(lambda: game.notation(session, shown, date(began)))
    if not isinstance(notation, Notation):
        notation = Notation("moves", "\n".join(_listed(game, session, shown, date(began), movers, end)))
    return Notation(notation.kind, "".join(f"{_safe(line)}\n" for line in notation.text.rstrip().split("\n")))


def movers(actions: Iterable[Played]) -> list[str]:
    """Who made each move, in order."""
    return [played.author for played in actions if played.envelope.command == Command.MOVE]


def _safe(line: str) -> str:
    """A line of text that cannot be taken for one of the record."""
    line = "".join(c if printable(c) else " " for c in line).rstrip()
    return f" {line}" if line.startswith("%") else line


def _listed(
    game: Game,
    session: Session,
    names: Mapping[str, str],
    day: str,
    movers: Sequence[str],
    end: Outcome,
) -> list[str]:
    manifest = game.manifest
    lines = [f"{manifest.display_name} ({manifest.app_id}.{manifest.version})", f"Date: {day}"]
    for player, part in ((session.initiator, "Challenger"), (session.responder, "Challenged")):
        known = names[player] != player
        lines.append(f"{part}: {names[player]} ({player})" if known else f"{part}: {player}")
    lines.append("")
    if len(movers) != len(end.history):  # the game counts its moves in another way
        movers = []
    wide = max((len(_short(names[mover], mover)) for mover in movers), default=0)
    for number, label in enumerate(end.history):
        mover = f"{_short(names[movers[number]], movers[number]):{wide}}  " if movers else ""
        lines.append(f"{number + 1:3d}. {mover}{label}")
    lines += ["", f"Result: {_result(session, names, end)}"]
    return lines


def _short(shown: str, player: str) -> str:
    return player[:8] if shown == player else shown


def _result(session: Session, names: Mapping[str, str], end: Outcome) -> str:
    reason = end.reason.replace("_", " ")
    if end.winner in session.participants:
        winner = _short(names[end.winner], end.winner)
        return f"{winner} won" if reason in ("win", "") else f"{winner} won ({reason})"
    if reason:
        draw = session.status.value == "completed" and reason != "draw"
        return f"draw ({reason})" if draw else reason
    if end.turn in session.participants:
        return f"unfinished; {_short(names[end.turn], end.turn)} is to move"
    return f"unfinished; {end.status}"

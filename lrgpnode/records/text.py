"""A game as people read it: in its own notation where it has one, else as a list of moves.

The text is part of format 1 of signed records: whoever changes a character of what is written here
makes every record from before unprovable.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lrgpnode.protocol.game import Command, Game, Notation
from lrgpnode.protocol.printable import printable
from lrgpnode.protocol.session import Session, Status

from .format import MAX_NAME, MAX_REMARK
from .replay import Outcome, Played, guarded


def name(text: str) -> str:
    """A player's name in one line of characters that print."""
    return _line(text, MAX_NAME)


def remark(text: str) -> str:
    """The same of a remark."""
    return _line(text, MAX_REMARK)


def _line(text: str, most: int) -> str:
    visible = "".join(c if printable(c) else " " for c in unicodedata.normalize("NFC", text[:1024]))
    return " ".join(visible.split())[:most].rstrip()


def date(at: float) -> str:
    """The day of a moment in the form of PGN, UTC."""
    try:
        return time.strftime("%Y.%m.%d", time.gmtime(at))
    except (ValueError, OverflowError, OSError):
        return "????.??.??"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What the moves do not say. ``title`` of the game, ``names`` by address, ``began`` in Unix seconds.

    ``remarks`` go behind the game, where readers of PGN take them for a comment.
    """

    title: str
    names: Mapping[str, str]
    began: float
    remarks: tuple[str, ...] = ()


def written(game: Game, session: Session, heading: Heading, movers: Sequence[str], end: Outcome) -> Notation:
    """The whole text, which ends with a newline. Raises ``Refused`` where the game fails.

    ``movers``: who made each move, in order.
    """
    named = {player: heading.names.get(player) or player for player in session.participants}
    notation = guarded(lambda: game.notation(session, named, date(heading.began)))
    if not isinstance(notation, Notation):
        notation = Notation("moves", "\n".join(_listed(session, heading, movers, end)))
    lines = notation.text.rstrip().split("\n") + [f"; {remark}" for remark in heading.remarks]
    return Notation(notation.kind, "".join(f"{_safe(line)}\n" for line in lines))


def movers(actions: Iterable[Played]) -> list[str]:
    """Who made each move, in order."""
    return [played.author for played in actions if played.envelope.command == Command.MOVE]


def _safe(line: str) -> str:
    """A line of text that cannot be taken for one of the record."""
    line = "".join(c if printable(c) else " " for c in line).rstrip()
    return f" {line}" if line.startswith("%") else line


def _listed(session: Session, heading: Heading, movers: Sequence[str], end: Outcome) -> list[str]:
    labels = _labels(session, heading.names)
    app = f"{session.app_id}.{session.app_version}"
    lines = [f"{heading.title} ({app})" if heading.title else app, f"Date: {date(heading.began)}"]
    for player, part in ((session.initiator, "Challenger"), (session.responder, "Challenged")):
        called = heading.names.get(player)
        lines.append(f"{part}: {called} ({player})" if called else f"{part}: {player}")
    if end.history:
        lines.append("")
    if len(movers) != len(end.history):  # the game counts its moves in another way
        movers = []
    wide = max((len(labels[mover]) for mover in movers), default=0)
    for number, move in enumerate(end.history):
        mover = f"{labels[movers[number]]:{wide}}  " if movers else ""
        lines.append(f"{number + 1:3d}. {mover}{move}")
    return [*lines, "", f"Result: {_result(session, labels, end)}"]


def _labels(session: Session, names: Mapping[str, str]) -> dict[str, str]:
    """What the players are called in the list; two of one name are told apart."""
    own, peer = session.participants
    if names.get(own) and names.get(own) == names.get(peer):
        return {player: f"{names[player]} ({player[:8]})" for player in (own, peer)}
    return {player: names.get(player) or player[:8] for player in (own, peer)}


def _result(session: Session, labels: Mapping[str, str], end: Outcome) -> str:
    reason = end.reason.replace("_", " ")
    if end.winner in labels:
        winner = labels[end.winner]
        return f"{winner} won" if reason == "win" else f"{winner} won ({reason})"
    if reason:
        drawn = session.status is Status.COMPLETED and reason != "draw"
        return f"draw ({reason})" if drawn else reason
    if session.status is Status.PENDING:
        return "the challenge is open"
    return f"unfinished; {labels[end.turn]} is to move" if end.turn in labels else "unfinished"

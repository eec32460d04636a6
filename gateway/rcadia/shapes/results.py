"""How a game at a table ended: who won, and why, in the words of ``gateway.seat``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gateway.lines import Line
from gateway.rcadia.wire import Snapshot
from gateway.seat import Finished, Reason, Side, Winner
from lrgpnode.protocol.printable import printable

from .order import other, side_of, side_of_role
from .values import fields, plain

_REASONS: Final = {
    Reason.TIMEOUT: ("timeout", "time", "timeforfeit", "flag", "timedout", "clock", "ontime"),
    Reason.LEFT: ("left", "leave", "forfeit", "abandoned", "abandon", "abandonment", "disconnected", "quit"),
    Reason.RESIGNED: ("resign", "resigned", "resignation", "surrender"),
    Reason.HOST_LOST: ("hostdisconnected", "hostleft", "sessionlost", "hostlost", "serverrestarted"),
    Reason.ABORTED: ("aborted", "abort", "cancelled", "canceled", "void"),
    Reason.AGREED: ("agreement", "agreed", "drawagreed", "drawbyagreement", "mutual", "mutualagreement"),
    Reason.CLAIMED: (
        "threefold", "threefoldrepetition", "repetition", "fivefold", "fivefoldrepetition", "fiftymoves",
        "fiftymoverule", "50moverule", "50moves", "seventyfivemoves", "75moverule", "claim", "claimed",
    ),
    Reason.BOARD: (
        "checkmate", "mate", "stalemate", "insufficientmaterial", "material", "line", "threeinarow",
        "fourinarow", "connectfour", "connect4", "boardfull", "full", "fullboard", "win",
    ),
}  # fmt: skip
_OF: Final = {name: reason for reason, names in _REASONS.items() for name in names}
_WINNERS: Final = ("winner", "winnerid", "winnerplayerid", "won")
_WHY: Final = ("reason", "termination", "endreason", "cause", "by", "how", "result", "outcome", "type")
_DRAWN: Final = frozenset(("draw", "drawn", "tie", "1/2-1/2", "stalemate", "none", "nobody"))
_VOID: Final = frozenset((Reason.HOST_LOST, Reason.ABORTED))

MAX_TEXT: Final = 120


def finished(
    app: str, snapshot: Snapshot, line: Line | None, first: Side | None
) -> tuple[Winner, Reason, str]:
    """(winner, reason, what the platform says) of a finished session."""
    result = snapshot.result
    known = fields(result)
    reason = _reason(result, known, line)
    winner = Winner.NONE if reason in _VOID else _winner(app, known, result, snapshot, line, first)
    if reason is Reason.BOARD and not (line is not None and line.end()):
        # By the platform's rules, or by a last move that is not shown; the moves known here do not say it.
        reason = Reason.CLAIMED if winner is Winner.NONE else Reason.OTHER
    return winner, reason, _text(result, known)


def event(app: str, snapshot: Snapshot, line: Line | None, first: Side | None, board: Any) -> Finished:
    winner, reason, text = finished(app, snapshot, line, first)
    result = snapshot.result if isinstance(snapshot.result, Mapping) else {}
    return Finished(winner=winner, reason=reason, text=text, result=result, board=board)


def _reason(result: Any, known: Mapping[str, Any], line: Line | None) -> Reason:
    words = [known.get(name) for name in _WHY] if known else [result]
    for word in words:
        if isinstance(word, str) and plain(word) in _OF:
            return _OF[plain(word)]
    if line is not None and line.end():
        return Reason.BOARD
    if known.get("forfeitedby") is not None:
        return Reason.LEFT
    return Reason.OTHER


def _winner(
    app: str, known: Mapping[str, Any], result: Any, snapshot: Snapshot, line: Line | None, first: Side | None
) -> Winner:
    given = [known[name] for name in _WINNERS if name in known]
    for value in (*given, known.get("result"), known.get("outcome"), result):
        side = side_of(value, snapshot) or _in_seat(value, snapshot) or side_of_role(app, value, first)
        if side is not None:
            return Winner(side.value)
        if isinstance(value, str) and value.strip().lower() in _DRAWN:
            return Winner.NONE
    if given and given[0] is None:
        return Winner.NONE
    loser = side_of(known.get("forfeitedby"), snapshot) or side_of(known.get("loser"), snapshot)
    if loser is not None:
        return Winner(other(loser).value)
    if line is not None and line.end() == "win" and first is not None:
        # Who made the last move has won; `mover` is the other one.
        return Winner((other(first) if line.mover == 0 else first).value)
    return Winner.NONE


def _in_seat(value: Any, snapshot: Snapshot) -> Side | None:
    """Who sits in the seat with this number."""
    if type(value) is not int or not 0 <= value < len(snapshot.players):
        return None
    return Side.US if value == snapshot.seat else Side.THEM


def _text(result: Any, known: Mapping[str, Any]) -> str:
    words = [known.get(name) for name in _WHY] if known else [result]
    said = next((word for word in words if isinstance(word, str) and word.strip()), "")
    line = "".join(c if printable(c) else " " for c in said)
    return " ".join(line.replace("_", " ").split())[:MAX_TEXT]

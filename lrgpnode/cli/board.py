"""A session as lines of plain text, from the generic view of its game alone.

Knows no game: a third party's is drawn the same way. Everything is cleaned, for a game may put a
peer's words into its view, and fits into 40 columns where the board itself does.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lrgpnode.cli.exits import sentence
from lrgpnode.cli.text import clean, pad, score, when, who, width

NARROW: Final = 40
"""Columns that are always there."""

TAIL: Final = 6
"""Moves of the history that are shown."""

SUGGESTED: Final = 40
"""Legal moves that are named."""

TOKEN: Final = 8
"""Most characters of what is in a cell."""

GLUE: Final = "\xa0"
"""A space at which no line is broken; no cleaned text has one."""

DELIVERY: Final = {
    "queued": "waiting to be sent",
    "sending": "being sent",
    "sent": "sent, not yet confirmed",
    "stored": "waiting at a propagation node",
    "delivered": "delivered",
    "failed": "not delivered",
    "confirmed": "delivered",
    "dropped": "given up",
}
"""What an outbox state means to a person."""


FLAGS: Final = {
    "out_of_sync": "Out of sync",
    "doubt": "The peer may see another game",
    "assisted": "Assisted",
    "clock": "The time limit starts again when the clock is right",
}
"""What a flag of a session means to a person."""


def grid(view: Mapping[str, Any]) -> list[str]:
    """The board: coordinates around it, cells of the last move in brackets."""
    rows = [[clean(token, TOKEN) or "." for token in row] for row in view["grid"]]
    if not rows:
        return []
    row_labels = [clean(label, TOKEN) for label in view["row_labels"]]
    column_labels = [clean(label, TOKEN) for label in view["column_labels"]]
    last = {(row, column) for row, column in view["last_cells"]}
    if view.get("turned"):
        last = {(len(rows) - 1 - row, len(rows[row]) - 1 - column) for row, column in last}
        rows = [row[::-1] for row in rows[::-1]]
        row_labels, column_labels = row_labels[::-1], column_labels[::-1]
    cell = max((width(text) for row in (*rows, column_labels) for text in row), default=1)
    margin = max((width(label) for label in row_labels), default=0)
    columns = max(len(row) for row in rows)
    left, right, plain = "[", "]", " "
    if margin + 1 + columns * (cell + 2) > NARROW:
        # Too wide for brackets on both sides.
        left, right, plain = ">", "", ""
    lines = []
    if any(column_labels):
        shown = "".join(f" {pad(label, cell)}{plain}" for label in column_labels)
        lines.append(f"{' ' * margin} {shown}".rstrip())
    for number, row in enumerate(rows):
        label = row_labels[number] if number < len(row_labels) else ""
        cells = "".join(
            f"{left}{pad(text, cell)}{right}" if (number, column) in last else f" {pad(text, cell)}{plain}"
            for column, text in enumerate(row)
        )
        lines.append(f"{' ' * (margin - width(label))}{label} {cells}".rstrip())
    return lines


def drawing(game: Mapping[str, Any], columns: int = NARROW, program: str = "lrgpnode") -> list[str]:
    """All there is to say about a session: the result of ``game.show``."""
    view = game["view"]
    lines = [*_header(game, view), ""]
    board = grid(view)
    if board:
        lines += [*board, ""]
    for text in _remarks(game, view):
        wrapped = textwrap.wrap(text, max(columns, NARROW), break_on_hyphens=False)
        lines += [line.replace(GLUE, " ") for line in wrapped]
    # Apart from the rest and never wrapped: it is to be copied.
    commands = _commands(game, view, program)
    if commands:
        lines += ["", *commands]
    return lines


def _header(game: Mapping[str, Any], view: Mapping[str, Any]) -> Iterator[str]:
    yield f"{clean(game['app'], 64)} {game['id']} {game['status']}"
    seat = clean(view["seat"], 32)
    yield f"You{f' ({seat})' if seat else ''} against"
    yield f"  {who(game.get('peer_name', ''), game['peer'])}"
    if game.get("record"):
        yield f"  {score(game['record'])}"


def _remarks(game: Mapping[str, Any], view: Mapping[str, Any]) -> Iterator[str]:
    """One text for a paragraph each."""
    status = clean(view["status_line"])
    yield sentence(status) if status else _outcome(game, view)
    if not view["result"] and view["turn"] and not view["my_turn"]:
        yield f"To move: {who(game.get('peer_name', ''), game['peer'])}."
    history = view["history"]
    if history:
        yield f"Moves: {' '.join(_numbered(history, view.get('numbered', 1)))}"
    if view["draw_offered_by"] == game["identity"]:
        yield "You offered a draw."
    if game.get("refused_draw"):
        yield _refused(game, game["refused_draw"])
    own = game.get("last_own")
    if own:
        yield f"Your last action: {delivery(own)}"
    if game.get("expires_at") and game["status"] in ("pending", "active"):
        yield f"Ends by itself: {when(game['expires_at'])}"
    for flag, reason in game.get("flags", {}).items():
        words = FLAGS.get(flag) or f"Remark: {clean(flag, 64)}"
        yield sentence(f"{words}: {clean(reason)}")


def _refused(game: Mapping[str, Any], draw: Mapping[str, Any]) -> str:
    peer = who(game.get("peer_name", ""), game["peer"])
    how = "was declined." if draw["declined"] else "was answered with a move."
    mine = draw["offered_by"] == game["identity"]
    return f"Your draw offer {how}" if mine else f"The draw offer of {peer} {how}"


def _numbered(history: Sequence[str], together: int) -> Iterator[str]:
    """The last moves, those that share a number after it: ``12. Nf3 Nc6 13. Bb5``."""
    first = max(len(history) - TAIL, 0) // together * together
    if first:
        yield "..."
    for start in range(first, len(history), together):
        labels = (clean(label, 32) for label in history[start : start + together])
        yield f"{start // together + 1}.{GLUE}{' '.join(labels)}"


def _outcome(game: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """A sentence for a game that gives none."""
    result = view["result"]
    if not result:
        if game["status"] == "pending":
            return "The challenge is not answered yet."
        return "Your turn." if view["my_turn"] else "Waiting for the other player."
    reason = clean(result["reason"], 64).replace("_", " ")
    because = "" if reason in ("", "win", "draw") else f" ({reason})"
    if not result["winner"]:
        return f"The game is over without a winner{because}."
    return f"You {'won' if result['winner'] == game['identity'] else 'lost'}{because}."


def delivery(own: Mapping[str, Any]) -> str:
    """What became of an own action, in words."""
    words = f"{clean(own['command'], 32)}, {DELIVERY.get(own['state'], clean(own['state'], 32))}"
    if own.get("reason"):
        words += f": {clean(own['reason'])}"
    if own.get("next_attempt_at") and own["state"] in ("queued", "failed"):
        words += f"; next attempt {when(own['next_attempt_at'])}"
    return words if words.endswith(".") else f"{words}."


def _commands(game: Mapping[str, Any], view: Mapping[str, Any], program: str) -> list[str]:
    """What can be done now."""
    lines = _moves(game, view, program)
    if "out_of_sync" in game.get("flags", {}) and game["status"] in ("pending", "active"):
        lines += [
            "If it does not go on:",
            f"  {program} resend {game['id']}",
            f"  {program} abandon {game['id']}",
        ]
    return lines


def _moves(game: Mapping[str, Any], view: Mapping[str, Any], program: str) -> list[str]:
    id, identity = game["id"], game["identity"]
    if game["status"] == "pending":
        if game["initiator"] == identity:
            return ["Take it back:", f"  {program} decline {id}"]
        return ["Answer:", f"  {program} accept {id}", f"  {program} decline {id}"]
    if game["status"] != "active":
        return []
    lines = []
    if view["my_turn"]:
        labels = [clean(move["label"], 32) for move in view["legal"]]
        named = ", ".join(labels[:SUGGESTED])
        more = f" and {len(labels) - SUGGESTED} more" if len(labels) > SUGGESTED else ""
        if named:
            lines += textwrap.wrap(f"You can play {named}{more}.", NARROW, break_on_hyphens=False)
        lines.append(f"  {program} move {id} {shlex.quote(labels[0]) if labels else 'MOVE'}")
    if view["draw_offered_by"] and view["draw_offered_by"] != identity:
        lines += [
            "A draw is offered to you:",
            f"  {program} draw {id} accept",
            f"  {program} draw {id} decline",
        ]
    if view["extras"].get("claimable"):
        lines += ["You can claim a draw:", f"  {program} draw {id} claim"]
    return lines

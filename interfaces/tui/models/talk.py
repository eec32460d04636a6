"""A conversation as lines, and what is said while one writes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.segments import Line
from lrgpnode.protocol.plaintext import MOST_BYTES, PACKET_BYTES, bytes_left

Json = Mapping[str, Any]

_STATES: Final = {
    "queued": "waits to be sent",
    "sending": "being sent",
    "sent": "sent, not proved yet",
    "delivered": "delivered",
    "stored": "waits at a propagation node",
    "failed": "not delivered yet",
    "dropped": "not sent",
}
_QUIET: Final = ("delivered",)


def lines(
    texts: Sequence[Json], name: str, columns: int, glyphs: Glyphs, *, more: bool = False
) -> list[Line]:
    """Oldest first, in lines of at most ``columns`` cells. ``name`` is the peer's. ``more``: there are older
    ones. Of own texts the delivery is shown: by its sign, and in words unless it is delivered."""
    found: list[Line] = [(("faint", "PgUp: older texts"),)] if more else []
    day = ""
    for one in texts:
        today = _local("%A, %d %B %Y", one["at"])
        if today != day:
            day = today
            found.append((("faint", text.fit(f"-- {day}", columns, glyphs.script)),))
        found += _text(one, name, columns, glyphs)
    return found


def _text(one: Json, name: str, columns: int, glyphs: Glyphs) -> list[Line]:
    own = bool(one["own"])
    at = _local("%H:%M", one["at"])
    who = "you" if own else text.fit(name, max(4, columns - 10), glyphs.script)
    head: list[tuple[str, str]] = [("faint", f"{at} "), ("strong" if own else "heading", who)]
    state = str(one.get("state") or "")
    if own and state in _STATES:
        head.append(("bad" if state in ("failed", "dropped") else "faint", f" {glyphs[state]}"))
    # Indented, so that no text can pass for the line above it.
    body = [(("text", f"  {line}"),) for line in text.wrap(one["text"], columns - 2, glyphs.script)]
    found: list[Line] = [tuple(head), *body]
    if one.get("cut"):
        found.append((("faint", "  (it was longer)"),))
    if own and state in _STATES and state not in _QUIET:
        said = _STATES[state] + (f": {one['reason']}" if one.get("reason") else "")
        role = "bad" if state in ("failed", "dropped") else "faint"
        found += [((role, f"  {line}"),) for line in text.wrap(said, columns - 2, glyphs.script)]
    return found


def counter(typed: str) -> tuple[str, str]:
    """(role, words): how much of a packet is left, "" while nothing is typed."""
    if not typed.strip():
        return "faint", f"{PACKET_BYTES} bytes are one packet."
    left, size = bytes_left(typed.strip()), len(typed.strip().encode())
    if size > MOST_BYTES:
        return "bad", f"{size - MOST_BYTES} bytes too long."
    if left < 0:
        return "warn", f"{-left} bytes over a packet: needs a link."
    return "faint", f"{left} bytes left."


def _local(form: str, at: object) -> str:
    try:
        return time.strftime(form, time.localtime(float(at)))  # type: ignore[arg-type]
    except (ValueError, OverflowError, OSError):
        return "?"

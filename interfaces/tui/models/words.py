"""Times, deliveries and outcomes in words. Texts of peers are made safe where they are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

HERE_SECONDS: Final = 1800.0
"""A peer that was heard within this time counts as present."""

NO_ADDRESS: Final = "An address has 32 characters, 0 to 9 and a to f."

_DELIVERY: Final[Mapping[str, str]] = {
    "queued": "waits to be sent",
    "sending": "being sent",
    "sent": "sent, not confirmed yet",
    "stored": "waits at a propagation node",
    "delivered": "delivered",
    "confirmed": "delivered",
    "failed": "not delivered",
    "dropped": "given up",
}

_COMMANDS: Final[Mapping[str, str]] = {
    "challenge": "challenge",
    "accept": "acceptance",
    "decline": "refusal",
    "move": "move",
    "resign": "resignation",
    "draw_offer": "draw offer",
    "draw_accept": "agreement to a draw",
    "draw_decline": "refusal of the draw",
}

_FLAGS: Final[Mapping[str, str]] = {
    "out_of_sync": "Out of sync",
    "doubt": "The peer may see another game",
    "assisted": "Assisted",
    "clock": "The time limit starts again when the clock is right",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Delivery(Value):
    """What became of an own action. ``state`` names its glyph; ``trouble``: somebody should look."""

    state: str
    text: str
    trouble: bool = False


def age(seconds: float) -> str:
    """How long something is past, in at most five characters."""
    for size, unit in ((86_400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            whole = int(seconds // size)
            return f"{whole}{unit}" if whole < 1000 else f">999{unit[:1]}"
    return "now"


def ago(seconds: float) -> str:
    """The same as part of a sentence."""
    return "just now" if seconds < 60 else f"{age(seconds)} ago"


def count(number: int, what: str) -> str:
    """``what`` in the singular."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def command(name: str) -> str:
    """An action of a game."""
    return _COMMANDS.get(name, name)


def left(seconds: float) -> str:
    """How long until a time limit: days where there are any (a challenge waits for days)."""
    if seconds <= 0:
        return "now"
    if seconds >= 86_400:
        days = int(seconds // 86_400)
        return f"in {days} day{'s' if days > 1 else ''}"
    if seconds >= 3600:
        hours = int(seconds // 3600)
        return f"in {hours} hour{'s' if hours > 1 else ''}"
    minutes = max(1, int(seconds // 60))
    return f"in {minutes} minute{'s' if minutes > 1 else ''}"


def delivery(own: Mapping[str, Any] | None) -> Delivery | None:
    """Of the last own action of a game, as the API gives it."""
    if not own:
        return None
    state = str(own.get("state", ""))
    what = command(str(own.get("command", "")))
    text = f"Your {what}: {_DELIVERY.get(state, state)}"
    if own.get("reason") and state in ("failed", "dropped", "queued", "stored"):
        text += f" ({own['reason']})"
    return Delivery(state=state if state in _DELIVERY else "queued", text=text, trouble=state == "failed")


def again(own: Mapping[str, Any] | None, now: float) -> str:
    """When a message that did not arrive is tried again, "" if that is not planned."""
    at = own.get("next_attempt_at") if own else None
    if not own or not isinstance(at, int | float) or own.get("state") not in ("queued", "failed"):
        return ""
    return f"Tried again {left(at - now)}, or when the peer is heard"


def presence(heard_at: float | None, now: float) -> str:
    """``here``, ``away`` or ``unknown``: a glyph's name."""
    if heard_at is None:
        return "unknown"
    return "here" if now - heard_at < HERE_SECONDS else "away"


def flag(name: str, reason: str = "") -> str:
    """A remark of the node about a game."""
    known = _FLAGS.get(name, f"Remark: {name}")
    return f"{known}: {reason}" if reason else f"{known}."


def outcome(view: Mapping[str, Any], me: str, status: str) -> str:
    """A sentence for where a game stands: the game's own where it has one."""
    line = str(view.get("status_line") or "").strip()
    if line:
        return line
    result = view.get("result")
    if not result:
        if status == "pending":
            return "The challenge is not answered yet."
        return "Your turn." if view.get("my_turn") else "Waiting for the other player."
    reason = str(result.get("reason", "")).replace("_", " ")
    because = "" if reason in ("", "win", "draw") else f" ({reason})"
    if not result.get("winner"):
        return f"The game is over without a winner{because}."
    return f"You {'won' if result['winner'] == me else 'lost'}{because}."


def who(name: str, peer: str) -> str:
    """A peer: what it is called, and the beginning of its hash, as names are anybody's."""
    short = peer[:8]
    return f"{name} ({short})" if name else short


def is_address(typed: str) -> bool:
    """Whether it is a whole address, as programs show them."""
    return len(typed) == 32 and all(char in "0123456789abcdef" for char in typed)

"""What of ours is on its way, from ``outbox.list``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

from . import words

Json = Mapping[str, Any]

_WAITS: Final = {
    "earlier": "after what comes before it in its game",
    "disabled": "your identity is off the mesh",
    "blocked": "you have blocked the peer",
    "path": "looking for a way to the peer",
    "peer": "the peer is away",
    "day": "sent as often as a day allows",
    "place": "others go first",
    "airtime": "waits for airtime",
}

_STATES: Final = {
    "queued": "waits",
    "sending": "being sent",
    "sent": "sent, not proved yet",
    "delivered": "delivered, not answered yet",
    "stored": "at a propagation node",
    "failed": "not delivered",
    "confirmed": "answered",
    "dropped": "given up",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sending(Value):
    """An action on its way. ``state`` names its glyph, ``about`` says it whole, ``age`` since it was done."""

    outbox_id: int
    identity: str
    session: str
    what: str
    peer: str
    state: str
    short: str
    about: str
    age: str
    trouble: bool


def sending(page: Json | None, now: float) -> tuple[Sending, ...]:
    """Oldest first."""
    return tuple(_sending(one, now) for one in (page or {}).get("messages", ()))


def _sending(one: Json, now: float) -> Sending:
    state = str(one["state"])
    short = _STATES.get(state, state)
    waits = str(one.get("waits_for") or "")
    why = [_WAITS.get(waits, waits)] if waits else []
    if one.get("reason"):
        why.append(str(one["reason"]))
    tries = int(one["attempts"])
    if tries > 1:
        why.append(f"sent {tries} times")
    if one.get("next_attempt_at") is not None:
        why.append(f"again {words.left(one['next_attempt_at'] - now)}")
    what = words.command(str(one["command"]))
    peer = words.who(str(one.get("peer_name") or ""), str(one["peer"]))
    return Sending(
        outbox_id=int(one["outbox_id"]),
        identity=str(one["identity"]),
        session=str(one["id"]),
        what=what,
        peer=peer,
        state=state if state in _STATES else "queued",
        short=why[0] if waits else short,
        about=f"Your {what} to {peer}: {'; '.join((short, *why))}",
        age=words.age(now - float(one["created_at"])),
        trouble=state == "failed",
    )


def summary(rows: Sequence[Sending]) -> str:
    """How it stands with all of them."""
    if not rows:
        return "Nothing is on its way."
    unsent = sum(one.state not in ("delivered", "confirmed", "dropped") for one in rows)
    settled = len(rows) - unsent
    parts = [f"{unsent} not there yet"] if unsent else []
    parts += [f"{settled} delivered and not answered"] if settled else []
    return ", ".join(parts)

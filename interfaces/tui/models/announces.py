"""Announces: who was heard, when we were announced last, and what is held back on slow media."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.control.text import score
from lrgpnode.protocol.value import Value

from . import words
from .facts import Fact, fact

Json = Mapping[str, Any]

_NOBODY: Final[Mapping[str, Json]] = {}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Heard(Value):
    """A peer; ``about`` says all that is known."""

    peer: str
    name: str
    hops: int
    interface: str
    presence: str
    age: str
    about: str


def heard(
    peers: Iterable[Json], now: float, own: Sequence[str] = (), records: Mapping[str, Json] = _NOBODY
) -> tuple[Heard, ...]:
    """From ``peer.list``, the last one first; identities in ``own`` are left out.

    ``records`` are of ``contact.record``, by peer.
    """
    found = sorted(peers, key=lambda one: (-float(one["heard_at"]), str(one["peer"])))
    return tuple(_heard(one, records.get(str(one["peer"])), now) for one in found if one["peer"] not in own)


def _heard(one: Json, record: Json | None, now: float) -> Heard:
    hops, at, interface = int(one["hops"]), float(one["heard_at"]), str(one.get("interface") or "")
    by = f" on {interface}" if interface else ""
    parts = [f"heard {words.ago(now - at)}, {words.count(hops, 'hop')}{by}", _plays(one)]
    if one.get("contact"):
        parts.append("a contact")
    if one.get("blocked"):
        parts.append("blocked")
    if record:
        parts.append(score(record))
    name = str(one.get("contact") or one.get("name") or "")
    return Heard(
        peer=str(one["peer"]),
        name=name,
        hops=hops,
        interface=interface,
        presence=words.presence(at, now),
        age=words.age(now - at),
        about=f"{name or str(one['peer'])[:8]}: {'; '.join(parts)}",
    )


def _plays(one: Json) -> str:
    if one.get("games") or one.get("played"):
        return "plays"
    return "does not play" if one.get("games") is False else "does not say whether it plays"


def own(
    identity: Json | None, held: Sequence[Json], names: Mapping[str, str], now: float
) -> tuple[Fact, ...]:
    """From ``identity.show``, and ``held`` of the last ``node.announce``."""
    if identity is None:
        return (Fact(value="Loading."),)
    at = identity.get("announced_at")
    told = "not yet" if at is None else words.ago(now - at)
    off = "" if identity.get("enabled", True) else " (off the mesh)"
    facts = [fact("announced", f"{identity['name']}{off}: {told}")]
    for one in held:
        if one["until"] > now:
            name = names.get(str(one["identity"]), str(one["identity"])[:8])
            facts.append(fact("held back", f"{name} on {one['interface']} until {clock(one['until'])}"))
    return tuple(facts)


def announced(result: Json, now: float) -> str:
    """What ``node.announce`` has done, in a sentence that begins with what matters."""
    count, held = len(result["identities"]), [one for one in result.get("held", ()) if one["until"] > now]
    if not held:
        return f"{_identities(count)} announced." if count else "There is nobody to announce."
    first = min(held, key=lambda one: float(one["until"]))
    waiting = len({one["identity"] for one in held})
    slow = f"by {first['interface']}, which is slow"
    if not count:
        return f"Not before {clock(first['until'])}: {slow}, once an hour is enough."
    return f"{_identities(count)} announced; {slow}, {waiting} not before {clock(first['until'])}."


def _identities(count: int) -> str:
    return f"{count} identit{'y' if count == 1 else 'ies'}"


def clock(at: float) -> str:
    """A time of the day."""
    return time.strftime("%H:%M", time.localtime(at))

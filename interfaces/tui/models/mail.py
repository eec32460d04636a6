"""Propagation nodes, and the mail that is fetched from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

from . import words
from .facts import Fact, bad, fact

Json = Mapping[str, Any]

_STATES: Final = {
    "waiting": "waits for its turn",
    "connecting": "connecting",
    "asking": "asking for mail",
    "receiving": "receiving",
    "done": "done",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Node(Value):
    """A propagation node. ``note`` says what is to be known of it."""

    hash: str
    name: str
    source: str
    current: bool
    note: str
    trouble: bool


def about(status: Json | None, names: Mapping[str, str], now: float) -> tuple[Fact, ...]:
    """The mail of the identities, from ``propagation.status``; ``names`` of identities by hash."""
    if status is None:
        return (Fact(value="Loading."),)
    return tuple(_about(status, names, now))


def _about(status: Json, names: Mapping[str, str], now: float) -> Iterator[Fact]:
    current = next((one for one in status["nodes"] if one["current"]), None)
    if current is None:
        auto = "one that is heard is used" if status["auto"] else "add one with a"
        yield bad(f"No propagation node: mail for peers that are away waits here; {auto}.")
    else:
        yield fact("used now", words.who(str(current["name"]), str(current["hash"])))
    for mail in status["identities"]:
        name = names.get(str(mail["identity"]), str(mail["identity"])[:8])
        yield fact("last sync", f"{name}: {_mail(mail, now)}", bad=mail.get("state") == "failed")
    if status.get("next_sync") is not None:
        yield fact("next sync", words.left(status["next_sync"] - now))
    if status["uploads"]:
        yield fact("uploads", f"{status['uploads']} on their way to a node")
    host = status.get("host")
    if host:
        full = f"{host['bytes'] // 1024} of {host['limit'] // 1024} KB"
        yield fact("our own", f"{words.count(int(host['messages']), 'message')}, {full}")


def _mail(mail: Json, now: float) -> str:
    at, state = mail.get("fetched_at"), mail.get("state")
    fetched = "never" if at is None else f"{words.ago(now - at)}, {mail['received']} received"
    if state in (None, "done"):
        return fetched
    reason = f" ({mail['reason']})" if mail.get("reason") else ""
    return f"{_STATES.get(str(state), str(state))}{reason}; {fetched}"


def nodes(status: Json | None, now: float) -> tuple[Node, ...]:
    """In the order in which they are tried."""
    return tuple(_node(one, now) for one in (status or {}).get("nodes", ()))


def _node(one: Json, now: float) -> Node:
    heard, failures = one.get("heard_at"), int(one.get("failures", 0))
    parts = []
    if failures:
        parts.append(f"failed {failures}x" + (f": {one['reason']}" if one.get("reason") else ""))
    if one.get("enabled") is False:
        parts.append("says it is off")
    if heard is None:
        parts.append("never heard")
    else:
        hops = "" if one.get("hops") is None else f", {words.count(int(one['hops']), 'hop')}"
        parts.append(f"heard {words.ago(now - heard)}{hops}")
    if one.get("stamp_cost"):
        parts.append(f"stamp {one['stamp_cost']}")
    return Node(
        hash=str(one["hash"]),
        name=str(one["name"]),
        source=str(one["source"]),
        current=bool(one["current"]),
        note="; ".join(parts),
        trouble=failures > 0,
    )

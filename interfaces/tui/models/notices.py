"""Events in words, for the status line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

from . import words

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Notice(Value):
    """``game`` is what it leads to: (identity, session id), or None. ``bell``: worth a sound."""

    text: str
    game: tuple[str, str] | None = None
    bell: bool = False
    trouble: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Unplayable(Value):
    """Something of a game that is not installed here; ``text`` is what it says to people."""

    id: str
    peer: str
    game: str
    text: str

    @property
    def title(self) -> str:
        return f"{self.peer} plays {self.game}, which is not installed here."


_ENDS: Final = {"resign": "resigned", "decline": "declined", "draw_accept": "agreed to a draw"}
_DEEDS: Final = {
    "accept": "accepted your challenge",
    "move": "moved",
    "draw_offer": "offers a draw",
    "draw_decline": "declined the draw",
    **_ENDS,
}


def notice(event: Json, names: Mapping[str, str], peers: Mapping[str, str]) -> Notice | None:
    """What a person is told of an event, or None. ``names`` of games by app, ``peers`` by hash."""
    data = event["data"]
    kind = event["type"]
    if "id" not in data:
        return None
    where = (str(data.get("identity", "")), str(data["id"]))
    game = names.get(str(data.get("app", "")), str(data.get("app", "")))
    peer = peers.get(str(data.get("peer", ""))) or str(data.get("peer", ""))[:8]
    match kind:
        case "game.challenged":
            peer = str(data.get("peer_name") or peer)
            return Notice(text=f"{peer} challenges you to {game}.", game=where, bell=True)
        case "game.request" if not data.get("withdrawn"):
            return Notice(text=f"A stranger ({peer}) would like to play {game}.", game=where)
        case "game.applied" if not data.get("own") and data.get("command") != "challenge":
            command = str(data.get("command"))
            return Notice(text=f"{game}: {peer} {_DEEDS.get(command, command)}.", game=where, bell=True)
        case "message.received":
            return Notice(text=f"{peer} writes: {data.get('text', '')}", bell=True)
        case "game.expired":
            return Notice(text=f"{game} with {peer}: the time is up.", game=where)
        case "game.out_of_sync":
            text = f"{game} with {peer} is out of sync: {data.get('reason', '')}"
            return Notice(text=text, game=where, trouble=True)
        case "game.error":
            text = f"The other side refused your {data.get('ref') or 'action'}: {data.get('msg', '')}"
            return Notice(text=text, game=where, trouble=True)
        case "game.delivery" if data.get("state") == "failed":
            told = words.delivery(data)
            return None if told is None else Notice(text=told.text, game=where, trouble=True)
        case "game.unknown":
            found = unplayable(data)
            return Notice(text=found.title, bell=True)
        case _:
            return None


def unplayable(data: Json) -> Unplayable:
    """What a ``game.unknown`` event tells."""
    return Unplayable(
        id=str(data["id"]),
        peer=words.who(str(data.get("peer_name", "")), str(data["peer"])),
        game=f"{data['app']}.{data['app_version']}",
        text=str(data.get("text", "")),
    )

"""With whom there are texts, for the list of conversations, and whose texts no game tells of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lrgpnode.protocol.value import Value

from . import words

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Thread(Value):
    """A conversation. ``last`` is the newest text, ``own`` whether it is ours, ``state`` what became of it
    then."""

    peer: str
    name: str
    last: str
    own: bool
    state: str
    age: str
    unread: int

    @property
    def who(self) -> str:
        """The peer, as it is shown."""
        return words.who(self.name, self.peer)

    @property
    def news(self) -> str:
        """How many texts are new, in words."""
        return f"{words.count(self.unread, 'new text')}" if self.unread else ""


def threads(
    found: Mapping[str, Json], unread: Mapping[str, int], names: Mapping[str, str], now: float
) -> tuple[Thread, ...]:
    """``found`` are the entries of ``message.threads`` by peer; ``names`` what peers are called. What was
    written last comes first."""
    order = sorted(found.items(), key=lambda pair: (-float(pair[1]["last"]["at"]), pair[0]))
    return tuple(
        Thread(
            peer=peer,
            name=names.get(peer) or str(one.get("peer_name", "")),
            last=str(one["last"]["text"]),
            own=bool(one["last"]["own"]),
            state=str(one["last"].get("state") or ""),
            age=words.age(now - float(one["last"]["at"])),
            unread=unread.get(peer, 0),
        )
        for peer, one in order
    )


def without_game(found: Iterable[Thread], games: Iterable[Json]) -> tuple[Thread, ...]:
    """Those with new texts that no game in the list tells of."""
    told = {str(game["peer"]) for game in games}
    return tuple(one for one in found if one.unread and one.peer not in told)

"""Whom one may play with: who writes to this node, and who was heard with LRGP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from lrgpnode.protocol.value import Value
from storage.model import Peer
from storage.text import TextTable

from .clean import fold

RECENT: Final = 7 * 86_400.0
"""Who has written by text, or was heard, within so many seconds is there to be asked."""

LOOKED_AT: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Person(Value):
    """``identity``: to which he writes by text; "" for a peer that has LRGP."""

    hash: str
    name: str
    identity: str = ""


class Directory(Protocol):
    """Who was heard (``storage.book.Book``)."""

    def peers(self, limit: int = 50) -> Sequence[Peer]: ...


class People:
    """``name`` gives what a peer is called, "" if that is not known."""

    def __init__(self, table: TextTable, book: Directory, name: Callable[[str], str]) -> None:
        self._table = table
        self._book = book
        self._name = name

    def known(self, now: float, apart: str) -> list[Person]:
        """Everybody but ``apart``: who plays by text first, then peers with LRGP, the last heard first."""
        found: dict[str, Person] = {}
        for one in self._table.players(now - RECENT):
            if one.player not in found and not one.muted:
                found[one.player] = Person(
                    hash=one.player, name=self._name(one.player), identity=one.identity
                )
        for peer in self._book.peers(LOOKED_AT):
            plays = peer.games or peer.played_at is not None
            if plays and peer.peer not in found and peer.heard_at >= now - RECENT:
                found[peer.peer] = Person(hash=peer.peer, name=self._name(peer.peer))
        found.pop(apart, None)
        return list(found.values())

    def find(self, now: float, apart: str, words: Sequence[str]) -> list[Person]:
        """Those whom the words name: by the whole name, else its beginning, or by that of the hash."""
        wanted = fold(" ".join(words)).removeprefix("@").strip()
        if not wanted:
            return []
        everybody = self.known(now, apart)
        same = [one for one in everybody if fold(one.name) == wanted or one.hash == wanted]
        if same:
            return same
        return [
            one
            for one in everybody
            if (len(wanted) >= 2 and fold(one.name).startswith(wanted))
            or (len(wanted) >= 4 and one.hash.startswith(wanted))
        ]

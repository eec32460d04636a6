"""Whom one may play with: who writes to this node, and who was heard with LRGP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from lrgpnode.protocol.value import Value
from storage.model import Contact, Peer
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
    """The address book and what was heard (``storage.book.Book``)."""

    def peers(self, limit: int = 50) -> Sequence[Peer]: ...
    def contacts(self) -> Sequence[Contact]: ...


class People:
    def __init__(self, table: TextTable, book: Directory) -> None:
        self._table = table
        self._book = book

    def known(self, now: float, apart: str) -> list[Person]:
        """Everybody but ``apart``: who plays by text first, then peers with LRGP, the last heard first."""
        peers = self._book.peers(LOOKED_AT)
        names = {peer.peer: peer.name for peer in peers} | {
            contact.peer: contact.name for contact in self._book.contacts() if contact.name
        }
        found: dict[str, Person] = {}
        for one in self._table.players(now - RECENT):
            if one.player not in found and not one.muted:
                found[one.player] = Person(
                    hash=one.player, name=names.get(one.player, ""), identity=one.identity
                )
        for peer in peers:
            plays = peer.games or peer.played_at is not None
            if plays and peer.peer not in found and peer.heard_at >= now - RECENT:
                found[peer.peer] = Person(hash=peer.peer, name=names.get(peer.peer, ""))
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

"""What people write, looked up: prefixes, names, and errors in their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Final, TypeVar

from lrgpnode.control.methods import ControlError
from lrgpnode.node import Node
from lrgpnode.protocol.errors import CallerError, Kind, LrgpError, Rejection
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey
from storage.errors import StorageError
from storage.model import LocalIdentity, Role
from storage.store import Store

T = TypeVar("T")

KNOWN_PEERS: Final = 2000

_HINTS: Final[Mapping[Kind, str]] = {
    Kind.SESSION_NOT_FOUND: "`lrgpnode games` lists the sessions.",
    Kind.SESSION_EXPIRED: "Challenge the peer again.",
    Kind.UNKNOWN_APP: "`lrgpnode status` lists the games this node has.",
}


def translate(error: Exception) -> ControlError | None:
    """Errors of the lower rooms in the words of the control API."""
    if isinstance(error, LrgpError):
        return ControlError(str(error.kind), _sentence(error.message), _HINTS.get(error.kind, ""))
    if isinstance(error, Rejection):
        return ControlError(str(Kind.VALIDATION), _sentence(error.message))
    if isinstance(error, StorageError):
        return ControlError("storage", str(error))
    return None


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


class Lookup:
    """Of one node."""

    def __init__(self, node: Node, store: Store, identities: Sequence[LocalIdentity]) -> None:
        self._node = node
        self._store = store
        self.identities = {identity.hash: identity for identity in identities}

    def game(self, session: Session) -> Game:
        game = self._node.games.get(session.app_id)
        if game is None:
            raise CallerError(Kind.UNKNOWN_APP, f"this node has no game {session.app_id!r} any more")
        return game

    def app(self, wanted: str) -> str:
        """The id of an installed game. Raises ``ControlError`` that names the nearest."""
        lowered = wanted.lower()
        if lowered in self._node.games:
            return lowered
        near = get_close_matches(lowered, self._node.games, n=1)
        hint = f"Did you mean {near[0]}?" if near else _HINTS[Kind.UNKNOWN_APP]
        raise ControlError(str(Kind.UNKNOWN_APP), f"This node has no game {wanted!r}.", hint)

    def identity(self, wanted: str | None) -> str:
        if wanted is None:
            people = self._people()
            if len(people) == 1:
                return people[0]
            raise ControlError("identity_ambiguous", "This node has several identities.", "Choose with --as.")
        named = [h for h, identity in self.identities.items() if identity.name == wanted]
        found = named or [h for h in self.identities if h.startswith(wanted.lower())]
        return _one(found, f"identity {wanted!r}", "`lrgpnode identity list` lists them.")

    def _people(self) -> list[str]:
        return [hash for hash, one in self.identities.items() if one.role is Role.PERSON]

    def key(self, id: str, wanted_identity: str | None) -> SessionKey:
        identity = self.identity(wanted_identity) if wanted_identity is not None else None
        found = self._store.sessions.find(id, identity)
        if len(found) > 1 and identity is None:
            # Two identities of this node play each other: a person's side is meant, not the house's.
            found = [key for key in found if key.identity in self._people()] or found
        return _one(list(found), f"session {id}", _HINTS[Kind.SESSION_NOT_FOUND])

    def peer(self, wanted: str) -> str:
        lowered = wanted.lower()
        if len(lowered) == 32 and set(lowered) <= set("0123456789abcdef"):
            return lowered
        names = self.names()
        named = [peer for peer, name in names.items() if name == wanted]
        found = named or [peer for peer in names if peer.startswith(lowered)]
        return _one(
            found, f"peer {wanted!r}", "`lrgpnode peers` lists who was heard; a full hash always works."
        )

    def names(self) -> dict[str, str]:
        """Names by peer; the address book goes before what announces say."""
        names = {peer.peer: peer.name for peer in self._store.book.peers(KNOWN_PEERS)}
        names.update({contact.peer: contact.name for contact in self._store.book.contacts() if contact.name})
        return names


def _one(found: Sequence[T], what: str, hint: str) -> T:
    if len(found) == 1:
        return found[0]
    if not found:
        raise ControlError("not_found", f"There is no {what}.", hint)
    raise ControlError("ambiguous", f"More than one {what} is meant.", "Give more characters.")

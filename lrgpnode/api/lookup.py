"""What people write, looked up: prefixes, names, and errors in their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, TypeVar

from lrgpnode.control.methods import ControlError
from lrgpnode.control.text import clean
from lrgpnode.mesh.identity import IdentityError
from lrgpnode.node import Node
from lrgpnode.protocol.errors import CallerError, Kind, LrgpError, Rejection
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey
from storage.errors import StorageError
from storage.model import LocalIdentity, Request, Role
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
    if isinstance(error, IdentityError):
        return ControlError("identity", _sentence(str(error)))
    return None


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


class Roster(Protocol):
    """The local identities as they are now; ``default`` is one of them, or ""."""

    rows: Mapping[str, LocalIdentity]

    @property
    def default(self) -> str: ...


class Lookup:
    """Of one node."""

    def __init__(self, node: Node, store: Store, own: Roster) -> None:
        self._node = node
        self._store = store
        self._own = own

    @property
    def identities(self) -> Mapping[str, LocalIdentity]:
        return self._own.rows

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
        from difflib import get_close_matches  # noqa: PLC0415 - only a typing error needs it

        near = get_close_matches(lowered, self._node.games, n=1)
        hint = f"Did you mean {near[0]}?" if near else _HINTS[Kind.UNKNOWN_APP]
        raise ControlError(str(Kind.UNKNOWN_APP), f"This node has no game {wanted!r}.", hint)

    def identity(self, wanted: str | None) -> str:
        """A local identity by name or hash prefix. Raises ``ControlError``.

        None: the one that was made the default, or else the only one of a person.
        """
        if wanted is None:
            people = self._people()
            if self._own.default:
                return self._own.default
            if len(people) == 1:
                return people[0]
            raise ControlError(
                "identity_ambiguous",
                "This node has several identities.",
                "Choose with --as, or once for all with `lrgpnode identity default NAME`.",
            )
        names = {hash: identity.name for hash, identity in self.identities.items()}
        return named((names,), wanted, "identity", "`lrgpnode identity list` lists them.")

    def _people(self) -> list[str]:
        return [hash for hash, one in self.identities.items() if one.role is Role.PERSON and one.enabled]

    def key(self, id: str, wanted_identity: str | None) -> SessionKey:
        identity = self.identity(wanted_identity) if wanted_identity is not None else None
        found = self._store.sessions.find(id, identity)
        if not found and self._store.admission.find_requests(id, identity):
            raise ControlError(
                "request",
                "That is the challenge of a stranger, which waits to be let in.",
                "`lrgpnode accept` lets it in and accepts it, `lrgpnode requests decline` forgets it.",
            )
        if len(found) > 1 and identity is None:
            # Two identities of this node play each other: a person's side is meant, not the house's.
            found = [key for key in found if key.identity in self._people()] or found
        return _one(list(found), f"session {id}", _HINTS[Kind.SESSION_NOT_FOUND])

    def request(self, id: str, wanted_identity: str | None) -> Request:
        """A stranger's challenge that waits, by the beginning of its id. Raises ``ControlError``."""
        identity = self.identity(wanted_identity) if wanted_identity is not None else None
        found = self._store.admission.find_requests(id, identity)
        key = _one(list(found), f"request {id}", "`lrgpnode requests list` lists them.")
        request = self._store.admission.request(key)
        assert request is not None  # all of this is one read on the loop's thread
        return request

    def peer(self, wanted: str) -> str:
        """A peer by name, whatever the case of its letters, or by hash. Raises ``ControlError``."""
        if is_hash(wanted.lower()):
            return wanted.lower()
        # Anybody may announce any name, also that of somebody in the address book.
        hint = "`lrgpnode peers` lists who was heard; a full hash always works."
        return named((self._book(), self._heard()), wanted, "peer", hint)

    def _heard(self) -> dict[str, str]:
        """What peers call themselves, also those that have another name in the address book."""
        return {peer.peer: peer.name for peer in self._store.book.peers(KNOWN_PEERS)}

    def _book(self) -> dict[str, str]:
        names = {contact.peer: contact.name for contact in self._store.book.contacts() if contact.name}
        names.update({hash: identity.name for hash, identity in self.identities.items()})
        return names

    def names(self) -> dict[str, str]:
        """Names by peer; the address book goes before what announces say, our own before both."""
        return self._heard() | self._book()

    def own_name(self, peer: str) -> str:
        """What a peer calls itself where we call it something else; else ""."""
        heard = self._store.book.peer(peer)
        return heard.name if heard is not None and heard.name != self.name(peer) else ""

    def name(self, peer: str) -> str:
        """What one peer is called, "" if that is not known."""
        own = self.identities.get(peer)
        contact = self._store.book.contact(peer)
        heard = self._store.book.peer(peer)
        named = (one.name for one in (own, contact, heard) if one is not None and one.name)
        return next(named, "")


def is_hash(text: str) -> bool:
    """Whether this is a whole LXMF delivery hash."""
    return len(text) == 32 and set(text) <= set("0123456789abcdef")


def named(directories: Sequence[Mapping[str, str]], wanted: str, what: str, hint: str) -> str:
    """A hash by name, whatever the case of its letters, or by its own beginning.

    ``directories`` are names by hash. Those in the first are ours to give; in the others anybody may
    call himself anything, also like somebody else or like the beginning of a hash. Raises
    ``ControlError``, with the nearest names where there is none.
    """
    folded, shown = wanted.casefold(), clean(wanted, 64)
    everybody = {hash: name for names in reversed(directories) for hash, name in names.items()}
    beginning = {hash for hash in everybody if hash.startswith(folded)}
    for number, names in enumerate(directories):
        same = {hash for hash, name in names.items() if name.casefold() == folded}
        if same and number:
            same |= beginning
        if len(same) == 1:
            return same.pop()
        if same:
            which = ", ".join(sorted(hash[:8] for hash in same)[:8])
            raise ControlError("ambiguous", f"{shown!r} means {len(same)}: {which}.", "Use more of the hash.")
    if not beginning:
        from difflib import get_close_matches  # noqa: PLC0415 - only a typing error needs it

        spelled = {name.casefold(): clean(name, 64) for name in everybody.values() if name}
        near = [spelled[name] for name in get_close_matches(folded, spelled, n=3)]
        hint = f"Did you mean {' or '.join(near)}? {hint}" if near else hint
    return _one(list(beginning), f"{what} {shown!r}", hint)


def _one(found: Sequence[T], what: str, hint: str) -> T:
    if len(found) == 1:
        return found[0]
    if not found:
        raise ControlError("not_found", f"There is no {what}.", hint)
    raise ControlError("ambiguous", f"More than one {what} is meant.", "Give more characters.")


def number_cursor(text: str | None) -> int | None:
    """The number in a cursor of a list. Raises ``ControlError``."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ControlError("invalid_params", "That cursor is not one of this list.")
    return int(text)

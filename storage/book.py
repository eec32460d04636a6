"""Who is who: local identities, contacts, peers heard; and single values of the node (``meta``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .database import Database
from .model import Contact, LocalIdentity, Peer, Role, Trust

_PUT_CONTACT = """
INSERT INTO contacts (peer, name, public_key, added_at, trust, note) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (peer) DO UPDATE SET name = excluded.name, trust = excluded.trust, note = excluded.note,
    public_key = coalesce(excluded.public_key, public_key)
"""
_PUT_PEER = """
INSERT INTO peers (peer, name, public_key, hops, interface, heard_at, games) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (peer) DO UPDATE SET name = excluded.name, public_key = excluded.public_key,
    hops = excluded.hops, interface = excluded.interface, heard_at = excluded.heard_at, games = excluded.games
"""
_PUT_KEY = "UPDATE contacts SET public_key = ? WHERE peer = ? AND public_key IS NULL"
_PLAYED = "UPDATE peers SET played_at = ? WHERE peer = ? AND played_at IS NULL"
_PUT_IDENTITY = """
INSERT INTO identities (hash, name, created_at, enabled, role) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (hash) DO UPDATE SET name = excluded.name, enabled = excluded.enabled
"""
_PUT_META = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
_CONTACT = "SELECT peer, name, added_at, public_key, trust, note FROM contacts WHERE peer = ?"
_CONTACTS = "SELECT peer, name, added_at, public_key, trust, note FROM contacts ORDER BY name, peer"
# The key of somebody there is a game with is needed as long as the game is: signed records carry it.
_PRUNE_PEERS = """
DELETE FROM peers WHERE peer IN (SELECT peer FROM peers ORDER BY heard_at DESC LIMIT -1 OFFSET ?)
    AND NOT EXISTS (SELECT 1 FROM game_sessions WHERE contact_hash = peers.peer)
"""
_PEER_COLUMNS = "peer, name, public_key, hops, interface, heard_at, games, played_at"
_PEER = f"SELECT {_PEER_COLUMNS} FROM peers WHERE peer = ?"  # noqa: S608 - our own names
_PEERS = f"""
SELECT {_PEER_COLUMNS} FROM peers WHERE ? IS NULL OR (heard_at, peer) < (?, ?)
    ORDER BY heard_at DESC, peer DESC LIMIT ?
"""  # noqa: S608
_IDENTITIES = "SELECT hash, name, created_at, enabled, role FROM identities ORDER BY created_at, hash"


class Book:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put_contact(self, contact: Contact) -> None:
        """Add, or change all but the time it was added; a known key is not lost."""
        self._write(
            _PUT_CONTACT,
            contact.peer,
            contact.name,
            contact.public_key,
            contact.added_at,
            contact.trust,
            contact.note,
        )

    def remove_contact(self, peer: str) -> bool:
        return self._write("DELETE FROM contacts WHERE peer = ?", peer) == 1

    def contact(self, peer: str) -> Contact | None:
        row = self._database.one(_CONTACT, (peer,))
        return None if row is None else _contact(row)

    def contacts(self) -> Sequence[Contact]:
        """By name."""
        return [_contact(row) for row in self._database.all(_CONTACTS)]

    def put_peers(self, peers: Iterable[Peer], *, keep: int | None = None) -> None:
        """The newest announce of each, in one transaction; ``keep``: how many peers stay, newest first.

        Beside them everybody stays with whom there is a game. A contact without a public key gets it.
        A power cut may lose the last ones: they will be heard again.
        """
        with self._database.transaction(durable=False) as connection:
            for peer in peers:
                connection.execute(_PUT_KEY, (peer.public_key, peer.peer))
                connection.execute(
                    _PUT_PEER,
                    (
                        peer.peer,
                        peer.name,
                        peer.public_key,
                        peer.hops,
                        peer.interface,
                        peer.heard_at,
                        peer.games,
                    ),
                )
            if keep is not None:
                connection.execute(_PRUNE_PEERS, (keep,))

    def peer(self, peer: str) -> Peer | None:
        row = self._database.one(_PEER, (peer,))
        return None if row is None else _peer(row)

    def peers(self, limit: int = 50, *, before: tuple[float, str] | None = None) -> Sequence[Peer]:
        """Heard last first; ``before``: only those after the peer with this (time heard, hash)."""
        at, peer = before if before is not None else (None, None)
        return [_peer(row) for row in self._database.all(_PEERS, (at, at, peer, limit))]

    def played(self, peer: str, at: float) -> None:
        """A valid envelope of this peer came in; a power cut may lose it."""
        with self._database.transaction(durable=False) as connection:
            connection.execute(_PLAYED, (at, peer))

    def put_identity(self, identity: LocalIdentity) -> None:
        """Add, or change name and enabled; its role is for good."""
        self._write(
            _PUT_IDENTITY,
            identity.hash,
            identity.name,
            identity.created_at,
            identity.enabled,
            identity.role,
        )

    def remove_identity(self, hash: str) -> bool:
        return self._write("DELETE FROM identities WHERE hash = ?", hash) == 1

    def identities(self) -> Sequence[LocalIdentity]:
        """Oldest first."""
        return [
            LocalIdentity(
                hash=row[0], name=row[1], created_at=row[2], enabled=bool(row[3]), role=Role(row[4])
            )
            for row in self._database.all(_IDENTITIES)
        ]

    def put_meta(self, key: str, value: str) -> None:
        self._write(_PUT_META, key, value)

    def meta(self, key: str) -> str | None:
        row = self._database.one("SELECT value FROM meta WHERE key = ?", (key,))
        return None if row is None else str(row[0])

    def _write(self, sql: str, *parameters: Any) -> int:
        with self._database.transaction() as connection:
            return connection.execute(sql, parameters).rowcount


def _contact(row: Sequence[Any]) -> Contact:
    return Contact(
        peer=row[0], name=row[1], added_at=row[2], public_key=row[3], trust=Trust(row[4]), note=row[5]
    )


def _peer(row: Sequence[Any]) -> Peer:
    return Peer(
        peer=row[0],
        name=row[1],
        public_key=row[2],
        hops=row[3],
        interface=row[4],
        heard_at=row[5],
        games=None if row[6] is None else bool(row[6]),
        played_at=row[7],
    )

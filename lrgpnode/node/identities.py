"""The local identities of a node: made, brought in, renamed, put to rest and woken while it runs.

An identity is a key file (``lrgpnode.mesh.identity``) and a row with what people call it. The file
counts: at start every file in the directory is an identity. One that is disabled has no router: nothing
reaches it and what it has to send waits, but its sessions stay and can be looked at.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol

from lrgpnode.mesh import identity as keys
from lrgpnode.mesh.identity import IdentityError
from storage.model import LocalIdentity, Role
from storage.store import Store
from storage.writer import Writer

from .news import Publish

log = logging.getLogger(__name__)

MOST: Final = 32
"""Each identity has a router, a thread and announces of its own."""

MAX_NAME: Final = 64
"""Characters; what the announce carries is cut to 128 bytes by most clients."""

DEFAULT: Final = "identity.default"


class Routers(Protocol):
    """What is needed of the mesh: the routers of identities, at run time."""

    def open_identity(
        self, identity: keys.LocalIdentity, display_name: str, *, silent: bool = False
    ) -> Future[None]: ...
    def close_identity(self, identity: str) -> Future[None]: ...
    def rename_identity(self, identity: str, display_name: str) -> Future[None]: ...
    def erase_identity(self, identity: str) -> Future[None]: ...


class Sending(Protocol):
    """What is needed of the node: that an identity off the mesh sends nothing, and can be forgotten."""

    def pause(self, identity: str) -> None: ...
    def unpause(self, identity: str) -> None: ...
    async def forget(self, identity: str) -> None: ...


class Identities:
    """``attach`` before anything is changed. Raises ``IdentityError`` and ``StorageError``.

    Identities of the roles in ``silent_roles`` are not announced.
    """

    def __init__(
        self,
        directory: Path,
        store: Store,
        first_name: Callable[[], str],
        silent_roles: Collection[Role] = (),
    ) -> None:
        self._silent_roles = silent_roles
        self._directory = directory
        self._store = store
        self._writer: Writer
        self._routers: Routers
        self._sending: Sending
        self._publish: Publish
        self._changing = asyncio.Lock()
        loaded = keys.load_all(directory) or (keys.create(directory),)
        self._keys = {identity.hash: identity for identity in loaded}
        known = {row.hash: row for row in store.book.identities()}
        self._rows: dict[str, LocalIdentity] = {}
        for hash in self._keys:
            row = known.get(hash)
            if row is None:
                row = LocalIdentity(hash=hash, name=self._free_name(first_name()), created_at=time.time())
                store.book.put_identity(row)
            self._rows[hash] = row
        self._default = store.book.meta(DEFAULT) or ""
        self.rows: Mapping[str, LocalIdentity] = MappingProxyType(self._rows)
        """By hash, oldest first; always as they are now."""

    def attach(self, writer: Writer, routers: Routers, sending: Sending, publish: Publish) -> None:
        """Make changes possible."""
        self._writer, self._routers, self._sending, self._publish = writer, routers, sending, publish

    # Looking

    @property
    def active(self) -> tuple[keys.LocalIdentity, ...]:
        """The keys of those that are enabled."""
        return tuple(self._keys[hash] for hash, row in self._rows.items() if row.enabled)

    @property
    def resting(self) -> tuple[str, ...]:
        return tuple(hash for hash, row in self._rows.items() if not row.enabled)

    @property
    def silent(self) -> tuple[str, ...]:
        """Those that are not announced."""
        return tuple(hash for hash, row in self._rows.items() if row.role in self._silent_roles)

    @property
    def names(self) -> dict[str, str]:
        return {hash: row.name for hash, row in self._rows.items()}

    @property
    def default(self) -> str:
        """The identity that is meant where none is said, or "" where none is set."""
        return self._default if self._default in self._rows else ""

    def loaded(self, hash: str) -> keys.LocalIdentity:
        """With its private key. Whoever has that is this identity."""
        return self._keys[hash]

    def public_key(self, hash: str) -> bytes:
        return keys.public_key(self._keys[hash])

    def key_file(self, hash: str) -> Path:
        return self._directory / hash

    # Changing

    async def create(self, name: str, role: Role = Role.PERSON) -> LocalIdentity:
        """A new identity, on the mesh at once."""
        return await self._add(keys.generate, name, role)

    async def bring_in(self, key: bytes, name: str) -> LocalIdentity:
        """An identity whose private key exists, on the mesh at once."""
        return await self._add(lambda: keys.from_key(key), name, Role.PERSON)

    async def rename(self, hash: str, name: str) -> LocalIdentity:
        async with self._changing:
            row = replace(self._rows[hash], name=self._checked(name, hash))
            await self._store_row(row)
            await self._on_mesh(self._routers.rename_identity(hash, row.name))
            return row

    async def enable(self, hash: str) -> LocalIdentity:
        async with self._changing:
            row = self._rows[hash]
            if not row.enabled:
                row = replace(row, enabled=True)
                await self._store_row(row)
                await self._join(row)
            return row

    async def disable(self, hash: str) -> LocalIdentity:
        async with self._changing:
            return await self._leave(hash)

    async def delete(self, hash: str) -> None:
        """Delete an identity for good: its key, its games, and what of it waits. No peer is told.

        If it is interrupted the identity is still there, off the mesh, and can be deleted again.
        """
        async with self._changing:
            row = self._rows[hash]
            if row.role is Role.PERSON and sum(one.role is Role.PERSON for one in self._rows.values()) == 1:
                raise IdentityError("it is the only one of a person here, and a node needs one")
            await self._leave(hash)
            await self._sending.forget(hash)
            await self._on_mesh(self._routers.erase_identity(hash))
            # The key goes before the row: one without a row is taken for a person's at the next start.
            await asyncio.to_thread(keys.erase, self._directory, hash)
            await self._writer.run(self._store.book.remove_identity, hash)
            del self._rows[hash], self._keys[hash]
            log.info("identity %s: %s, deleted", hash, row.name)
            self._publish("identity.deleted", {"hash": hash, "name": row.name})

    async def _leave(self, hash: str) -> LocalIdentity:
        row = self._rows[hash]
        if row.enabled:
            row = replace(row, enabled=False)
            await self._store_row(row)
            self._sending.pause(hash)
            await self._on_mesh(self._routers.close_identity(hash))
        return row

    async def set_default(self, hash: str | None) -> None:
        """None: no identity is meant where none is said and there are several."""
        async with self._changing:
            await self._writer.run(self._store.book.put_meta, DEFAULT, hash or "")
            self._default = hash or ""

    async def _add(self, make: Callable[[], keys.LocalIdentity], name: str, role: Role) -> LocalIdentity:
        async with self._changing:
            checked = self._checked(name)
            if len(self._rows) >= MOST:
                raise IdentityError(f"a node has at most {MOST} identities")
            identity = make()
            if identity.hash in self._rows:
                raise IdentityError(f"this node has the identity {identity.hash} already")
            row = LocalIdentity(hash=identity.hash, name=checked, created_at=time.time(), role=role)
            # The row goes first: a key file without one is taken for a person's at the next start.
            await self._writer.run(self._store.book.put_identity, row)
            try:
                await asyncio.to_thread(keys.save, self._directory, identity)
            except BaseException:
                self.key_file(identity.hash).unlink(missing_ok=True)
                await self._writer.run(self._store.book.remove_identity, identity.hash)
                raise
            self._keys[identity.hash] = identity
            self._tell(row)
            await self._join(row)
            return row

    async def _join(self, row: LocalIdentity) -> None:
        silent = row.role in self._silent_roles
        await self._on_mesh(self._routers.open_identity(self._keys[row.hash], row.name, silent=silent))
        self._sending.unpause(row.hash)

    async def _store_row(self, row: LocalIdentity) -> None:
        await self._writer.run(self._store.book.put_identity, row)
        self._tell(row)

    def _tell(self, row: LocalIdentity) -> None:
        """The row is stored: from now on it holds."""
        self._rows[row.hash] = row
        log.info("identity %s: %s, %s", row.hash, row.name, "enabled" if row.enabled else "disabled")
        self._publish(
            "identity.changed",
            {"hash": row.hash, "name": row.name, "enabled": row.enabled, "role": row.role},
        )

    async def _on_mesh(self, done: Future[Any]) -> None:
        try:
            await asyncio.wrap_future(done)
        except Exception as error:
            # Reticulum raises anything. The row is stored: the next start tries again.
            log.exception("the mesh did not follow")
            raise IdentityError(f"it is stored, but Reticulum failed: {error}") from error

    def _checked(self, name: str, renamed: str = "") -> str:
        name = name.strip()
        if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
            raise IdentityError(f"a name has 1 to {MAX_NAME} printable characters")
        for hash, row in self._rows.items():
            if hash != renamed and row.name.casefold() == name.casefold():
                raise IdentityError(f"another identity of this node is called {row.name}")
        return name

    def _free_name(self, wanted: str) -> str:
        """For a key file that somebody put there: two identities of one name could not be told apart."""
        taken = {row.name.casefold() for row in self._rows.values()}
        number, name = 1, wanted
        while name.casefold() in taken:
            number += 1
            name = f"{wanted} {number}"
        return name

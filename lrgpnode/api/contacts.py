"""``contact.*`` and ``request.*``: the address book, blocked peers, challenges of strangers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.mesh.announce import clean_name
from lrgpnode.node import Node
from storage.model import Block, Contact, Trust
from storage.store import Store
from storage.writer import Writer

from .games import request_info
from .lookup import Lookup
from .running import Surroundings

MOST_CONTACTS: Final = 5000


class ContactMethods:
    def __init__(
        self, lookup: Lookup, node: Node, store: Store, writer: Writer, around: Surroundings
    ) -> None:
        self._lookup = lookup
        self._node = node
        self._admission = node.admission
        self._book = store.book
        self._writer = writer
        self._around = around

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "contact.list": self._list,
            "contact.add": self._add,
            "contact.remove": self._remove,
            "contact.rename": self._rename,
            "contact.trust": self._trust,
            "contact.block": self._block,
            "contact.unblock": self._unblock,
            "contact.blocked": self._blocked,
        }

    async def _list(self, params: models.ContactListParams) -> models.ContactList:
        contacts = self._book.contacts()
        if params.cursor is not None:
            peer, _, name = params.cursor.partition(":")
            contacts = [one for one in contacts if (one.name, one.peer) > (name, peer)]
        page = contacts[: params.limit]
        more = len(contacts) > len(page)
        return models.ContactList(
            contacts=tuple(map(self._info, page)),
            cursor=f"{page[-1].peer}:{page[-1].name}" if more else None,
        )

    async def _add(self, params: models.ContactAddParams) -> models.ContactInfo:
        peer = self._lookup.peer(params.peer)
        known, heard = self._book.contact(peer), self._book.peer(peer)
        if peer in self._lookup.identities:
            raise ControlError("contact", "That is an identity of this node.", "It needs no contact.")
        if known is None and len(self._book.contacts()) >= MOST_CONTACTS:
            raise ControlError("contact", f"The address book has {MOST_CONTACTS} entries, its most.")
        key = await self._checked_key(peer, params.public_key)
        contact = known or Contact(
            peer=peer, name=heard.name if heard is not None else "", added_at=self._node.now()
        )
        contact = replace(
            contact,
            name=contact.name if params.name is None else clean_name(params.name),
            note=contact.note if params.note is None else params.note,
            trust=params.trust or contact.trust,
            public_key=key or contact.public_key or (heard.public_key if heard is not None else None),
        )
        return await self._put(contact)

    async def _checked_key(self, peer: str, given: str | None) -> bytes | None:
        """A public key given by hand, known to the mesh from now on. It must be that of the peer."""
        if given is None:
            return None
        key = bytes.fromhex(given)
        try:
            await asyncio.to_thread(self._around.remember, peer, key)
        except ValueError:
            raise ControlError(
                "contact", "The public key belongs to another address.", "Compare both with your peer."
            ) from None
        return key

    async def _put(self, contact: Contact) -> models.ContactInfo:
        await self._writer.run(self._book.put_contact, contact)
        self._around.known(contact.peer)
        if contact.public_key is None:
            # What was heard is stored with the contact, see storage.book.
            self._around.request_path(contact.peer)
        else:
            # May ask the shared instance, and wait for it.
            await asyncio.to_thread(self._around.remember, contact.peer, contact.public_key)
        return self._info(contact)

    def _contact(self, wanted: str) -> Contact:
        contact = self._book.contact(self._lookup.peer(wanted))
        if contact is None:
            raise ControlError(
                "not_found", "The address book has no such entry.", "`lrgpnode contacts list` shows it."
            )
        return contact

    async def _remove(self, params: models.ContactChoice) -> models.Nothing:
        await self._writer.run(self._book.remove_contact, self._contact(params.peer).peer)
        return models.Nothing()

    async def _rename(self, params: models.ContactRenameParams) -> models.ContactInfo:
        name = clean_name(params.name)
        if not name:
            raise ControlError("contact", "That name has no visible characters.")
        return await self._put(replace(self._contact(params.peer), name=name))

    async def _trust(self, params: models.ContactTrustParams) -> models.ContactInfo:
        return await self._put(replace(self._contact(params.peer), trust=params.trust))

    async def _block(self, params: models.BlockParams) -> models.BlockInfo:
        peer, now = self._lookup.peer(params.peer), self._node.now()
        if peer in self._lookup.identities:
            raise ControlError(
                "contact", "That is an identity of this node.", "`lrgpnode identity disable` stops it."
            )
        until = None if params.hours is None else now + params.hours * 3600
        block = Block(peer=peer, blocked_at=now, reason=params.reason, until=until)
        await self._admission.block(block)
        return self._block_info(block)

    async def _unblock(self, params: models.ContactChoice) -> models.Nothing:
        if not await self._admission.unblock(self._lookup.peer(params.peer)):
            raise ControlError(
                "not_found", "That peer is not blocked.", "`lrgpnode contacts blocked` lists them."
            )
        return models.Nothing()

    async def _blocked(self, _: models.Nothing) -> models.BlockList:
        return models.BlockList(blocks=tuple(map(self._block_info, self._admission.blocks())))

    def _block_info(self, block: Block) -> models.BlockInfo:
        return models.BlockInfo(
            peer=block.peer,
            blocked_at=block.blocked_at,
            reason=block.reason,
            until=block.until,
            name=self._lookup.name(block.peer),
            own_name=self._lookup.own_name(block.peer),
        )

    def _info(self, contact: Contact) -> models.ContactInfo:
        return models.ContactInfo(
            peer=contact.peer,
            name=contact.name,
            added_at=contact.added_at,
            trust=Trust(contact.trust),
            note=contact.note,
            public_key=contact.public_key.hex() if contact.public_key is not None else None,
            own_name=self._lookup.own_name(contact.peer),
        )


class RequestMethods:
    def __init__(self, lookup: Lookup, node: Node) -> None:
        self._lookup = lookup
        self._node = node

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "request.list": self._list,
            "request.accept": self._accept,
            "request.decline": self._decline,
        }

    async def _list(self, _: models.Nothing) -> models.RequestList:
        return models.RequestList(
            requests=tuple(request_info(one, self._lookup) for one in self._node.admission.requests())
        )

    async def _accept(self, params: models.RequestChoice) -> models.RequestInfo:
        request = self._lookup.request(params.id, params.identity)
        await self._node.admit(request)
        return request_info(request, self._lookup)

    async def _decline(self, params: models.RequestChoice) -> models.Nothing:
        await self._node.admission.drop(self._lookup.request(params.id, params.identity).key)
        return models.Nothing()

"""``outbox.*``, and what is done about games that do not go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lrgpnode.control import models
from lrgpnode.node import Node
from storage.messages import is_text
from storage.model import OutboxRow, Role
from storage.store import Store

from .lookup import Lookup, number_cursor


class OutboxMethods:
    def __init__(self, lookup: Lookup, node: Node, store: Store) -> None:
        self._lookup = lookup
        self._node = node
        self._store = store

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "outbox.list": self._list,
            "outbox.resend": self._resend_row,
            "outbox.cancel": self._cancel,
            "game.resend": self._resend,
            "game.abandon": self._abandon,
            "game.delete": self._delete,
        }

    async def _list(self, params: models.OutboxListParams) -> models.OutboxPage:
        identity = self._lookup.identity(params.identity) if params.identity is not None else None
        hidden = self._houses() if identity is None and not params.all else frozenset()
        at, found = number_cursor(params.cursor), list[OutboxRow]()
        while len(found) <= params.limit:
            page = self._page(identity, at, params.limit + 1, everything=params.all)
            found += [row for row in page if row.key.identity not in hidden]
            if len(page) <= params.limit:
                break
            at = page[-1].id
        shown = found[: params.limit]
        return models.OutboxPage(
            messages=self._entries(shown), cursor=str(shown[-1].id) if len(found) > len(shown) else None
        )

    def _page(
        self, identity: str | None, at: int | None, limit: int, *, everything: bool
    ) -> Sequence[OutboxRow]:
        outbox = self._store.outbox
        if everything:
            return outbox.page_of_all(identity=identity, before=at, limit=limit)
        return outbox.page(identity=identity, after=at or 0, limit=limit)

    def _houses(self) -> frozenset[str]:
        return frozenset(hash for hash, row in self._lookup.identities.items() if row.role is Role.HOUSE)

    async def _resend_row(self, params: models.OutboxParams) -> models.Resent:
        return models.Resent(messages=self._entries(self._node.repair.resend_row(params.outbox_id)))

    async def _cancel(self, params: models.OutboxParams) -> models.OutboxEntry:
        return self._entries([await self._node.repair.cancel(params.outbox_id)])[0]

    async def _resend(self, params: models.SessionParams) -> models.Resent:
        key = self._lookup.key(params.id, params.identity)
        return models.Resent(messages=self._entries(self._node.repair.resend(key)))

    async def _abandon(self, params: models.SessionParams) -> models.Abandoned:
        session = await self._node.repair.abandon(self._lookup.key(params.id, params.identity))
        return models.Abandoned(
            id=session.key.session_id, identity=session.key.identity, status=session.status
        )

    async def _delete(self, params: models.DeleteParams) -> models.DeleteResult:
        key = self._lookup.key(params.id, params.identity)
        await self._node.repair.delete(key, force=params.force)
        return models.DeleteResult(id=key.session_id, identity=key.identity)

    def _entries(self, rows: Sequence[OutboxRow]) -> tuple[models.OutboxEntry, ...]:
        # What is known now is newer than what is stored.
        return tuple(self._entry(self._node.outbox.state(row.id) or row) for row in rows)

    def _entry(self, row: OutboxRow) -> models.OutboxEntry:
        return models.OutboxEntry(
            outbox_id=row.id,
            id="" if is_text(row.key) else row.key.session_id,
            identity=row.key.identity,
            peer=row.peer,
            command=row.command,
            state=row.state,
            created_at=row.created_at,
            updated_at=row.updated_at,
            attempts=row.attempts,
            peer_name=self._lookup.name(row.peer),
            reason=row.reason,
            action_num=row.action_num,
            next_attempt_at=row.next_attempt_at,
            waits_for=self._node.outbox.waits_for(row.id).value,
        )

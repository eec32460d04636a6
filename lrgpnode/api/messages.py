"""``message.*``: texts beside the games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.control import models
from lrgpnode.node import Node
from storage.model import Message, OutboxState, Thread
from storage.store import Store

from .lookup import Lookup, number_cursor


class MessageMethods:
    def __init__(self, lookup: Lookup, node: Node, store: Store) -> None:
        self._lookup = lookup
        self._node = node
        self._store = store

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "message.send": self._send,
            "message.list": self._list,
            "message.read": self._read,
            "message.threads": self._threads,
        }

    async def _send(self, params: models.MessageSendParams) -> models.MessageSent:
        identity, peer = self._lookup.identity(params.identity), self._lookup.peer(params.peer)
        written = await self._node.texts.send(identity, peer, params.text)
        return models.MessageSent(
            identity=identity,
            peer=peer,
            peer_name=self._lookup.name(peer),
            message=self._info(written.message),
            bytes_left=written.bytes_left,
        )

    async def _list(self, params: models.MessageListParams) -> models.MessagePage:
        identity, peer = self._lookup.identity(params.identity), self._lookup.peer(params.peer)
        before = number_cursor(params.cursor)
        found = self._store.messages.page(identity, peer, before=before, limit=params.limit + 1)
        page = found[: params.limit]
        return models.MessagePage(
            identity=identity,
            peer=peer,
            peer_name=self._lookup.name(peer),
            messages=tuple(map(self._info, page)),
            cursor=str(page[-1].id) if len(found) > len(page) else None,
        )

    async def _read(self, params: models.MessageReadParams) -> models.MessagesRead:
        identity, peer = self._lookup.identity(params.identity), self._lookup.peer(params.peer)
        count = await self._node.texts.read(identity, peer, params.upto)
        return models.MessagesRead(identity=identity, peer=peer, count=count)

    async def _threads(self, params: models.ThreadListParams) -> models.ThreadPage:
        identity = None if params.identity is None else self._lookup.identity(params.identity)
        before = number_cursor(params.cursor)
        found = self._store.messages.threads(identity, before=before, limit=params.limit + 1)
        page = found[: params.limit]
        return models.ThreadPage(
            threads=tuple(map(self._thread, page)),
            cursor=str(page[-1].last.id) if len(found) > len(page) else None,
        )

    def _thread(self, thread: Thread) -> models.ThreadInfo:
        return models.ThreadInfo(
            identity=thread.last.identity,
            peer=thread.last.peer,
            peer_name=self._lookup.name(thread.last.peer),
            texts=thread.texts,
            unread=thread.unread,
            last=self._info(thread.last),
        )

    def _info(self, message: Message) -> models.MessageInfo:
        state, reason, again = message.state, message.reason, None
        # What is known now is newer than what is stored.
        row = self._node.outbox.state(message.outbox_id) if message.outbox_id is not None else None
        if row is not None:
            state, reason, again = row.state, row.reason, row.next_attempt_at
        return models.MessageInfo(
            id=message.id,
            own=message.own,
            text=message.text,
            at=message.at,
            sent_at=message.sent_at,
            unread=message.unread,
            cut=message.cut,
            outbox_id=message.outbox_id,
            # The proof is all that can be known of a text.
            state=OutboxState.DELIVERED if state is OutboxState.CONFIRMED else state,
            reason=reason,
            next_attempt_at=again,
        )

"""Committing something of ours and handing it to the mesh: an action, or a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lrgpnode.outbox import Outbox
from storage.gateway_model import BridgeChange, NewBridge
from storage.model import Commit, Committed, NewOutbox, OutboxRow

from .parts import Parts


async def commit_and_send(
    parts: Parts, outbox: Outbox, row: OutboxRow, unit: Callable[[NewOutbox], Commit]
) -> Committed:
    """What was committed with ``unit``, which gets the row to store. Raises ``StorageError``; then nothing
    has changed.

    Where nothing of its lane waits before it, the transport builds the message while the commit waits for the
    disk, and gets it from the writer thread itself the moment it is there.
    """
    message = outbox.claim(row)
    what = unit(_new(row, attempts=int(message is not None)))

    def commit() -> Committed:
        if message is None:
            return parts.store.commit(what)
        committed = parts.store.commit(what, waiting=partial(parts.transport.prepare, message))
        parts.transport.send(message)
        return committed

    try:
        committed: Committed = await parts.writer.run(commit)
    except BaseException:
        if message is not None:
            parts.transport.discard(row.id)
            outbox.withdraw(row)
        raise
    if message is None:
        outbox.add(replace(row, action_num=committed.action_num))
    else:
        outbox.committed(row.id, committed.action_num)
    return committed


def with_bridge(unit: Commit, beside: NewBridge | BridgeChange | None) -> Commit:
    """``unit`` with what of the gateway goes into the same transaction."""
    if isinstance(beside, NewBridge):
        return replace(unit, bridge=beside)
    return unit if beside is None else replace(unit, bridge_change=beside)


def _new(row: OutboxRow, *, attempts: int) -> NewOutbox:
    return NewOutbox(
        id=row.id,
        key=row.key,
        peer=row.peer,
        command=row.command,
        envelope=row.envelope,
        content=row.content,
        delivery=row.delivery,
        created_at=row.created_at,
        attempts=attempts,
    )

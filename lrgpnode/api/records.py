"""Games as files (docs/records.md); loaded when the first is asked for."""

from __future__ import annotations

import asyncio
from functools import partial

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.node import Node
from lrgpnode.protocol.errors import Kind
from lrgpnode.protocol.session import Session
from lrgpnode.records import build
from lrgpnode.records.build import Journal, Stored
from lrgpnode.records.errors import CannotExport, GameMissing
from storage.model import ASSISTED
from storage.store import Store

from .exports import Recording
from .lookup import Lookup


class Exporter:
    def __init__(self, lookup: Lookup, node: Node, store: Store, recording: Recording) -> None:
        self._lookup = lookup
        self._node = node
        self._store = store
        self._recording = recording

    async def export(self, params: models.ExportParams) -> models.ExportResult:
        session = self._node.session(self._lookup.key(params.id, params.identity))
        journal = self._journal(session)
        work = (
            partial(self._signed, journal, params.partial) if params.signed else partial(self._plain, journal)
        )
        try:
            notation, content, unproven = await asyncio.to_thread(work)
        except GameMissing as error:
            raise ControlError(str(Kind.UNKNOWN_APP), error.message, "Install the game again.") from None
        except CannotExport as error:
            raise ControlError(error.kind, error.message, error.hint) from None
        return models.ExportResult(
            id=session.key.session_id,
            identity=session.key.identity,
            app=session.app_id,
            notation=notation,
            signed=params.signed,
            content=content,
            unproven=unproven,
        )

    def _journal(self, session: Session) -> Journal:
        unsaved = {signature.action_num: signature.signed for signature in self._node.signatures(session.key)}
        return Journal(
            session=session,
            actions=tuple(
                Stored(
                    number=action.action_num,
                    author=action.sender,
                    command=action.command,
                    at=action.timestamp,
                    envelope=action.envelope,
                    signed=unsaved.get(action.action_num, action.signed),
                )
                for action in self._store.actions.of(session.key)
            ),
            names={player: self._lookup.name(player) for player in session.participants},
            peer_key=self._peer_key(session.peer),
            remarks=tuple(
                f"Assisted: {flag.reason}"
                for flag in self._store.mail.flags(session.key)
                if flag.flag == ASSISTED
            ),
        )

    def _peer_key(self, peer: str) -> bytes | None:
        contact, heard = self._store.book.contact(peer), self._store.book.peer(peer)
        stored = (contact and contact.public_key) or (heard and heard.public_key)
        return stored or self._recording.peer_key(peer) or None

    # In a thread of their own

    def _plain(self, journal: Journal) -> tuple[str, str, tuple[int, ...]]:
        notation = build.readable(journal, self._recording.games())
        return notation.kind, notation.text, ()

    def _signed(self, journal: Journal, unproven_too: bool) -> tuple[str, str, tuple[int, ...]]:
        signer = self._recording.signer(journal.session.key.identity)
        built = build.signed(journal, self._recording.games(), signer, self._node.now(), partial=unproven_too)
        return built.kind, built.data.decode(), built.unproven

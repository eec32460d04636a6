"""``game.export`` over a real store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lrgpnode.api.exports import ExportMethods, Recording
from lrgpnode.api.lookup import Lookup
from lrgpnode.control.methods import ControlError
from lrgpnode.control.models import ExportParams, ExportResult
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey
from lrgpnode.records.verify import verify
from storage.model import Commit, Contact, LocalIdentity, NewAction, Peer, Signature
from storage.store import Store
from tests.records.played import GAMES, NOW, Match, people, tic_tac_toe

ANN, BEN, _ = people()


@dataclass
class Desk:
    """A store with Ann's side of a game, and the little of a node that an export asks."""

    game: Match = field(default_factory=tic_tac_toe)
    store: Store = field(default_factory=lambda: Store(":memory:"))
    games: Mapping[str, Game] = field(default_factory=lambda: GAMES)
    known: bytes = b""
    pending: tuple[Signature, ...] = ()

    def __post_init__(self) -> None:
        session = self.game.session
        assert session is not None
        for number, stored in enumerate(self.game.actions):
            assert stored.envelope is not None
            action = NewAction(
                key=session.key,
                command=stored.command,
                payload={},
                sender=stored.author,
                timestamp=stored.at,
                envelope=stored.envelope,
                nonce=number.to_bytes(8, "big"),
                signed=stored.signed,
            )
            new, old = (session, None) if number == 0 else (None, session)
            self.store.commit(Commit(insert=new, update=old, action=action))

    # The node

    def session(self, key: SessionKey) -> Session:
        found = self.store.sessions.get(key)
        assert found is not None
        return found

    def signatures(self, key: SessionKey) -> tuple[Signature, ...]:
        return self.pending

    def now(self) -> float:
        return NOW + 3600.0

    # What a test does

    def knows_ben(self) -> Desk:
        peer = Peer(
            peer=BEN.address,
            name="ben",
            public_key=BEN.signer.public_key,
            hops=1,
            interface="",
            heard_at=1.0,
            games=None,
        )
        self.store.book.put_peers([peer])
        return self

    def export(self, **params: Any) -> ExportResult:
        identity = LocalIdentity(hash=ANN.address, name="Ann", created_at=1.0)
        node = cast("Any", self)
        recording = Recording(
            games=lambda: self.games, signer=lambda _: ANN.signer, peer_key=lambda _: self.known
        )
        own = SimpleNamespace(rows={identity.hash: identity}, default="")
        methods = ExportMethods(Lookup(node, self.store, own), node, self.store, recording)
        handler = methods.handlers()["game.export"]
        result: ExportResult = asyncio.run(handler(ExportParams(**{"id": self.game.id[:4]} | params)))
        return result


def test_text() -> None:
    result = Desk().knows_ben().export()
    assert (result.id, result.identity, result.app) == (tic_tac_toe().id, ANN.address, "ttt")
    assert (result.notation, result.signed, result.unproven) == ("moves", False, ())
    assert f"Challenged: ben ({BEN.address})\n" in result.content


def test_a_record_names_people_as_the_address_book_does() -> None:
    desk = Desk().knows_ben()
    desk.store.book.put_contact(Contact(peer=BEN.address, name="Benjamin", added_at=1.0))
    found = verify(desk.export(signed=True).content.encode(), GAMES)
    assert [player.name for player in found.players] == ["Ann", "Benjamin"]
    assert found.exported_at == NOW + 3600


def test_the_key_of_the_peer() -> None:
    with pytest.raises(ControlError) as refused:
        Desk().export(signed=True)
    assert refused.value.kind == "peer_key_unknown"
    assert Desk().export().content
    assert Desk(known=BEN.signer.public_key).export(signed=True).signed
    desk = Desk()
    contact = Contact(peer=BEN.address, name="", added_at=1.0, public_key=BEN.signer.public_key)
    desk.store.book.put_contact(contact)
    assert desk.export(signed=True).signed


def test_a_signature_that_is_not_stored_yet() -> None:
    desk = Desk(game=without(9)).knows_ben()
    packed = tic_tac_toe_message(desk.game, 9)
    key = SessionKey(ANN.address, desk.game.id)
    desk.pending = (Signature(key=key, action_num=9, message_hash=b"", signed=packed),)
    last = verify(desk.export(signed=True).content.encode(), GAMES).acts[-1]
    assert last.written_at != NOW + 3600.0
    desk.pending = ()
    last = verify(desk.export(signed=True).content.encode(), GAMES).acts[-1]
    assert last.written_at == NOW + 3600.0


def without(number: int) -> Match:
    game = tic_tac_toe()
    game.actions[number - 1] = replace(game.actions[number - 1], signed=None)
    return game


def tic_tac_toe_message(game: Match, number: int) -> bytes:
    envelope = game.actions[number - 1].envelope
    assert envelope is not None
    return ANN.signer.message(BEN.address, envelope, NOW)


def test_refusals_are_explained() -> None:
    with pytest.raises(ControlError) as refused:
        Desk(game=without(4)).knows_ben().export(signed=True)
    assert (refused.value.kind, "--partial" in refused.value.hint) == ("unproven", True)
    assert Desk(game=without(4)).knows_ben().export(signed=True, partial=True).unproven == (4,)
    for params in ({}, {"signed": True}):
        with pytest.raises(ControlError) as refused:
            Desk(games={}).knows_ben().export(**params)
        assert refused.value.kind == "unknown_app"
    with pytest.raises(ControlError, match="no session"):
        Desk(game=tic_tac_toe(id="fedcba9876543210")).export(identity="Ann", id="00")

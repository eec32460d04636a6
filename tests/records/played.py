"""Games between two real keys, each action a message that LXMF itself packed and signed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import LXMF
import RNS

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from lrgpnode.mesh.identity import from_key
from lrgpnode.mesh.signing import Signer
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.records.build import Built, Journal, Stored, signed
from lrgpnode.records.replay import Played, replay

NOW = 1_790_000_000.0
SESSION = "0123456789abcdef"
GAMES: Mapping[str, Game] = {"ttt": TicTacToe(), "chess": Chess(), "four_in_a_row": FourInARow()}


class Person:
    def __init__(self, name: str) -> None:
        self.name = name
        self.key = os.urandom(64)
        self.signer = Signer(from_key(self.key))
        self.address = self.signer.address
        identity = RNS.Identity.from_bytes(self.key)
        # Not RNS.Destination.IN: that would be registered with a Reticulum that does not run.
        self.destination = RNS.Destination(
            identity, RNS.Destination.OUT, RNS.Destination.SINGLE, "lxmf", "delivery"
        )

    def message(self, to: Person, envelope: Envelope, *, stamp: bytes | None = None, text: str = "") -> bytes:
        lxm = LXMF.LXMessage(to.destination, self.destination, text, fields=envelope.to_fields())
        lxm.defer_stamp = False
        lxm.get_stamp = lambda: stamp
        lxm.pack()
        assert lxm.destination_hash.hex() == to.address
        return bytes(lxm.packed)


@cache
def people() -> tuple[Person, Person, Person]:
    return Person("Ann"), Person("Ben Ó"), Person("Eve")


@dataclass
class Match:
    """``ann`` challenged ``ben``; ``ann``'s side of it is kept."""

    app: str
    ann: Person
    ben: Person
    id: str = SESSION
    session: Session | None = None
    actions: list[Stored] = field(default_factory=list)
    games: Mapping[str, Game] = field(default_factory=lambda: GAMES)

    def act(self, person: Person, command: str, intent: Mapping[str, Any] | None = None, **more: Any) -> None:
        game, own = self.games[self.app], self.ann.address
        now = NOW + 60 * len(self.actions)
        session = self.session or game.open(SessionKey(own, self.id), self.ben.address, own, now)
        payload = game.intend(session, person.address, command, intent or {}, lambda: False)
        self.session = game.apply(session, person.address, command, payload, now)
        version = game.manifest.version
        envelope = Envelope(self.app, version, command, self.id, payload, os.urandom(8))
        other = self.ben if person is self.ann else self.ann
        text = game.fallback(session, self.session, person.address, command, payload)
        self.actions.append(
            Stored(
                number=len(self.actions) + 1,
                author=person.address,
                command=command,
                at=now,
                envelope=envelope.pack(),
                signed=person.message(other, envelope, text=text, **more),
            )
        )

    @property
    def journal(self) -> Journal:
        assert self.session is not None
        return Journal(
            session=self.session,
            actions=tuple(self.actions),
            names={person.address: person.name for person in (self.ann, self.ben)},
            peer_key=self.ben.signer.public_key,
        )

    def export(
        self,
        *,
        journal: Journal | None = None,
        games: Mapping[str, Game] | None = None,
        partial: bool = False,
    ) -> Built:
        signer, known = self.ann.signer, self.games if games is None else games
        return signed(journal or self.journal, known, signer, NOW + 86_400.0, partial=partial)

    def export_of_ben(self) -> Built:
        """The other side's record of the same game."""
        envelopes = [Envelope.unpack(action.envelope or b"") for action in self.actions]
        played = [Played(a.author, e, a.at) for a, e in zip(self.actions, envelopes, strict=True)]
        key, ann = SessionKey(self.ben.address, self.id), self.ann.address
        session = replay(self.games[self.app], key, ann, ann, played)
        journal = replace(self.journal, session=session, peer_key=self.ann.signer.public_key)
        return signed(journal, self.games, self.ben.signer, NOW + 90_000.0)

    def expire(self) -> None:
        assert self.session is not None
        self.session = replace(self.session, status=Status.EXPIRED)


def match(app: str = "ttt", *, id: str = SESSION) -> Match:
    ann, ben, _ = people()
    return Match(app, ann, ben, id)


def tic_tac_toe(*, id: str = SESSION, stamp: bytes | None = None) -> Match:
    """Ann wins in seven; a draw is offered and declined on the way, and Ben's messages are stamped."""
    game = match(id=id)
    ann, ben = game.ann, game.ben
    game.act(ann, "challenge")
    game.act(ben, "accept", stamp=stamp)
    for person, cell in ((ann, 4), (ben, 0), (ann, 2)):
        game.act(person, "move", {"i": cell}, stamp=stamp if person is ben else None)
    game.act(ann, "draw_offer")
    game.act(ben, "draw_decline", stamp=stamp)
    for person, cell in ((ben, 1), (ann, 6)):
        game.act(person, "move", {"i": cell}, stamp=stamp if person is ben else None)
    return game


def scholars_mate() -> Match:
    game = match("chess")
    game.act(game.ann, "challenge")
    game.act(game.ben, "accept")
    assert game.session is not None
    white = game.ann if game.session.metadata["turn"] == game.ann.address else game.ben
    turns = [white, game.ben if white is game.ann else game.ann]
    for ply, move in enumerate(("e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7")):
        game.act(turns[ply % 2], "move", {"m": move})
    return game

"""Whether a record proves what it says. Needs no node, no Reticulum and no network.

Order: form → the exporter's signature and digest → keys → every message: author, addressee, signature,
session, nonce → the game played again by its rules → result, position and text. The first thing
that is wrong is told. What is proven and what is not: docs/records.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import SessionKey, Status

from . import format, proof, text
from .errors import GameMissing, Refusal, Refused
from .format import Action, Index, Player, Record
from .replay import Outcome, Played, guarded, installed, outcome, replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One action. ``hash`` is that of its LXMF message, "" where it is not proven.

    ``envelope`` is what both sides have of it, however often it was sent.
    ``written_at``: when its author says it was written, in Unix seconds; 0 where nothing says it.
    """

    number: int
    author: str
    command: str
    hash: str
    written_at: float
    envelope: Envelope


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a record proves. Names, times and ``expired`` are what the exporter says."""

    app: str
    version: int
    session: str
    players: tuple[Player, Player]
    initiator: str
    exporter: str
    exported_at: int
    acts: tuple[Act, ...]
    end: Outcome
    text: str

    @property
    def unproven(self) -> tuple[int, ...]:
        return tuple(act.number for act in self.acts if not act.hash)

    @property
    def expired(self) -> bool:
        return self.end.status == Status.EXPIRED


def verify(data: bytes, games: Mapping[str, Game], *, partial: bool = False) -> Verified:
    """Prove a record. ``partial``: actions may be without proof, the result says which.

    Raises ``Refused``, or ``GameMissing`` where everything but the rules of the game was proven.
    """
    record = format.read(data)
    checks = _players(record)
    _check_index(record, checks[record.content.game.exporter])
    acts, played = _actions(record, checks)
    if not partial:
        bare = [act.number for act in acts if not act.hash]
        if bare:
            raise Refused(Refusal.UNPROVEN, "There is no signed message of it.", bare[0])
    end, written = _play(record, games, played)
    game = record.content.game
    return Verified(
        app=game.app,
        version=game.version,
        session=game.session,
        players=game.players,
        initiator=game.initiator,
        exporter=game.exporter,
        exported_at=game.exported_at,
        acts=acts,
        end=end,
        text=written,
    )


def agree(one: Verified, other: Verified) -> None:
    """Check that two players' records are of one game and tell the same. Raises ``Refused``.

    What each proves alone leaves its exporter some freedom; both together leave none. Actions that
    crossed on their way may be in another order, as long as both orders lead to the same end.
    """
    if (one.app, one.version, one.session, one.initiator) != (
        other.app,
        other.version,
        other.session,
        other.initiator,
    ):
        raise Refused(Refusal.DISAGREEMENT, "The two records are of different games.")
    if {player.address for player in one.players} != {player.address for player in other.players}:
        raise Refused(Refusal.DISAGREEMENT, "The two records are of different players.")
    if one.exporter == other.exporter:
        raise Refused(Refusal.DISAGREEMENT, "Both records are from the same player.")
    mine, theirs = _made(one), _made(other)
    for here, there in ((mine, theirs), (theirs, mine)):
        for what, number in here.items():
            if what not in there:
                raise Refused(Refusal.DISAGREEMENT, "Only one of the two records has it.", number)
    if (one.end.status, one.end.reason, one.end.winner, one.end.position) != (
        other.end.status,
        other.end.reason,
        other.end.winner,
        other.end.position,
    ):
        raise Refused(Refusal.DISAGREEMENT, "The two records end differently.")


def _made(record: Verified) -> dict[tuple[str, bytes], int]:
    """The numbers of the actions by what makes them the same in two records."""
    return {(act.author, act.envelope.pack()): act.number for act in record.acts}


def _players(record: Record) -> Mapping[str, proof.Check]:
    game = record.content.game
    checks = {}
    for player in game.players:
        key = format.unhex(player.public_key, proof.PUBLIC_KEY_BYTES)
        if key is None or proof.address(key) != player.address:
            raise Refused(Refusal.KEY, "A public key is not that of its player's address.")
        if text.name(player.name) != player.name:
            raise Refused(Refusal.MALFORMED, "A player's name is not in the form that names have.")
        try:
            checks[player.address] = proof.checker(key)
        except ValueError:
            raise Refused(Refusal.KEY, "A public key is none.") from None
    if text.name(game.title) != game.title:
        raise Refused(Refusal.MALFORMED, "The game's title is not in the form that names have.")
    remarks = game.remarks
    if len(remarks) > format.MAX_REMARKS or any(text.remark(one) != one or not one for one in remarks):
        raise Refused(Refusal.MALFORMED, "The remarks are not in the form that remarks have.")
    if len(checks) != 2:
        raise Refused(Refusal.KEY, "Both players are the same.")
    if game.exporter not in checks or game.initiator not in checks:
        raise Refused(Refusal.KEY, "The exporter and the challenger must be players of the game.")
    return checks


def _check_index(record: Record, check: proof.Check) -> None:
    game, index = record.content.game, record.index
    if not check(record.signature, record.signed):
        raise Refused(Refusal.INDEX_SIGNATURE, "The index is not signed by its exporter.")
    if index.digest != record.digest:
        raise Refused(Refusal.INDEX_DIGEST, "The record was changed after its exporter signed it.")
    same = (game.app, game.version, game.session, tuple(p.address for p in game.players), game.exporter)
    if (index.app, index.version, index.session, index.players, index.exporter) != same:
        raise Refused(Refusal.INDEX, "The index is that of another game.")
    if len(index.messages) != len(record.content.actions):
        raise Refused(Refusal.INDEX, "The index does not list the actions that are there.")


def _actions(record: Record, checks: Mapping[str, proof.Check]) -> tuple[tuple[Act, ...], tuple[Played, ...]]:
    game = record.content.game
    acts, played = [], []
    nonces: set[bytes] = set()
    for number, action in enumerate(record.content.actions, 1):
        if action.number != number:
            raise Refused(Refusal.INDEX, "The actions are not numbered in order.", number)
        if action.author not in checks:
            raise Refused(Refusal.AUTHOR, "Its author is not a player of this game.", number)
        act = _action(action, checks)
        envelope = act.envelope
        if act.hash != record.index.messages[number - 1]:
            raise Refused(Refusal.INDEX, "It is not the message that the index lists.", number)
        if (envelope.app_id, envelope.version) != (game.app, game.version):
            raise Refused(Refusal.APP, "It was made in another game or version.", number)
        if envelope.session_id != game.session:
            raise Refused(Refusal.SESSION, "It was made in another session.", number)
        if envelope.command != action.command:
            raise Refused(Refusal.ENVELOPE, "It is another action than is written here.", number)
        if envelope.nonce in nonces:
            raise Refused(Refusal.NONCE, "The same action was there before.", number)
        nonces.add(envelope.nonce)
        acts.append(act)
        played.append(Played(action.author, envelope, float(action.at)))
    return tuple(acts), tuple(played)


def _action(action: Action, checks: Mapping[str, proof.Check]) -> Act:
    number = action.number
    if (action.message is None) == (action.envelope is None):
        raise Refused(Refusal.MALFORMED, "It needs either a message or an envelope.", number)
    if action.message is None:
        return _act(action, "", 0.0, proof.envelope(action.envelope or b"", number))
    message = proof.message(action.message, number)
    if message.author != action.author:
        raise Refused(Refusal.AUTHOR, "Its message is not from the author written here.", number)
    if message.addressee not in checks or message.addressee == message.author:
        raise Refused(Refusal.ADDRESSEE, "Its message is not to the other player.", number)
    if not checks[action.author](message.signature, message.signed):
        raise Refused(Refusal.MESSAGE_SIGNATURE, "Its author has not signed this message.", number)
    return _act(action, message.hash.hex(), message.timestamp, message.envelope)


def _act(action: Action, hash: str, written_at: float, envelope: Envelope) -> Act:
    return Act(
        number=action.number,
        author=action.author,
        command=action.command,
        hash=hash,
        written_at=written_at,
        envelope=envelope,
    )


def _play(record: Record, games: Mapping[str, Game], played: tuple[Played, ...]) -> tuple[Outcome, str]:
    content, index = record.content, record.index
    head = content.game
    game = installed(games, head.app, head.version)
    (peer,) = (player.address for player in head.players if player.address != head.exporter)
    session = replay(game, SessionKey(head.exporter, head.session), peer, head.initiator, played)
    if index.status == Status.EXPIRED and not session.status.ended:
        reached = session
        session = guarded(lambda: game.expire(reached, float(head.exported_at)))
    end = outcome(game, session, head.exporter)
    _check_end(index, end)
    names = {player.address: player.name for player in head.players}
    heading = text.Heading(title=head.title, names=names, began=played[0].at, remarks=head.remarks)
    written = text.written(game, session, heading, text.movers(played), end)
    if written.text != content.text:
        raise Refused(Refusal.TEXT, "The text for people does not show the game that was played.")
    return end, written.text


def _check_end(index: Index, end: Outcome) -> None:
    said = index.result
    if (index.position, index.turn, index.ply) != (end.position, end.turn, end.ply):
        raise Refused(Refusal.POSITION, "The actions lead to another position than the index says.")
    result = (said.reason, said.winner) if said is not None else ("", "")
    if (index.status, *result) != (end.status, end.reason, end.winner):
        raise Refused(Refusal.RESULT, "The actions lead to another result than the index says.")


__all__ = ["Act", "GameMissing", "Refused", "Verified", "agree", "verify"]

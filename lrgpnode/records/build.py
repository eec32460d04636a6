"""From a game's journal to a text for people or a signed record.

What is built is verified before it is given away, so a node never exports what others would refuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from lrgpnode.protocol.game import Command, Game, Notation
from lrgpnode.protocol.session import Session, Status

from . import format, proof, text
from .errors import CannotExport, Refused
from .format import Action, Content, Index, Player, Result
from .replay import Outcome, Played, guarded, installed, outcome, replay
from .verify import verify


class Signer(Protocol):
    """Signs for the exporter."""

    @property
    def public_key(self) -> bytes: ...

    def sign(self, data: bytes) -> bytes: ...

    def message(self, peer: str, envelope: bytes, timestamp: float) -> bytes:
        """A signed LXMF message to ``peer`` with this envelope."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One action of the journal. ``at`` in Unix seconds."""

    number: int
    author: str
    command: str
    at: float
    envelope: bytes | None
    signed: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A session with its actions and what the node knows of the players.

    ``names`` and ``peer_key`` (64 bytes, None where it is not known): see the address book. ``remarks``: what
    else is to stand in a record.
    """

    session: Session
    actions: Sequence[Stored]
    names: Mapping[str, str]
    peer_key: bytes | None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A signed record. ``unproven``: numbers of the actions that it does not prove."""

    data: bytes
    kind: str
    unproven: tuple[int, ...]


def readable(journal: Journal, games: Mapping[str, Game]) -> Notation:
    """The game for people. Raises ``GameMissing``, ``CannotExport``."""
    session = journal.session
    game = installed(games, session.app_id, session.app_version)
    authors = [action.author for action in journal.actions if action.command == Command.MOVE]
    began = journal.actions[0].at if journal.actions else session.created_at
    try:
        end = outcome(game, session, session.key.identity)
        return text.written(game, session, _heading(journal, game, began), authors, end)
    except Refused as error:
        raise CannotExport("export_failed", f"The game cannot be written down: {error.message}") from error


def signed(
    journal: Journal, games: Mapping[str, Game], signer: Signer, now: float, *, partial: bool = False
) -> Built:
    """A signed record. ``partial``: also where actions of the peer are not proven.

    An action of the exporter that has no usable message is signed now; the message says so by its
    time. Raises ``GameMissing``, ``CannotExport``.
    """
    session = journal.session
    game = installed(games, session.app_id, session.app_version)
    actions = _actions(journal, signer, now)
    unproven = tuple(action.number for action in actions if action.message is None)
    if unproven and not partial:
        raise CannotExport(
            "unproven",
            f"No signed message of the peer is stored for {_listed(unproven)}.",
            "With --partial it is exported without their proof.",
        )
    try:
        data, kind = _encode(journal, game, actions, signer, now)
        verify(data, games, partial=partial)
    except Refused as error:
        raise CannotExport(
            "journal_damaged", f"The journal does not lead to the game: {error.message}"
        ) from error
    return Built(data=data, kind=kind, unproven=unproven)


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:8])) + (" ..." if len(numbers) > 8 else "")
    return f"action {shown}" if len(numbers) == 1 else f"actions {shown}"


def _heading(journal: Journal, game: Game, began: float) -> text.Heading:
    names = {address: text.name(name) for address, name in journal.names.items()}
    remarks = tuple(text.remark(remark) for remark in journal.remarks[: format.MAX_REMARKS])
    title = text.name(game.manifest.display_name)
    return text.Heading(title=title, names=names, began=began, remarks=remarks)


def _actions(journal: Journal, signer: Signer, now: float) -> tuple[Action, ...]:
    key, peer = journal.session.key, journal.session.peer
    if journal.peer_key is None or proof.address(journal.peer_key) != peer:
        raise CannotExport(
            "peer_key_unknown",
            "The public key of the peer is not known any more.",
            "It comes with the peer's next announce: try again then.",
        )
    stored = journal.actions
    whole = stored and [action.number for action in stored] == list(range(1, len(stored) + 1))
    if not whole or any(action.envelope is None for action in stored):
        raise CannotExport(
            "no_journal", "This game was taken over from elsewhere: its actions are not all stored."
        )
    checks = {key.identity: proof.checker(signer.public_key), peer: proof.checker(journal.peer_key)}
    return tuple(_action(action, key.identity, peer, checks, signer, now) for action in stored)


def _action(
    stored: Stored, own: str, peer: str, checks: Mapping[str, proof.Check], signer: Signer, now: float
) -> Action:
    message = stored.signed
    if message is None or not _carries(message, stored, checks):
        mine = stored.author == own and stored.envelope is not None
        message = signer.message(peer, stored.envelope or b"", now) if mine else None
    return Action(
        number=stored.number,
        author=stored.author,
        command=stored.command,
        at=int(stored.at),
        message=message,
        envelope=stored.envelope if message is None else None,
    )


def _carries(packed: bytes, stored: Stored, checks: Mapping[str, proof.Check]) -> bool:
    """Whether a stored message proves its action."""
    try:
        message = proof.message(packed, stored.number)
        envelope = proof.envelope(stored.envelope or b"", stored.number)
    except Refused:
        return False
    return (
        message.author == stored.author
        and stored.author in checks
        and message.envelope == envelope
        and checks[stored.author](message.signature, message.signed)
    )


def _encode(
    journal: Journal, game: Game, actions: tuple[Action, ...], signer: Signer, now: float
) -> tuple[bytes, str]:
    session = journal.session
    own, peer = session.key.identity, session.peer
    played = _played(journal, actions)
    heading = _heading(journal, game, played[0].at)
    reached = _reached(game, session, played, now)
    end = outcome(game, reached, own)
    if (end.status, end.position) != (str(session.status), outcome(game, session, own).position):
        raise CannotExport(
            "journal_damaged",
            "The journal does not lead to the stored game.",
            "`lrgpnode db check` looks for damage.",
        )
    written = text.written(game, reached, heading, text.movers(played), end)
    keys = {own: signer.public_key, peer: journal.peer_key or b""}
    head = format.Game(
        app=session.app_id,
        version=session.app_version,
        title=heading.title,
        session=session.key.session_id,
        initiator=session.initiator,
        players=(_player(own, keys, heading.names), _player(peer, keys, heading.names)),
        exporter=own,
        exported_at=int(now),
        remarks=heading.remarks,
    )
    content = Content(text=written.text, game=head, actions=actions).encode()
    line = format.index_line(_index(head, actions, end, format.digest(content)))
    signature = format.signature_line(signer.sign(format.to_sign(line)))
    return content + line + signature, written.kind


def _played(journal: Journal, actions: Sequence[Action]) -> list[Played]:
    return [
        Played(action.author, proof.envelope(stored.envelope or b"", action.number), float(action.at))
        for action, stored in zip(actions, journal.actions, strict=True)
    ]


def _reached(game: Game, session: Session, played: Sequence[Played], now: float) -> Session:
    """Where the actions lead, and with the stored session's end where that is its TTL."""
    reached = replay(game, session.key, session.peer, session.initiator, played)
    if session.status is not Status.EXPIRED or reached.status.ended:
        return reached
    return guarded(lambda: game.expire(reached, float(int(now))))


def _index(head: format.Game, actions: Sequence[Action], end: Outcome, digest: str) -> Index:
    return Index(
        app=head.app,
        version=head.version,
        session=head.session,
        players=(head.players[0].address, head.players[1].address),
        exporter=head.exporter,
        messages=tuple(_hash(action) for action in actions),
        status=end.status,
        result=Result(end.reason, end.winner) if end.reason else None,
        turn=end.turn,
        ply=end.ply,
        position=end.position,
        digest=digest,
    )


def _player(address: str, keys: Mapping[str, bytes], names: Mapping[str, str]) -> Player:
    return Player(address=address, public_key=keys[address].hex(), name=names.get(address, ""))


def _hash(action: Action) -> str:
    return "" if action.message is None else proof.message(action.message, action.number).hash.hex()

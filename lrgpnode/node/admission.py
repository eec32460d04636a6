"""Who gets through to the router, and whose challenges wait until a person lets them in.

Fresh identities cost nothing, so the only filter that holds is whom one knows. A challenge is judged
by the policy of the identity it is for; an action in a session that exists goes on, except from a
blocked peer. What is not let in is dropped without a word to anybody, and nothing of it is kept but
the requests of strangers, which are few in number.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lrgpnode.limit import Limit
from lrgpnode.mesh.transport import Received
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Command, Game
from lrgpnode.protocol.session import SessionKey, Status
from lrgpnode.protocol.value import Value
from storage.errors import StorageError
from storage.model import Block, Policy, Request, Trust
from storage.store import Store
from storage.writer import Writer

from .news import Publish
from .time import Time

log = logging.getLogger(__name__)

REQUESTS_PER_PEER: Final = 2
REQUESTS_PER_IDENTITY: Final = 32
"""When the list is full, what comes later is dropped: nobody can push out what waits already."""

REQUESTS_PER_MINUTE: Final = 20
"""Of all peers together. Who sends and withdraws in turn must not keep the disk busy."""

TEXTS_PER_MINUTE: Final = 20
"""Of all together with whom there were no dealings, where they may write at all."""

UNKNOWN_PER_MINUTE: Final = 10
"""Actions of games that are not installed, of which people are told."""

LONGEST_TEXT: Final = 500
"""Most characters of a peer's text that are kept or told."""

NOTED_PLAYERS: Final = 2000

ALL_GAMES: Final = ""


class Verdict(StrEnum):
    """REQUEST: kept for a person to decide."""

    ADMIT = "admit"
    REQUEST = "request"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, repr=False)
class Standing(Value):
    """What a peer is to us. ``dealings``: we have challenged it, or accepted a challenge of its."""

    local: bool = False
    contact: bool = False
    trusted: bool = False
    dealings: bool = False


def decide(policy: Policy, peer: Standing) -> Verdict:
    """What becomes of a challenge. A trusted contact and an identity of this node are always let in."""
    if peer.local or peer.trusted:
        return Verdict.ADMIT
    match policy:
        case Policy.OPEN:
            admitted = True
        case Policy.EVERYONE | Policy.KNOWN:
            admitted = peer.contact or peer.dealings
        case Policy.CONTACTS:
            admitted = peer.contact
        case Policy.NOBODY:
            admitted = False
    if admitted:
        return Verdict.ADMIT
    return Verdict.REQUEST if policy is Policy.EVERYONE else Verdict.REFUSE


class Admission:
    """Of one node. ``local``: the identities of this node; ``default``: the policy where none is set."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        games: Mapping[str, Game],
        time: Time,
        publish: Publish,
        *,
        local: Collection[str] = (),
        default: Policy = Policy.EVERYONE,
    ) -> None:
        self._store = store
        self._writer = writer
        self._games = games
        self._time = time
        self._publish = publish
        self._local = local
        self._default = default
        self._policies = store.admission.policies()
        self._blocks = {block.peer: block for block in store.admission.blocks()}
        self._limit = Limit(REQUESTS_PER_MINUTE, seconds=60.0)
        self._unknown = Limit(UNKNOWN_PER_MINUTE, seconds=60.0)
        self._strangers = Limit(TEXTS_PER_MINUTE, seconds=60.0)
        self._players: OrderedDict[str, None] = OrderedDict()
        self.heard_by_all: Callable[[str], bool] = _nobody
        """Whether anybody may write to an identity, whoever may challenge it."""
        self.on_block: Callable[[str], None] = _nothing
        self.on_unblock: Callable[[str], None] = _nothing

    # Policies and blocks; in force from the moment they are stored

    def use_default(self, default: Policy) -> None:
        """The policy where none is set, from now on."""
        self._default = default

    def policy(self, identity: str, app_id: str = ALL_GAMES) -> Policy:
        """The policy that holds for an identity and a game."""
        own = self._policies.get((identity, app_id))
        return own or self._policies.get((identity, ALL_GAMES), self._default)

    def policies(self, identity: str) -> dict[str, Policy]:
        """The policies of single games, by app id."""
        return {app: policy for (of, app), policy in self._policies.items() if of == identity and app}

    async def set_policy(self, identity: str, app_id: str, policy: Policy | None) -> None:
        """None takes the policy of a game back. Raises ``StorageError``."""
        await self._writer.run(self._store.admission.put_policy, identity, app_id, policy)
        if policy is None:
            self._policies.pop((identity, app_id), None)
        else:
            self._policies[identity, app_id] = policy

    def forget(self, identity: str) -> None:
        """An identity is gone with its policies, which are deleted already."""
        self._policies = {key: policy for key, policy in self._policies.items() if key[0] != identity}

    def blocked(self, peer: str) -> Block | None:
        """The block that is in force for a peer, if any."""
        block = self._blocks.get(peer)
        if block is not None and self._over(block.until):
            del self._blocks[peer]
            self.on_unblock(peer)
            return None
        return block

    def blocks(self) -> tuple[Block, ...]:
        """Those in force."""
        return tuple(block for block in tuple(self._blocks.values()) if self.blocked(block.peer) is not None)

    def _over(self, until: float | None) -> bool:
        """While the clock is not trusted, nothing is."""
        return until is not None and self._time.trusted and until <= self._time.now()

    async def block(self, block: Block) -> None:
        """From now on nothing of this peer gets through, what of it waits is dropped, and nothing is sent
        to it."""
        before = self._blocks.get(block.peer)
        self._blocks[block.peer] = block
        try:
            await self._writer.run(self._store.admission.put_block, block)
        except StorageError:
            self._blocks.pop(block.peer)
            if before is not None:
                self._blocks[block.peer] = before
            raise
        self.on_block(block.peer)

    async def unblock(self, peer: str) -> bool:
        """False where the peer was not blocked."""
        removed: bool = await self._writer.run(self._store.admission.remove_block, peer)
        self._blocks.pop(peer, None)
        self.on_unblock(peer)
        return removed

    # Inbound

    async def admits(self, message: Received, envelope: Envelope) -> bool:
        """Whether a valid envelope goes to the router. Raises ``StorageError``: judge it again later."""
        if self.blocked(message.peer) is not None:
            log.debug("dropped an action of %s, which is blocked", message.peer)
            return False
        if message.entry:  # else it was made in this node, for somebody without LRGP
            await self._note_player(message.peer)
        key = SessionKey(message.identity, envelope.session_id)
        if self._store.sessions.exists(key):
            return True
        if envelope.command != Command.CHALLENGE:
            return not (envelope.command == Command.DECLINE and await self._withdrawn(key, message.peer))
        match self._verdict(message.identity, message.peer, envelope.app_id):
            case Verdict.ADMIT:
                return True
            case Verdict.REQUEST:
                await self._keep(key, message, envelope)
        return False

    def hears(self, identity: str, peer: str) -> Verdict:
        """What becomes of a plain text: ADMIT it, keep it with a stranger's challenge (REQUEST), or drop it.

        Who may challenge may write, and so may whoever has dealings with us, or was written to.
        """
        if self.blocked(peer) is not None:
            return Verdict.REFUSE
        dealings = self._store.admission.has_dealings(peer) or self._store.messages.written(identity, peer)
        heard = dealings or self.heard_by_all(identity)
        verdict = Verdict.ADMIT if heard else self._verdict(identity, peer, ALL_GAMES)
        if verdict is not Verdict.ADMIT:
            waits = self._store.admission.has_request(identity, peer)
            keep = waits and self._store.messages.may_hold(identity, peer)
            verdict = Verdict.REQUEST if keep else Verdict.REFUSE
        if dealings or verdict is Verdict.REFUSE:
            return verdict
        if peer in self._local or self._store.book.contact(peer) is not None:
            return verdict
        allowed = self._strangers.allow(ALL_GAMES, self._time.clock.boot())
        return verdict if allowed else Verdict.REFUSE

    def _verdict(self, identity: str, peer: str, app_id: str) -> Verdict:
        contact = self._store.book.contact(peer)
        standing = Standing(
            local=peer in self._local,
            contact=contact is not None,
            trusted=contact is not None and contact.trust is Trust.TRUSTED,
            dealings=self._store.admission.has_dealings(peer),
        )
        return decide(self.policy(identity, app_id), standing)

    async def _keep(self, key: SessionKey, message: Received, envelope: Envelope) -> None:
        game = self._games.get(envelope.app_id)
        if game is None or game.manifest.version != envelope.version:
            self.tell_unknown(message, envelope)
            return
        if message.envelope is None:
            return
        now = self._time.now()
        if self._time.trusted:
            await self._writer.run(self._store.admission.expire_requests, now)
        all_of_it, of_peer = self._store.admission.request_counts(key.identity, message.peer)
        full = all_of_it >= REQUESTS_PER_IDENTITY or of_peer >= REQUESTS_PER_PEER
        if full or not self._limit.allow(ALL_GAMES, self._time.clock.boot()):
            log.debug("dropped a request of %s: there are enough", message.peer)
            return
        request = Request(
            key=key,
            peer=message.peer,
            app_id=envelope.app_id,
            envelope=message.envelope,
            content=message.content[:LONGEST_TEXT],
            message_hash=message.message_hash,
            signed=message.signed,
            timestamp=message.timestamp,
            received_at=now,
            until=now + game.manifest.ttl[Status.PENDING],
        )
        if await self._writer.run(self._store.admission.put_request, request):
            self._tell(request, withdrawn=False)

    def tell_unknown(self, message: Received, envelope: Envelope) -> None:
        """Of an action whose game is not installed, people get its text, if there are not too many."""
        if not self._unknown.allow(ALL_GAMES, self._time.clock.boot()):
            return
        contact, heard = self._store.book.contact(message.peer), self._store.book.peer(message.peer)
        self._publish(
            "game.unknown",
            {
                "id": envelope.session_id,
                "identity": message.identity,
                "peer": message.peer,
                "peer_name": (contact.name if contact else "") or (heard.name if heard else ""),
                "app": envelope.app_id,
                "app_version": envelope.version,
                "command": envelope.command,
                "text": message.content[:LONGEST_TEXT],
            },
        )

    async def _withdrawn(self, key: SessionKey, peer: str) -> bool:
        request = self._store.admission.request(key)
        if request is None or request.peer != peer:
            return False
        await self.drop(key)
        self._tell(request, withdrawn=True)
        return True

    def _tell(self, request: Request, *, withdrawn: bool) -> None:
        fields = {
            "id": request.key.session_id,
            "identity": request.key.identity,
            "peer": request.peer,
            "app": request.app_id,
            "withdrawn": withdrawn,
        }
        self._publish("game.request", fields)

    async def _note_player(self, peer: str) -> None:
        """Whoever sends a valid envelope plays, whatever its announces say."""
        if peer in self._players:
            return
        self._players[peer] = None
        if len(self._players) > NOTED_PLAYERS:
            self._players.popitem(last=False)
        await self._writer.run(self._store.book.played, peer, self._time.now())

    # Requests

    def requests(self) -> list[Request]:
        """At most 50 of those that wait, the newest first."""
        return [request for request in self._store.admission.requests() if not self.expired(request)]

    def expired(self, request: Request) -> bool:
        """Whether the time limit of the challenge has passed."""
        return self._over(request.until)

    async def drop(self, key: SessionKey) -> bool:
        """Forget a request for good, also copies of it that come later. The peer is told nothing."""
        now = self._time.now()
        removed: bool = await self._writer.run(self._store.admission.remove_request, key, dead_at=now)
        return removed


def _nobody(identity: str) -> bool:
    return False


def _nothing(peer: str) -> None:
    """Nobody is to be told."""


def received(request: Request) -> Received:
    """A kept request as the message it came in, whose inbox entry is done with."""
    return Received(
        entry=0,
        identity=request.key.identity,
        peer=request.peer,
        message_hash=request.message_hash,
        envelope=request.envelope,
        title="",
        content=request.content,
        signed=request.signed,
        timestamp=request.timestamp,
    )

"""Text commands of one node: told of its events, it answers what people write to identities that answer.

Every text is in the database before it comes here (``lrgpnode.node.texts``). It is handled in order, one at a
time; what it leads to, its answer and that it was handled are one transaction, so that nothing is done twice
or forgotten when the node ends in between. A command in a game with a peer that has LRGP is first an action
of the node, in a transaction of its own; where the node ends between the two it is given again, and refused
by the rules.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.config import Settings
from lrgpnode.house.levels import LEVELS
from lrgpnode.house.player import Player
from lrgpnode.house.worker import Thinker, ThinkingProcess
from lrgpnode.node import Identities, Node
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.replay import NONCE_BYTES
from lrgpnode.protocol.session import Session, SessionKey
from lrgpnode.protocol.value import Value
from storage.errors import StorageError
from storage.model import ASSISTED, Commit, Flag, OutboxRow, Role
from storage.store import Store
from storage.text_model import HOUSE, Incoming, Kind, Seat, TextCommit, TextPlayer
from storage.writer import Writer

from . import house, parse, replies, seats
from .assist import Assistance, marked
from .desk import Desk, Limits
from .draft import Draft, nobody
from .finding import Finding
from .following import Following
from .held import Held
from .ladder import Ladders, Standings
from .limits import Patience
from .orders import Orders, speaks
from .people import People
from .playing import Playing
from .speaker import Speaker
from .web import Gateway, Web
from .wire import Sent, Wire, received, session_id
from .wishes import META_KEY as WISHES_KEY, Wishes

RETRY_SECONDS: Final = 5.0

_TOO_MUCH: Final = "That was too much at a time, and was not done. Try again in a minute."
_GAME_EVENTS: Final = frozenset(("game.applied", "game.expired", "game.error"))

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Voice(Value):
    """An identity that answers. ``prefix``: only what begins like a command, as people write to it, too."""

    identity: str
    prefix: bool


class TextService:
    """``open`` and ``close`` it on the node's loop; closed, it is told things and does nothing.

    ``name`` gives what a peer is called.
    """

    def __init__(
        self,
        settings: Settings,
        own: Identities,
        store: Store,
        writer: Writer,
        held: Held,
        *,
        name: Callable[[str], str],
        thinker: Thinker | None = None,
    ) -> None:
        self._settings = settings
        self._own = own
        self._store = store
        self._writer = writer
        self._name = name
        self._thinker = thinker or ThinkingProcess()
        self._table = store.text
        self._held = held
        self._lock = asyncio.Lock()
        self._news = asyncio.Event()
        self._levels: dict[str, int] = {}
        self._patience = Patience(
            per_minute=settings.text_commands_per_minute, per_day=settings.text_commands_per_day
        )
        self._running: list[asyncio.Task[None]] = []
        self._house: Player | None = None
        self._speaker: Speaker | None = None
        self._assistance: Assistance | None = None
        self._node: Node

    # Life

    async def open(self, node: Node, gateway: Gateway | None = None, ladders: Ladders | None = None) -> None:
        """Begin to answer, once the mesh runs. What goes wrong is logged: a node can do without."""
        self._node = node
        node.admission.heard_by_all = lambda identity: any(one.identity == identity for one in self._voices())
        if not self._settings.text_enabled:
            return
        try:
            self._put_together(gateway, ladders)
            await self._begin()
        except StorageError as error:
            log.warning("nothing is answered by text: %s", error)

    def _put_together(self, gateway: Gateway | None, ladders: Ladders | None) -> None:
        settings, node = self._settings, self._node
        self._desk = Desk(
            self._table,
            node,
            name=self._name,
            now=node.now,
            coin=lambda: bool(secrets.randbits(1)),
            new_id=lambda: secrets.token_hex(8),
            limits=Limits(
                games=settings.text_max_games,
                house_games=settings.house_max_games,
                house_of_player=settings.house_max_games_per_peer,
            ),
            wire=Wire(
                self._table,
                node.games,
                boot=node.time.clock.boot,
                nonce=lambda: secrets.token_bytes(NONCE_BYTES),
                new_id=lambda: secrets.token_hex(8),
                coin=lambda: bool(secrets.randbits(1)),
            ),
        )
        wishes = Wishes(
            self._store.book.meta(WISHES_KEY),
            lambda value: self._writer.run(self._store.book.put_meta, WISHES_KEY, value),
            self._table.of_player,
            node.now,
        )
        title = lambda app: node.games[app].manifest.display_name  # noqa: E731
        self._web = web = Web(gateway, self._held.has_lrgp, title, wishes.wish)
        self._desk.at_table, self._desk.expects = web.opponent, web.expects
        self._assistance = Assistance(
            self._desk,
            wishes,
            self._thinker,
            self._lock,
            self._commit,
            self._mark,
            speaks=self._speaks,
            seed=lambda: secrets.randbits(32),
        )
        self._desk.deadline, self._desk.assisted = web.deadline, self._assistance.assists
        self._following = Following(
            self._desk, node, self._held, self._lock, self._commit, lambda: node.time.trusted
        )
        self._finding = finding = Finding(
            self._desk,
            People(self._table, self._store.book, self._name),
            web,
            house=lambda: self._house is not None,
            usual_level=lambda app: min(settings.house_level, len(LEVELS[app])),
            levels=self._levels,
            assisted=self._assistance.assists,
        )
        standings = Standings(ladders, finding.app)
        self._orders = Orders(finding, Playing(self._desk, finding, web), standings)
        self._speaker = Speaker(
            self._table, _Post(node), self._write, words=self._words, thinking=self._thinks
        )

    async def _begin(self) -> None:
        assert self._speaker is not None
        for voice in self._voices():
            await self._listen(voice)
        if self._settings.house_enabled:
            table = house.HouseTable(self._desk, self._lock, self._commit)
            self._house = house.player(
                table,
                self._thinker,
                stored=self._store.book.meta(house.LEVELS_KEY),
                keep=lambda key, value: self._writer.run(self._store.book.put_meta, key, value),
                level=self._settings.house_level,
                seed=lambda: secrets.randbits(32),
            )
            self._house.start()
        self._speaker.start()
        loop = asyncio.get_running_loop()
        self._running = [loop.create_task(self._work()), loop.create_task(self._following.sweep())]
        for seat in self._table.live():
            if seat.kind is Kind.LRGP:
                self._following.changed(seat.key)
        for seat in self._table.handed_over():
            again = Sent(identity=seat.identity, player=seat.player, envelope=seat.unsent, text="")
            self._hand_over(again)
        self._held.attach(loop, self._news.set)
        self._news.set()
        if self._assistance is not None:
            self._assistance.start()

    async def close(self) -> None:
        """Answer no more. Before the node stops."""
        self._held.detach()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running = []
        if self._assistance is not None:
            await self._assistance.stop()
        if self._house is not None:
            await self._house.stop()
            self._house = None
        if self._speaker is not None:
            await self._speaker.stop()
            self._speaker = None

    def told(self, type: str, fields: Mapping[str, Any]) -> None:
        """An event of the node, after what it tells is committed. Returns at once."""
        if self._speaker is None:
            return
        if type == "message.received":
            self._news.set()
        elif type == "message.delivery":
            self._speaker.told(type, fields)
        elif type == "gateway.turn" and self._assistance is not None:
            self._assistance.turn(str(fields["session"]))
        elif type in _GAME_EVENTS and not fields.get("own"):
            self._following.changed(SessionKey(str(fields["identity"]), str(fields["id"])))
            self._news.set()

    async def take_challenge(self, session: Session) -> bool:
        """Whether a peer's challenge to an identity of ours is a text player's: who waits for it gets it.

        Raises ``StorageError``.
        """
        held = self._table.at(session.key.session_id)
        if held or self._speaker is None:
            return any(seat.kind is Kind.LRGP and seat.key == session.key for seat in held)
        key = session.key
        async with self._lock:
            seek = self._finding.waits_at(key.identity, session.app_id, self._node.now(), session.peer)
            if seek is None:
                return False
            await self._web.unseek(seek.player)
            await self._following.meet(session, seek)
        return True

    async def seated(self, player: str, app: str) -> None:
        """A player sits at a table of ours, and waits for that game no more, however it came about."""
        if self._speaker is None:
            return
        try:
            async with self._lock:
                if found := [one for one in self._table.seeks(app) if one.player == player]:
                    draft = nobody(self._node.now())
                    draft.wait_no_more(found)
                    await self._commit(draft)
        except StorageError as error:
            log.warning("%s still waits for %s: %s", player, app, error)

    # Who answers

    def _voices(self) -> list[_Voice]:
        if not self._settings.text_enabled:
            return []
        named = {one.casefold() for one in self._settings.text_identities}
        found = []
        for row in self._own.rows.values():
            if not row.enabled or row.role is Role.HOUSE:
                continue
            if row.role is Role.GATEWAY:
                found.append(_Voice(identity=row.hash, prefix=False))
            elif row.name.casefold() in named or row.hash in named:
                found.append(_Voice(identity=row.hash, prefix=True))
        return found

    async def _listen(self, voice: _Voice) -> int:
        """The number of the last text that was handled. What was written before it first spoke is not."""
        handled = self._table.handled(voice.identity)
        if handled is None:
            handled = self._table.newest()
            await self._write(TextCommit(handled=((voice.identity, handled),)))
        return handled

    # Texts

    async def _work(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                await self._following.catch_up()
                for voice in self._voices():
                    await self._hear(voice)
            except StorageError as error:
                log.warning("texts wait to be answered: %s", error)
                self._again()
            except Exception:
                log.exception("answering texts failed")
                self._again()

    def _again(self) -> None:
        asyncio.get_running_loop().call_later(RETRY_SECONDS, self._news.set)

    async def _hear(self, voice: _Voice) -> None:
        handled = await self._listen(voice)
        while found := self._table.incoming(voice.identity, handled):
            for text in found:
                await self._handle(voice, text)
                handled = text.id

    async def _handle(self, voice: _Voice, text: Incoming) -> None:
        """Judge one text, whatever it is; that it was handled is committed in any case."""
        async with self._lock:
            draft = Draft(self._table.player(text.identity, text.player), self._node.now())
            try:
                meant = await self._answer(voice, text, draft)
            except StorageError:
                raise
            except Exception:
                # A text that cannot be judged must not come again and again.
                log.exception("the text %d of %s could not be judged", text.id, text.player)
                meant, draft = False, Draft(TextPlayer(identity="", player=""), self._node.now())
            await self._choose_levels(draft)
            if self._assistance is not None:
                await self._assistance.wishes.store()
            read = (text.id,) if meant or not voice.prefix else ()
            await self._commit(draft, handled=((text.identity, text.id),), read=read)
            if self._assistance is not None:
                for seat in self._table.seats_of(text.identity, text.player):
                    if seat.live:
                        self._assistance.look(seat)

    async def _answer(self, voice: _Voice, text: Incoming, draft: Draft) -> bool:
        """Whether it was meant for us. What is to be answered is in ``draft`` then."""
        if parse.automatic(text.text) or any(one.identity == text.player for one in self._voices()):
            return False
        line = parse.read(text.text)
        if line is None or (voice.prefix and not (line.prefixed and speaks(line))):
            return False
        now = asyncio.get_running_loop().time()
        if not self._patience.command(text.player, now):
            if speaks(line) and self._patience.warns(text.player, now):
                draft.say(replies.fit(_TOO_MUCH), "much")
        elif not await self._orders.carry_out(draft, line) and self._patience.unknown(text.player, now):
            draft.say(replies.unknown(line.rest or text.text))
        return True

    async def _choose_levels(self, draft: Draft) -> None:
        """Before the house sees a new game, it knows at which level to play it."""
        for game_id in draft.house & self._levels.keys():
            if self._house is not None:
                await self._house.levels.choose(game_id, self._levels.pop(game_id))
        self._levels.clear()

    # Inside

    async def _commit(
        self, draft: Draft, *, handled: tuple[tuple[str, int], ...] = (), read: tuple[int, ...] = ()
    ) -> None:
        """Write all of it; then the house looks, and people are told."""
        await self._write(draft.unit(handled=handled, read=read))
        if self._house is not None:
            for game_id in draft.house:
                fields = {"identity": HOUSE, "id": game_id, "peer": "", "own": False}
                self._house.told("game.applied", fields)
        if self._speaker is not None:
            for address in draft.told:
                self._speaker.wake(*address)
        for sent in draft.sent:
            self._hand_over(sent)
        if self._assistance is not None:
            for seat in draft.at_tables:
                self._assistance.look(seat)

    def _hand_over(self, sent: Sent) -> None:
        self._held.note(session_id(sent.envelope))
        self._node.received(received(sent, self._node.now()))

    async def _write(self, unit: TextCommit) -> None:
        await self._writer.run(self._table.commit, unit)

    def _speaks(self, seat: Seat) -> bool:
        """Whether something of a player was received and not handled yet."""
        handled = self._table.handled(seat.identity) or 0
        return any(text.player == seat.player for text in self._table.incoming(seat.identity, handled))

    async def _mark(self, seat: Seat, ply: int) -> None:
        """In the record of the game its move is not the player's own."""
        key = SessionKey(seat.identity, seat.game_id)
        flags = {flag.flag: flag.reason for flag in self._store.mail.flags(key)}
        reason = marked(flags.get(ASSISTED, ""), ply + 1)
        flag = Flag(key=key, flag=ASSISTED, reason=reason, at=self._node.now())
        await self._writer.run(self._store.commit, Commit(flags=(flag,)))

    def _words(self, slot: str, player: str, full: bool) -> str:
        """How a game stands, to its player; "" where there is no such game."""
        seat = self._table.seat(slot, player)
        if seat is None:
            return ""
        try:
            return replies.position(self._desk.shown(seat), board_too=full)
        except Rejection as rejection:
            return replies.fit(f"#{seat.number}: {rejection.message}")

    def _thinks(self, slot: str) -> bool:
        seat = self._table.seat(slot, HOUSE)
        if seat is None or not seat.live or self._house is None:
            return False
        if seat.status == "pending":
            return True
        try:
            view = self._desk.view(seat)
        except Rejection:
            return False
        return view.my_turn or seats.offered(view, HOUSE)


class _Post:
    """Implements ``interfaces.text.speaker.Post``."""

    def __init__(self, node: Node) -> None:
        self._node = node

    async def send(self, identity: str, peer: str, text: str) -> None:
        await self._node.texts.send(identity, peer, text)

    def state(self, row: int) -> OutboxRow | None:
        return self._node.outbox.state(row)

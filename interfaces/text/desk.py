"""The desk: who plays what, how it stands, and acting in it, whichever kind of seat it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from lrgpnode.protocol.errors import CallerError, ErrorCode, LrgpError, Rejection
from lrgpnode.protocol.game import Coin, Command, Game, GameView
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.value import Value
from storage.text import TextTable
from storage.text_model import HOUSE, Kind, Seat, TextPlayer

from . import moves, replies, seats
from .clean import fold
from .draft import Draft
from .replies import Shown
from .wire import Wire

HOUSE_NAME: Final = "house"
WEB_NAME: Final = "web"
"""What the other side at a table of a web platform is called as long as nobody knows more."""


class NodeSide(Protocol):
    """What is needed of the node: games with peers that have LRGP."""

    @property
    def games(self) -> Mapping[str, Game]: ...

    def session(self, key: SessionKey) -> Session:
        """Raises ``CallerError``."""
        ...

    async def act(self, key: SessionKey, command: str, intent: Mapping[str, Any]) -> Any:
        """Raises ``CallerError`` or ``StorageError``; else something with a ``session``."""
        ...

    async def challenge(self, identity: str, peer: str, app_id: str, intent: Mapping[str, Any]) -> Any:
        """Raises as ``act`` does."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits(Value):
    """``games``: of one player at a time; ``house_games``, ``house_of_player``: of the house, with one."""

    games: int = 8
    invitations: int = 3
    house_games: int = 4
    house_of_player: int = 1


class Desk:
    """Of one node. ``name`` gives what a peer is called, ``now`` Unix seconds, ``new_id`` ids of games."""

    def __init__(
        self,
        table: TextTable,
        node: NodeSide,
        *,
        name: Callable[[str], str],
        now: Callable[[], float],
        coin: Coin,
        new_id: Callable[[], str],
        limits: Limits,
        wire: Wire,
    ) -> None:
        self.table = table
        self.node = node
        self.wire = wire
        self.now = now
        self.limits = limits
        self.at_table: Callable[[str, str], str] = _unknown
        """What the platform calls the other side, by player and game."""
        self.deadline: Callable[[str, str], float | None] = _no_clock
        """Until when a player's move must be at the table, by player and game; Unix seconds."""
        self.assisted: Callable[[Seat], bool] = _never
        """Whether the node moves for a player who does not."""
        self.expects: Callable[[str, str], bool] = _expects_nothing
        """Whether a player is on the way to a table of a game."""
        self._name = name
        self._coin = coin
        self._new_id = new_id

    # Looking

    @property
    def games(self) -> Mapping[str, Game]:
        return self.node.games

    def game(self, app_id: str) -> Game:
        """Raises ``Rejection``."""
        game = self.games.get(app_id)
        if game is None:
            raise Rejection(ErrorCode.UNSUPPORTED_APP, f"This node has no game {app_id} any more.")
        return game

    def name(self, peer: str) -> str:
        return HOUSE_NAME if peer == HOUSE else replies.name(self._name(peer), peer)

    def opponent(self, seat: Seat) -> str:
        """What the other side of a game is called."""
        if seat.kind is Kind.WIRE:
            return replies.name(self.at_table(seat.player, seat.game_id), WEB_NAME)
        return self.name(seat.opponent)

    def side(self, seat: Seat) -> tuple[Game, Session, str]:
        """The rules, the session as this side has it, and the viewer. Raises ``Rejection``."""
        game = self.game(seat.app_id)
        if seat.kind is not Kind.LRGP:
            return game, seats.loaded(game, seat), seat.player
        try:
            return game, self.node.session(seat.key), seat.identity
        except LrgpError as error:
            raise Rejection(ErrorCode.PROTOCOL_ERROR, error.message) from None

    def shown(self, seat: Seat) -> Shown:
        """Raises ``Rejection``."""
        game, session, viewer = self.side(seat)
        pending = session.status is Status.PENDING
        deadline = self.deadline(seat.player, seat.game_id) if seat.kind is Kind.WIRE and seat.live else None
        return Shown(
            number=seat.number,
            app=seat.app_id,
            opponent=self.opponent(seat),
            view=game.view(session, viewer),
            challenged=pending and session.initiator != viewer,
            waits=pending and session.initiator == viewer,
            left=None if deadline is None else max(0.0, deadline - self.now()),
            assisted=seat.live and self.assisted(seat),
        )

    def view(self, seat: Seat) -> GameView:
        game, session, viewer = self.side(seat)
        return game.view(session, viewer)

    def seats_of(self, player: TextPlayer) -> Sequence[Seat]:
        return self.table.seats_of(player.identity, player.player)

    # Naming

    def named(self, held: Sequence[Seat], word: str, current: str = "") -> Seat | None:
        """The game that ``word`` means; of several with an opponent the ``current`` one, else None."""
        found = self.all_named(held, word)
        if len(found) > 1:
            return next((seat for seat in found if seat.game_id == current), None)
        return found[0] if found else None

    def all_named(self, held: Sequence[Seat], word: str) -> Sequence[Seat]:
        """The games that ``word`` may mean, a number or an opponent; if none goes on, the last of them."""
        number = word.removeprefix("#")
        if number.isdigit() and len(number) <= 3:
            return [seat for seat in held if seat.number == int(number)][:1]
        wanted = fold(word)
        if len(wanted) < 2:
            return []
        found = [seat for seat in held if self._called(seat, wanted)]
        return [seat for seat in found if seat.live] or found[:1]

    def _called(self, seat: Seat, wanted: str) -> bool:
        called = fold(self.opponent(seat))
        begins = called.split()[:1] == [wanted] or called == wanted or called.startswith(wanted)
        return begins or (len(wanted) >= 4 and seat.opponent.startswith(wanted))

    def current(self, player: TextPlayer, held: Sequence[Seat]) -> Seat | None:
        """The game that is meant where none is named; None where that is not clear."""
        live = [seat for seat in held if seat.live]
        last = next((seat for seat in held if seat.game_id == player.current), None)
        if last is not None and (last.live or not live):
            return last
        return live[0] if len(live) == 1 else None

    # Acting

    def open_table(self, draft: Draft, app_id: str, opponent: tuple[str, str]) -> Seat:
        """A challenge at a table here; ``opponent`` is (player, identity). Raises ``Rejection``."""
        me = draft.player
        sides = (
            (me.player, me.identity, self._free_number(me.identity, me.player)),
            (*opponent, 0 if opponent[0] == HOUSE else self._free_number(opponent[1], opponent[0])),
        )
        both = seats.table(self.game(app_id), self._new_id(), *sides, draft.now)
        draft.put(both)
        return both[0]

    async def challenge(self, draft: Draft, app_id: str, peer: str) -> Seat:
        """A challenge to a peer that has LRGP. Raises ``Rejection``, ``StorageError``."""
        me = draft.player
        try:
            acted = await self.node.challenge(me.identity, peer, app_id, {})
        except CallerError as error:
            raise Rejection(ErrorCode.PROTOCOL_ERROR, error.message) from None
        seat = self.held_for(me, acted.session)
        draft.put((seat,))
        return seat

    def accept(self, draft: Draft, game_id: str, player: str) -> None:
        """The other side of a challenge of this draft has waited for the game. Raises ``Rejection``."""
        both = draft.new(game_id)
        after = seats.act(self.game(both[0].app_id), both, player, Command.ACCEPT, {}, self._coin, draft.now)
        draft.put(after)
        for seat in after:
            if seat.player == player:
                draft.tell(seat, asked=True)

    def wire_challenge(self, draft: Draft, app_id: str) -> Seat:
        """A challenge to the identity that he writes to, by LRGP spoken here. Raises ``Rejection``."""
        me = draft.player
        session, sent = self.wire.challenge(me.player, me.identity, app_id, draft.now)
        seat = replace(self.wired(me.player, session), unsent=sent.envelope)
        draft.put((seat,))
        draft.hand_over(sent)
        return seat

    def wired(self, player: str, session: Session) -> Seat:
        """The seat of a new session between a player and our identity, as the player has it."""
        return Seat(
            game_id=session.key.session_id,
            player=player,
            identity=session.peer,
            number=self._free_number(session.peer, player),
            kind=Kind.WIRE,
            opponent=session.peer,
            app_id=session.app_id,
            app_version=session.app_version,
            initiator=session.initiator,
            status=session.status,
            metadata=session.metadata,
            created_at=session.created_at,
            last_action_at=session.last_action_at,
        )

    def held_for(self, player: TextPlayer, session: Session) -> Seat:
        """The seat of somebody for whom one of our identities plays."""
        return Seat(
            game_id=session.key.session_id,
            player=player.player,
            identity=session.key.identity,
            number=self._free_number(player.identity, player.player),
            kind=Kind.LRGP,
            opponent=session.peer,
            app_id=session.app_id,
            app_version=session.app_version,
            initiator=session.initiator,
            status=session.status,
            metadata={},
            created_at=session.created_at,
            last_action_at=session.last_action_at,
        )

    def _free_number(self, identity: str, player: str) -> int:
        return 1 + max(
            (seat.number for seat in self.table.seats_of(identity, player) if seat.live), default=0
        )

    def read_move(self, seat: Seat, text: str) -> Mapping[str, Any]:
        """Raises ``Rejection``."""
        game, session, viewer = self.side(seat)
        return moves.read(game.view(session, viewer), lambda form: game.parse(session, form), text)

    async def act(self, draft: Draft, seat: Seat, command: str, intent: Mapping[str, Any]) -> Seat:
        """The seat after it; the other side is told. Raises ``Rejection``, ``StorageError``."""
        if seat.kind is Kind.LRGP:
            try:
                acted = await self.node.act(seat.key, command, intent)
            except CallerError as error:
                raise Rejection(_code(error), error.message) from None
            after = self.followed(seat, acted.session)
            draft.put((after,))
            return after
        if seat.kind is Kind.WIRE:
            after, sent = self.wire.act(seat, command, intent, draft.now)
            draft.put((after,))
            draft.hand_over(sent)
            return after
        stored = draft.seats(self.table.at(seat.game_id))
        both = seats.act(self.game(seat.app_id), stored, seat.player, command, intent, self._coin, draft.now)
        draft.put(both)
        for other in both:
            if other.player != seat.player:
                draft.tell(other)
        return next(one for one in both if one.player == seat.player)

    def followed(self, seat: Seat, session: Session) -> Seat:
        """The seat of a session of the node that has gone on."""
        return replace(seat, status=session.status, last_action_at=session.last_action_at)


def _unknown(player: str, game_id: str) -> str:
    return ""


def _no_clock(player: str, game_id: str) -> float | None:
    return None


def _never(seat: Seat) -> bool:
    return False


def _expects_nothing(player: str, app: str) -> bool:
    return False


def _code(error: CallerError) -> ErrorCode:
    return ErrorCode.NOT_YOUR_TURN if error.code is ErrorCode.NOT_YOUR_TURN else ErrorCode.INVALID_MOVE

"""Going on with a game: games, board, move, resign, draw, leave, yes, no, resend, mute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from lrgpnode.protocol.errors import ErrorCode, Rejection
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import Status
from storage.text_model import HOUSE, Kind, Seat

from . import moves, replies, seats
from .desk import Desk
from .draft import Draft
from .finding import Finding
from .parse import Line, Verb
from .web import Web

NOTHING: Final = "You have no game. play chess house begins one, who lists players, help says more."


class Playing:
    def __init__(self, desk: Desk, finding: Finding, web: Web) -> None:
        self._desk = desk
        self._finding = finding
        self._web = web

    # Which game

    def _seat(self, draft: Draft, line: Line, fits: Callable[[Seat], bool] | None = None) -> Seat:
        """The game that is named, else the one that is meant. ``fits``: only such are meant where none is
        named. Raises ``Rejection``."""
        held = self._desk.seats_of(draft.player)
        named = line.game or " ".join(line.words)
        if named:
            seat = self._named(draft, held, named) or self._named(draft, held, named.split()[0])
            if seat is None:
                raise _no_game(named)
            return seat
        fitting = [seat for seat in held if fits is None or fits(seat)]
        seat = self._desk.current(draft.player, fitting)
        if seat is not None:
            return seat
        live = [one for one in (fitting or held) if one.live]
        if not held:
            raise _refused(NOTHING)
        if not live:
            return held[0]
        raise _refused(f"Which game? {_numbers(self._desk, live)}")

    def _named(self, draft: Draft, held: Sequence[Seat], word: str) -> Seat | None:
        """None where there is no such game. Raises ``Rejection`` where several may be meant."""
        seat = self._desk.named(held, word, draft.player.current)
        if seat is None and (several := self._desk.all_named(held, word)):
            raise _refused(f"Which game? {_numbers(self._desk, several)}")
        return seat

    # Commands

    async def games(self, draft: Draft, line: Line) -> None:
        held = [seat for seat in self._desk.seats_of(draft.player) if seat.live]
        lines = [self._summary(seat) for seat in held] + self._web.playing(draft.player.player)
        if not lines:
            draft.say(replies.fit(NOTHING), "list")
            return
        text, shown = replies.listed("Your games:", lines)
        draft.offer(text, [f"board #{seat.number}" for seat in held[:shown]])

    def _summary(self, seat: Seat) -> str:
        try:
            return replies.summary(self._desk.shown(seat))
        except Rejection:
            return f"#{seat.number} {replies.short(seat.app_id)}: cannot be shown"

    async def board(self, draft: Draft, line: Line) -> None:
        seat = self._seat(draft, line)
        self._desk.shown(seat)
        draft.show(seat, full=True)

    async def move(self, draft: Draft, line: Line) -> None:
        """The move that follows the word. Raises ``Rejection``."""
        if not line.rest:
            seat = self._seat(draft, Line(verb=None, game=line.game, rest="", words=()), _to_move)
            example = next((one.label for one in self._desk.view(seat).legal), "")
            raise _refused(f"Which move? For example: move {example}" if example else "It is not your move.")
        await self._move(draft, line, certain=True)

    async def bare(self, draft: Draft, line: Line) -> bool:
        """A text without a word of command: a move, if it can be one; False if it is nothing known."""
        try:
            return await self._move(draft, line, certain=bool(line.game and line.game.isdigit()))
        except Rejection as rejection:
            if rejection.code is ErrorCode.PROTOCOL_ERROR and not moves.like_move(line.rest):
                return False
            raise

    async def _move(self, draft: Draft, line: Line, *, certain: bool) -> bool:
        held = self._desk.seats_of(draft.player)
        if not any(seat.live for seat in held):
            if certain or moves.like_move(line.rest):
                raise _refused(NOTHING)
            return False
        if line.game:
            seat = self._named(draft, held, line.game)
            if seat is None:
                if certain:
                    raise _no_game(line.game)
                return False
            text = line.rest
        else:
            seat, text = self._split(draft, held, line.rest)
        if seat is None:
            if certain or moves.like_move(text):
                live = [one for one in held if one.live]
                raise _refused(f"In which game? {_numbers(self._desk, live)} Say for example: #1 {text[:12]}")
            return False
        await self._make(draft, seat, text, certain=certain)
        return True

    def _split(self, draft: Draft, held: Sequence[Seat], text: str) -> tuple[Seat | None, str]:
        """The game and the move in ``text``, which may begin or end with a number or opponent. What is no
        move in the game that is meant may be one in a single other game."""
        live = [seat for seat in held if seat.live]
        current = self._desk.current(draft.player, live)
        if current is not None and self._reads(current, text):
            return current, text
        words = text.split()
        if len(words) > 1:
            for place, rest in ((words[0], " ".join(words[1:])), (words[-1], " ".join(words[:-1]))):
                seat = self._desk.named(live, place, draft.player.current)
                if seat is not None and self._reads(seat, rest):
                    return seat, rest
        others = [seat for seat in live if seat != current and self._reads(seat, text)]
        return others[0] if len(others) == 1 else current, text

    def _reads(self, seat: Seat, text: str) -> bool:
        """Whether it is a move that he can make there now."""
        try:
            return self._desk.read_move(seat, text) in [one.intent for one in self._desk.view(seat).legal]
        except Rejection:
            return False

    async def _make(self, draft: Draft, seat: Seat, text: str, *, certain: bool) -> None:
        session = self._desk.shown(seat)
        if session.challenged:
            raise _refused(f"{session.opponent} waits for your answer first: yes or no (#{seat.number}).")
        if session.waits:
            raise _refused(f"{session.opponent} has not accepted #{seat.number} yet.")
        if session.view.result is not None:
            raise _refused(f"#{seat.number} is over: {session.view.status_line}")
        if not session.view.my_turn:
            if not certain and not moves.like_move(text):
                raise Rejection(ErrorCode.PROTOCOL_ERROR, "")
            raise _refused(f"#{seat.number}: it is {session.opponent}'s turn.", ErrorCode.NOT_YOUR_TURN)
        try:
            intent = self._desk.read_move(seat, text)
        except Rejection as rejection:
            code = ErrorCode.INVALID_MOVE if certain else ErrorCode.PROTOCOL_ERROR
            raise _refused(
                f"#{seat.number} {replies.short(seat.app_id)}: {rejection.message}", code
            ) from None
        draft.show(await self._desk.act(draft, seat, Command.MOVE, intent))

    async def resign(self, draft: Draft, line: Line) -> None:
        seat = self._seat(draft, line, lambda one: one.status is Status.ACTIVE)
        await self._act(draft, seat, Command.RESIGN)

    async def draw(self, draft: Draft, line: Line) -> None:
        seat = self._seat(draft, line, lambda one: one.status is Status.ACTIVE)
        view = self._desk.view(seat)
        viewer = self._desk.side(seat)[2]
        if seats.offered(view, viewer):
            await self._act(draft, seat, Command.DRAW_ACCEPT)
        elif view.extras.get("claimable"):
            await self._act(draft, seat, Command.DRAW_OFFER, {"r": view.extras["claimable"]})
        elif view.draw_offered_by:
            raise _refused(
                f"#{seat.number}: you have offered a draw; {self._desk.opponent(seat)} is to answer."
            )
        else:
            await self._act(draft, seat, Command.DRAW_OFFER)

    async def leave(self, draft: Draft, line: Line) -> None:
        """Whatever he waits for, then his invitations, then the game itself."""
        if not line.game and not line.words:
            if any(one.player == draft.player.player for one in self._desk.table.seeks()):
                await self._finding.stop_seeking(draft)
                return
            left = await self._web.leave(draft.player.player)
            if left:
                draft.say(replies.fit(f"Given up: {left}."), "web")
                return
        seat = self._seat(draft, line, lambda one: one.live)
        pending = seat.status is Status.PENDING
        await self._act(draft, seat, Command.DECLINE if pending else Command.RESIGN)

    async def yes(self, draft: Draft, line: Line) -> None:
        seat = self._waiting(draft, line)
        if seats.challenged(seat):
            draft.show(await self._desk.act(draft, seat, Command.ACCEPT, {}), full=True)
        else:
            await self._act(draft, seat, Command.DRAW_ACCEPT)

    async def no(self, draft: Draft, line: Line) -> None:
        seat = self._waiting(draft, line)
        await self._act(draft, seat, Command.DECLINE if seats.challenged(seat) else Command.DRAW_DECLINE)

    def _waiting(self, draft: Draft, line: Line) -> Seat:
        """The game in which he is asked something."""
        held = self._desk.seats_of(draft.player)
        asked = [seat for seat in held if seat.live and self._is_asked(seat)]
        named = line.game or " ".join(line.words[:1])
        seat = self._desk.named(asked, named, draft.player.current) if named else None
        if seat is None and not (line.game and named):
            seat = self._desk.current(draft.player, asked)
        if seat is not None:
            return seat
        if asked:
            raise _refused(f"In which game? {_numbers(self._desk, asked)}")
        raise _refused("You are asked nothing now. games lists your games.")

    def _is_asked(self, seat: Seat) -> bool:
        if seats.challenged(seat):
            return True
        try:
            return seat.status is Status.ACTIVE and seats.offered(
                self._desk.view(seat), self._desk.side(seat)[2]
            )
        except Rejection:
            return False

    async def resend(self, draft: Draft, line: Line) -> None:
        me = draft.player
        if line.game or line.words:
            await self.board(draft, line)
            return
        held = self._desk.seats_of(me)
        last = next((seat for seat in held if seat.game_id == me.said), None)
        if last is not None:
            draft.show(last, full=True)
            return
        said = self._desk.table.last_said(me.identity, me.player)
        if not said:
            raise _refused("I have not said anything yet. help says what can be said.")
        slot, shown = me.said, me.shown
        draft.say(said, slot or "say")
        if shown:
            draft.offer(said, shown)

    async def assist(self, draft: Draft, line: Line) -> None:
        """Have the node move in a game where his time is nearly up, or no more."""
        off = bool(line.words) and line.words[-1] in ("off", "no", "stop", "aus")
        named = Line(
            verb=None,
            game=line.game,
            rest="",
            words=tuple(word for word in line.words if word not in ("on", "off", "no", "stop", "aus")),
        )
        seat = self._seat(draft, named, lambda one: one.live and one.kind is Kind.WIRE)
        if seat.kind is not Kind.WIRE or not seat.live:
            raise _refused(f"#{seat.number} is not at a table on the web; only there you can be assisted.")
        self._web.assist(seat.player, seat.app_id, wanted=not off)
        draft.show(seat)

    async def mute(self, draft: Draft, line: Line) -> None:
        off = bool(line.words) and line.words[0] in ("off", "no", "aus")
        draft.mute(muted=not off)
        told = "You are told again when something happens." if off else _MUTED
        draft.say(replies.fit(told), "mute")

    async def unmute(self, draft: Draft, line: Line) -> None:
        await self.mute(draft, Line(verb=Verb.MUTE, game="", rest="off", words=("off",)))

    async def _act(
        self, draft: Draft, seat: Seat, command: str, intent: Mapping[str, Any] | None = None
    ) -> None:
        try:
            after = await self._desk.act(draft, seat, command, intent or {})
        except Rejection as rejection:
            raise _refused(f"#{seat.number}: {rejection.message}", rejection.code) from None
        if after.live and after.opponent == HOUSE:
            draft.show(after)  # with what the house does next
        else:
            draft.say(replies.brief(self._desk.shown(after)), after.game_id)
            draft.use(after)


_MUTED: Final = "I only answer now, and do not tell you of moves or invitations. unmute ends that."


def _no_game(named: str) -> Rejection:
    return _refused(f"You have no game {named[:24]}. games lists yours.")


def _to_move(seat: Seat) -> bool:
    return seat.status is Status.ACTIVE


def _numbers(desk: Desk, live: Sequence[Seat]) -> str:
    """``#1 chess v Ann, #2 ttt v house.``"""
    return (
        ", ".join(f"#{one.number} {replies.short(one.app_id)} v {desk.opponent(one)}" for one in live) + "."
    )


def _refused(message: str, code: ErrorCode = ErrorCode.INVALID_MOVE) -> Rejection:
    return Rejection(code, message)

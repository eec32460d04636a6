"""What one text leads to, put together before any of it is written: one transaction for all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from storage.text_model import FULL, HOUSE, Kind, NewDue, Seat, Seek, TextCommit, TextPlayer

from .wire import Sent


class Draft:
    """``now`` in Unix seconds."""

    def __init__(self, player: TextPlayer, now: float) -> None:
        self.player = replace(player, seen_at=now)
        self.now = now
        self._seats: dict[tuple[str, str], Seat] = {}
        self._due: dict[tuple[str, str, str], NewDue] = {}
        self._seek: list[Seek] = []
        self._unseek: list[Seek] = []
        self.sent: list[Sent] = []
        """What goes to our own identities by LRGP, once all of it is written."""

    # To him

    def say(self, text: str, slot: str = "say") -> None:
        """Answer with this text."""
        self._answer(slot, text)

    def offer(self, text: str, choices: Sequence[str]) -> None:
        """Answer with a list whose numbers stand for ``choices``, which are commands."""
        self._answer("list", text)
        self.player = replace(self.player, shown=tuple(choices))

    def show(self, seat: Seat, *, full: bool = False) -> None:
        """Answer with how a game stands when the answer is sent."""
        self._answer(seat.game_id, FULL if full else "")
        self.player = replace(self.player, current=seat.game_id)

    def _answer(self, slot: str, text: str) -> None:
        me = self.player
        self._add(NewDue(identity=me.identity, player=me.player, slot=slot, text=text, asked=True))
        self.player = replace(me, said=slot, shown=())

    def use(self, seat: Seat) -> None:
        """From now on this game is meant where none is named."""
        self.player = replace(self.player, current=seat.game_id)

    def mute(self, *, muted: bool) -> None:
        self.player = replace(self.player, muted=muted)

    # To others

    def tell(self, seat: Seat, *, asked: bool = False) -> None:
        """Its player is to hear how the game stands. ``asked``: he has waited for just this."""
        if seat.player != HOUSE:
            due = NewDue(identity=seat.identity, player=seat.player, slot=seat.game_id, asked=asked)
            self._add(due)

    def note(self, identity: str, player: str, slot: str, text: str) -> None:
        """Somebody is told something that he has not asked for."""
        self._add(NewDue(identity=identity, player=player, slot=slot, text=text))

    def _add(self, due: NewDue) -> None:
        self._due[due.identity, due.player, due.slot] = due

    # Games

    def put(self, seats: Iterable[Seat]) -> None:
        for seat in seats:
            self._seats[seat.game_id, seat.player] = seat

    def seats(self, stored: Iterable[Seat]) -> list[Seat]:
        """Stored seats as they will be."""
        return [self._seats.get((seat.game_id, seat.player), seat) for seat in stored]

    def new(self, game_id: str) -> list[Seat]:
        """Seats of a game as they will be, stored or not."""
        return [seat for (id, _), seat in self._seats.items() if id == game_id]

    @property
    def at_tables(self) -> list[Seat]:
        """Seats at tables on the web as they will be."""
        return [seat for seat in self._seats.values() if seat.kind is Kind.WIRE]

    def hand_over(self, sent: Sent) -> None:
        """To our identity, by LRGP."""
        self.sent.append(sent)

    def wait(self, seek: Seek) -> None:
        self._seek.append(seek)

    def wait_no_more(self, seeks: Iterable[Seek]) -> None:
        self._unseek += seeks

    @property
    def house(self) -> set[str]:
        """Games at which something has happened and the house sits."""
        return {game_id for game_id, player in self._seats if player == HOUSE}

    @property
    def told(self) -> set[tuple[str, str]]:
        """(identity, player) of everybody who is to be told something."""
        return {(due.identity, due.player) for due in self._due.values()}

    def unit(self, *, handled: tuple[tuple[str, int], ...] = (), read: tuple[int, ...] = ()) -> TextCommit:
        return TextCommit(
            seats=tuple(self._seats.values()),
            players=(self.player,) if self.player.player else (),
            seek=tuple(self._seek),
            unseek=tuple(self._unseek),
            due=tuple(self._due.values()),
            handled=handled,
            read=read,
        )


def nobody(now: float) -> Draft:
    """For what happens without anybody writing."""
    return Draft(TextPlayer(identity="", player=""), now)

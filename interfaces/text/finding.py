"""Finding a game: help, tables, play, seek, who."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lrgpnode.house.levels import LEVELS
from lrgpnode.limit import Limit
from lrgpnode.protocol.errors import ErrorCode, Rejection
from lrgpnode.protocol.session import Status
from storage.text_model import HOUSE, Kind, Seat, Seek

from . import parse, replies
from .clean import fold
from .desk import HOUSE_NAME, WEB_NAME, Desk
from .draft import Draft
from .limits import DAY
from .parse import Line
from .people import People, Person
from .web import Web, Wish, wish

INVITATIONS_A_DAY: Final = 12
"""Of one player, and to one: each is a text that nobody has asked for."""

SEEK_SECONDS: Final = 86_400.0
ANYBODY: Final = frozenset(("anyone", "anybody", "any", "someone", "somebody", "random", "all", "jemand"))
_FILLER_WORDS: Final = (
    "with against vs v gegen mit a an the please pls bitte game of level stufe now at on me us i and spiel"
)
_FILLERS: Final = frozenset(_FILLER_WORDS.split())


class Finding:
    """``house`` says whether the house plays; ``assisted``, whether a player is at a table on the web.

    ``levels`` gets the level of each game with the house, by id, until it is stored.
    """

    def __init__(
        self,
        desk: Desk,
        people: People,
        web: Web,
        *,
        house: Callable[[], bool],
        usual_level: Callable[[str], int],
        levels: dict[str, int],
        assisted: Callable[[Seat], bool] = lambda seat: False,
    ) -> None:
        self._desk = desk
        self._people = people
        self._web = web
        self._house = house
        self._usual_level = usual_level
        self._levels = levels
        self._assisted = assisted
        self._invites = Limit(INVITATIONS_A_DAY, seconds=DAY)
        self._asked = Limit(INVITATIONS_A_DAY, seconds=DAY)

    # Words

    @property
    def _called(self) -> Mapping[str, str]:
        """The installed games by what they may be called."""
        games = self._desk.games
        own = {fold(app): app for app in games}
        return own | {fold(game.manifest.display_name).replace(" ", ""): app for app, game in games.items()}

    def app(self, words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        return parse.app(words, self._called)

    # Commands

    async def help(self, draft: Draft, line: Line) -> None:
        app, _ = self.app(line.words)
        if app:
            draft.say(replies.help_game(app, self._desk.game(app).manifest.display_name), "help")
        else:
            draft.say(replies.help_text(sorted(self._desk.games)), "help")

    async def tables(self, draft: Draft, line: Line) -> None:
        app, _ = self.app(line.words)
        if line.words and not app:
            raise _refused(f"Which game? {self._games()}.")
        entries = self._waiting(draft, app) + await self._web.tables(draft.player.player, app)
        for game in sorted(self._desk.games) if not app else [app]:
            if self._plays_house(game):
                levels = len(LEVELS[game])
                entries.append(
                    (f"{replies.short(game)}: {HOUSE_NAME}, level 1-{levels}", f"play {game} house")
                )
        if not entries:
            draft.say(
                replies.fit("Nobody waits now. seek GAME waits for somebody, who lists players."), "list"
            )
            return
        lines = [f"{number} {text}" for number, (text, _) in enumerate(entries, 1)]
        text, shown = replies.listed("Tables:", lines, "A number sits down.")
        draft.offer(text, [command for _, command in entries[:shown]])

    def _waiting(self, draft: Draft, app: str) -> list[tuple[str, str]]:
        return [
            (
                f"{replies.short(one.app_id)}: {self._desk.name(one.player)} waits",
                f"play {one.app_id} @{one.player}",
            )
            for one in self._open_seeks(draft, app)
        ]

    def waits_at(self, identity: str, app: str, now: float, apart: str) -> Seek | None:
        """Who has waited longest for this game at an identity of ours, and has room for it."""
        return next(
            (
                one
                for one in self._desk.table.seeks(app)
                if one.identity == identity
                and one.player != apart
                and one.at >= now - SEEK_SECONDS
                and not self._full(self._desk.table.seats_of(one.identity, one.player))
            ),
            None,
        )

    def _open_seeks(self, draft: Draft, app: str) -> list[Seek]:
        since = draft.now - SEEK_SECONDS
        found = self._desk.table.seeks(app or None)
        return [one for one in found if one.player != draft.player.player and one.at >= since]

    async def who(self, draft: Draft, line: Line) -> None:
        people = self._people.known(draft.now, draft.player.player)
        entries = [
            (f"{replies.name(one.name, one.hash)}{'' if one.identity else ' (LRGP)'}", f"play @{one.hash}")
            for one in people
        ]
        if self._house():
            entries.insert(0, (HOUSE_NAME, f"play {HOUSE_NAME}"))
        if not entries:
            draft.say(
                replies.fit("Nobody else has been here this week. seek GAME waits for somebody."), "list"
            )
            return
        text, _ = replies.listed("Players:", (text for text, _ in entries), "play GAME NAME invites one.")
        draft.say(text, "list")

    async def play(self, draft: Draft, line: Line) -> None:
        app, words = self.app(line.words)
        words = tuple(word for word in words if word not in _FILLERS)
        if not app:
            raise _refused(
                f"Which game? {self._games()}. For example: play chess {words[0] if words else 'house'}"
            )
        self._check_room(draft)
        place = words[0] if words else ""
        if not words or place in ANYBODY:
            await self._anybody(draft, app)
        elif place == HOUSE_NAME or (place.isdigit() and len(words) == 1):
            self._sit_with_house(draft, app, words[-1])
        elif place == WEB_NAME or place in self._web.platforms:
            after = re.split(rf"\b{re.escape(place)}\b", line.rest, maxsplit=1, flags=re.IGNORECASE)[-1]
            platform = "" if place == WEB_NAME else place
            await self._web.play(self._desk, draft, app, wish(after, platform))
        else:
            await self._invite(draft, app, words)

    async def rematch(self, draft: Draft, line: Line) -> None:
        """Another game like the last one, or like the one that is named."""
        held = self._desk.seats_of(draft.player)
        named = line.game or " ".join(line.words)
        seat = self._desk.named(held, named, draft.player.current) if named else None
        if not named:
            last = [one for one in held if one.game_id == draft.player.current]
            seat = next(iter(last or [one for one in held if not one.live]), None)
        if seat is None:
            raise _refused("Of which game? play GAME NAME begins one.")
        if seat.live:
            raise _refused(f"#{seat.number} goes on; resign gives it up.")
        self._check_room(draft)
        if seat.kind is Kind.WIRE:
            await self._web.play(self._desk, draft, seat.app_id, Wish(assist=self._assisted(seat)))
        elif seat.opponent == HOUSE:
            self._sit_with_house(draft, seat.app_id, "")
        else:
            await self._invite(draft, seat.app_id, [f"@{seat.opponent}"])

    async def seek(self, draft: Draft, line: Line) -> None:
        app, words = self.app(line.words)
        if words[:1] and words[0] in ("off", "stop", "no", "none", "cancel", "end"):
            await self.stop_seeking(draft)
            return
        if not app:
            own = [one for one in self._desk.table.seeks() if one.player == draft.player.player]
            waits = f" You wait for {', '.join(replies.short(one.app_id) for one in own)}." if own else ""
            raise _refused(f"seek what? {self._games()}.{waits}")
        self._check_room(draft)
        if not await self._match(draft, app):
            me = draft.player
            draft.wait(Seek(identity=me.identity, player=me.player, app_id=app, at=draft.now))
            said = await self._web.seek(me.player, app)
            draft.say(
                replies.fit(f"You wait for a game of {replies.short(app)}, for a day. leave stops it.{said}"),
                "seek",
            )

    async def stop_seeking(self, draft: Draft) -> bool:
        """Whether he waited for anybody."""
        own = [one for one in self._desk.table.seeks() if one.player == draft.player.player]
        web = await self._web.unseek(draft.player.player)
        draft.wait_no_more(own)
        if own or web:
            draft.say(replies.fit("You do not wait for an opponent any more."), "seek")
        else:
            draft.say(replies.fit("You did not wait for anybody."), "seek")
        return bool(own) or web

    # Opponents

    async def _anybody(self, draft: Draft, app: str) -> None:
        """Who waits for this game, else the house, else he waits himself."""
        if await self._match(draft, app):
            return
        if self._plays_house(app):
            self._sit_with_house(draft, app, "")
        else:
            await self.seek(draft, Line(verb=None, game="", rest=app, words=(app,)))

    async def _match(self, draft: Draft, app: str) -> bool:
        """Begin with whoever waits longest for this game, if anybody does."""
        for seek in self._open_seeks(draft, app):
            if self._full(self._desk.table.seats_of(seek.identity, seek.player)):
                continue
            await self._begin(draft, app, seek)
            return True
        return False

    async def _begin(self, draft: Draft, app: str, seek: Seek) -> None:
        """Both want the game: it begins at once. Who has waited is the one who accepts."""
        for player in (seek.player, draft.player.player):
            await self._web.unseek(player)
        draft.wait_no_more((seek, self._own(draft, app)))
        seat = self._desk.open_table(draft, app, (seek.player, seek.identity))
        self._desk.accept(draft, seat.game_id, seek.player)
        draft.show(seat, full=True)

    def _own(self, draft: Draft, app: str) -> Seek:
        return Seek(identity=draft.player.identity, player=draft.player.player, app_id=app, at=draft.now)

    def _sit_with_house(self, draft: Draft, app: str, level: str) -> None:
        if not self._plays_house(app):
            raise _refused(f"The house does not play {replies.short(app)} here.")
        limits, sat = self._desk.limits, [one for one in self._desk.table.live() if one.player == HOUSE]
        if sum(one.opponent == draft.player.player for one in sat) >= limits.house_of_player:
            raise _refused("You play with the house already; resign gives that game up.")
        if len(sat) >= limits.house_games:
            raise _refused("The house has no time for another game now; try later, or seek a player.")
        most = len(LEVELS[app])
        chosen = int(level) if level.isdigit() else self._usual_level(app)
        if not 1 <= chosen <= most:
            raise _refused(f"The house plays {replies.short(app)} at levels 1 to {most}.")
        seat = self._desk.open_table(draft, app, (HOUSE, ""))
        self._levels[seat.game_id] = chosen
        draft.show(seat, full=True)

    async def _invite(self, draft: Draft, app: str, words: Sequence[str]) -> None:
        waits = next((one for one in self._open_seeks(draft, app) if f"@{one.player}" == words[0]), None)
        if waits is not None:
            await self._begin(draft, app, waits)
            return
        found = self._people.find(draft.now, draft.player.player, words)
        if not found:
            raise _refused(
                f"I know nobody called {' '.join(words)[:24]}. who lists players, tables who waits."
            )
        if len(found) > 1:
            names = ", ".join(f"{one.name or 'unnamed'} {one.hash[:8]}" for one in found[:4])
            raise _refused(f"Which one? {names}: use the number beside the name.")
        other = found[0]
        waits = next((one for one in self._open_seeks(draft, app) if one.player == other.hash), None)
        if waits is not None:
            await self._begin(draft, app, waits)
            return
        self._check_invitations(draft, other)
        if other.identity:
            seat = self._desk.open_table(draft, app, (other.hash, other.identity))
            for one in draft.new(seat.game_id):
                if one.player == other.hash:
                    draft.tell(one)
        else:
            seat = await self._desk.challenge(draft, app, other.hash)
            me = self._desk.name(draft.player.player)
            about = f"{me} plays by text, through me: this challenge to {replies.short(app)} is from {me}."
            draft.note(draft.player.identity, other.hash, f"for {seat.game_id}", replies.fit(about))
        draft.show(seat)

    # Limits

    def _check_room(self, draft: Draft) -> None:
        if self._full(self._desk.seats_of(draft.player)):
            raise _refused(f"You have {self._desk.limits.games} games; end one first.")

    def _full(self, held: Sequence[Seat]) -> bool:
        return sum(seat.live for seat in held) >= self._desk.limits.games

    def _check_invitations(self, draft: Draft, other: Person) -> None:
        most, held = self._desk.limits.invitations, self._desk.seats_of(draft.player)
        open_ones = [one for one in held if one.status is Status.PENDING and not _asked(one)]
        if len(open_ones) >= most:
            raise _refused(f"{most} of your invitations wait for an answer; leave takes one back.")
        if any(one.opponent == other.hash for one in open_ones):
            raise _refused("You have invited that player already.")
        if other.identity:
            theirs = self._desk.table.seats_of(other.identity, other.hash)
            waiting = sum(one.status is Status.PENDING and _asked(one) for one in theirs)
            if waiting >= most or self._full(theirs):
                raise _refused("That player has no room for another game now.")
        if not self._invites.allow(draft.player.player, draft.now):
            raise _refused("You have invited enough people for today; seek a game instead.")
        if not self._asked.allow(other.hash, draft.now):
            raise _refused("That player has been asked often enough today.")

    def _plays_house(self, app: str) -> bool:
        return self._house() and app in LEVELS and app in self._desk.games

    def _games(self) -> str:
        return ", ".join(map(replies.short, sorted(self._desk.games)))


def _asked(seat: Seat) -> bool:
    """Whether its player is the one who is to say yes."""
    own = seat.identity if seat.kind is Kind.LRGP else seat.player
    return seat.initiator != own


def _refused(message: str) -> Rejection:
    return Rejection(ErrorCode.PROTOCOL_ERROR, message)

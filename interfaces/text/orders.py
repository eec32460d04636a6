"""From what was read to what is done: which part of the desk a command belongs to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from lrgpnode.protocol.errors import Rejection

from . import moves, parse, replies
from .draft import Draft
from .finding import Finding
from .ladder import Standings
from .parse import Line, Verb
from .playing import Playing

Order = Callable[[Draft, Line], Awaitable[object]]


class Orders:
    """``carry_out`` leaves one answer in the draft, or none where nothing is known of what was said."""

    def __init__(self, finding: Finding, playing: Playing, standings: Standings) -> None:
        self._finding = finding
        self._playing = playing
        self._orders: Mapping[Verb, Order] = {
            Verb.HELP: finding.help,
            Verb.TABLES: finding.tables,
            Verb.PLAY: finding.play,
            Verb.REMATCH: finding.rematch,
            Verb.SEEK: finding.seek,
            Verb.WHO: finding.who,
            Verb.LADDER: standings.ladder,
            Verb.REPLAY: standings.replay,
            Verb.GAMES: playing.games,
            Verb.BOARD: playing.board,
            Verb.MOVE: playing.move,
            Verb.RESIGN: playing.resign,
            Verb.DRAW: playing.draw,
            Verb.LEAVE: playing.leave,
            Verb.ASSIST: playing.assist,
            Verb.YES: playing.yes,
            Verb.NO: playing.no,
            Verb.RESEND: playing.resend,
            Verb.MUTE: playing.mute,
            Verb.UNMUTE: playing.unmute,
        }

    async def carry_out(self, draft: Draft, line: Line) -> bool:
        """False where it is no command and no move. Raises ``StorageError``."""
        line = self._chosen(draft, line)
        try:
            if line.verb is None:
                return await self._without_verb(draft, line)
            await self._orders[line.verb](draft, line)
        except Rejection as rejection:
            draft.say(replies.fit(replies.sentence(rejection.message or "that cannot be done now")))
        except TimeoutError:
            draft.say(replies.fit("That takes too long now. Try again later."))
        return True

    async def _without_verb(self, draft: Draft, line: Line) -> bool:
        """A move, or the bare name of a game."""
        if await self._playing.bare(draft, line):
            return True
        app, others = self._finding.app(line.words)
        if not app or others or line.game:
            return False
        await self._finding.help(draft, line)
        return True

    def _chosen(self, draft: Draft, line: Line) -> Line:
        """A bare number after a list stands for a line of it, also behind ``play`` and ``board``."""
        shown = draft.player.shown
        number = line.number
        bare = line.verb is None
        if line.verb in (Verb.PLAY, Verb.BOARD) and not line.game and len(line.words) == 1:
            number = int(line.words[0]) if line.words[0].isdigit() and len(line.words[0]) <= 3 else None
        if number is None or not 1 <= number <= len(shown):
            return line
        chosen = parse.read(shown[number - 1])
        if chosen is None or (not bare and chosen.verb is not line.verb):
            return line
        return replace(chosen, prefixed=line.prefixed)


def speaks(line: Line) -> bool:
    """Whether somebody who need not have meant us seems to want a command: one of our words, or a move."""
    return line.verb is not None or moves.like_move(line.rest)

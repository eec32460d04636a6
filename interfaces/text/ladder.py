"""The ladder and replays by text; what they are shown from is handed in (`Ladders`).

Each answer is one packet: a ladder says as much as fits, a replay shows one position, and a number goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from lrgpnode.control.text import clean
from lrgpnode.protocol.errors import CallerError, ErrorCode, Rejection

from . import board, replies
from .draft import Draft
from .parse import Line

SECONDS: Final = 6.0
"""How long an answer may take: other texts wait meanwhile."""

ROWS: Final = 12
"""More lines do not fit into a packet."""

FIRST_ONES: Final = 2
MATCHES: Final = 3
SHORT: Final = 10
MOST_DIGITS: Final = 15

App = Callable[[tuple[str, ...]], tuple[str, tuple[str, ...]]]
"""The game that is named among words, and the other words."""


class Ladders(Protocol):
    """The part of ``lrgpnode.api.ladder.Ladders`` that is used here. Raises ``CallerError``."""

    async def show(self, game: str | None, *, skip: int, limit: int) -> Any: ...
    async def matches(
        self, game: str | None, player: str | None, *, before: int | None, limit: int
    ) -> Any: ...
    async def replay(self, number: int, *, first: int, limit: int) -> Any: ...


class Standings:
    """``ladders`` None: the node shows none."""

    def __init__(self, ladders: Ladders | None, app: App) -> None:
        self._ladders = ladders
        self._app = app

    async def ladder(self, draft: Draft, line: Line) -> None:
        """Of the game that is named, or the best of each. Raises ``Rejection``."""
        app, _ = self._app(line.words)
        if not line.words:
            await self._all(draft)
            return
        if not app:
            raise _refused("Which game? ladder alone lists them.")
        async with asyncio.timeout(SECONDS):
            found = await self._open.show(app, skip=0, limit=ROWS)
            played = await self._open.matches(app, None, before=None, limit=MATCHES)
        title = f"Ladder of {_title(found)}:"
        waiting = next((one.waiting for one in found.games if one.game == found.game), "")
        lines = [_row(row) for row in found.rows]
        if not lines:
            title = f"{title} nobody yet."
        end = [f"{replies.name(waiting, '')} waits for an opponent."] if waiting else []
        end += [f"{match.number}: {_ended(match)}" for match in played.matches]
        end += ["replay NUMBER shows a match."] if played.matches else []
        draft.say(replies.listed(title, lines, "\n".join(end))[0], "ladder")

    async def replay(self, draft: Draft, line: Line) -> None:
        """A match at its end, or after so many moves. Raises ``Rejection``."""
        numbers = [_number(word) for word in line.words[:2]]
        if not numbers or None in numbers or len(line.words) > 2:
            raise _refused(
                "Which match? replay 12, or replay 12 3 for after 3 moves; ladder GAME names the last ones."
            )
        number, at = numbers[0] or 0, numbers[1] if len(numbers) > 1 else None
        async with asyncio.timeout(SECONDS):
            found = await self._open.replay(number, first=at or 0, limit=1)
        plies = len(found.last.history)
        if at is not None and at > plies:
            raise _refused(f"Match {number} has {plies} moves only.")
        shown = found.last if at is None else found.views[0]
        at = len(shown.history)
        said = replies.moves(shown, 1)
        top = f"Match {number} {_players(found.match)}: {at} of {plies}{f', {said}' if said else ''}"
        steps = _steps(number, at, plies)
        told = [_result(found.match)] if at == plies else []
        told += (
            [", ".join(f"{count} {word}" for count, (word, _) in enumerate(steps, 1)) + "."] if steps else []
        )
        # Nobody is to type into the free cells of a match that is over.
        drawn = board.draw(replace(shown, my_turn=False))
        draft.offer(replies.with_board(top, drawn, "\n".join(told)), [command for _, command in steps])

    # Within

    @property
    def _open(self) -> Ladders:
        if self._ladders is None:
            raise _refused("This node shows no ladder.")
        return _Polite(self._ladders)

    async def _all(self, draft: Draft) -> None:
        async with asyncio.timeout(SECONDS):
            first = await self._open.show(None, skip=0, limit=FIRST_ONES)
            found = [first]
            for game in first.games[1:]:
                found.append(await self._open.show(game.game, skip=0, limit=FIRST_ONES))
        lines = [
            f"{number} {_title(one)}: {', '.join(map(_best, one.rows)) or 'nobody yet'}"
            for number, one in enumerate(found, 1)
        ]
        text, shown = replies.listed("Ladders:", lines, "A number shows one.")
        draft.offer(text, [f"ladder {one.game}" for one in found[:shown]])


class _Polite:
    """Refusals in the words of a refused command."""

    def __init__(self, ladders: Ladders) -> None:
        self._ladders = ladders

    async def show(self, game: str | None, *, skip: int, limit: int) -> Any:
        return await self._asked(self._ladders.show(game, skip=skip, limit=limit))

    async def matches(self, game: str | None, player: str | None, *, before: int | None, limit: int) -> Any:
        return await self._asked(self._ladders.matches(game, player, before=before, limit=limit))

    async def replay(self, number: int, *, first: int, limit: int) -> Any:
        return await self._asked(self._ladders.replay(number, first=first, limit=limit))

    async def _asked(self, question: Any) -> Any:
        try:
            return await question
        except CallerError as error:
            raise _refused(error.message) from None


def _steps(number: int, at: int, plies: int) -> Sequence[tuple[str, str]]:
    """What a number leads to from here: (word, command)."""
    steps = []
    if at < plies:
        steps.append(("next", f"replay {number} {at + 1}"))
    if at > 0:
        steps.append(("back", f"replay {number} {at - 1}"))
    if at == plies and plies:
        steps.append(("start", f"replay {number} 0"))
    return steps


def _title(ladder: Any) -> str:
    return next((str(one.name) for one in ladder.games if one.game == ladder.game), "?")


def _row(row: Any) -> str:
    return f"{row.rank} {replies.name(row.name, '')} {row.rating:.0f}, {row.won}-{row.drawn}-{row.lost}"


def _best(row: Any) -> str:
    return f"{replies.name(row.name, '')[:SHORT]} {row.rating:.0f}"


def _players(match: Any) -> str:
    first, second = (replies.name(name, "") for name in match.players)
    return f"{first} v {second}"


def _ended(match: Any) -> str:
    first, second = (replies.name(name, "")[:SHORT] for name in match.players)
    if match.void:
        return f"{first} v {second}, void"
    return f"{first} {_SCORES.get(match.winner, '-')} {second}"


_SCORES: Final = {0: "1-0", 1: "0-1", -1: "draw"}


def _result(match: Any) -> str:
    if match.void:
        return "Void: it counts for nothing."
    reason = f" ({clean(match.reason, 40)})" if match.reason else ""
    if match.winner not in (0, 1):
        return f"A draw{reason}."
    return f"{replies.name(match.players[match.winner], '')} won{reason}."


def _number(word: str) -> int | None:
    digits = word.lstrip("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS else None


def _refused(message: str) -> Rejection:
    return Rejection(ErrorCode.PROTOCOL_ERROR, message)

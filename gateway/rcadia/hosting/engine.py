"""The opponent in the house, in a seat at a table: it is told what any seat is told, and thinks as it does
for people of the node (``lrgpnode.house``), one thought at a time for all tables.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from games.four_in_a_row import COLUMNS, EMPTY_BOARD as NO_STONES, landing_row, marker as stone
from games.tictactoe import EMPTY_BOARD as NO_MARKS, marker as mark
from gateway.rcadia.client.pauses import Pauses
from gateway.seat import (
    ActionRefused,
    Board,
    Lost,
    NotYourTurn,
    OpponentMoved,
    PlatformError,
    Rejected,
    Rematch,
    RemoteSeat,
    Said,
    SeatLost,
    Unreachable,
    Word,
    YourTurn,
)
from lrgpnode.house.manners import agrees
from lrgpnode.house.question import Answer, Question
from lrgpnode.house.worker import Thinker, ThinkError
from lrgpnode.protocol.game import Intent

log = logging.getLogger(__name__)

ATTEMPTS: Final = 3
"""Thoughts about one move, and actions that the platform refuses, before the seat is given up."""

_KEY: Final = {"chess": "m", "ttt": "i", "four_in_a_row": "c"}


class Engine:
    """``level``: as in ``lrgpnode.house.levels``. ``seed`` is asked once for each thought."""

    def __init__(self, thinker: Thinker, level: int, seed: Callable[[], int]) -> None:
        self._thinker = thinker
        self._level = level
        self._seed = seed
        self._one = asyncio.Lock()

    async def play(self, app: str, seat: RemoteSeat, stay: Callable[[], bool]) -> None:
        """Play in this seat, round after round while ``stay`` says so; the seat is left in the end."""
        while True:
            if not await self._game(app, seat):
                return
            if not stay():
                await _leave(seat)
                return
            try:
                seat = await _patient(seat.rematch)
            except PlatformError as error:
                log.info("the house does not go on at a table: %s", error)
                return

    async def _game(self, app: str, seat: RemoteSeat) -> bool:
        """One game; whether there may be another."""
        offered, refused = False, 0
        async for event in seat.events():
            match event:
                case Said(word=Word.DRAW_OFFER):
                    offered = True
                case Rejected():
                    refused += 1
                case YourTurn() if refused >= ATTEMPTS or not await self._move(app, seat, event, offered):
                    log.error("the house gives up its seat: no move of it is taken")
                    await _leave(seat)
                    return False
                case YourTurn():
                    offered = False
                case OpponentMoved():
                    refused = 0
                case Rematch():
                    return True
                case Lost():
                    return False
        return False

    async def _move(self, app: str, seat: RemoteSeat, event: YourTurn, offered: bool) -> bool:
        """Move, or accept a draw; whether it was done or can be done no more."""
        for _ in range(ATTEMPTS):
            try:
                answer = await self._think(app, event.board)
                ply = len(event.board.moves or ()) if event.board is not None else 0
                if offered and agrees(app, ply, answer.score):
                    await _patient(partial(seat.say, Word.DRAW_ACCEPT))
                else:
                    await _patient(partial(seat.act, {_KEY[app]: answer.move}, event.turn))
            except (NotYourTurn, SeatLost) as error:
                log.debug("the house was too late with a move: %s", error)
            except (ThinkError, ActionRefused) as error:
                log.warning("the house has no move that is taken: %s", error)
                continue
            return True
        return False

    async def _think(self, app: str, board: Board | None) -> Answer:
        """Raises ``ThinkError``."""
        if board is None or board.moves is None:
            raise ThinkError("the table does not show its moves")
        question = Question(app=app, state=_state(app, board.moves), level=self._level, seed=self._seed())
        async with self._one:
            return await self._thinker.think(question)


def _state(app: str, moves: Sequence[Intent]) -> str | tuple[str, ...]:
    """What the engines are asked about, from the list of moves."""
    if app == "chess":
        return tuple(str(move["m"]) for move in moves)
    board = NO_MARKS if app == "ttt" else NO_STONES
    for number, move in enumerate(moves, 1):
        cell = int(move["i"]) if app == "ttt" else _landing(board, int(move["c"]))
        board = board[:cell] + (mark(number) if app == "ttt" else stone(number)) + board[cell + 1 :]
    return board


def _landing(board: str, column: int) -> int:
    row = landing_row(board, column)
    if row is None:
        raise ThinkError("the table's moves are no game")
    return row * COLUMNS + column


async def _patient(action: Callable[[], Any]) -> Any:
    """Do it as soon as the platform can be reached. Raises other ``PlatformError``."""
    pauses = Pauses()
    while True:
        try:
            return await action()
        except Unreachable as error:
            log.debug("the house tries again: %s", error)
            await pauses.after_seconds(error.retry_after)


async def _leave(seat: RemoteSeat) -> None:
    try:
        await _patient(seat.leave)
    except PlatformError as error:
        log.info("a seat of the house is gone already: %s", error)

"""The house in a seat: what it does with what a seat tells."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from gateway.rcadia.hosting.engine import ATTEMPTS, Engine
from gateway.seat import (
    ActionRefused,
    Board,
    Event,
    Finished,
    Lost,
    NotYourTurn,
    Outcome,
    Reason,
    Rematch,
    Said,
    SeatLost,
    Unreachable,
    Winner,
    Word,
    YourTurn,
)
from lrgpnode.house.question import Answer, Question
from lrgpnode.house.worker import ThinkError

OVER = Finished(winner=Winner.NONE, reason=Reason.BOARD)


def turn(*moves: dict[str, Any], number: int = 1) -> YourTurn:
    return YourTurn(board=Board(moves=moves), turn=number)


@dataclass
class FakeSeat:
    """Says these events; an action gets what is in ``answers``, then everything is taken."""

    said: list[Event]
    answers: list[Exception] = field(default_factory=list)
    done: list[Any] = field(default_factory=list)
    following: "FakeSeat | None" = None

    @property
    def resume_key(self) -> dict[str, Any]:
        return {}

    async def events(self) -> AsyncIterator[Event]:
        for event in self.said:
            yield event

    async def act(self, intent: Any, turn: int | None = None) -> Outcome:
        return self._do(dict(intent))

    async def say(self, word: Word) -> Outcome:
        return self._do(word)

    def _do(self, what: Any) -> Outcome:
        if self.answers:
            raise self.answers.pop(0)
        self.done.append(what)
        return Outcome.APPLIED

    async def leave(self) -> None:
        self.done.append("left")

    async def rematch(self) -> "FakeSeat":
        if self.following is None:
            raise SeatLost("too late")
        return self.following

    async def close(self) -> None:
        pass


@dataclass
class FakeThinker:
    """Plays the first free cell or column, with a score; ``fails`` times it does not think."""

    score: int = 0
    fails: int = 0
    asked: list[Question] = field(default_factory=list)

    async def think(self, question: Question) -> Answer:
        self.asked.append(question)
        if self.fails:
            self.fails -= 1
            raise ThinkError("no process to think in")
        move = "e7e5" if question.app == "chess" else str(question.state).index("_")
        return Answer(move=move, score=self.score, nodes=1)


def play(
    seat: FakeSeat, thinker: FakeThinker, app: str = "ttt", stay: Callable[[], bool] = lambda: True
) -> list[Any]:
    asyncio.run(asyncio.wait_for(Engine(thinker, 2, lambda: 7).play(app, seat, stay), 20))
    return seat.done


@pytest.mark.parametrize(
    ("app", "moves", "state", "move"),
    [
        ("ttt", ({"i": 4}, {"i": 0}), "O___X____", {"i": 1}),
        ("four_in_a_row", ({"c": 3}, {"c": 3}), "_" * 31 + "B" + "_" * 6 + "A" + "___", {"c": 0}),
        ("chess", ({"m": "e2e4"},), ("e2e4",), {"m": "e7e5"}),
    ],
)
def test_it_is_asked_about_the_position(app: str, moves: Any, state: Any, move: Any) -> None:
    thinker = FakeThinker()
    assert play(FakeSeat([turn(*moves), OVER]), thinker, app) == [move]
    assert thinker.asked == [Question(app=app, state=state, level=2, seed=7)]


def test_a_draw_is_accepted_where_it_is_good_enough() -> None:
    said = [Said(word=Word.DRAW_OFFER), turn(), OVER]
    assert play(FakeSeat(said), FakeThinker(score=-200)) == [Word.DRAW_ACCEPT]
    assert play(FakeSeat(said), FakeThinker(score=200)) == [{"i": 0}]


def test_an_answer_that_is_late_or_lost_is_no_fault() -> None:
    for trouble in (NotYourTurn("late"), SeatLost("gone")):
        assert play(FakeSeat([turn(), turn(number=2), OVER], [trouble]), FakeThinker()) == [{"i": 0}]
    assert play(FakeSeat([turn(), OVER], [Unreachable("away", 0.01)]), FakeThinker()) == [{"i": 0}]


def test_it_thinks_again_and_then_gives_the_seat_up() -> None:
    assert play(FakeSeat([turn(), OVER]), FakeThinker(fails=ATTEMPTS - 1)) == [{"i": 0}]
    assert play(FakeSeat([turn(), OVER]), FakeThinker(fails=ATTEMPTS)) == ["left"]
    assert play(FakeSeat([turn(), OVER], [ActionRefused("no")] * ATTEMPTS), FakeThinker()) == ["left"]
    unseen = YourTurn(board=Board(position="_" * 9), turn=1)
    assert play(FakeSeat([unseen, OVER]), FakeThinker()) == ["left"]


def test_it_goes_on_while_it_may_stay() -> None:
    second = FakeSeat([turn(), OVER])
    first = FakeSeat([turn(), OVER, Rematch()], following=second)
    assert play(first, FakeThinker()) == [{"i": 0}]
    assert second.done == [{"i": 0}]
    alone = FakeSeat([turn(), OVER, Rematch()], following=second)
    assert play(alone, FakeThinker(), stay=lambda: False) == [{"i": 0}, "left"]
    assert play(FakeSeat([OVER, Rematch()]), FakeThinker()) == []
    assert play(FakeSeat([Lost(reason="restarted")]), FakeThinker()) == []

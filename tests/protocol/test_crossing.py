"""What crossing actions do to the other side, against two real sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, strategies as st

from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from lrgpnode.protocol.crossing import Step, converges
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey

A, B, ID = "a" * 32, "b" * 32, "0" * 16
COMMANDS = ("accept", "decline", "move", "resign", "draw_offer", "draw_accept", "draw_decline")


class Side:
    def __init__(self, game: Game, me: str, peer: str) -> None:
        self.game = game
        self.me = me
        opened = game.open(SessionKey(me, ID), peer, A, 1.0)
        self.session: Session = game.apply(opened, A, "challenge", {}, 1.0)
        self.journal = [Step(A, "challenge", {}, 1.0)]

    def intend(self, command: str, pick: int) -> Step | None:
        """An action of this side that the rules allow, committed."""
        intent: dict[str, Any] = {}
        if command == "move":
            legal = self.game.view(self.session, self.me).legal
            if not legal:
                return None
            intent = dict(legal[pick % len(legal)].intent)
        if command == "accept" and self.me == A:
            return None
        try:
            payload = self.game.intend(self.session, self.me, command, intent, lambda: False)
        except Rejection:
            return None
        step = Step(self.me, command, payload, 2.0)
        return step if self.take(step) else None

    def take(self, step: Step) -> bool:
        try:
            self.session = self.game.apply(
                self.session, step.actor, step.command, dict(step.payload), step.at
            )
        except Rejection:
            return False
        self.journal.append(step)
        return True

    def outcome(self) -> Any:
        view = self.game.view(self.session, self.me)
        public = {k: v for k, v in self.game.public(self.session).items() if not k.startswith("my_")}
        return self.session.status, view.result if self.session.status.ended else public


actions = st.tuples(st.booleans(), st.sampled_from(COMMANDS), st.integers(0, 20))


@given(
    st.sampled_from([TicTacToe, FourInARow]),
    st.lists(actions, max_size=25),
    st.lists(actions, min_size=1, max_size=4),
)
def test_harmless_is_said_only_where_both_sides_end_equal(
    make: type[Game], before: list[Any], crossing: list[Any]
) -> None:
    game = make()
    a, b = Side(game, A, B), Side(game, B, A)
    for by_a, command, pick in before:
        actor, other = (a, b) if by_a else (b, a)
        step = actor.intend(command, pick)
        assert step is None or other.take(step)
    assert a.outcome() == b.outcome()
    # Now one action of b's and some of a's cross.
    ours = [step for _, command, pick in crossing if (step := a.intend(command, pick)) is not None]
    theirs = next((step for _, command, pick in crossing if (step := b.intend(command, pick))), None)
    if theirs is None:
        return
    refused_by_b = [step for step in ours if not b.take(step)]
    if a.take(theirs):
        return  # nothing was refused here
    harmless = converges(game, a.session, a.journal, theirs)
    if harmless:
        assert a.outcome() == b.outcome(), (ours, theirs)
    if not ours:
        assert not refused_by_b


def test_a_journal_that_is_not_whole_says_nothing() -> None:
    game = TicTacToe()
    side = Side(game, A, B)
    resign = Step(B, "resign", {}, 2.0)
    assert not converges(game, side.session, [], resign)
    changed = replace(side.session, metadata={**side.session.metadata, "board": "X________"})
    assert not converges(game, changed, side.journal, resign)


def test_a_move_that_crossed_a_resignation_is_harmless_and_an_agreed_draw_is_not() -> None:
    game = TicTacToe()
    a, b = Side(game, A, B), Side(game, B, A)
    for actor, other, command in ((b, a, "accept"), (a, b, "move"), (a, b, "draw_offer")):
        step = actor.intend(command, 0)
        assert step is not None
        assert other.take(step)
    assert a.intend("resign", 0)
    move, agreed = Step(B, "move", {}, 2.0), Step(B, "draw_accept", {}, 2.0)
    other_side = Side(game, B, A)
    for step in b.journal[1:]:
        assert other_side.take(step)
    made = other_side.intend("move", 3)
    assert made is not None
    assert converges(game, a.session, a.journal, made)
    assert not converges(game, a.session, a.journal, agreed)
    assert not converges(game, a.session, a.journal, move)  # no move at all

"""What people read: one packet at most, whatever is in it; and how it is told to them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from interfaces.text import board, replies
from interfaces.text.replies import Shown
from lrgpnode.protocol.game import GameView, LegalMove, Reason, Result
from storage.model import Block
from tests.text.stage import ANN, PAUL, Stage, on_stage
from tests.text.test_moves import ANN as ME, GAMES, begun

PACKET = 287


def shown(view: GameView, **values: object) -> Shown:
    return replace(Shown(number=3, app="chess", opponent="Paul", view=view), **values)  # type: ignore[arg-type]


def bytes_of(text: str) -> int:
    return len(text.encode())


@given(st.text(), st.integers(10, 400))
def test_whatever_is_said_fits(text: str, most: int) -> None:
    said = replies.fit(text, most)
    assert bytes_of(said) <= most
    assert said.startswith("~")
    assert said.endswith("...") or said == f"~{text}" or "\ud800" <= max(text, default="") <= "\udfff"


@given(st.lists(st.text(max_size=80), max_size=60), st.text(max_size=40))
def test_a_list_fits_and_counts_what_is_in_it(lines: list[str], title: str) -> None:
    text, count = replies.listed(
        replies.name(title, "x"), [replies.name(line, "y") for line in lines], "End."
    )
    assert bytes_of(text) <= PACKET
    assert 0 <= count <= len(lines)
    assert (count == len(lines)) != ("more" in text.splitlines()[-2])


@pytest.mark.parametrize("app", sorted(GAMES))
def test_the_whole_board_fits_with_long_names(app: str) -> None:
    view = GAMES[app].view(begun(app), ME)
    wide = replace(view, status_line="W" * 60, history=("Nbxd2e8=Q+",) * 300)
    said = replies.position(shown(wide, number=888, opponent="ÄÖÜ" * 5), board_too=True)
    assert bytes_of(said) <= PACKET
    assert len(said.splitlines()) >= len(view.grid)


VIEWS = st.builds(
    GameView,
    app_id=st.text(max_size=20),
    grid=st.lists(st.lists(st.text(max_size=5), max_size=25).map(tuple), max_size=25).map(tuple),
    row_labels=st.lists(st.text(max_size=5), max_size=25).map(tuple),
    column_labels=st.lists(st.text(max_size=5), max_size=25).map(tuple),
    seat=st.text(max_size=20),
    turn=st.text(max_size=5),
    my_turn=st.booleans(),
    legal=st.lists(
        st.builds(
            LegalMove,
            intent=st.just({}),
            label=st.text(max_size=5),
            target=st.none() | st.tuples(st.integers(0, 3), st.integers(0, 3)),
        ),
        max_size=9,
    ).map(tuple),
    last_cells=st.just(()),
    status_line=st.text(max_size=300),
    result=st.none() | st.builds(Result, reason=st.sampled_from(Reason)),
    history=st.lists(st.text(max_size=30), max_size=5).map(tuple),
    ply=st.integers(0, 5),
    numbered=st.integers(0, 3),
    turned=st.booleans(),
)


@given(VIEWS, st.booleans())
def test_games_of_others_are_shown_whatever_they_say(view: GameView, full: bool) -> None:
    for said in (
        replies.position(shown(view), board_too=full),
        replies.brief(shown(view)),
        replies.fit(replies.summary(shown(view))),
    ):
        assert bytes_of(said) <= PACKET
        assert "\x1b" not in said
    board.draw(view)


def test_a_slow_house_first_says_that_the_move_was_made() -> None:
    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        await ann.says("play ttt house")
        stage.thinker.seconds = 10.0
        assert "2." in await ann.says("5")
        assert len(ann.got) == 1
        stage.thinker.seconds = 60.0
        said = await ann.says("9") if "9" in ann.got[0] else await ann.says("1")
        assert "Waiting" in said
        await asyncio.sleep(60)
        assert len(ann.got) == 2
        assert "Your turn" in ann.got[1] or "You" in ann.got[1]

    on_stage(scene)


def test_a_player_who_is_blocked_is_told_nothing_more() -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = stage.phone(ANN), stage.phone(PAUL)
        await paul.says("help")
        await ann.says("play ttt paul")
        await paul.says("yes")
        await stage.node.node.admission.block(Block(peer=PAUL, blocked_at=1.0))
        paul.got.clear()
        await ann.says("5")
        assert not paul.got
        assert not stage.node.store.text.waiting()
        assert await paul.says("board") == ""

    on_stage(scene)

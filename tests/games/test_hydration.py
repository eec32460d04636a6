"""Stored records: what is reachable is loaded unchanged, what contradicts itself is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import chess
import pytest
from hypothesis import given, settings, strategies as st

from games.chess import Chess
from lrgpnode.protocol.errors import Corrupt
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, Status
from tests.games.table import ANN, APPS, BEN, EVE, FIRST, GAMES, NOW, SECOND, Table, words

OFFER = {"draw_offered": True, "draw_offered_by": ANN}
LINES = {
    "ttt": ("", "4", "4 0", "0 3 1 4 2", "0 3 1 4 8 5", "4 0 8 2 1 7 3 5 6"),
    "chess": ("", "e2e4", "e2e4 e7e5 g1f3", "f2f3 e7e5 g2g4 d8h4", "g1f3 g8f6 f3g1 f6g8 " * 2),
    "four_in_a_row": ("", "3", "3 3 4", "0 1 0 1 0 1 0", "0 0 1 1 2 2 6 3", "0 1 1 2 2 3 2 3 3 6 3"),
}


def changed(session: Session, /, *gone: str, **metadata: Any) -> Session:
    kept = {key: value for key, value in session.metadata.items() if key not in gone}
    return replace(session, metadata={**kept, **metadata})


def refused(game: Game, session: Session) -> str:
    with pytest.raises(Corrupt) as corrupt:
        game.normalise(session)
    assert str(corrupt.value)
    return str(corrupt.value)


def line(app: str, moves: str, *, white: str = ANN) -> Table:
    (key,) = FIRST[app]
    kind: Any = str if app == "chess" else int
    return Table.active(app, white=white).moves(*({key: kind(move)} for move in words(moves)))


def endings(table: Table) -> Iterator[Table]:
    """The table, and where it is still open every way in which it can end or wait."""
    yield table
    if table.status is not Status.ACTIVE:
        return
    for script in (
        (("draw_offer", 0),),
        (("draw_offer", 1),),
        (("resign", 0),),
        (("resign", 1),),
        (("draw_offer", 0), ("draw_accept", 1)),
        (("draw_offer", 1), ("draw_decline", 0)),
    ):
        other = Table(table.game, dict(table.sides), table.now)
        for command, who in script:
            other.play((ANN, BEN)[who], command)
        yield other


def reachable(app: str) -> Iterator[Table]:
    yield Table.challenged(app)
    for who in (ANN, BEN):
        table = Table.challenged(app)
        table.play(who, "decline")
        yield table
    for moves in LINES[app]:
        yield from endings(line(app, moves))
    if app == "chess":
        yield from endings(line(app, "e2e4 c7c5", white=BEN))
        table = line(app, "g1f3 g8f6 f3g1 f6g8 " * 2)
        table.play(BEN, "draw_offer", {"r": "3fr"})
        yield table


@cache
def records(app: str) -> tuple[Session, ...]:
    """Both sides of everything reachable, and each expired where it can expire."""
    found = [side for table in reachable(app) for side in table.sides.values()]
    alive = [session for session in found if not session.status.ended]
    return (*found, *(GAMES[app].expire(session, NOW + 1e7) for session in alive))


@pytest.mark.parametrize("app", APPS)
def test_every_reachable_record_is_loaded_unchanged(app: str) -> None:
    for session in records(app):
        again = replace(session, metadata=json.loads(json.dumps(dict(session.metadata))))
        game = type(GAMES[app])()  # nothing cached
        assert game.normalise(again) == session


@pytest.mark.parametrize("app", APPS)
def test_the_metadata_has_exactly_these_keys(app: str) -> None:
    common = {
        "turn",
        "first_turn",
        "move_count",
        "winner",
        "terminal",
        "draw_offered",
        "draw_offered_by",
        "moves",
    }
    own = {
        "ttt": {"board", "my_marker"},
        "chess": {"my_color", "reason"},
        "four_in_a_row": {"board", "my_marker", "first_marker", "second_marker"}
        | {"last_column", "last_row", "last_cell"},
    }
    for session in records(app):
        assert session.metadata.keys() - {"cancelled_by_initiator"} == common | own[app]


@pytest.mark.parametrize("app", APPS)
def test_unknown_keys_are_dropped(app: str) -> None:
    """Deployed clients keep notes such as ``delivery_state`` in the same map."""
    session = line(app, LINES[app][1]).ann
    assert GAMES[app].normalise(changed(session, delivery_state="sent", note=[1])) == session


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row"])
def test_a_record_from_elsewhere_may_lack_the_list_of_moves(app: str) -> None:
    for session in records(app):
        bare = changed(session, "moves")
        assert GAMES[app].normalise(bare) == bare
    session = changed(line(app, LINES[app][1]).ben, "moves")
    payload = GAMES[app].intend(session, BEN, "move", SECOND[app], lambda: False)
    after = GAMES[app].apply(session, BEN, "move", payload, NOW)
    assert "moves" not in after.metadata
    assert GAMES[app].normalise(after) == after


@pytest.mark.parametrize("app", APPS)
def test_a_record_without_a_key_is_refused(app: str) -> None:
    tolerated = {"draw_offered", "draw_offered_by"} | (set() if app == "chess" else {"moves"})
    for session in records(app):
        for key in session.metadata:
            if key not in tolerated | {"cancelled_by_initiator"}:
                refused(GAMES[app], changed(session, key))


JUNK: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    99,
    1.0,
    "",
    "x",
    "X",
    "A",
    EVE,
    "draw",
    "win",
    "resign",
    [],
)
JUNK += ([0], {}, {"a": 1}, "_" * 9, "_" * 42, ["e2e4"], ["e2e5"], "w", "b", ANN.upper(), float("nan"))

SAME: Mapping[str, tuple[Any, ...]] = {
    # Values that say nothing else, or that a deployed peer may have left there.
    "draw_offered_by": (None, ""),
    "draw_offered": (False, True),
    "cancelled_by_initiator": (False,),
}


def equivalent(session: Session, key: str, value: Any) -> bool:
    """Whether the changed record is as true as the one before."""
    m = session.metadata
    if type(value) is type(m[key]) and value == m[key]:
        return True
    if key in SAME and any(type(value) is type(same) and value == same for same in SAME[key]):
        return True
    kept_turn = session.app_id == "ttt" and session.status is Status.COMPLETED
    unfinished = session.status is Status.EXPIRED and session.app_id != "chess"
    return key == "turn" and value == "" and (kept_turn or unfinished)


@pytest.mark.parametrize("app", APPS)
def test_a_record_with_one_value_replaced_is_refused(app: str) -> None:
    for session in records(app)[::2]:
        for key in session.metadata:
            for value in JUNK:
                if not equivalent(session, key, value):
                    damaged = changed(session, **{key: value})
                    try:
                        loaded = GAMES[app].normalise(damaged)
                    except Corrupt:
                        continue
                    raise AssertionError((app, session.status, dict(session.metadata), key, value, loaded))


@pytest.mark.parametrize("app", APPS)
def test_a_record_in_another_status_is_refused(app: str) -> None:
    for session in records(app):
        alive = session.status in (Status.PENDING, Status.ACTIVE)
        for status in Status:
            if status is session.status or (alive and status is Status.EXPIRED):
                continue
            moved = replace(session, status=status)
            started = session.metadata["turn"] != "" or session.metadata["terminal"] != ""
            unopened = {Status.PENDING, Status.DECLINED, Status.EXPIRED}
            if not started and {status, session.status} <= unopened:
                continue  # nothing in the metadata of a challenge says what became of it
            was_active = session.status is Status.EXPIRED and status is Status.ACTIVE
            if was_active and session.metadata["turn"]:
                continue
            refused(GAMES[app], moved)


@pytest.mark.parametrize("app", APPS)
def test_a_record_of_other_people_is_refused(app: str) -> None:
    session = line(app, LINES[app][1]).ann
    if app != "chess":  # in chess who began is drawn, and the challenger is bound by the record's own column
        refused(GAMES[app], replace(session, initiator=BEN))
    refused(GAMES[app], replace(session, key=replace(session.key, identity=EVE), initiator=BEN))
    refused(GAMES[app], replace(session, peer=EVE))


# Draw offers


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize(
    "offer",
    [
        {"draw_offered": True, "draw_offered_by": ""},
        {"draw_offered": True, "draw_offered_by": None},
        {"draw_offered": False, "draw_offered_by": ANN},
    ],
)
def test_half_an_offer_is_no_offer(app: str, offer: dict[str, Any]) -> None:
    for session in records(app):
        bare = changed(session, draw_offered=False, draw_offered_by="")
        assert GAMES[app].normalise(changed(session, **offer)) == bare


@pytest.mark.parametrize("app", APPS)
def test_a_record_older_than_owners_of_offers(app: str) -> None:
    session = line(app, "").ann
    assert GAMES[app].normalise(changed(session, "draw_offered_by", draw_offered=True)) == session
    assert GAMES[app].normalise(changed(session, "draw_offered_by", "draw_offered")) == session


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("offered", [True, False])
def test_an_offer_of_a_stranger_is_refused(app: str, offered: bool) -> None:
    for session in records(app):
        refused(GAMES[app], changed(session, draw_offered=offered, draw_offered_by=EVE))


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("value", [0, 1, None, "", "true", []])
def test_a_flag_is_a_bool(app: str, value: Any) -> None:
    refused(GAMES[app], changed(line(app, "").ann, draw_offered=value))


@pytest.mark.parametrize("app", APPS)
def test_where_an_offer_may_be_open(app: str) -> None:
    for session in records(app):
        offered = changed(session, **OFFER)
        opened = session.metadata["turn"] != ""
        if session.status is Status.ACTIVE:
            assert GAMES[app].normalise(offered) == offered
        elif session.status is Status.EXPIRED and opened:
            kept = app != "four_in_a_row"
            assert GAMES[app].normalise(offered) == (offered if kept else changed(session, **_none()))
        else:
            refused(GAMES[app], offered)


def _none() -> dict[str, Any]:
    return {"draw_offered": False, "draw_offered_by": ""}


# Boards

TWO_LINES = "XXXOOO___"


@pytest.mark.parametrize(
    ("board", "count"),
    [
        (TWO_LINES, 6),
        ("XXXOO____", 6),
        ("XXX______", 3),
        ("OX_______", 1),
        ("O________", 1),
        ("XXXO_O_O_", 6),  # X has a line, and yet O moved last
        ("XO_XO__O_", 5),
        ("x________", 1),
        ("X_______", 1),
        ("X________ ", 1),
    ],
)
def test_boards_of_tic_tac_toe_that_cannot_be(board: str, count: int) -> None:
    session = changed(line("ttt", "4").ann, "moves", board=board, move_count=count)
    for turn in (ANN, BEN, ""):
        for status, terminal, winner in (
            (Status.ACTIVE, "", ""),
            (Status.COMPLETED, "win", ANN),
            (Status.COMPLETED, "win", BEN),
            (Status.COMPLETED, "draw", ""),
            (Status.COMPLETED, "resign", ANN),
        ):
            record = replace(changed(session, turn=turn, terminal=terminal, winner=winner), status=status)
            refused(GAMES["ttt"], record)


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row"])
def test_the_moves_must_be_a_game_that_leads_to_the_board(app: str) -> None:
    session = line(app, "4 0 8" if app == "ttt" else "4 0 5").ann
    good = session.metadata["moves"]
    last = good[-1]
    for moves in (
        [],
        good[:-1],
        [*good, 1],
        good[::-1],
        [4, 5, 0],
        [0, 4, last],
        [4, 0, 99],
    ):
        if moves != good:
            kept = app == "ttt" and moves == [8, 0, 4]  # another order, the same board
            if kept:
                GAMES[app].normalise(changed(session, moves=moves))
            else:
                refused(GAMES[app], changed(session, moves=moves))
    refused(GAMES[app], changed(session, moves=[float(move) for move in good]))
    refused(GAMES[app], changed(session, moves=tuple(map(str, good))))


def test_a_game_of_four_in_a_row_that_went_on_after_its_end() -> None:
    won = line("four_in_a_row", "0 1 0 1 0 1 0").ann
    board = list(won.metadata["board"])
    board[5 * 7 + 6] = "B"
    late = {"board": "".join(board), "move_count": 8, "last_column": 6, "last_row": 5, "last_cell": 41}
    record = changed(won, "moves", **late)
    assert "before the last move" in refused(GAMES["four_in_a_row"], record)


def floating(board: list[str]) -> None:
    board[3], board[38] = board[38], "_"


@pytest.mark.parametrize(
    "spoil",
    [
        floating,
        lambda board: board.__setitem__(38, "B"),
        lambda board: board.__setitem__(38, "a"),
        lambda board: board.__setitem__(35, "A"),
        lambda board: board.append("_"),
        lambda board: board.pop(0),
    ],
)
def test_boards_of_four_in_a_row_that_cannot_be(spoil: Callable[[list[str]], Any]) -> None:
    session = line("four_in_a_row", "3 3 4").ann
    board = list(session.metadata["board"])
    spoil(board)
    refused(GAMES["four_in_a_row"], changed(session, "moves", board="".join(board)))


@pytest.mark.parametrize(
    "last",
    [
        {"last_column": None, "last_row": None, "last_cell": None},
        {"last_column": 3, "last_row": 4, "last_cell": 31},  # B's stone
        {"last_column": 3, "last_row": 5, "last_cell": 38},  # A's, but covered
        {"last_column": 5, "last_row": 5, "last_cell": 40},  # empty
        {"last_column": 4, "last_row": 5, "last_cell": 40},
        {"last_column": -3, "last_row": 6, "last_cell": 39},
        {"last_column": 4, "last_row": 5, "last_cell": None},
    ],
)
def test_the_last_stone_is_on_top_and_of_the_last_mover(last: dict[str, Any]) -> None:
    session = line("four_in_a_row", "3 3 4").ann
    refused(GAMES["four_in_a_row"], changed(session, "moves", **last))
    refused(GAMES["four_in_a_row"], changed(session, **last))


@pytest.mark.parametrize(
    "moves",
    [
        "e2e5",
        "e2e4 e2e4",
        "e2e4 e7e5 e1e2 e8e7 e1e2",
        "f2f3 e7e5 g2g4 d8h4 a2a3",
        "e2e4q",
        "E2E4",
        "0000",
        "a1a1",
    ],
)
def test_chess_moves_that_are_no_game(moves: str) -> None:
    session = line("chess", "").ann
    played = list(words(moves))
    for turn in (ANN, BEN):
        refused(GAMES["chess"], changed(session, moves=played, move_count=len(played), turn=turn))


@pytest.mark.parametrize("table", [Table.challenged("chess"), line("chess", "e2e4 c7c5")])
def test_the_board_of_an_exported_record_is_checked_and_not_kept(table: Table) -> None:
    exported = replace(table.ann, metadata=table.game.public(table.ann))
    assert GAMES["chess"].normalise(exported) == table.ann
    boards: tuple[Any, ...] = (chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1").fen(), "", 0, [])
    for board in boards:
        refused(GAMES["chess"], changed(exported, board=board))


def test_deployed_peers_keep_the_turn_of_a_resigned_tic_tac_toe() -> None:
    table = line("ttt", "4")
    table.play(ANN, "resign")
    record = changed(table.ann, turn=BEN)
    assert GAMES["ttt"].normalise(record) == record
    refused(GAMES["ttt"], changed(table.ann, turn=ANN))


# At random


def random_table(app: str, data: st.DataObject, most: int) -> Table:
    """A game of random actions, some moves of which are legal."""
    table = Table.active(app, white=data.draw(st.sampled_from([ANN, BEN])))
    view = table.game.view
    for _ in range(data.draw(st.integers(0, most))):
        if table.status is not Status.ACTIVE:
            break
        kind = data.draw(
            st.sampled_from(["move"] * 12 + ["draw_offer", "draw_decline", "draw_accept", "resign"])
        )
        who = table.turn if kind == "move" else data.draw(st.sampled_from([ANN, BEN]))
        m = table.metadata
        if kind in ("draw_accept", "draw_decline") and m["draw_offered_by"] != table.ann.other(who):
            continue
        if kind == "draw_offer" and m["draw_offered"]:
            continue
        intent = None
        if kind == "move":
            legal = view(table.ann if who == ANN else table.ben, who).legal
            intent = legal[data.draw(st.integers(0, len(legal) - 1))].intent
        table.play(who, kind, intent)
    return table


def check_random(app: str, data: st.DataObject, most: int) -> None:
    table = random_table(app, data, most)
    fresh = Chess() if app == "chess" else GAMES[app]
    for side in table.sides.values():
        assert fresh.normalise(side) == side
        if not side.status.ended:
            expired = fresh.expire(side, NOW + 1e7)
            assert fresh.normalise(expired) == expired
    side = table.sides[data.draw(st.sampled_from([ANN, BEN]))]
    key = data.draw(st.sampled_from(sorted(side.metadata)))
    value: Any = data.draw(st.sampled_from(JUNK) | st.text(max_size=3) | st.integers())
    try:
        loaded = fresh.normalise(changed(side, **{key: value}))
    except Corrupt:
        return
    # Chess keeps nothing beside its moves: another legal game of the same length is a record, too.
    another = app == "chess" and key == "moves" and len(value) == side.metadata["move_count"]
    assert another or equivalent(side, key, value) or key.startswith("draw_offered"), (key, value)
    assert loaded.status is side.status


@pytest.mark.parametrize("app", APPS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_random_records(app: str, data: st.DataObject) -> None:
    check_random(app, data, 30)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("app", APPS)
@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_many_random_records(app: str, data: st.DataObject) -> None:
    check_random(app, data, 80)

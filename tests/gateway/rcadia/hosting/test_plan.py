"""What a house host does next."""

from dataclasses import replace

from hypothesis import given, strategies as st

from gateway.rcadia.hosting.plan import (
    CloseTable,
    GiveUp,
    HostSettings,
    OpenTable,
    SeatHouse,
    SeatPlayer,
    TableView,
    due,
    plan,
)
from gateway.seeking import Seek

SETTINGS = HostSettings(games=("chess", "ttt"), min_open=1, max_tables=3, house_after=30.0)
OPEN = TableView(id="1", app="chess", waiting=True)
WAITED = replace(OPEN, strangers=1, since=100.0)
TTT = replace(OPEN, id="9", app="ttt")
EVE = Seek(peer="e5" * 16, app="chess", at=1000.0, until=2000.0)
SAM = replace(EVE, peer="5a" * 16, at=1001.0)


def deeds(
    *tables: TableView, seeks: tuple[Seek, ...] = (), now: float = 110.0, wall: float = 1500.0
) -> list[object]:
    return list(plan(SETTINGS, tables, seeks, now=now, wall=wall))


def test_a_table_is_opened_where_none_is_open() -> None:
    assert deeds() == [OpenTable("chess"), OpenTable("ttt")]
    assert deeds(OPEN, TTT) == []
    playing = replace(OPEN, waiting=False)
    assert deeds(playing, TTT) == [OpenTable("chess")]
    assert deeds(playing, replace(playing, id="2"), replace(playing, id="3"), TTT) == []


def test_who_waits_gets_a_player_of_the_mesh_at_once() -> None:
    """And a table that is about to be full is not open any more."""
    assert deeds(WAITED, TTT, seeks=(EVE, SAM)) == [SeatPlayer("1", EVE), OpenTable("chess")]
    assert deeds(WAITED, replace(WAITED, id="2"), OPEN, TTT, seeks=(EVE,)) == [SeatPlayer("1", EVE)]
    two = deeds(WAITED, replace(WAITED, id="2"), TTT, seeks=(EVE, SAM))
    assert two == [SeatPlayer("1", EVE), SeatPlayer("2", SAM), OpenTable("chess")]
    assert deeds(replace(WAITED, app="ttt"), OPEN, seeks=(EVE,)) == []


def test_the_house_sits_down_after_a_while() -> None:
    assert deeds(WAITED, TTT, now=129.9) == []
    assert deeds(WAITED, TTT, now=130.0) == [SeatHouse("1"), OpenTable("chess")]
    assert deeds(replace(WAITED, not_before=200.0), TTT, now=199.0) == []
    assert deeds(replace(WAITED, taken=True), OPEN, TTT, now=500.0) == []
    alone = replace(SETTINGS, house=False)
    assert plan(alone, [WAITED, TTT], (), now=500.0, wall=0.0) == ()


def test_where_only_one_of_ours_sits_is_open() -> None:
    alone = replace(OPEN, taken=True)
    assert deeds(alone, TTT) == []
    assert deeds(alone, TTT, seeks=(EVE,)) == []


def test_tables_too_many_are_closed_after_a_while() -> None:
    idle = [replace(OPEN, id=str(number), idle=20.0 + number) for number in (1, 2, 3)]
    assert deeds(*idle, TTT, now=80.0) == []
    assert deeds(*idle, TTT, now=81.0) == [CloseTable("1")]
    assert deeds(*idle, TTT, now=500.0) == [CloseTable("1"), CloseTable("2")]
    assert due(SETTINGS, idle, (), now=75.0, wall=0.0) == 6.0


def test_who_has_waited_in_vain_is_told() -> None:
    assert deeds(WAITED, TTT, seeks=(EVE,), wall=2000.0) == [GiveUp(EVE)]


def test_when_to_look_again() -> None:
    assert due(SETTINGS, [OPEN], (), now=110.0, wall=0.0) is None
    assert due(SETTINGS, [WAITED], (), now=110.0, wall=0.0) == 20.0
    assert due(SETTINGS, [WAITED], (EVE,), now=110.0, wall=1990.0) == 10.0
    assert due(SETTINGS, [replace(WAITED, not_before=112.0)], (), now=110.0, wall=0.0) == 2.0
    assert due(SETTINGS, [replace(WAITED, taken=True)], (), now=110.0, wall=0.0) is None


VIEWS = st.lists(
    st.builds(
        TableView,
        id=st.uuids().map(str),
        app=st.sampled_from(["chess", "ttt"]),
        waiting=st.booleans(),
        strangers=st.integers(0, 2),
        taken=st.booleans(),
        since=st.floats(0, 200),
        idle=st.floats(0, 200),
        not_before=st.floats(0, 200),
    ),
    max_size=8,
)
SEEKS = st.lists(
    st.builds(
        Seek,
        peer=st.sampled_from(["a", "b", "c", "d"]),
        app=st.sampled_from(["chess", "ttt"]),
        at=st.just(0.0),
        until=st.floats(0, 200),
    ),
    max_size=4,
    unique_by=lambda seek: seek.peer,
)


@given(views=VIEWS, seeks=SEEKS, now=st.floats(0, 300), wall=st.floats(0, 300))
def test_plans_are_possible(views: list[TableView], seeks: list[Seek], now: float, wall: float) -> None:
    done = plan(SETTINGS, views, seeks, now=now, wall=wall)
    by_id = {view.id: view for view in views}
    seated = [deed for deed in done if isinstance(deed, SeatPlayer | SeatHouse)]
    assert len({deed.table for deed in seated}) == len(seated)
    for deed in seated:
        view = by_id[deed.table]
        assert view.waiting
        assert view.strangers == 1
        assert not view.taken
    players = [deed.seek for deed in done if isinstance(deed, SeatPlayer)]
    assert len({seek.peer for seek in players}) == len(players)
    assert all(
        seek.until > wall and by_id[deed.table].app == seek.app
        for deed, seek in zip([d for d in done if isinstance(d, SeatPlayer)], players, strict=True)
    )
    for app in SETTINGS.games:
        there = sum(view.app == app for view in views)
        opened = sum(deed == OpenTable(app) for deed in done)
        assert opened == 0 or there + opened <= SETTINGS.max_tables
    pause = due(SETTINGS, views, seeks, now=now, wall=wall)
    assert pause is None or pause > 0

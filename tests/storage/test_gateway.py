"""Seats and slots of the gateway: what is one transaction, what the limits count, what may change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from storage import errors
from storage.gateway import MUTABLE, NoSlot
from storage.gateway_model import BridgeChange, Cap, Caps, NewBridge, Pause, SeatResult, SeatStage
from storage.model import Commit
from storage.store import Store
from tests.storage.samples import ME, PEER, action, key, session

CAPS = Caps(platform=2, player=1, day=3)
NEW = NewBridge(
    identity=ME, peer=PEER, app="chess", platform="rcadia", stage=SeatStage.OPENING, at=1000.0, caps=CAPS
)
OTHERS = ["c" * 32, "d" * 32, "e" * 32]


def begin(store: Store, **values: object) -> int:
    id = store.commit(Commit(bridge=replace(NEW, **values))).bridge_id  # type: ignore[arg-type]
    assert id is not None
    return id


def change(store: Store, id: int, at: float = 1001.0, **values: object) -> None:
    store.commit(Commit(bridge_change=BridgeChange(id=id, at=at, **values)))  # type: ignore[arg-type]


def test_a_seat_begins_with_its_slot(store: Store) -> None:
    id = begin(store, session="1" * 16)
    row = store.gateway.get(id)
    assert row is not None
    assert (row.peer, row.stage, row.session, row.notes) == (PEER, SeatStage.OPENING, "1" * 16, "{}")
    assert store.gateway.used() == {"rcadia": 1}
    assert store.gateway.of_session(ME, "1" * 16) == row
    assert store.gateway.live() == [row]


@pytest.mark.parametrize("cap", list(Cap))
def test_a_limit_that_is_reached_writes_nothing(store: Store, cap: Cap) -> None:
    if cap is Cap.PLATFORM:
        for peer in OTHERS[:2]:
            begin(store, peer=peer)
    elif cap is Cap.PLAYER:
        begin(store)
    else:
        for at in (1000.0, 2000.0, 3000.0):
            id = begin(store, at=at)
            change(store, id, at + 1, stage=SeatStage.PLAYING, accepts=True)
            change(store, id, at + 2, stage=SeatStage.OVER)
    before = list(store.gateway.newest())
    with pytest.raises(NoSlot) as none:
        begin(store, at=4000.0)
    assert none.value.cap is cap
    assert list(store.gateway.newest()) == before


def test_a_slot_that_came_to_no_game_does_not_count_for_the_day(store: Store) -> None:
    for _ in range(CAPS.day + 2):
        change(store, begin(store), stage=SeatStage.OVER, result=SeatResult.NONE)
    assert store.gateway.used() == {}


def test_the_day_is_over_after_24_hours(store: Store) -> None:
    for at in (0.0, 10.0, 20.0):
        id = begin(store, at=at)
        change(store, id, at, stage=SeatStage.PLAYING, accepts=True)
        change(store, id, at, stage=SeatStage.OVER)
    with pytest.raises(NoSlot):
        begin(store, at=86_400.0 - 1)
    begin(store, at=86_400.0 + 1)


def test_the_game_is_accepted_with_its_slot_or_not_at_all(store: Store) -> None:
    """One transaction: where the slot is gone, neither the session nor the action changes."""
    store.commit(Commit(insert=session(), action=action()))
    id = begin(store, session=key().session_id)
    change(store, id, frees=True)
    accept = BridgeChange(id=id, at=1002.0, stage=SeatStage.PLAYING, accepts=True)
    unit = Commit(update=session(unread=1), action=action(nonce=2), bridge_change=accept)
    with pytest.raises(errors.Conflict, match="no slot"):
        store.commit(unit)
    assert store.sessions.get(key()) == session()
    assert len(store.actions.of(key())) == 1
    change(store, id, takes=CAPS)
    store.commit(unit)
    assert len(store.actions.of(key())) == 2
    row = store.gateway.get(id)
    assert row is not None
    assert row.stage is SeatStage.PLAYING


def test_a_challenge_of_ours_and_its_seat_are_one(store: Store) -> None:
    unit = Commit(insert=session(), action=action(), bridge=replace(NEW, of_action=True))
    id = store.commit(unit).bridge_id
    assert id is not None
    row = store.gateway.get(id)
    assert row is not None
    assert row.session == key().session_id


def test_a_game_has_one_seat(store: Store) -> None:
    id = begin(store, session="1" * 16)
    with pytest.raises(errors.Conflict):
        begin(store, session="1" * 16, peer=OTHERS[0])
    change(store, id, stage=SeatStage.OVER)
    begin(store, session="1" * 16, peer=OTHERS[0])


def test_what_may_change(store: Store) -> None:
    id = begin(store)
    change(store, id, seat='{"table":"t"}', account="main", notes='{"left":true}', table="t")
    change(store, id, session="2" * 16)
    row = store.gateway.get(id)
    assert row is not None
    assert (row.seat, row.account, row.session) == ('{"table":"t"}', "main", "2" * 16)
    columns = {
        name for (name,) in store.database.all("SELECT name FROM pragma_table_info('gateway_bridges')")
    }
    fixed = {"id", "identity_id", "peer", "app_id", "platform", "hosted", "created_at"}
    assert columns == fixed | set(MUTABLE) | {"updated_at", "ended_at"}
    with pytest.raises(errors.StorageError):
        change(store, id, notes="no JSON")


def test_what_is_over_stays_over(store: Store) -> None:
    id = begin(store)
    change(store, id, 1005.0, stage=SeatStage.OVER, result=SeatResult.WON, reason="won")
    row = store.gateway.get(id)
    assert row is not None
    assert (row.ended_at, row.result) == (1005.0, SeatResult.WON)
    with pytest.raises(errors.NotFound):
        change(store, id, stage=SeatStage.PLAYING)
    assert store.gateway.live() == []


def test_old_seats_are_forgotten_but_none_of_the_last_day(store: Store) -> None:
    for at in (0.0, 1.0, 200_000.0):
        change(store, begin(store, at=at), at, stage=SeatStage.OVER)
    live = begin(store, at=2.0, peer=OTHERS[0])
    store.gateway.prune(200_001.0, keep=0)
    assert [row.created_at for row in store.gateway.newest()] == [2.0, 200_000.0]
    assert store.gateway.get(live) is not None


def test_pauses(store: Store) -> None:
    pause = Pause(platform="rcadia", account="main", until=50.0, failures=2, reason="busy")
    store.gateway.put_pause(pause)
    store.gateway.put_pause(replace(pause, until=60.0))
    assert store.gateway.pauses() == [replace(pause, until=60.0)]
    store.gateway.drop_pause("rcadia", "main")
    assert store.gateway.pauses() == []


def test_a_clock_that_was_wrong_takes_nobody_a_day(store: Store) -> None:
    for _ in range(3):
        id = begin(store, at=1e9)
        change(store, id, 1e9, stage=SeatStage.PLAYING, accepts=True)
        change(store, id, 1e9, stage=SeatStage.OVER)
    store.put_times_right(5000.0)
    with pytest.raises(NoSlot):
        begin(store, at=5001.0)
    begin(store, at=5000.0 + 86_401.0)

"""Seats of text players, what they are to be told, and which texts were handled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.protocol.session import SessionKey, Status
from storage.errors import StorageError
from storage.model import Commit, NewMessage
from storage.store import Store
from storage.text import KEPT_ENDED
from storage.text_model import FULL, HOUSE, Kind, NewDue, Seat, Seek, TextCommit, TextPlayer

ME, ANN, PAUL = "9" * 32, "a1" * 16, "b2" * 16


def seat(game: str = "1", player: str = ANN, **values: Any) -> Seat:
    defaults: dict[str, Any] = {
        "identity": ME,
        "number": 1,
        "kind": Kind.TABLE,
        "opponent": PAUL,
        "app_id": "ttt",
        "app_version": 1,
        "initiator": ANN,
        "status": Status.ACTIVE,
        "metadata": {"board": "_" * 9, "turn": ANN},
        "created_at": 1.0,
        "last_action_at": 2.0,
    }
    return Seat(game_id=game, player=player, **{**defaults, **values})


def due(text: str = "", slot: str = "1", *, asked: bool = False) -> NewDue:
    return NewDue(identity=ME, player=ANN, slot=slot, text=text, asked=asked)


def told(store: Store) -> list[tuple[str, str, bool]]:
    return [(one.slot, one.text, one.asked) for one in store.text.due(ME, ANN)]


def test_a_seat_is_kept_whole_and_is_a_session_of_its_player(store: Store) -> None:
    whole = seat(kind=Kind.WIRE, unsent=b"envelope", heard=b"12345678")
    store.text.commit(TextCommit(seats=(whole, seat(player=PAUL, opponent=ANN))))
    assert store.text.seat("1", ANN) == whole
    assert [one.player for one in store.text.at("1")] == [ANN, PAUL]
    assert store.text.handed_over() == [whole]
    session = whole.session()
    assert (session.key, session.peer, session.status) == (SessionKey(ANN, "1"), PAUL, Status.ACTIVE)
    assert seat(kind=Kind.LRGP).key == SessionKey(ME, "1")
    assert store.text.seat("1", HOUSE) is None


def test_live_games_come_first_and_old_ended_ones_go(store: Store) -> None:
    for number in range(KEPT_ENDED + 4):
        ended = seat(f"e{number}", status=Status.COMPLETED, last_action_at=float(number))
        store.text.commit(TextCommit(seats=(ended,)))
    store.text.commit(TextCommit(seats=(seat("l2", number=2), seat("l1", number=1))))
    held = store.text.seats_of(ME, ANN)
    assert [one.game_id for one in held[:3]] == ["l1", "l2", f"e{KEPT_ENDED + 3}"]
    assert len(held) == 2 + KEPT_ENDED
    assert {one.game_id for one in store.text.live()} == {"l1", "l2"}


def test_people_and_who_waits(store: Store) -> None:
    assert store.text.player(ME, ANN) == TextPlayer(identity=ME, player=ANN)
    ann = TextPlayer(
        identity=ME, player=ANN, current="1", shown=("a", "b"), said="x", muted=True, seen_at=5.0
    )
    late = Seek(identity=ME, player=ANN, app_id="ttt", at=9.0)
    early = Seek(identity=ME, player=PAUL, app_id="ttt", at=3.0)
    store.text.commit(TextCommit(players=(ann,), seek=(late, early)))
    assert store.text.player(ME, ANN) == ann
    assert store.text.players(5.0) == [ann]
    assert not store.text.players(5.1)
    assert store.text.seeks("ttt") == store.text.seeks() == [early, late]
    assert not store.text.seeks("chess")
    store.text.commit(TextCommit(unseek=(replace(late, at=0.0),)))
    assert store.text.seeks() == [early]


def test_of_each_slot_only_the_newest_is_due(store: Store) -> None:
    store.text.commit(TextCommit(due=(due("one", "say"), due("", "1"))))
    first = store.text.due(ME, ANN)[0]
    store.text.commit(TextCommit(due=(due("two", "say", asked=True),)))
    assert told(store) == [("1", "", False), ("say", "two", True)]
    # Who has sent the first one in the meantime takes away nothing that came later.
    store.text.commit(TextCommit(told=(first.id,)))
    assert len(told(store)) == 2
    store.text.commit(TextCommit(told=tuple(one.id for one in store.text.due(ME, ANN))))
    assert not store.text.waiting()


def test_a_position_that_was_not_told_yet_is_not_replaced_by_a_sentence(store: Store) -> None:
    store.text.commit(TextCommit(due=(due("", asked=True),)))
    store.text.commit(TextCommit(due=(due("you offered a draw"),)))
    assert told(store) == [("1", "", True)]
    store.text.commit(TextCommit(due=(due(FULL),)))
    store.text.commit(TextCommit(due=(due(""),)))
    assert told(store) == [("1", FULL, True)]


def test_texts_are_found_in_order_after_the_last_one_that_was_handled(store: Store) -> None:
    for number in range(3):
        new = NewMessage(
            identity=ME,
            peer=ANN,
            own=False,
            text=f"text {number}",
            at=1.0,
            sent_at=1.0,
            message_hash=b"%d" % number,
        )
        store.commit(Commit(message=new))
    assert store.text.handled(ME) is None
    found = store.text.incoming(ME, 0)
    assert [one.text for one in found] == ["text 0", "text 1", "text 2"]
    store.text.commit(TextCommit(handled=((ME, found[1].id),), read=(found[0].id,)))
    assert store.text.handled(ME) == found[1].id
    assert [one.text for one in store.text.incoming(ME, found[1].id)] == ["text 2"]
    assert store.messages.unread() == 2
    assert store.text.newest() == found[2].id


def test_a_commit_that_fails_changes_nothing(store: Store) -> None:
    bad = seat("2", status=Status.ACTIVE, metadata={"x": float("nan")})
    with pytest.raises((StorageError, ValueError)):
        store.text.commit(TextCommit(seats=(seat(), bad), due=(due(),), handled=((ME, 7),)))
    assert not store.text.live()
    assert not store.text.waiting()
    assert store.text.handled(ME) is None


def test_a_damaged_row_says_so(store: Store, path: Path) -> None:
    store.text.commit(TextCommit(seats=(seat(),)))
    with store.database.transaction() as connection:
        connection.execute("UPDATE text_seats SET metadata = 'no json'")
    with pytest.raises(StorageError, match="text game 1"):
        store.text.live()


def test_times_of_the_future_are_put_right(store: Store) -> None:
    ann = TextPlayer(identity=ME, player=ANN, seen_at=900.0)
    store.text.commit(TextCommit(seats=(seat(last_action_at=900.0),), players=(ann,)))
    store.put_times_right(500.0)
    assert store.text.live()[0].last_action_at == 500.0
    assert store.text.player(ME, ANN).seen_at == 500.0

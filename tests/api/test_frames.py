"""``game.frames`` over a real store: the positions of a game as they were."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from games.chess import Chess
from lrgpnode.api.exports import ExportMethods, Recording
from lrgpnode.api.lookup import Lookup
from lrgpnode.control.methods import ControlError
from lrgpnode.control.models import Frames, FramesParams
from lrgpnode.protocol.session import Session, SessionKey
from storage.model import Commit, LocalIdentity, NewAction
from storage.store import Store

ANN, BEN, ID = "a1" * 16, "b2" * 16, "0123456789abcdef"
KEY = SessionKey(ANN, ID)
MOVES = ("e2e4", "e7e5", "g1f3", "b8c6")


def played(moves: Sequence[str], *, unknown: int = 0) -> tuple[Store, Session]:
    """A store with Ann's game of chess against Ben, whose first ``unknown`` actions it does not have."""
    store, game = Store(":memory:"), Chess()
    session: Session | None = None
    acts: list[tuple[str, dict[str, str]]] = [("challenge", {}), ("accept", {})]
    acts += [("move", {"m": move}) for move in moves]
    for number, (command, intent) in enumerate(acts):
        before = session or game.open(KEY, BEN, ANN, 1.0)
        payload: dict[str, Any] = dict(intent)
        actor = (ANN, BEN)[number] if number < 2 else before.metadata["turn"]
        if command != "challenge":
            payload = game.intend(before, actor, command, intent, lambda: True)
        session = game.apply(before, actor, command, payload, float(number + 1))
        action = NewAction(
            key=KEY,
            command=command,
            payload=payload,
            sender=actor,
            timestamp=float(number + 1),
            envelope=b"",
            nonce=number.to_bytes(8, "big"),
        )
        if number < unknown:
            continue
        new, old = (session, None) if number == unknown else (None, session)
        store.commit(Commit(insert=new, update=old, action=action))
    assert session is not None
    return store, session


def frames(store: Store, session: Session, **params: Any) -> Frames:
    node = cast("Any", SimpleNamespace(session=lambda key: session, games={"chess": Chess()}))
    own = SimpleNamespace(rows={ANN: LocalIdentity(hash=ANN, name="Ann", created_at=1.0)}, default="")
    recording = Recording(games=lambda: {"chess": Chess()}, signer=cast("Any", None), peer_key=lambda _: b"")
    handler = ExportMethods(Lookup(node, store, own), node, store, recording).handlers()["game.frames"]
    found: Frames = asyncio.run(handler(FramesParams(**{"id": ID} | params)))
    return found


def test_every_position_from_the_first_on() -> None:
    found = frames(*played(MOVES))
    assert [frame.moves for frame in found.frames] == [0, 1, 2, 3, 4]
    assert not found.more
    assert (found.app, found.id, found.identity) == ("chess", ID, ANN)
    first, after_e4 = found.frames[:2]
    assert (first.grid[6][4], first.grid[4][4], first.last_cells) == ("P", "", ())
    assert (after_e4.grid[6][4], after_e4.grid[4][4]) == ("", "P")
    assert after_e4.last_cells == ((6, 4), (4, 4))
    assert found.frames[4].extras["fen"].startswith("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2")


def test_a_page_says_whether_there_is_more() -> None:
    store, session = played(MOVES)
    page = frames(store, session, first=1, limit=2)
    assert ([frame.moves for frame in page.frames], page.more) == ([1, 2], True)
    page = frames(store, session, first=3, limit=2)
    assert ([frame.moves for frame in page.frames], page.more) == ([3, 4], False)
    assert frames(store, session, first=5).frames == ()


def test_a_game_without_its_beginning_is_refused() -> None:
    store, session = played(MOVES, unknown=1)
    with pytest.raises(ControlError, match="taken over from elsewhere"):
        frames(store, session)

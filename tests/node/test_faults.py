"""Faults at the store, and replays: the board has advanced if and only if the outbox row exists."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from lrgpnode.protocol.session import Status
from storage import errors
from tests.node.network import ROUGH, Air
from tests.node.players import A, B, Player
from tests.node.scenes import DAY, HOUR, on_air, started, throw
from tests.node.virtual import VirtualLoop

POINTS = (
    "sessions.update",
    "actions.append",
    "outbox.settle",
    "outbox.add",
    "actions.sign",
    "mail.record",
    "mail.see",
    "mail.unflag",
)


@contextmanager
def broken(point: str, fault: Exception) -> Iterator[None]:
    """This statement of every transaction fails."""
    with patch(f"storage.store.{point}", side_effect=fault):
        yield


def whole(player: Player, id: str) -> bool:
    """Every action of ours has an outbox row and is on the board, and the other way round."""
    own = [a for a in player.store.actions.of(player.key(id)) if a.sender == player.name]
    rows = player.rows(id)
    session = player.session(id)
    assert session is not None
    moves = sum(a.command == "move" for a in player.store.actions.of(player.key(id)))
    on_board = session.metadata["move_count"]
    return [a.envelope for a in own] == [row.envelope for row in rows] and moves == on_board


@pytest.mark.parametrize(
    "fault", [errors.Busy("locked"), errors.DiskFull("full"), sqlite3.OperationalError("disk I/O error")]
)
@pytest.mark.parametrize("point", POINTS)
def test_a_fault_anywhere_in_a_transaction_leaves_all_or_nothing(point: str, fault: Exception) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        before = a.state(id), len(a.rows(id))
        with broken(point, fault):
            try:
                await a.act(id, "move", i=4)
            except errors.StorageError:
                assert (a.state(id), len(a.rows(id))) == before
                assert not [m for m in air.sent if m.ref > before[1] and m.identity == A]
        assert whole(a, id)
        if a.state(id) == before[0]:
            await a.act(id, "move", i=4)
        assert whole(a, id)
        # What comes in meanwhile is not lost.
        await asyncio.sleep(2)
        with patch.object(a.writer, "fault", side_effect=fault):
            await b.act(id, "move", i=0)
            await asyncio.sleep(20)
            assert a.session(id).metadata["move_count"] == 1  # type: ignore[union-attr]
            assert a.endpoint.open
        await asyncio.sleep(10)
        assert a.session(id).metadata["move_count"] == 2  # type: ignore[union-attr]
        assert not a.endpoint.open
        assert a.journal(id) == b.journal(id)
        assert whole(a, id)
        assert len([e for e in a.of("game.applied") if not e.fields["own"]]) == 2

    on_air(scene)


@pytest.mark.parametrize("point", POINTS)
def test_an_inbound_move_is_applied_after_a_fault_and_a_restart(point: str, tmp_path: Path) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        with broken(point, errors.DiskFull("full")):
            # The other side shares the patched module: its action is thrown by hand.
            prepared = b.node.router.prepare(B, A, "ttt", "resign", {}, id, b.node.now())
            await throw(air, B, a, prepared.envelope.pack())
            await a.restart()
            await asyncio.sleep(20)
            applied = a.session(id).status is Status.COMPLETED  # type: ignore[union-attr]
        await asyncio.sleep(10)
        assert a.session(id).status is Status.COMPLETED  # type: ignore[union-attr]
        assert applied == (point == "outbox.add")  # a resignation in needs no row out
        assert not a.endpoint.open

    on_air(scene, paths=(str(tmp_path / "a.db"), str(tmp_path / "b.db")))


def test_a_database_that_another_program_has_locked(tmp_path: Path) -> None:
    path = tmp_path / "a.db"

    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.store.database._writer.execute("PRAGMA busy_timeout = 1")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(errors.Busy):
                await a.act(id, "move", i=4)
            assert whole(a, id)
            await b.act(id, "draw_offer")
            await asyncio.sleep(30)
            assert a.endpoint.open
        await asyncio.sleep(30)
        assert not a.endpoint.open
        assert a.state(id) == b.state(id)
        await a.act(id, "move", i=4)
        assert whole(a, id)

    on_air(scene, paths=(str(path), str(tmp_path / "b.db")))


def content(player: Player) -> list[str]:
    return list(player.store.database._writer.iterdump())


def test_replaying_everything_after_a_restart_and_later_changes_nothing(tmp_path: Path) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        ids = [await started(a, b), await started(b, a, "four_in_a_row")]
        for n, square in enumerate((4, 0, 8)):
            await (a, b)[n % 2].act(ids[0], "move", i=square)
            await asyncio.sleep(2)
        await b.act(ids[1], "draw_offer")
        await asyncio.sleep(2)
        await a.act(ids[1], "draw_accept")
        await asyncio.sleep(2)
        everything = list(air.sent)
        for player in (a, b):
            await player.node._deliveries._record()
            await player.restart()
            await asyncio.sleep(2)
        kept = {player.name: content(player) for player in (a, b)}
        for wait in (0.0, HOUR, 20 * HOUR):
            await asyncio.sleep(wait)
            for player in (a, b):
                player.events.clear()
            sent = len(air.sent)
            for message in everything * 2:
                await throw(air, message.identity, {A: a, B: b}[message.peer], message.envelope)
            for player in (a, b):
                assert player.events == []
                assert content(player) == kept[player.name]
            assert len(air.sent) == sent

    on_air(scene, paths=(str(tmp_path / "a.db"), str(tmp_path / "b.db")))


def test_days_of_a_rough_air_leave_nothing_behind_in_memory() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        for _ in range(20):
            id = await a.challenge(B, "ttt")
            await asyncio.sleep(DAY / 2)
            if b.session(id) is not None:
                await b.tries(id, "decline")
        await asyncio.sleep(40 * DAY)
        for player in (a, b):
            outbox = player.node.outbox
            assert player.store.outbox.counts() == {}
            healing = outbox._healing
            for held in (outbox._lanes, outbox._by_id, outbox._attempts, healing._resting, healing._look_at):
                assert not held
            assert not healing._sessions._peer
            assert not outbox._traffic._flights
            assert not player.node._run.sync._flags
            deliveries = player.node._deliveries
            assert not deliveries._signed
            assert not deliveries._unrecorded

    on_air(scene, faults=ROUGH, propagation=True)

"""The signed message of each action is kept, whenever the news of it comes."""

from __future__ import annotations

import asyncio

from storage.model import Signature
from tests.node.network import Air
from tests.node.players import A, Player
from tests.node.test_outbox import on_air, started
from tests.node.virtual import VirtualLoop


def newest(player: Player, id: str, command: str) -> bytes | None:
    actions = player.store.actions.of(player.key(id))
    return next(action.signed for action in reversed(actions) if action.command == command)


def test_one_that_comes_while_the_settling_commit_waits_for_the_disk() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        row = (await a.act(id, "move", i=4)).outbox_id
        await asyncio.sleep(1)
        # The opponent's answer settles the move; meanwhile the news of one more attempt comes.
        commit = a.store.commit

        def slow(unit: object, **more: object) -> object:
            result = commit(unit, **more)  # type: ignore[arg-type]
            if getattr(unit, "settle", None) is not None:
                a.node.signed(row, b"h" * 32, b"of the last attempt")
            return result

        a.store.commit = slow  # type: ignore[method-assign,assignment]
        await b.act(id, "move", i=0)
        await asyncio.sleep(5)
        assert newest(a, id, "move") is not None
        assert [s.signed for s in a.store.actions.of(a.key(id)) if s.sender == A and s.command == "move"] == [
            b"of the last attempt"
        ]
        assert not a.node._deliveries._signed

    on_air(scene)


def test_one_of_a_newer_attempt_is_not_lost_to_the_record_of_the_older() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        row = (await a.act(id, "move", i=4)).outbox_id
        commit = a.store.commit

        def slow(unit: object, **more: object) -> object:
            result = commit(unit, **more)  # type: ignore[arg-type]
            signatures: tuple[Signature, ...] = getattr(unit, "signatures", ())
            if any(one.action_num == 3 and one.signed != b"newer" for one in signatures):
                a.node.signed(row, b"h" * 32, b"newer")
            return result

        a.store.commit = slow  # type: ignore[method-assign,assignment]
        await asyncio.sleep(5)
        assert newest(a, id, "move") == b"newer"
        a.store.commit = commit  # type: ignore[method-assign]
        await b.act(id, "move", i=0)
        await asyncio.sleep(5)
        assert newest(a, id, "challenge") is not None
        assert [s.signed for s in a.store.actions.of(a.key(id)) if s.sender == A][-1] == b"newer"

    on_air(scene)


def test_abandoning_a_game_keeps_what_was_signed() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        await a.act(id, "move", i=4)
        await asyncio.sleep(0.2)
        assert a.node.signatures(a.key(id))
        await a.node.repair.abandon(a.key(id))
        assert newest(a, id, "move") is not None

    on_air(scene)

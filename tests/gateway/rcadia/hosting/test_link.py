"""The host's side of a session against a strict server: order, acknowledgements, faults and restarts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gateway.address import parse_address
from gateway.rcadia.client.errors import Unauthorized
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.client.link import Ended, SessionLink, SessionLost
from gateway.rcadia.client.ops import fresh
from gateway.rcadia.client.pauses import Pauses
from gateway.rcadia.client.transport import Connections, Transport
from gateway.rcadia.hosting.catalogue import words
from gateway.rcadia.hosting.game import HostedGame, Ops, step
from gateway.rcadia.wire import EndOp, Entry, LegalActionsOp, RejectOp, StateOp
from gateway.secret import Secret
from tests.gateway.rcadia.hosting.strict_bridge import TOKEN, Session, StrictBridge

CONFIG = {
    "minPlayers": 2,
    "maxPlayers": 2,
    "turnBased": True,
    "simultaneous": False,
    "gameType": "tic-tac-toe",
    "sdkVersion": "2.0.0",
}
ANN, BEN = "p_0000000a", "p_0000000b"
WORDS = words()


async def _no_pause(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.02))


class Host:
    """A game of tic-tac-toe behind a link."""

    def __init__(self, api: HostApi, session_id: str, *, legacy: bool = False, after: int = 0) -> None:
        self.game = HostedGame(words=WORDS["ttt"], session_id=session_id, legacy=legacy)
        self.handled: list[int] = []
        self.pauses: list[float] = []
        self.link = SessionLink(
            api, session_id, after=after, pauses=lambda: Pauses(self._pause, lambda: 0.5), wait=5
        )
        self.task: asyncio.Task[Ended]

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await _no_pause(seconds)

    def handle(self, entry: Entry) -> Ops:
        self.handled.append(entry.seq)
        after = step(self.game, entry)
        self.game = after.game
        return after.ops

    def run(self) -> "Host":
        self.task = asyncio.get_running_loop().create_task(self.link.run(self.handle))
        return self

    async def ended(self) -> Ended:
        async with asyncio.timeout(20):
            return await self.task


@asynccontextmanager
async def table(
    *, config: dict[str, Any] | None = None, token: str = TOKEN
) -> AsyncIterator[tuple[StrictBridge, Session, HostApi]]:
    async with StrictBridge().running() as server:
        connections = Connections(parse_address(server.url))
        api = HostApi(Transport(connections, Secret(token)))
        try:
            answer = await api.create(config or CONFIG, title="Tic-Tac-Toe")
            yield server, server.sessions[answer.session_id], api
        finally:
            await connections.close()
        assert server.violations == []


async def _played(server: StrictBridge, session: Session, *cells: int) -> None:
    """Moves by the players in turn, each seen to be taken."""
    for number, cell in enumerate(cells):
        before = len(session.ops)
        await server.act(session, (ANN, BEN)[number % 2], {"cell": cell})
        await server.wait_for(lambda before=before: len(session.ops) >= before + 2)


def test_a_whole_game() -> None:
    async def play() -> None:
        async with table() as (server, session, api):
            host = Host(api, session.id).run()
            await server.seat(session, ANN, BEN)
            await server.wait_for(lambda: session.legal.get(ANN))
            await _played(server, session, 0, 4, 1, 8, 2)
            ended = await host.ended()
            assert ended == Ended(result={"winner": ANN, "reason": "win", "draw": False})
            assert host.handled == [1, 2, 3, 4, 5, 6]
            assert [op["op"] for op in session.ops[:2]] == ["state", "legal_actions"]

    asyncio.run(play())


@pytest.mark.parametrize("fault", ["lost answer", "lost request", "busy", "down", "html"])
@pytest.mark.parametrize("where", ["ops", "pending"])
def test_a_game_goes_on_over_faults(fault: str, where: str) -> None:
    """Whether a request was carried out or not before it was lost, both sides end in the same game."""

    async def play() -> None:
        async with table() as (server, session, api):
            host = Host(api, session.id).run()
            await server.seat(session, ANN, BEN)
            await server.wait_for(lambda: session.legal.get(ANN))
            for number, cell in enumerate((0, 4, 1, 8, 2)):
                server.faults[where] += [fault] * (number % 3)
                await server.act(session, (ANN, BEN)[number % 2], {"cell": cell})
                await server.wait_for(lambda number=number: session.state["ply"] == number + 1)
            ended = await host.ended()
            assert ended.result["winner"] == ANN
            assert session.state["moves"] == [0, 4, 1, 8, 2]
            assert host.handled == [1, 2, 3, 4, 5, 6]
            if fault == "busy":
                assert 0.2 in host.pauses

    asyncio.run(play())


def test_rejections_are_said_and_the_turn_stays() -> None:
    async def play() -> None:
        async with table() as (server, session, api):
            host = Host(api, session.id).run()
            await server.seat(session, ANN, BEN)
            id = await server.act(session, ANN, {"cell": 99})
            await server.wait_for(lambda: any(op["op"] == "reject" for op in session.ops))
            reject = session.ops[-1]
            assert (reject["playerId"], reject["actionId"]) == (ANN, id)
            assert session.legal.keys() == {ANN}
            await host.link.leave({"winner": None, "reason": "host_left"})
            assert session.ops[-1] == {
                "op": "end",
                "result": {"winner": None, "reason": "host_left"},
                "reason": "host_left",
            }
            assert (await host.ended()).next_session == ""

    asyncio.run(play())


def test_what_was_not_acknowledged_comes_again_and_changes_nothing() -> None:
    """A host that was killed after it had told the server takes up the game where it is."""

    async def play() -> None:
        async with table() as (server, session, api):
            first = Host(api, session.id).run()
            await server.seat(session, ANN, BEN)
            await server.act(session, ANN, 4)
            await server.wait_for(lambda: session.legal.get(BEN))
            first.task.cancel()
            await asyncio.gather(first.task, return_exceptions=True)
            second = Host(api, session.id)
            second.game, before = first.game, list(session.ops)
            session.acked = 0
            second.run()
            await server.act(session, BEN, 0)
            await server.wait_for(lambda: len(session.ops) == len(before) + 2)
            assert second.handled[:2] == [1, 2]
            assert session.state["moves"] == [4, 0]
            await second.link.leave(None)
            await second.ended()

    asyncio.run(play())


def test_the_platform_ends_the_game() -> None:
    async def play() -> None:
        async with table() as (server, session, api):
            host = Host(api, session.id).run()
            await server.seat(session, ANN, BEN)
            await server.wait_for(lambda: session.legal.get(ANN))
            result = {"winner": BEN, "reason": "left", "forfeitedBy": ANN}
            await server.end(session, result, "left")
            assert (await host.ended()).result == result
            assert host.game.result == result

    asyncio.run(play())


@pytest.mark.parametrize("auto", [True, False])
def test_a_rematch_is_found_or_asked_for(auto: bool) -> None:
    async def play() -> None:
        async with table(config=CONFIG | {"autoRematch": auto}) as (server, session, api):
            host = Host(api, session.id).run()
            await server.seat(session, ANN, BEN)
            await server.act(session, ANN, "resign")
            ended = await host.ended()
            assert (ended.next_session != "", ended.round) == ((True, 2) if auto else (False, 1))
            server.faults["rematch"] = ["lost answer", "down"]
            following = [await host.link.rematch() for _ in range(2)]
            assert following == [session.next_id] * 2
            if auto:
                assert following[0] == ended.next_session
            assert len(server.sessions) == 2

    asyncio.run(play())


def test_a_refused_rematch_is_none() -> None:
    async def play() -> None:
        async with table() as (server, session, api):
            host = Host(api, session.id).run()
            await server.end(session, None, "host_disconnected")
            await host.ended()
            server.faults["rematch"] = ["409"]
            assert await host.link.rematch() == ""

    asyncio.run(play())


def test_a_legacy_session() -> None:
    async def play() -> None:
        config = {name: value for name, value in CONFIG.items() if name != "sdkVersion"}
        async with table(config=config) as (server, session, api):
            host = Host(api, session.id, legacy=True).run()
            await server.seat(session, ANN, BEN)
            await server.wait_for(lambda: session.legal.get(ANN))
            timeout = {"type": "timeout", "playerId": ANN, "strike": 2, "maxStrikes": 2, "final": True}
            await server.tell(session, timeout)
            ended = await host.ended()
            assert ended.result == {"winner": BEN, "reason": "timeout", "forfeitedBy": ANN}

    asyncio.run(play())


@pytest.mark.parametrize("when", ["polling", "saying"])
def test_a_restart_of_the_server_loses_the_session(when: str) -> None:
    async def play() -> None:
        async with table() as (server, session, api):
            host = Host(api, session.id).run()
            await server.wait_for(lambda: session.polls > 0)
            await server.restart()
            if when == "saying":
                host.link.say([StateOp(state={})])
            with pytest.raises(SessionLost) as lost:
                await host.ended()
            assert lost.value.restarted

    asyncio.run(play())


@pytest.mark.parametrize("status", ["404", "403"])
def test_a_session_that_is_not_ours_is_lost(status: str) -> None:
    async def play() -> None:
        async with table() as (server, session, api):
            server.faults["pending"] = [status]
            with pytest.raises(SessionLost) as lost:
                await Host(api, session.id).run().ended()
            assert not lost.value.restarted

    asyncio.run(play())


def test_a_token_that_is_not_taken_is_said_at_once() -> None:
    async def play() -> None:
        with pytest.raises(Unauthorized) as refused:
            async with table(token="another-token"):
                pass
        assert "another-token" not in str(refused.value)

    asyncio.run(play())


def test_many_ops_go_in_batches_and_in_order() -> None:
    async def play() -> None:
        async with table() as (server, session, api):
            host = Host(api, session.id).run()
            await server.seat(session, ANN, BEN)
            await server.wait_for(lambda: session.legal.get(ANN))
            before = len(session.ops)
            for number in range(250):
                host.link.say([RejectOp(player_id=ANN, reason=str(number), action_id=f"a_{number}")])
                if number % 50 == 0:
                    await asyncio.sleep(0)
            await server.wait_for(lambda: len(session.ops) == before + 250)
            assert [op["reason"] for op in session.ops[before:]] == [str(number) for number in range(250)]
            await host.link.leave(None)
            await host.ended()

    asyncio.run(play())


def test_before_a_repetition_what_was_replaced_is_left_out() -> None:
    ann, ben = LegalActionsOp(player_id=ANN, actions=[1]), LegalActionsOp(player_id=BEN, actions=[2])
    none = LegalActionsOp(player_id=ANN, actions=[])
    old, new = StateOp(state=1), StateOp(state=2)
    reject, end = RejectOp(player_id=ANN, reason="no"), EndOp(result=None)
    assert fresh([old, ann, reject, new, ben], sequential=True) == [reject, new, ben]
    assert fresh([old, ann, new, ben, end], sequential=False) == [ann, new, ben, end]
    assert fresh([ann, none], sequential=True) == [ann, none]
    assert fresh([none, ann], sequential=True) == [ann]
    assert fresh([ann, none], sequential=False) == [none]

"""Accounts that are disabled, tokens and keys that are revoked, while somebody plays with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.agentgames.server.keys import Keys
from gateway.arcade.accounts import Accounts
from gateway.arcade.store import FILE_NAME, ArcadeStore
from tests.gateway.agentgames.server.rig import Json, Rig, play, until
from tests.gateway.agentgames.server.test_ssh import Shells, scene_of

FORFEIT = "forfeit: connection closed"


def change(rig: Rig, what: Callable[[ArcadeStore], object]) -> None:
    """As another process does it: the arcade has its own connections to the file."""
    store = ArcadeStore(rig.data / FILE_NAME)
    try:
        what(store)
    finally:
        store.close()


def disable(name: str) -> Callable[[ArcadeStore], object]:
    return lambda store: Accounts(store).set_disabled(name, disabled=True)


def revoke(name: str) -> Callable[[ArcadeStore], object]:
    return lambda store: [Accounts(store).revoke(one.id) for one in Accounts(store).tokens(name)]


@pytest.mark.parametrize(
    ("how", "why"), [(disable, "account unavailable"), (revoke, "your token or key was revoked")]
)
def test_in_the_queue_and_in_a_match(
    tmp_path: Path, how: Callable[[str], Callable[[ArcadeStore], object]], why: str
) -> None:
    async def scene(rig: Rig) -> None:
        waiting = await rig.ws("cat", "game=c4")
        assert (await waiting.get())["type"] == "queued"
        ann, ben = await rig.pair()
        await asyncio.to_thread(change, rig, how("cat"))
        assert await waiting.get() == {"type": "error", "error": why}
        assert await waiting.closed() == 1000
        assert [one["waiting"] for one in (await rig.api("arena"))["games"]] == [None, None, None]
        # The others play on; it is ben's turn when ann is cut off.
        await ann.move("4")
        for each in (ann, ben):
            assert (await each.get())["type"] == "state"
        await asyncio.to_thread(change, rig, how("ann"))
        assert await ann.get() == {"type": "error", "error": why}
        won = {"type": "result", "winner": 1, "outcome": "win", "reason": FORFEIT, "rating": 1516}
        assert await ben.get() == won
        assert [await each.closed() for each in (ann, ben)] == [1000, 1000]

    play(tmp_path, scene)


def test_over_ssh(tmp_path: Path) -> None:
    def remove_key(store: ArcadeStore) -> None:
        ann = Accounts(store).find("ann")
        keys = Keys(store.database)
        keys.remove(ann, keys.all(ann)[0].id)

    async def scene(rig: Rig, ssh: Shells) -> None:
        ann, cat = await ssh.run("ann"), await ssh.run("cat", "c4")
        for one in (ann, cat):
            assert (await one.get())["type"] == "queued"
        ben = await rig.ws("ben")
        kinds = [(await ben.get())["type"] for _ in range(3)]
        assert kinds == ["queued", "hello", "state"]
        await asyncio.to_thread(change, rig, remove_key)
        seen: list[Json] = [await ann.get() for _ in range(3)]
        assert seen[-1] == {"type": "error", "error": "your token or key was revoked"}
        assert await ann.exit() == 1
        assert (await ben.get())["reason"] == FORFEIT
        await asyncio.to_thread(change, rig, disable("cat"))
        assert await cat.get() == {"type": "error", "error": "account unavailable"}
        assert await cat.exit() == 1

    scene_of(tmp_path, scene)


def test_at_tables(tmp_path: Path) -> None:
    """A seat belongs to the account: it is lost with it, and not with one token of several."""

    async def scene(rig: Rig) -> None:
        def both(store: ArcadeStore) -> None:
            rig.tokens["host"] = Accounts(store).new_token("ben", ["host", "play"])[0]
            rig.tokens["second"] = Accounts(store).new_token("ann", ["play"])[0]

        await asyncio.to_thread(change, rig, both)

        async def call(name: str, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
            headers = {"Authorization": f"Bearer {rig.tokens[name]}"}
            url = f"{rig.url}/api/v1/agent/{path}"
            async with rig.http.request(method, url, json=body, headers=headers) as answer:
                return answer.status, await answer.json()

        config = {"minPlayers": 2, "maxPlayers": 2, "turnBased": True, "simultaneous": False, "gameType": "x"}
        config["sdkVersion"] = "2.0.0"
        status, made = await call("host", "POST", "bridge/sessions", {"config": config})
        assert status == 201
        at = f"sessions/{made['sessionId']}"
        for name in ("ann", "cat"):
            assert (await call(name, "POST", f"{at}/join", {}))[0] == 200
        polls = [asyncio.create_task(call(one, "GET", f"{at}/state?wait=25")) for one in ("ann", "cat")]
        await until(lambda: rig.service_holds(2))

        def revoke_first(store: ArcadeStore) -> None:
            accounts = Accounts(store)
            accounts.revoke(accounts.tokens("ann")[0].id)

        await asyncio.to_thread(change, rig, revoke_first)
        status, refused = await polls[0]
        assert (status, refused["code"]) == (401, "unauthorized")
        status, seen = await call("second", "GET", f"{at}/state")
        assert (status, seen["status"]) == (200, "active")
        await asyncio.to_thread(change, rig, disable("ann"))
        status, seen = await polls[1]
        assert (status, seen["status"], seen["result"]["reason"]) == (200, "finished", "left")
        assert seen["result"]["winner"] == seen["playerId"]

        # What a disabled account hosts is over.
        _, made = await call("host", "POST", "bridge/sessions", {"config": config})
        at = f"sessions/{made['sessionId']}"
        await call("cat", "POST", f"{at}/join", {})
        poll = asyncio.create_task(call("cat", "GET", f"{at}/state?wait=25"))
        await until(lambda: rig.service_holds(1))
        await asyncio.to_thread(change, rig, disable("ben"))
        status, seen = await poll
        assert (status, seen["status"], seen["result"]["reason"]) == (200, "finished", "host_disconnected")

    play(tmp_path, scene)

"""A control server with handlers that answer what a test wants, in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from lrgpnode.control import models
from lrgpnode.control.events import Events
from lrgpnode.control.models import METHODS
from lrgpnode.control.server import ControlError, ControlServer, Methods
from lrgpnode.protocol.session import Status
from storage.model import Policy

DEADLINE = 5.0
ME, PEER, HOUSE = "a1" * 16, "b2" * 16, "0a" * 16
ID = "3f2a90c1d4e5b677"


def acted(command: str, **more: Any) -> models.ActionResult:
    fields: dict[str, Any] = {"id": ID, "app": "chess", "action_num": 4, "outbox_id": 9, "ply": 3}
    return models.ActionResult(**{**fields, "status": Status.ACTIVE, "command": command, **more})


def summary(**more: Any) -> models.GameSummary:
    times = {"created_at": 1.0, "updated_at": 2.0, "last_action_at": 3.0}
    fields: dict[str, Any] = {"id": ID, "identity": ME, "app": "chess", "app_version": 1, "peer": PEER}
    fields |= {"initiator": ME, "status": Status.ACTIVE, "unread": 0, **times}
    return models.GameSummary(**{**fields, **more})


STATUS = models.NodeStatus(
    name="pi",
    version="0.1.0",
    pid=7,
    started_at=1.0,
    data="/srv/node",
    socket="/srv/s",
    seq=12,
    live_games=2,
    open_outbox=1,
    identities=1,
    shared_instance=True,
    interfaces=(models.InterfaceInfo(name="RNode", online=False),),
    games=(models.GameInfo(app="chess", version=1, name="Chess"),),
    problems=("Something is wrong.",),
)
IDENTITY = {"hash": ME, "name": "alice", "created_at": 1.0, "enabled": True}
PEERS = models.PeerList(
    peers=(models.PeerInfo(peer=PEER, name="bob", hops=1, interface="RNode", heard_at=5.0, games=True),)
)

KEY = "ab" * 64
CONTACT = models.ContactInfo(peer=PEER, name="bob", added_at=1.0, public_key="cd" * 64)
REQUEST = models.RequestInfo(id=ID, identity=ME, peer=PEER, app="ttt", received_at=1.0, until=2.0)
BLOCK = models.BlockInfo(peer=PEER, blocked_at=1.0, reason="rude", until=7200.0, name="bob")

RESULTS: dict[str, msgspec.Struct] = {
    "node.status": STATUS,
    "node.stop": models.Nothing(),
    "game.read": models.Nothing(),
    "node.announce": models.AnnounceResult(identities=(ME,)),
    "identity.list": models.IdentityList(identities=(models.IdentityInfo(**IDENTITY),)),
    "identity.show": models.IdentityDetail(**IDENTITY, public_key="00" * 64, key_file="/srv/key"),
    "peer.list": PEERS,
    **{
        f"identity.{name}": models.IdentityInfo(**IDENTITY)
        for name in ("create", "import", "rename", "enable", "disable")
    },
    "identity.delete": models.IdentityDeleted(hash=ME, name="alice"),
    "identity.export": models.IdentityKey(hash=ME, name="alice", key=KEY),
    "identity.default": models.IdentityList(identities=(models.IdentityInfo(**IDENTITY, default=True),)),
    "identity.policy": models.IdentityPolicies(
        identity=ME, policy=Policy.EVERYONE, games={"chess": Policy.NOBODY}
    ),
    "contact.list": models.ContactList(contacts=(CONTACT,)),
    **{f"contact.{name}": CONTACT for name in ("add", "rename", "trust")},
    "contact.remove": models.Nothing(),
    "contact.record": models.RecordList(
        identity=ME,
        records=(
            models.PeerRecord(
                peer=PEER,
                peer_name="bob",
                won=3,
                drawn=1,
                lost=2,
                apps=(
                    models.AppRecord(app="chess", won=3, drawn=0, lost=1),
                    models.AppRecord(app="ttt", won=0, drawn=1, lost=1),
                ),
            ),
        ),
    ),
    "contact.block": BLOCK,
    "contact.unblock": models.Nothing(),
    "contact.blocked": models.BlockList(blocks=(BLOCK,)),
    "request.list": models.RequestList(requests=(REQUEST,)),
    "request.accept": REQUEST,
    "request.decline": models.Nothing(),
    "house.show": models.HouseInfo(
        enabled=True,
        identity=HOUSE,
        name="house",
        open_to_peers=False,
        live_games=1,
        thinking="",
        games=(
            models.HouseGame(
                app="ttt",
                name="Tic-Tac-Toe",
                usual=2,
                levels=(
                    models.HouseLevel(number=1, name="absent-minded"),
                    models.HouseLevel(number=2, name="perfect"),
                ),
            ),
        ),
    ),
    "game.list": models.GamePage(games=(summary(unread=1, your_turn=True, peer_name="bob"),)),
    "game.actions": models.ActionList(
        id=ID,
        identity=ME,
        app="chess",
        actions=(models.ActionRow(action_num=1, command="challenge", payload={}, sender=ME, timestamp=1.0),),
    ),
    **{
        f"game.{name}": acted(name)
        for name in ("challenge", "accept", "decline", "resign", "move", "draw", "act")
    },
}


class FakeNode:
    """``results`` by method: a struct, or an exception; ``calls`` are what was asked, in order.

    ``answers`` are functions instead, of the parameters and in the node's thread.
    """

    def __init__(self, path: Path, *, ring: int = 1000) -> None:
        self.path = path
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.results: dict[str, msgspec.Struct | Exception] = dict(RESULTS)
        self.answers: dict[str, Callable[[Any], msgspec.Struct]] = {}
        self.events = Events(size=ring)
        methods = Methods()
        for name, method in METHODS.items():
            if name != "events.subscribe":
                methods.add(name, method.params, method.result, self._handler(name))
        self.server = ControlServer(path, methods, self.events)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._run(self.server.start())

    def _handler(self, name: str) -> Callable[[Any], Any]:
        async def handler(params: msgspec.Struct) -> Any:
            if name in self.answers:
                return self.answers[name](params)
            given = {k: v for k, v in msgspec.structs.asdict(params).items() if v is not None}
            self.calls.append((name, given))
            result = self.results.get(name) or ControlError("missing", f"no result for {name}")
            if isinstance(result, Exception):
                raise result
            return result

        return handler

    def leave(self) -> None:
        """Begin to stop, from inside a handler: its answer is the last one."""
        self._leaving = self._loop.create_task(self.server.stop())

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(DEADLINE)

    def publish(self, type: str, **fields: Any) -> None:
        async def publish() -> None:
            self.events.publish(type, models.EVENTS[type](**fields))

        self._run(publish())

    def stop(self) -> None:
        if not self._loop.is_closed():
            self._run(self.server.stop())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(DEADLINE)
            self._loop.close()

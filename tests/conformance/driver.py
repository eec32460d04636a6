"""A client of ``lrgpnode conform``: one subprocess, one JSON object a line each way.

``Driver`` matches ids and unpacks results; ``Node`` is one peer with typed helpers; ``Table`` is two
peers at one game. Envelopes are built here with plain msgpack, so that nothing of the code under test
takes part in judging it.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgpack

A = "a" * 31 + "1"
B = "b" * 31 + "2"
C = "c" * 31 + "3"
S = "0123456789abcdef"
TTT, CHESS, FOUR = "ttt", "chess", "four_in_a_row"
APPS = (TTT, CHESS, FOUR)
COMMANDS = (
    "challenge",
    "accept",
    "decline",
    "move",
    "resign",
    "draw_offer",
    "draw_accept",
    "draw_decline",
    "error",
)
DAY = 86_400
WEEK = 7 * DAY
GRACE = 3600
ERROR = {"code": "invalid_move", "msg": "no", "ref": "move"}

_nonces = itertools.count(1)


def nonce() -> bytes:
    return next(_nonces).to_bytes(8, "big")


def sid(number: int) -> str:
    return f"{number:016x}"


def pack(value: Any) -> str:
    """Hex of ``value`` in MessagePack."""
    return bytes(msgpack.packb(value)).hex()


def envelope(
    app: str, command: str, payload: Any = None, *, session: Any = S, version: Any = 1, n: Any = None
) -> str:
    """Hex of an envelope in canonical form, with a fresh nonce."""
    return pack(
        {
            "a": f"{app}.{version}",
            "c": command,
            "s": session,
            "p": {} if payload is None else payload,
            "n": nonce() if n is None else n,
        }
    )


def payload_of(raw: str) -> dict[str, Any]:
    return dict(msgpack.unpackb(bytes.fromhex(raw))["p"])


def nonce_of(raw: str) -> bytes:
    return bytes(msgpack.unpackb(bytes.fromhex(raw))["n"])


def wrapped(value: Any) -> Any:
    """A MessagePack value as the driver's JSON has it."""
    if isinstance(value, bytes):
        return {"$bin": value.hex()}
    if isinstance(value, float):
        return {"$float": value}
    if isinstance(value, list):
        return [wrapped(item) for item in value]
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: wrapped(item) for key, item in value.items()}
        return {"$map": [[wrapped(key), wrapped(item)] for key, item in value.items()]}
    return value


class Driver:
    """The process and the conversation with it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lrgpnode.cli.conform"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._ids = itertools.count(1)

    def raw(self, line: str) -> dict[str, Any]:
        """One line as it is; the answer, whatever its id."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"the driver died of {line}"
        return dict(json.loads(answer))

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """The whole answer to one request."""
        number = next(self._ids)
        answer = self.raw(json.dumps({"id": number, "op": op, **fields}))
        assert answer["id"] == number
        return answer

    def __call__(self, op: str, **fields: Any) -> Any:
        """The result of one request, which must be ok."""
        answer = self.ask(op, **fields)
        assert answer["ok"], answer
        return answer["result"]

    def node(self, identity: str) -> Node:
        return Node(self, self("new_peer", identity=identity)["peer"], identity)

    def advance(self, seconds: float) -> None:
        assert self("advance", seconds=seconds) == {}

    def close(self) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        code = self._process.wait(10)
        assert self._process.stdout.read() == "", "something follows the last answer"
        self._process.stdout.close()
        return code


@dataclass
class Node:
    driver: Driver
    peer: int
    identity: str

    def wire(self, raw: str, sender: str, **more: Any) -> dict[str, Any]:
        return dict(self.driver("wire", peer=self.peer, raw=raw, sender=sender, **more))

    def local(
        self,
        app: str,
        command: str,
        payload: Any = None,
        *,
        to: str | None = B,
        session: str = S,
        **more: Any,
    ) -> dict[str, Any]:
        intent = {} if payload is None else payload
        request = {"app": app, "command": command, "session": session, "payload": intent, "to": to, **more}
        return dict(self.driver("local", peer=self.peer, **request))

    def send(self, app: str, command: str, payload: Any = None, **more: Any) -> str:
        """The envelope of a local action that must be prepared."""
        result = self.local(app, command, payload, **more)
        assert result["outcome"] == "prepared", result
        return str(result["envelope"])

    def state(self, app: str, session: str = S, **more: Any) -> dict[str, Any] | None:
        found = self.driver("state", peer=self.peer, app=app, session=session, **more)
        return None if found is None else dict(found)

    def export(self, app: str, session: str = S, **more: Any) -> Any:
        return self.driver("export", peer=self.peer, app=app, session=session, **more)

    def hydrate(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return dict(self.driver("hydrate", peer=self.peer, record=record))

    def listed(self, app: str, **more: Any) -> list[dict[str, Any]]:
        return list(self.driver("list", peer=self.peer, app=app, **more))

    def remove(self, app: str, session: str = S, **more: Any) -> None:
        assert self.driver("remove", peer=self.peer, app=app, session=session, **more) == {"outcome": "ok"}


def refused(kind: str, **more: str) -> dict[str, str]:
    return {"outcome": "refused", "kind": kind, **more}


def rejected(code: str, ref: str) -> dict[str, str]:
    return {"outcome": "rejected", "code": code, "ref": ref}


ACCEPTED = {"outcome": "accepted"}
DUPLICATE = {"outcome": "duplicate"}
IDEMPOTENT = {"outcome": "idempotent"}


@dataclass
class Table:
    """Alice (A, the challenger) and Bob (B) at one game, each on a node of their own."""

    driver: Driver
    app: str
    session: str = S
    alice: Node = field(init=False)
    bob: Node = field(init=False)

    def __post_init__(self) -> None:
        self.alice, self.bob = self.driver.node(A), self.driver.node(B)

    def other(self, node: Node) -> Node:
        return self.bob if node is self.alice else self.alice

    def by(self, identity: str) -> Node:
        return self.alice if identity == A else self.bob

    def prepare(self, node: Node, command: str, payload: Any = None) -> str:
        to = self.other(node).identity
        return node.send(self.app, command, payload, to=to, session=self.session)

    def play(self, node: Node, command: str, payload: Any = None) -> str:
        """A local action, delivered; both sides must agree afterwards."""
        raw = self.prepare(node, command, payload)
        assert self.other(node).wire(raw, node.identity) == ACCEPTED
        return raw

    def challenge(self) -> Table:
        self.play(self.alice, "challenge")
        return self

    def open(self) -> Table:
        """An accepted game."""
        self.challenge()
        self.play(self.bob, "accept")
        return self

    def open_chess(self, white: str = A) -> Table:
        """An accepted game of chess in which ``white`` has White, whatever the coin says."""
        self.challenge()
        assert self.alice.wire(envelope(CHESS, "accept", {"w": white}), B) == ACCEPTED
        record = self.bob.export(CHESS)
        mine = "w" if white == B else "b"
        record["status"] = "active"
        record["metadata"] |= {"first_turn": white, "turn": white, "my_color": mine}
        assert self.bob.hydrate(record) == {"outcome": "hydrated"}
        return self

    def turn(self) -> Node:
        """Whose move it is."""
        state = self.alice.state(self.app, self.session)
        assert state is not None
        return self.by(state["turn"])

    def moves(self, moves: Any) -> Table:
        """Moves in turn: UCI words in one string for chess, numbers else."""
        key = {TTT: "i", CHESS: "m", FOUR: "c"}[self.app]
        for move in moves.split() if isinstance(moves, str) else moves:
            self.play(self.turn(), "move", {key: move})
        return self

    def states(self) -> tuple[dict[str, Any], dict[str, Any]]:
        first, second = self.alice.state(self.app, self.session), self.bob.state(self.app, self.session)
        assert first is not None
        assert second is not None
        return first, second


def seat(driver: Driver, app: str, identity: str, status: str) -> Node:
    """One side of a game that Alice began (White in chess), with nobody else at the table.

    ``status``: pending, active, declined, resigned (by Alice), drawn.
    """
    node = driver.node(identity)
    peer = B if identity == A else A

    def act(actor: str, command: str, payload: Mapping[str, Any] | None = None) -> None:
        if actor == identity:
            node.send(app, command, to=peer)
        else:
            assert node.wire(envelope(app, command, payload), peer) == ACCEPTED

    act(A, "challenge")
    if status == "declined":
        act(B, "decline")
    if status in ("pending", "declined"):
        return node
    if app == CHESS and identity == B:
        record = node.export(CHESS)
        record["status"] = "active"
        record["metadata"] |= {"first_turn": A, "turn": A, "my_color": "b"}
        assert node.hydrate(record) == {"outcome": "hydrated"}
    else:
        act(B, "accept", {TTT: {"b": "_________", "t": A}, CHESS: {"w": A}, FOUR: {"t": A}}[app])
    if status == "resigned":
        act(A, "resign")
    elif status == "drawn":
        act(A, "draw_offer")
        act(B, "draw_accept")
    return node

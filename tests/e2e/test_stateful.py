"""Two peers, each a router on a real store, over a link that loses, doubles, delays and reorders.

As the outbox does it, an action of a session goes out when the one before it has arrived; copies of
what has arrived may come at any later time. Commits fail, peers restart, hours pass. Each side must
hold at any time what a naive model of it says, and both the same when all has arrived, unless
actions have crossed: LRGP cannot settle those.
"""

from __future__ import annotations

import itertools
import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.replay import DEDUP_TTL_SECONDS, ReplayCache
from lrgpnode.protocol.router import Applied, Duplicate, Refused, Rejected, Router
from lrgpnode.protocol.session import SessionKey
from storage.errors import StorageError
from storage.model import Commit, NewAction, NewOutbox, Seen
from storage.store import Store
from tests.e2e.model import Model

GAMES = {game.manifest.app_id: game for game in (TicTacToe(), FourInARow())}
NAMES = ("a" * 32, "b" * 32)
COMMANDS = ("accept", "decline", "move", "resign", "draw_offer", "draw_accept", "draw_decline")
INDEX = st.integers(0, 1000)
BOOT = "this boot"

_hashes = itertools.count()


@dataclass
class Message:
    envelope: Envelope
    sender: str
    to: str
    knew: int
    """How many actions of the receiver the sender had when it sent this."""


@dataclass
class Side:
    """One peer, and what it should hold."""

    name: str
    path: str
    now: float = 1e9
    fail: bool = False
    models: dict[str, Model] = field(default_factory=dict)
    recorded: dict[bytes, float] = field(default_factory=dict)
    acted: dict[str, int] = field(default_factory=dict)
    applied: dict[str, int] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._ids = itertools.count()
        self._nonces = itertools.count()
        self.store = Store(self.path, boot_id=BOOT)
        self.start()

    def start(self) -> None:
        replay = ReplayCache(lambda: self.now)
        replay.restore(self.store.mail.load_replay(self.now))
        self.router = Router(
            GAMES,
            self.store.sessions,
            replay,
            nonce=lambda: self.name[0].encode() + next(self._nonces).to_bytes(7, "big"),
            new_session_id=lambda: f"{self.name[0]}{next(self._ids):015x}",
            coin=lambda: False,
        )

    def restart(self) -> None:
        if self.path != ":memory:":
            self.store.close()
            self.store = Store(self.path, boot_id=BOOT)
        self.start()
        self.touched |= self.models.keys()

    def commit(self, unit: Commit) -> None:
        if not self.fail:
            self.store.commit(unit)
            return
        # In the middle of the transaction: what it had written must go.
        with patch("storage.store.actions.sign", side_effect=StorageError("the disk is full")):
            self.store.commit(unit)

    def key(self, session: str) -> SessionKey:
        return SessionKey(self.name, session)

    def held(self, session: str) -> tuple[Any, ...] | None:
        stored = self.store.sessions.get(self.key(session))
        if stored is None:
            return None
        m = stored.metadata
        return str(stored.status), m["board"], m["turn"], m["draw_offered_by"], m["winner"], m["terminal"]


def action(key: SessionKey, envelope: Envelope, sender: str, now: float) -> NewAction:
    return NewAction(
        key=key,
        command=envelope.command,
        payload=envelope.payload,
        sender=sender,
        timestamp=now,
        envelope=envelope.pack(),
        nonce=envelope.nonce,
    )


class TwoPeers(RuleBasedStateMachine):
    @initialize(disk=st.integers(0, 3), app=st.sampled_from(sorted(GAMES)))
    def begin(self, disk: int, app: str) -> None:
        self.directory = tempfile.TemporaryDirectory()
        paths = [str(Path(self.directory.name) / n) if disk == 3 else ":memory:" for n in "ab"]
        self.sides = {name: Side(name, path) for name, path in zip(NAMES, paths, strict=True)}
        self.queues: dict[tuple[str, str], list[Message]] = {}
        self.copies: list[Message] = []
        self.crossed: set[str] = set()
        self._act(NAMES[0], app, "challenge", "", 0, False)
        self.flush()

    def teardown(self) -> None:
        if hasattr(self, "sides"):
            self.flush()
            for side in self.sides.values():
                side.store.close()
            self.directory.cleanup()

    # Acting

    @rule(name=st.sampled_from(NAMES), app=st.sampled_from(sorted(GAMES)), fail=st.booleans())
    def challenge(self, name: str, app: str, fail: bool) -> None:
        if len(self.sides[name].models) < 2:
            self._act(name, app, "challenge", "", 0, fail)

    @rule(name=st.sampled_from(NAMES), which=INDEX, command=INDEX, pick=INDEX, fail=st.integers(0, 5))
    def act(self, name: str, which: int, command: int, pick: int, fail: int) -> None:
        """Mostly what is allowed, sometimes anything."""
        session = self._pick(name, which)
        if session:
            model = self.sides[name].models[session]
            fitting = [
                word for word in COMMANDS if word != "move" and deepcopy(model).accepts(name, word, 0, 0)
            ]
            words = fitting if fitting and command % 4 else COMMANDS
            self._act(name, model.app, words[command // 4 % len(words)], session, pick, fail == 0)

    @rule(which=INDEX, picks=st.lists(INDEX, min_size=1, max_size=12), arrive=st.booleans())
    def play(self, which: int, picks: list[int], arrive: bool) -> None:
        """What the game waits for, some times; the last one may be still on its way."""
        session = self._pick(NAMES[which % 2], which // 2) or self._pick(NAMES[0], which)
        for number, pick in enumerate(picks, 1):
            for side in self.sides.values():
                model = side.models.get(session)
                if model is None or self.queues.get((side.name, session)):
                    continue
                if model.status == "pending" and model.responder == side.name:
                    self._act(side.name, model.app, "accept", session, 0, False)
                elif model.offer not in ("", side.name) and pick % 3:
                    answer = "draw_accept" if pick % 7 == 1 else "draw_decline"
                    self._act(side.name, model.app, answer, session, pick, False)
                elif model.turn == side.name:
                    command = "move" if model.offer or pick % 5 else "draw_offer"
                    self._act(side.name, model.app, command, session, pick, False)
                queue = self.queues.get((side.name, session), [])
                if queue and (arrive or number < len(picks)):
                    self._arrive(queue)

    def _pick(self, name: str, which: int) -> str:
        sessions = sorted(self.sides[name].models)
        return sessions[which % len(sessions)] if sessions else ""

    def _act(self, name: str, app: str, command: str, session: str, pick: int, fail: bool) -> None:
        side = self.sides[name]
        peer = NAMES[name == NAMES[0]]
        model = side.models.get(session) or Model(app, name, peer)
        choices = model.open_moves() or [0]
        move = choices[pick % len(choices)]
        intent = {"i" if app == "ttt" else "c": move} if command == "move" else {}
        side.touched.add(session)
        before = side.held(session)
        try:
            prepared = side.router.prepare(name, peer, app, command, intent, session, side.now)
        except CallerError:
            # The model must not allow it either.
            assert not model.accepts(name, command, move, len(model.moves) + 1)
            return
        envelope, after = prepared.envelope, prepared.after
        session = after.key.session_id
        side.touched.add(session)
        unit = Commit(
            insert=after if prepared.before is None else None,
            update=after if prepared.before is not None else None,
            action=action(after.key, envelope, name, side.now),
            outbox=NewOutbox(
                key=after.key,
                peer=peer,
                command=command,
                envelope=envelope.pack(),
                content=prepared.fallback,
                delivery=prepared.delivery,
                created_at=side.now,
            ),
        )
        side.fail = fail
        try:
            side.commit(unit)
        except StorageError:
            assert side.held(session) == before
            return
        finally:
            side.fail = False
        if command != "challenge":
            assert model.accepts(name, command, move, len(model.moves) + 1)
        side.models[session] = model
        model.nonces.append(envelope.nonce)
        side.acted[session] = side.acted.get(session, 0) + 1
        message = Message(envelope, name, peer, side.applied.get(session, 0))
        self.queues.setdefault((name, session), []).append(message)

    # The link

    @precondition(lambda self: any(self.queues.values()))
    @rule(which=INDEX, lost=st.integers(0, 4), fail=st.integers(0, 4))
    def deliver(self, which: int, lost: int, fail: int) -> None:
        """The next message of any session; lost ones are sent again later."""
        queues = [queue for queue in self.queues.values() if queue]
        queue = queues[which % len(queues)]
        if lost:
            self._arrive(queue, fail=fail == 0)

    def _arrive(self, queue: list[Message], *, fail: bool = False) -> None:
        if self._receive(queue[0], fail=fail):
            self.copies.append(queue.pop(0))
        else:
            assert fail

    @precondition(lambda self: self.copies)
    @rule(which=INDEX, through_store=st.booleans())
    def deliver_copy(self, which: int, through_store: bool) -> None:
        message = self.copies[which % len(self.copies)]
        self._receive(message, through_store=through_store)

    @precondition(lambda self: any(len(queue) > 1 for queue in self.queues.values()))
    @rule(which=INDEX)
    def overtake(self, which: int) -> None:
        """A message before its predecessor: one that is early is put aside, and nothing is recorded."""
        queues = [queue for queue in self.queues.values() if len(queue) > 1]
        message = queues[which % len(queues)][1]
        side, envelope = self.sides[message.to], message.envelope
        stored = side.store.sessions.get(side.key(envelope.session_id))
        if stored is None:
            outcome = side.router.receive(message.to, message.sender, envelope, side.now)
            assert isinstance(outcome, Refused)
            assert outcome.recorded is None
        elif GAMES[envelope.app_id].early(stored, message.sender, envelope.command, envelope.payload):
            assert not side.router.replayed(message.to, envelope)

    def _receive(self, message: Message, *, fail: bool = False, through_store: bool = True) -> bool:
        """As the node does it; False if the commit failed."""
        side, envelope = self.sides[message.to], message.envelope
        key = side.key(envelope.session_id)
        model = side.models.get(key.session_id)
        side.touched.add(key.session_id)
        before = side.held(key.session_id)
        committed = model is not None and envelope.nonce in model.nonces
        digest = next(_hashes).to_bytes(32, "big")
        if side.store.mail.handled(key, envelope.nonce, digest):
            assert committed
            if through_store:
                return True
        age = side.now - side.recorded.get(envelope.nonce, -1e9)
        if committed and age > DEDUP_TTL_SECONDS:
            return True  # only the store knows it by now
        outcome = side.router.receive(message.to, message.sender, envelope.pack(), side.now)
        if age <= DEDUP_TTL_SECONDS:
            assert isinstance(outcome, Duplicate)
            return True
        assert outcome.recorded is not None
        assert isinstance(outcome, Applied | Rejected)
        applied = isinstance(outcome, Applied)
        unit = Commit(
            replay=(outcome.recorded,), seen=(Seen(message_hash=digest, identity=message.to, at=side.now),)
        )
        if isinstance(outcome, Applied):
            unit = Commit(
                insert=outcome.after if outcome.before is None else None,
                update=outcome.after if outcome.before is not None else None,
                action=action(key, envelope, message.sender, side.now),
                settle=key,
                replay=unit.replay,
                seen=unit.seen,
            )
        side.fail = fail
        try:
            side.commit(unit)
        except StorageError:
            side.router.forget(key.identity, key.session_id, envelope.nonce)
            assert side.held(key.session_id) == before
            assert not side.router.replayed(message.to, envelope)
            assert not side.store.mail.handled(key, envelope.nonce, digest)
            return False
        finally:
            side.fail = False
        side.recorded[envelope.nonce] = side.now
        self._expect(side, message, applied)
        return True

    def _expect(self, side: Side, message: Message, applied: bool) -> None:
        envelope, session = message.envelope, message.envelope.session_id
        if message.knew < side.acted.get(session, 0):
            self.crossed.add(session)
        if envelope.command == "challenge":
            assert applied
            side.models[session] = Model(envelope.app_id, message.sender, message.to)
        else:
            payload = envelope.payload
            move, number = payload.get("i", payload.get("c", 0)), payload.get("n", 0)
            assert side.models[session].accepts(message.sender, envelope.command, move, number) == applied
        if applied:
            side.models[session].nonces.append(envelope.nonce)
        # Refused ones count too: the sender was told, or could not know better.
        side.applied[session] = side.applied.get(session, 0) + 1

    # The peers

    @rule(name=st.sampled_from(NAMES))
    def restart(self, name: str) -> None:
        self.sides[name].restart()

    @rule(seconds=st.sampled_from([1.0, 60.0, DEDUP_TTL_SECONDS + 1]))
    def time_passes(self, seconds: float) -> None:
        for side in self.sides.values():
            side.now += seconds

    @rule()
    def flush(self) -> None:
        """Everything arrives."""
        for queue in self.queues.values():
            while queue:
                self._arrive(queue)
        a, b = self.sides.values()
        assert a.models.keys() == b.models.keys()
        for session in a.models.keys() - self.crossed:
            assert a.held(session) == b.held(session)
            assert a.models[session].nonces == b.models[session].nonces

    @invariant()
    def each_side_holds_what_its_model_says(self) -> None:
        for side in getattr(self, "sides", {}).values():
            for session in side.touched & side.models.keys():
                model = side.models[session]
                assert side.held(session) == model.state()
                journal = side.store.actions.of(side.key(session))
                assert [row.nonce for row in journal] == model.nonces
                assert [row.action_num for row in journal] == list(range(1, len(journal) + 1))
            side.touched.clear()


def settings_of(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


def test_two_peers() -> None:
    run_state_machine_as_test(TwoPeers, settings=settings_of(30, 40))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_peers_for_long() -> None:
    run_state_machine_as_test(TwoPeers, settings=settings_of(400, 80))

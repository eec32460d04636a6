"""The store against a model made of dictionaries, with commits that fail in between and restarts."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lrgpnode.protocol.session import Session, SessionKey, Status
from storage import errors
from storage.model import Commit, OutboxChange, OutboxState
from storage.store import Store
from tests.storage.samples import ME, OTHER_ME, PEER, action, key, outgoing, session

KEYS = st.builds(key, st.integers(1, 6), st.sampled_from([ME, OTHER_ME]))
TIMES = st.integers(0, 20).map(float)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
METADATA = st.dictionaries(st.text(max_size=5), JSON, max_size=3)
STATE = st.fixed_dictionaries(
    {
        "status": st.sampled_from(Status),
        "metadata": METADATA,
        "unread": st.integers(0, 1),
        "updated_at": TIMES,
        "last_action_at": TIMES,
    }
)
BAD_STATE = st.sampled_from([{"unread": 2}, {"metadata": {"x": b""}}, {"updated_at": float("nan")}])


class StoreMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.sessions: dict[SessionKey, Session] = {}
        self.actions: dict[SessionKey, list[bytes]] = {}
        self.outbox: dict[int, tuple[SessionKey, OutboxState]] = {}
        self.tombstones: set[SessionKey] = set()
        self.nonce = 0
        self.last_id = 0
        self.store: Store

    @initialize(on_disk=st.booleans())
    def start(self, on_disk: bool) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.path = str(Path(self.directory.name) / "node.db") if on_disk else ":memory:"
        self.store = Store(self.path, cached_sessions=3)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.directory.cleanup()

    def _number(self, at: SessionKey) -> int:
        return int(at.session_id, 16)

    def _next(self, at: SessionKey, state: dict[str, Any]) -> Session:
        return replace(self.sessions[at], **state)

    @rule(at=KEYS, state=STATE)
    def insert(self, at: SessionKey, state: dict[str, Any]) -> None:
        new = session(self._number(at), at.identity, **state)
        if at in self.sessions:
            with pytest.raises(errors.Conflict):
                self.store.commit(Commit(insert=new))
            return
        self.store.commit(Commit(insert=new))
        self.sessions[at] = new

    @rule(at=KEYS, state=STATE, send=st.booleans())
    def act(self, at: SessionKey, state: dict[str, Any], send: bool) -> None:
        self.nonce += 1
        number = self._number(at)
        new = session(number, at.identity, **state) if at not in self.sessions else self._next(at, state)
        unit = Commit(
            insert=new if at not in self.sessions else None,
            update=new if at in self.sessions else None,
            action=action(number, self.nonce, at.identity),
            outbox=outgoing(number, self.nonce, at.identity) if send else None,
        )
        committed = self.store.commit(unit)
        nonces = self.actions.setdefault(at, [])
        nonces.append(self.nonce.to_bytes(8, "big"))
        assert committed.action_num == len(nonces)
        if send:
            assert committed.outbox_id == self.last_id + 1
            self.last_id += 1
            self.outbox[self.last_id] = (at, OutboxState.QUEUED)
        self.sessions[at] = new

    @precondition(lambda self: self.sessions)
    @rule(data=st.data(), state=STATE, times=TIMES)
    def expire(self, data: st.DataObject, state: dict[str, Any], times: float) -> None:
        chosen = data.draw(st.lists(st.sampled_from(sorted(self.sessions, key=str)), unique=True))
        expired = tuple(self.sessions[at].expired(times) for at in chosen)
        self.store.commit(Commit(expired=expired))
        self.sessions.update({each.key: each for each in expired})
        for id, (at, old) in self.outbox.items():
            if at in chosen and old.open:
                delivered = old is OutboxState.DELIVERED
                self.outbox[id] = (at, OutboxState.CONFIRMED if delivered else OutboxState.DROPPED)

    @rule(at=KEYS, other=KEYS, state=STATE, bad=BAD_STATE, what=st.integers(0, 5))
    def fail(
        self, at: SessionKey, other: SessionKey, state: dict[str, Any], bad: dict[str, Any], what: int
    ) -> None:
        """Much that would succeed, and one thing that cannot."""
        number = self._number(at)
        good: dict[str, Any] = {
            "insert" if at not in self.sessions else "update": self.sessions.get(
                at, session(number, at.identity, **state)
            ),
            "action": action(number, 10**6, at.identity),
            "outbox": outgoing(number, 10**6, at.identity),
        }
        value = good.get("update") or good["insert"]
        kind = next(iter(good))
        missing = session(99, at.identity)
        failures: list[dict[str, Any]] = [
            {kind: replace(value, **bad)},
            {"expired": (missing,)},
            {"outbox": replace(good["outbox"], peer=None)},
            {"action": replace(good["action"], key=missing.key)},
            {"action": replace(good["action"], payload={"x": {1, 2}}, sender=None)},
            {"update": replace(value, peer="e" * 32)},
        ]
        if self.actions.get(other):
            twice = {"key": other, "nonce": self.actions[other][0]}
            failures.append({"action": replace(good["action"], **twice)})
        with pytest.raises(errors.StorageError):
            self.store.commit(Commit(**{**good, **failures[what % len(failures)]}))

    @rule(at=KEYS, columns=STATE, forbidden=st.sampled_from(["", "initiator", "created_at", "x"]))
    def change_columns(self, at: SessionKey, columns: dict[str, Any], forbidden: str) -> None:
        if forbidden:
            with pytest.raises(errors.Forbidden):
                self.store.sessions.update(at, {**columns, forbidden: 1.0})
        elif at not in self.sessions:
            with pytest.raises(errors.NotFound):
                self.store.sessions.update(at, columns)
        else:
            self.sessions[at] = self.store.sessions.update(at, columns)

    @rule(at=KEYS, leave=st.booleans())
    def delete(self, at: SessionKey, leave: bool) -> None:
        assert self.store.sessions.delete(at, 5.0 if leave else None) == (at in self.sessions)
        if leave and at in self.sessions:
            self.tombstones.add(at)
        self.sessions.pop(at, None)
        self.actions.pop(at, None)
        self.outbox = {id: row for id, row in self.outbox.items() if row[0] != at}

    @precondition(lambda self: self.outbox)
    @rule(data=st.data(), state=st.sampled_from(OutboxState))
    def set_state(self, data: st.DataObject, state: OutboxState) -> None:
        id = data.draw(st.sampled_from(sorted(self.outbox)))
        at, old = self.outbox[id]
        changed = self.store.outbox.set_state(OutboxChange(id=id, state=state, at=5.0))
        assert changed == int(old.open)
        if old.open:
            self.outbox[id] = (at, state)
        if old.open and state is OutboxState.CONFIRMED:
            for earlier, row in self.outbox.items():
                if earlier < id and row == (at, OutboxState.DELIVERED):
                    self.outbox[earlier] = (at, OutboxState.CONFIRMED)

    @precondition(lambda self: self.path != ":memory:")
    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = Store(self.path, cached_sessions=3)

    @invariant()
    def same(self) -> None:
        if not hasattr(self, "store"):
            return
        for at in [key(n, identity) for n in range(1, 7) for identity in (ME, OTHER_ME)]:
            assert self.store.sessions.get(at) == self.sessions.get(at)
            assert [each.nonce for each in self.store.actions.of(at)] == self.actions.get(at, [])
            assert self.store.sessions.deleted(at) == (at in self.tombstones and at not in self.sessions)
        for identity in (ME, OTHER_ME):
            mine = [each for at, each in self.sessions.items() if at.identity == identity]
            mine.sort(key=lambda each: (each.last_action_at, each.key.session_id), reverse=True)
            assert list(self.store.sessions.list(identity)) == mine
            assert [each.key for each in self.store.sessions.page(identity)] == [each.key for each in mine]
            live = [each.key for each in mine if not each.status.ended]
            assert [each.key for each in self.store.sessions.page(identity, which="live")] == live
            recent = [each for each in mine if each.status is Status.PENDING and each.last_action_at >= 7.0]
            assert self.store.sessions.pending_count(identity, None, 7.0) == len(recent)
            assert self.store.sessions.pending_count(identity, PEER, 7.0) == len(recent)
            for status in Status:
                old = [each for each in mine if each.status is status and each.last_action_at < 7.0]
                old.sort(key=lambda each: (each.last_action_at, each.key.session_id))
                assert self.store.sessions.older(identity, status, 7.0) == old
        rows = {row.id: (row.key, row.state) for row in self.store.outbox.pending()}
        assert rows == {id: row for id, row in self.outbox.items() if row[1].open}


TestStore = StoreMachine.TestCase
TestStore.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)


class LongStoreMachine(StoreMachine):
    pass


TestStoreLong = pytest.mark.slow(LongStoreMachine.TestCase)
TestStoreLong.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)

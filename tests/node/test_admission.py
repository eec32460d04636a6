"""Whose challenges get through, which wait as requests, and that neither memory nor disk can be filled."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from games.tictactoe import TicTacToe
from lrgpnode.mesh.transport import Received
from lrgpnode.node.admission import (
    REQUESTS_PER_IDENTITY,
    REQUESTS_PER_MINUTE,
    REQUESTS_PER_PEER,
    UNKNOWN_PER_MINUTE,
    Admission,
    Standing,
    Verdict,
    decide,
)
from lrgpnode.node.clock import Clock
from lrgpnode.node.time import Time
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import Block, Commit, Contact, NewParked, Peer, Policy, Trust
from storage.store import Store
from storage.writer import Writer

ME, OTHER_ME, BOB, EVE = "a" * 32, "c" * 32, "b" * 32, "e" * 32
DAY = 86_400.0


@given(
    st.sampled_from(Policy), st.builds(Standing, st.booleans(), st.booleans(), st.booleans(), st.booleans())
)
def test_the_table_of_policies(policy: Policy, peer: Standing) -> None:
    verdict = decide(policy, peer)
    expected = {
        Policy.OPEN: True,
        Policy.EVERYONE: peer.contact or peer.dealings,
        Policy.KNOWN: peer.contact or peer.dealings,
        Policy.CONTACTS: peer.contact,
        Policy.NOBODY: False,
    }[policy]
    if peer.local or peer.trusted or expected:
        assert verdict is Verdict.ADMIT
    else:
        assert verdict is (Verdict.REQUEST if policy is Policy.EVERYONE else Verdict.REFUSE)


class Door:
    """An ``Admission`` on a real store, with a clock of the test's own."""

    def __init__(self, path: Path) -> None:
        self.now = 1_000_000.0
        clock = Clock(wall=lambda: self.now, boot=lambda: self.now, synchronised=lambda: False)
        self.time = Time(clock, 0.0)
        self.store = Store(path / "node.db")
        self.writer = Writer(self.store)
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        game = TicTacToe()
        self.games: dict[str, Game] = {game.manifest.app_id: game}
        self.open()

    def open(self, default: Policy = Policy.EVERYONE) -> None:
        self.admission = Admission(
            self.store,
            self.writer,
            self.games,
            self.time,
            lambda type, fields: self.told.append((type, fields)),
            local=(ME, OTHER_ME),
            default=default,
        )

    def knock(
        self, peer: str = BOB, command: str = "challenge", id: str | None = None, **changes: Any
    ) -> bool:
        """Whether an action of the peer gets through."""
        envelope = Envelope(
            app_id=changes.get("app", "ttt"),
            version=changes.get("version", 1),
            command=command,
            session_id=id or secrets.token_hex(8),
            payload={},
            nonce=secrets.token_bytes(8),
        )
        message = Received(
            entry=1,
            identity=ME,
            peer=peer,
            message_hash=secrets.token_bytes(32),
            envelope=envelope.pack(),
            title="",
            content="[LRGP]",
            signed=b"signed",
            timestamp=1.0,
        )
        return asyncio.run(self.admission.admits(message, envelope))

    def do(self, work: Any) -> Any:
        async def main() -> Any:
            return await work

        return asyncio.run(main())

    def session(self, id: str, peer: str, initiator: str, status: Status) -> None:
        times = {"created_at": 1.0, "updated_at": 1.0, "last_action_at": 1.0}
        key = SessionKey(ME, id)
        self.store.commit(
            Commit(
                insert=Session(
                    key,
                    app_id="ttt",
                    app_version=1,
                    peer=peer,
                    initiator=initiator,
                    status=status,
                    metadata={},
                    unread=0,
                    **times,
                )
            )
        )

    def waiting(self) -> list[str]:
        return [request.peer for request in self.admission.requests()]


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    door = Door(tmp_path)
    yield door
    door.writer.close()
    door.store.close()


def test_a_strangers_challenge_waits_and_is_told_once(door: Door) -> None:
    assert not door.knock(id="1" * 16)
    assert not door.knock(id="1" * 16)
    assert door.waiting() == [BOB]
    fields = {"id": "1" * 16, "identity": ME, "peer": BOB, "app": "ttt", "withdrawn": False}
    assert door.told == [("game.request", fields)]
    assert door.store.sessions.pending_count(ME, None, 0.0) == 0


def test_it_can_be_withdrawn_only_by_its_peer(door: Door) -> None:
    door.knock(id="1" * 16)
    assert door.knock(EVE, "decline", "1" * 16)  # the router's to refuse
    assert door.waiting() == [BOB]
    assert not door.knock(BOB, "decline", "1" * 16)
    assert door.waiting() == []
    assert door.told[-1][1]["withdrawn"] is True


def test_declined_is_declined_for_every_copy(door: Door) -> None:
    door.knock(id="1" * 16)
    assert door.do(door.admission.drop(SessionKey(ME, "1" * 16)))
    assert door.store.mail.handled(SessionKey(ME, "1" * 16), b"another1", b"hash")
    assert not door.do(door.admission.drop(SessionKey(ME, "1" * 16)))


def test_it_expires_with_the_challenge(door: Door) -> None:
    door.knock()
    door.now += TicTacToe().manifest.ttl[Status.PENDING] + 1
    assert door.waiting() == []
    door.knock(EVE)
    assert door.store.admission.request_counts(ME, BOB) == (1, 0)


def test_nothing_is_over_while_the_clock_is_not_trusted(door: Door) -> None:
    door.knock(BOB)
    door.do(door.admission.block(Block(peer=EVE, blocked_at=door.now, until=door.now + 60)))
    door.now += 1000 * DAY
    door.time.trusted = False
    assert door.waiting() == [BOB]
    assert door.admission.blocked(EVE) is not None
    door.time.trusted = True
    assert door.waiting() == []
    assert door.admission.blocked(EVE) is None


def test_nobody_can_fill_the_list(door: Door) -> None:
    for _ in range(10):
        assert not door.knock()
    assert door.waiting() == [BOB] * REQUESTS_PER_PEER
    for number in range(3 * REQUESTS_PER_IDENTITY):
        door.now += 61.0 / REQUESTS_PER_MINUTE
        assert not door.knock(f"{number:032x}")
    assert len(door.waiting()) == REQUESTS_PER_IDENTITY
    assert door.waiting()[-1] == BOB  # who came first was not pushed out


def test_nobody_can_keep_the_disk_busy(door: Door) -> None:
    for number in range(200):
        door.knock(f"{number:032x}", id=f"{number:016x}")
        door.knock(f"{number:032x}", "decline", f"{number:016x}")
    kept = [fields for _, fields in door.told if not fields["withdrawn"]]
    assert len(kept) == REQUESTS_PER_MINUTE


def test_a_game_that_is_not_here_is_no_request(door: Door) -> None:
    assert not door.knock(app="go")
    assert not door.knock(version=2)
    assert door.waiting() == []


def test_who_has_been_played_with_is_known(door: Door) -> None:
    door.session("1" * 16, BOB, ME, Status.DECLINED)  # we challenged
    door.session("2" * 16, EVE, EVE, Status.DECLINED)  # we did not want to
    assert door.knock(BOB)
    assert not door.knock(EVE)
    door.session("3" * 16, EVE, EVE, Status.COMPLETED)
    assert door.knock(EVE)


def test_policies_hold_for_an_identity_and_a_game_and_are_kept(door: Door) -> None:
    door.store.book.put_contact(Contact(peer=BOB, name="Bob", added_at=1.0))
    door.do(door.admission.set_policy(ME, "", Policy.NOBODY))
    assert not door.knock(BOB)
    door.do(door.admission.set_policy(ME, "ttt", Policy.CONTACTS))
    assert door.knock(BOB)
    assert not door.knock(EVE)
    door.open()
    assert door.admission.policy(ME) is Policy.NOBODY
    assert door.admission.policies(ME) == {"ttt": Policy.CONTACTS}
    assert door.admission.policy(OTHER_ME) is Policy.EVERYONE
    door.do(door.admission.set_policy(ME, "ttt", None))
    assert not door.knock(BOB)
    door.store.book.put_contact(Contact(peer=BOB, name="Bob", added_at=1.0, trust=Trust.TRUSTED))
    assert door.knock(BOB)
    assert door.knock(OTHER_ME)
    assert door.waiting() == []


def test_games_go_on_whatever_the_policy_but_not_with_the_blocked(door: Door) -> None:
    door.open(Policy.NOBODY)
    door.session("1" * 16, BOB, BOB, Status.ACTIVE)
    assert door.knock(BOB, "move", "1" * 16)
    door.do(door.admission.block(Block(peer=BOB, blocked_at=door.now, reason="rude", until=door.now + DAY)))
    assert not door.knock(BOB, "move", "1" * 16)
    assert [block.reason for block in door.admission.blocks()] == ["rude"]
    door.open(Policy.NOBODY)
    assert not door.knock(BOB, "move", "1" * 16)
    door.now += DAY
    assert door.knock(BOB, "move", "1" * 16)
    assert door.admission.blocks() == ()


def test_a_block_drops_what_waits(door: Door) -> None:
    door.knock(BOB)
    key = SessionKey(ME, "1" * 16)
    parked = NewParked(
        key=key,
        sender=BOB,
        command="move",
        nonce=b"12345678",
        envelope=b"e",
        timestamp=1.0,
        parked_at=1.0,
        until=2.0,
    )
    door.store.commit(Commit(park=parked))
    door.do(door.admission.block(Block(peer=BOB, blocked_at=door.now)))
    assert door.waiting() == []
    assert door.store.mail.parked(key) == []
    assert not door.knock(BOB)
    assert door.do(door.admission.unblock(BOB))
    assert not door.do(door.admission.unblock(BOB))
    door.knock(BOB)
    assert door.waiting() == [BOB]


def test_whoever_sends_a_valid_envelope_plays(door: Door) -> None:
    peer = Peer(peer=BOB, name="Bob", public_key=b"k" * 64, hops=1, interface="", heard_at=1.0)
    door.store.book.put_peers([peer])
    door.knock(BOB)
    played = door.store.book.peer(BOB)
    assert played is not None
    assert played.played_at == door.now
    door.store.book.put_peers([peer])  # a later announce does not say either
    assert door.store.book.peer(BOB) == played


def test_people_are_told_of_a_game_that_is_not_installed(door: Door) -> None:
    assert not door.knock(id="0" * 16, app="go", version=2)
    (event,) = door.told
    assert event == (
        "game.unknown",
        {
            "id": "0" * 16,
            "identity": ME,
            "peer": BOB,
            "peer_name": "",
            "app": "go",
            "app_version": 2,
            "command": "challenge",
            "text": "[LRGP]",
        },
    )
    assert not door.knock(version=9), "another version of a game that is installed"
    assert [type for type, _ in door.told] == ["game.unknown"] * 2
    for _ in range(3 * UNKNOWN_PER_MINUTE):
        door.knock(app="go")
    assert len(door.told) == UNKNOWN_PER_MINUTE
    door.now += 60.0
    door.knock(app="go")
    assert len(door.told) == UNKNOWN_PER_MINUTE + 1


def test_who_is_not_listened_to_is_not_told_of_either(door: Door) -> None:
    door.open(Policy.CONTACTS)
    door.knock(app="go")
    door.open()
    door.do(door.admission.block(Block(peer=BOB, blocked_at=1.0)))
    door.knock(app="go")
    assert door.told == []

"""Texts between two nodes: kept once, in order, over faults and restarts, and whose are kept at all."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from lrgpnode.mesh.transport import Outgoing, Received
from lrgpnode.node import texts
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.game import Delivery
from storage import errors
from storage.messages import lane
from storage.model import Block, Contact, LocalIdentity, OutboxState, Policy, Role
from tests.node.network import CLEAN, ROUGH, Air
from tests.node.players import A, B, Player
from tests.node.scenes import DAY, HOUR, envelope, on_air, started, throw
from tests.node.virtual import VirtualLoop

EVE = "e" * 32


def said(player: Player, peer: str) -> list[str]:
    """What is kept of a conversation, oldest first."""
    return [message.text for message in reversed(player.store.messages.page(player.name, peer))]


def states(player: Player, peer: str) -> list[str]:
    return [str(m.state) for m in reversed(player.store.messages.page(player.name, peer)) if m.own]


def plain(sender: str, to: Player, text: str, at: float = 5.0) -> Outgoing:
    return Outgoing(
        ref=0,
        identity=sender,
        peer=to.name,
        envelope=b"",
        content=text,
        delivery=Delivery.OPPORTUNISTIC,
        timestamp=at,
    )


async def whisper(air: Air, sender: str, to: Player, text: str, at: float = 5.0) -> None:
    """A text of somebody who has no node arrives."""
    message = plain(sender, to, text, at)
    air.arrive(message, air.hash_of(message))
    await asyncio.sleep(1)


def test_a_text_goes_both_ways_and_is_delivered() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        written = await a.node.texts.send(A, B, " Hello! ")
        assert written.bytes_left == 287 - 6
        await asyncio.sleep(5)
        assert said(a, B) == said(b, A) == ["Hello!"]
        assert states(a, B) == ["confirmed"]
        assert a.of("message.delivery")[-1].fields["state"] == "delivered"
        (received,) = b.of("message.received")
        assert (received.fields["peer"], received.fields["text"]) == (A, "Hello!")
        assert b.store.messages.unread() == 1
        assert await b.node.texts.read(B, A) == 1
        assert await b.node.texts.read(B, A) == 0
        assert len(b.of("message.read")) == 1
        # Nothing is ever answered by itself, and the journal of no game has it.
        assert len(air.sent) == 1
        await b.node.texts.send(B, A, "Hi.")
        await asyncio.sleep(5)
        assert said(a, B) == ["Hello!", "Hi."]
        await asyncio.sleep(2 * DAY)
        assert len(air.sent) == 2

    on_air(scene)


def test_every_attempt_is_the_same_message_and_they_arrive_in_order() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        for number in range(5):
            await a.node.texts.send(A, B, f"text {number}")
        await asyncio.sleep(3 * DAY)
        assert said(b, A) == [f"text {number}" for number in range(5)]
        assert states(a, B) == ["confirmed"] * 5
        tries: dict[str, set[float | None]] = {}
        for message in air.sent:
            tries.setdefault(message.content, set()).add(message.timestamp)
        assert all(len(stamps) == 1 and None not in stamps for stamps in tries.values())

    on_air(scene, faults=replace(ROUGH, reordered=0.0, copied=0.5))


def test_what_a_propagation_node_has_is_sent_again_when_the_peer_is_heard_and_shown_once() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        await a.node.texts.send(A, B, "Are you there?")
        await asyncio.sleep(5 * 60)
        assert states(a, B) == ["stored"]
        b.endpoint.attach(b.node)
        await asyncio.sleep(7 * HOUR)
        b.endpoint.air.announce(B)
        await asyncio.sleep(10)
        assert states(a, B) == ["confirmed"]
        assert said(b, A) == ["Are you there?"]

    on_air(scene, propagation=True)


def test_it_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        await a.node.texts.send(A, B, "one")
        await a.node.texts.send(A, B, "two")
        await asyncio.sleep(1)
        await a.restart()
        b.endpoint.attach(b.node)
        air.announce(B)
        await asyncio.sleep(HOUR)
        assert said(b, A) == ["one", "two"]
        assert states(a, B) == ["confirmed"] * 2

    on_air(scene, paths=(str(tmp_path / "a.db"), ":memory:"))


def test_resend_and_cancel() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        first = (await a.node.texts.send(A, B, "one")).message.outbox_id
        second = (await a.node.texts.send(A, B, "two")).message.outbox_id
        assert first is not None
        assert second is not None
        await asyncio.sleep(5 * 60)
        await a.node.repair.cancel(first)
        assert states(a, B) == ["dropped", "queued"]
        b.endpoint.attach(b.node)
        a.node.repair.resend_row(second)
        await asyncio.sleep(5)
        assert said(b, A) == ["two"]
        assert not a.of("game.delivery")
        assert not a.of("game.out_of_sync")

    on_air(scene)


@pytest.mark.parametrize(
    "fault", [errors.Busy("locked"), errors.DiskFull("full"), sqlite3.OperationalError("disk I/O error")]
)
@pytest.mark.parametrize("point", ["outbox.add", "messages.add", "mail.see"])
def test_a_fault_leaves_all_or_nothing(point: str, fault: Exception) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        broken = patch(f"storage.store.{point}", side_effect=fault)
        with broken, pytest.raises(errors.StorageError):
            await a.node.texts.send(A, B, "lost")
        assert not said(a, B)
        assert not a.store.outbox.pending()
        assert not air.sent
        assert not a.of("message.sent")
        # What comes in meanwhile stays in the inbox, and is kept once.
        await a.node.texts.send(A, B, "hello")
        with patch.object(b.writer, "fault", side_effect=fault):
            await asyncio.sleep(20)
            assert not said(b, A)
            assert b.endpoint.open
            assert not b.of("message.received")
        await asyncio.sleep(10)
        assert said(b, A) == ["hello"]
        assert not b.endpoint.open
        assert len(b.of("message.received")) == 1

    on_air(scene)


def test_a_crash_between_commit_and_inbox_keeps_it_once(tmp_path: Path) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        with patch.object(b.endpoint, "done"):
            await a.node.texts.send(A, B, "hello")
            await asyncio.sleep(5)
            assert said(b, A) == ["hello"]
        assert b.endpoint.open
        await b.restart()
        await asyncio.sleep(5)
        assert said(b, A) == ["hello"]
        assert not b.endpoint.open
        assert len(b.of("message.received")) == 1

    on_air(scene, paths=(":memory:", str(tmp_path / "b.db")))


# Who may write


def use(player: Player, policy: Policy) -> None:
    player.node.admission.use_default(policy)


async def contact(player: Player, peer: str) -> None:
    player.store.book.put_contact(Contact(peer=peer, name="Eve", added_at=1.0))


@pytest.mark.parametrize("policy", list(Policy))
@pytest.mark.parametrize("known", ["", "contact", "game", "written"])
def test_the_policy_says_who_may_write(policy: Policy, known: str) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        if known == "game":
            await started(b, a)
        elif known == "contact":
            await contact(b, A)
        elif known == "written":
            await b.node.texts.send(B, A, "hello")
            await asyncio.sleep(1)
        use(b, policy)
        before = len(air.sent)
        await whisper(air, A, b, "psst")
        expected = {
            "": policy is Policy.OPEN,
            "contact": policy is not Policy.NOBODY,
            "game": True,
            "written": True,
        }[known]
        assert ("psst" in said(b, A)) is expected
        assert not b.endpoint.open
        assert len(air.sent) == before

    on_air(scene)


def test_what_a_stranger_writes_waits_with_his_challenge() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        use(b, Policy.EVERYONE)
        await whisper(air, EVE, b, "too early", 1.0)
        await throw(air, EVE, b, envelope("ttt", "challenge", "1" * 16))
        await whisper(air, EVE, b, "It is me", 2.0)
        await whisper(air, EVE, b, "It is me", 2.0)
        assert not said(b, EVE)
        assert not b.of("message.received")
        (request,) = b.node.admission.requests()
        await b.node.admit(request)
        assert said(b, EVE) == ["It is me"]
        assert len(b.of("message.received")) == 1
        assert b.store.messages.unread() == 1

    on_air(scene)


def test_what_a_stranger_wrote_is_forgotten_with_his_challenge() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        use(b, Policy.EVERYONE)
        await throw(air, EVE, b, envelope("ttt", "challenge", "1" * 16))
        await whisper(air, EVE, b, "It is me")
        assert b.store.messages.holds(B, EVE)
        await b.node.admission.drop(b.node.admission.requests()[0].key)
        assert not b.store.messages.holds(B, EVE)

    on_air(scene)


def test_a_blocked_peer_and_a_house_hear_nothing() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        await contact(b, EVE)
        await b.node.admission.block(Block(peer=EVE, blocked_at=1.0))
        await whisper(air, EVE, b, "psst")
        assert not said(b, EVE)
        with pytest.raises(CallerError, match="blocked"):
            await b.node.texts.send(B, EVE, "hello")
        b.store.book.put_identity(LocalIdentity(hash=B, name="house", created_at=1.0, role=Role.HOUSE))
        await whisper(air, A, b, "Nice move!")
        assert not said(b, A)
        assert not b.endpoint.open
        with pytest.raises(CallerError, match="does not write"):
            await b.node.texts.send(B, A, "hello")

    on_air(scene)


def test_strangers_cannot_keep_the_disk_busy() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        use(b, Policy.OPEN)
        for number in range(40):
            message = plain(f"{number:032x}", b, "buy", float(number))
            air.arrive(message, air.hash_of(message))
        await asyncio.sleep(1)
        assert b.store.messages.unread() == 20

    on_air(scene)


@pytest.mark.parametrize(("peer", "text"), [(A, "me"), (B, " \n"), (B, "x" * 1025), (B, "\x1b[2J")])
def test_what_cannot_be_written(peer: str, text: str) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        with pytest.raises(CallerError):
            await a.node.texts.send(A, peer, text)
        assert not a.store.outbox.pending()

    on_air(scene)


def test_so_many_wait_and_no_more() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        for number in range(texts.MOST_UNSENT):
            await a.node.texts.send(A, B, f"{number}")
        with pytest.raises(CallerError, match="have not arrived"):
            await a.node.texts.send(A, B, "one more")

    on_air(scene)


@pytest.mark.parametrize(
    ("title", "content", "kept", "cut"),
    [
        ("Hi", "there", "Hi\nthere", False),
        ("", "", None, False),
        ("", "\x1b[2J\u202e", "\x1b[2J\u202e", False),
        ("", "x" * 3000, "x" * 2000, True),
    ],
)
def test_titles_long_and_empty_texts(title: str, content: str, kept: str | None, cut: bool) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        fields: dict[str, Any] = {"entry": 9, "identity": B, "peer": A, "message_hash": b"h" * 32}
        message = Received(**fields, envelope=None, title=title, content=content, signed=b"s", timestamp=77.0)
        b.endpoint.open[9] = message
        b.node.received(message)
        await asyncio.sleep(1)
        assert not b.endpoint.open
        found = b.store.messages.page(B, A)
        kept_as = [] if kept is None else [(kept, cut, 77.0)]
        assert [(one.text, one.cut, one.sent_at) for one in found] == kept_as

    on_air(scene, faults=CLEAN)


def test_a_game_and_a_talk_do_not_wait_for_each_other() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        await a.node.texts.send(A, B, "Good luck!")
        await a.act(id, "move", i=4)
        await asyncio.sleep(2)
        assert said(b, A) == ["Good luck!"]
        assert a.state(id) == b.state(id)
        assert not a.node.outbox.undelivered(lane(A, B))
        assert all(row.state is not OutboxState.DROPPED for row in a.rows(id))

    on_air(scene)

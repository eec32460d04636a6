"""``lrgpnode chat`` against a control server."""

from __future__ import annotations

from typing import Any

from lrgpnode.control import models
from storage.model import OutboxState
from tests.cli.conftest import Run
from tests.cli.fakes import ME, PEER, FakeNode


def text(id: int, **more: Any) -> models.MessageInfo:
    fields: dict[str, Any] = {"id": id, "own": False, "text": f"text {id}", "at": 60.0 * id, "sent_at": 1.0}
    return models.MessageInfo(**{**fields, **more})


OWN = text(2, own=True, state=OutboxState.FAILED, outbox_id=9, reason="no path", next_attempt_at=3600.0)
HOSTILE = text(3, text="\x1b[2J\u202eboo\nyou: I resign", unread=True, cut=True)
PAGE = models.MessagePage(
    identity=ME, peer=PEER, messages=(HOSTILE, OWN, text(1)), peer_name="bob", cursor="1"
)


def test_a_text_is_sent(node: FakeNode, run: Run) -> None:
    for left, words in ((281, "281 bytes of its packet are left"), (-3, "3 bytes more than a packet has")):
        node.results["message.send"] = models.MessageSent(
            identity=ME, peer=PEER, message=OWN, bytes_left=left, peer_name="bob"
        )
        ran = run("chat", "bob", " Hello! ")
        assert ran.code == 0
        assert words in ran.out
        assert "bob (b2b2b2b2)" in ran.out
    assert node.calls[0] == ("message.send", {"peer": "bob", "text": "Hello!"})
    assert run("chat", "bob", "hi", "--json").json["message"]["outbox_id"] == 9


def test_what_cannot_be_sent_is_not_asked_for(node: FakeNode, run: Run) -> None:
    ran = run("chat", "bob", "x" * 1025)
    assert ran.code == 2
    assert "1025 bytes" in ran.err
    assert not node.calls


def test_the_list_is_made_safe_and_counts_as_read(node: FakeNode, run: Run) -> None:
    node.results |= {
        "message.list": PAGE,
        "message.read": models.MessagesRead(identity=ME, peer=PEER, count=1),
    }
    ran = run("chat", "bob")
    older, first, second, third, fourth = ran.out.splitlines()
    assert "--cursor 1" in older
    assert first == "  1970-01-01 00:01  bob (b2b2b2b2): text 1"
    assert second == (
        "  1970-01-01 00:02  you: text 2  "
        "(not delivered yet, no path, again 1970-01-01 01:00, number 9 in the outbox)"
    )
    assert third == "* 1970-01-01 00:03  bob (b2b2b2b2): [2Jboo"
    assert fourth == "    | you: I resign [it was longer]"
    assert [call[0] for call in node.calls] == ["message.list", "message.read"]
    assert node.calls[1][1] == {"peer": "bob", "upto": 3}


def test_a_board_keeps_its_lines(node: FakeNode, run: Run) -> None:
    board = text(1, text="~#1 chess\n1 R N\n\n  h g\nYour turn.\u2028\x1b[2Jx" + "\n." * 60)
    node.results["message.list"] = models.MessagePage(
        identity=ME, peer=PEER, messages=(board,), peer_name="bob"
    )
    lines = run("chat", "bob").out.splitlines()
    assert lines[0].endswith("(b2b2b2b2): ~#1 chess")
    assert lines[1:6] == ["    | 1 R N", "    |", "    |   h g", "    | Your turn.", "    | [2Jx"]
    assert len(lines) == 41
    assert lines[-1] == "    | . ..."


def test_json_is_as_it_is_and_nothing_is_read(node: FakeNode, run: Run) -> None:
    node.results["message.list"] = PAGE
    assert run("chat", "bob", "--json").json["messages"][0]["text"] == HOSTILE.text
    assert [call[0] for call in node.calls] == ["message.list"]


def test_with_whom_there_are_texts(node: FakeNode, run: Run) -> None:
    thread = models.ThreadInfo(identity=ME, peer=PEER, texts=3, unread=2, last=OWN, peer_name="bob")
    node.results["message.threads"] = models.ThreadPage(threads=(thread,))
    (line,) = run("chat").out.splitlines()
    assert line == "1970-01-01 00:02  2 unread    bob (b2b2b2b2)  you: text 2"
    node.results["message.threads"] = models.ThreadPage(threads=())
    assert run("chat").out == "Nobody has written yet.\n"

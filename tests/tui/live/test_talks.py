"""What is known of texts: loaded once, then kept by events."""

from __future__ import annotations

from typing import Any

from interfaces.tui.live.talks import Talks
from lrgpnode.control.client import CallFailed
from tests.cli.fakes import ME, PEER

EVE = "ee" * 16


class Scene:
    """Answers at once what ``results`` says, or keeps the question in ``held`` while ``hold``."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.hold = False
        self.held: list[Any] = []
        self.changes = 0
        self.results: dict[str, Any] = {
            "message.threads": {"threads": [self.thread(PEER, 2), self.thread(EVE, 0)]},
            "message.list": {"messages": [text(2), text(1)], "cursor": "1"},
            "message.read": {},
        }
        self.talks = Talks(self.call, self.changed)

    @staticmethod
    def thread(peer: str, unread: int) -> dict[str, Any]:
        return {"peer": peer, "unread": unread, "peer_name": "Bob", "last": text(2)}

    def changed(self) -> None:
        self.changes += 1

    def call(self, method: str, params: Any, done: Any, failed: Any) -> None:
        self.asked.append((method, {name: value for name, value in params.items() if value is not None}))

        def answer() -> None:
            result = self.results[method]
            failed(result) if isinstance(result, Exception) else done(result)

        self.held.append(answer) if self.hold else answer()

    def methods(self) -> list[str]:
        return [method for method, _ in self.asked]

    @property
    def ids(self) -> list[int]:
        return [one["id"] for one in self.talks.texts]


def text(id: int, **more: Any) -> dict[str, Any]:
    return {"id": id, "own": False, "text": f"text {id}", "at": 60.0 * id, "sent_at": 1.0} | more


def event(id: int, **more: Any) -> dict[str, Any]:
    return {"id": id, "identity": ME, "peer": PEER, "text": f"text {id}", "at": 60.0 * id} | more


def test_unread_is_counted_and_read_when_somebody_looks() -> None:
    scene = Scene()
    scene.talks.load(ME)
    assert scene.talks.unread == {PEER: 2}
    scene.talks.event("message.received", event(3))
    scene.talks.event("message.received", event(4, peer=EVE))
    assert scene.talks.unread == {PEER: 3, EVE: 1}
    scene.talks.show(PEER)
    assert scene.talks.unread == {PEER: 3, EVE: 1}, "it is loaded, but nobody looks"
    scene.talks.look(True)
    assert scene.talks.unread == {EVE: 1}
    assert scene.asked[-1] == ("message.read", {"peer": PEER, "identity": ME})
    scene.talks.event("message.received", event(5))
    assert scene.talks.unread == {EVE: 1}
    assert scene.methods().count("message.read") == 2
    scene.talks.look(False)
    scene.talks.event("message.received", event(6))
    assert scene.talks.unread == {EVE: 1, PEER: 1}
    # Another window, or the command, has read it.
    scene.talks.event("message.read", {"identity": ME, "peer": PEER})
    assert scene.talks.unread == {EVE: 1}


def test_texts_are_in_order_and_each_is_there_once() -> None:
    scene = Scene()
    scene.talks.load(ME)
    scene.talks.show(PEER)
    scene.talks.event("message.sent", event(3, outbox_id=9))
    scene.talks.event("message.sent", event(3, outbox_id=9))
    scene.talks.event("message.received", event(7, peer=EVE))
    assert scene.ids == [1, 2, 3]
    scene.results["message.list"] = {"messages": [text(-1)]}
    scene.talks.older()
    assert scene.ids == [-1, 1, 2, 3]
    scene.talks.older()
    assert scene.asked[-1] == ("message.list", {"peer": PEER, "identity": ME, "limit": 50, "cursor": "1"})
    assert scene.methods().count("message.list") == 2, "there are no older ones"


def test_a_delivery_may_be_told_before_the_answer() -> None:
    scene = Scene()
    scene.talks.load(ME)
    scene.talks.show(PEER)
    told = {"identity": ME, "peer": PEER, "outbox_id": 9, "state": "delivered", "reason": ""}
    sent = {"peer": PEER, "message": text(3, own=True, outbox_id=9, state="queued"), "bytes_left": 1}
    scene.results["message.send"] = sent
    scene.hold = True
    scene.talks.send("text 3", lambda _: None)
    scene.talks.event("message.delivery", told)
    scene.held.pop()()
    assert scene.talks.texts[-1]["state"] == "delivered"
    scene.talks.event("message.delivery", {**told, "state": "failed", "reason": "no path"})
    assert (scene.talks.texts[-1]["state"], scene.talks.texts[-1]["reason"]) == ("failed", "no path")


def test_what_is_refused_is_told() -> None:
    scene = Scene()
    scene.talks.load(ME)
    scene.talks.show(PEER)
    scene.results["message.send"] = CallFailed("validation", "No.", "")
    told: list[Exception] = []
    scene.talks.send("text", told.append)
    assert told
    assert scene.ids == [1, 2]


def test_an_answer_for_a_conversation_that_is_not_open_any_more_is_dropped() -> None:
    scene = Scene()
    scene.talks.load(ME)
    scene.hold = True
    scene.talks.show(PEER)
    scene.talks.show(EVE)
    for answer in scene.held[:1]:
        answer()
    assert not scene.talks.texts
    assert not scene.talks.loaded


def test_after_a_lost_connection_everything_is_loaded_anew() -> None:
    scene = Scene()
    scene.talks.load(ME)
    scene.talks.show(PEER)
    scene.results["message.list"] = {"messages": [text(9)], "cursor": "9"}
    scene.talks.load(ME)
    assert scene.ids == [9], "between 2 and 9 there may be others"
    assert scene.talks.more == "9"


def test_the_last_text_of_each_conversation_is_kept_up_to_date() -> None:
    scene = Scene()
    scene.talks.load(ME)
    assert scene.talks.threads[EVE]["last"]["text"] == "text 2"
    scene.talks.event("message.sent", event(5, peer=EVE, outbox_id=7))
    scene.talks.event("message.received", event(4, peer=EVE))
    assert scene.talks.threads[EVE]["last"]["text"] == "text 5", "what came late is not the last"
    told = {"identity": ME, "peer": EVE, "outbox_id": 7, "state": "stored", "reason": ""}
    scene.talks.event("message.delivery", told)
    assert scene.talks.threads[EVE]["last"]["state"] == "stored"
    scene.talks.event("message.received", event(9, peer="ab" * 16))
    assert scene.talks.threads["ab" * 16]["last"]["text"] == "text 9", "somebody new"
    assert scene.talks.names["ab" * 16] == ""


def test_another_identity_has_other_conversations() -> None:
    scene = Scene()
    scene.talks.load(ME)
    scene.hold = True
    scene.talks.load("f1" * 16)
    assert not scene.talks.threads
    assert not scene.talks.unread
    assert not scene.talks.known

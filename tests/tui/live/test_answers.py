"""What an open screen asks, and when it asks again; the end of the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interfaces.tui.live.answers import Answers
from interfaces.tui.live.tail import KEPT, Tail
from lrgpnode.control.client import CallFailed, ClientError, Disconnected


class Node:
    """Answers when told to, each question with how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.waiting: list[tuple[Callable[[], object], Callable[[ClientError], object]]] = []
        self.pages: list[dict[str, Any]] = []
        self.changes = 0

    def call(self, method: str, params: Any, done: Any, failed: Any) -> None:
        self.asked.append((method, dict(params)))
        number = len(self.asked)
        self.waiting.append((lambda: done(self.pages.pop(0) if self.pages else {"number": number}), failed))

    def settle(self) -> None:
        while self.waiting:
            self.waiting.pop(0)[0]()

    def fail(self, error: ClientError) -> None:
        while self.waiting:
            self.waiting.pop(0)[1](error)

    def changed(self) -> None:
        self.changes += 1

    def methods(self) -> list[str]:
        found = [method for method, _ in self.asked]
        self.asked.clear()
        return found


def test_what_is_wanted_is_asked_once_and_after_its_events() -> None:
    node = Node()
    answers = Answers(node.call, node.changed)
    answers.want(("outbox.list", {"limit": 5}), ("radio.status", {}))
    assert answers.get("outbox.list") is None
    node.settle()
    assert node.methods() == ["outbox.list", "radio.status"]
    assert answers.get("outbox.list") == {"number": 1}
    assert node.changes == 2
    answers.event("game.delivery")
    answers.event("propagation.node")
    node.settle()
    assert node.methods() == ["outbox.list"]
    answers.event("radio.changed")
    node.settle()
    assert node.methods() == ["radio.status"]


def test_a_closed_screen_asks_nothing() -> None:
    node = Node()
    answers = Answers(node.call, node.changed)
    answers.want(("outbox.list", {}))
    node.settle()
    answers.want()
    node.asked.clear()
    for kind in ("game.applied", "radio.changed", "propagation.sync", "identity.changed", "peer.heard"):
        answers.event(kind)
    answers.reload()
    assert node.asked == []
    assert answers.get("outbox.list") is None


def test_many_events_while_an_answer_is_on_its_way_ask_once_more() -> None:
    node = Node()
    answers = Answers(node.call, node.changed)
    answers.want(("outbox.list", {}))
    for _ in range(9):
        answers.event("game.delivery")
    node.settle()
    assert node.methods() == ["outbox.list"] * 2


def test_the_answer_to_another_question_is_not_shown() -> None:
    node = Node()
    answers = Answers(node.call, node.changed)
    answers.want(("identity.show", {"identity": "a"}))
    answers.want(("identity.show", {"identity": "b"}))
    first, _ = node.waiting.pop(0)
    first()
    assert answers.get("identity.show") is None
    node.settle()
    assert answers.get("identity.show") == {"number": 2}
    assert node.asked[-1] == ("identity.show", {"identity": "b"})


def test_a_refusal_is_said_and_a_lost_node_asked_again_when_it_is_back() -> None:
    node = Node()
    answers = Answers(node.call, node.changed)
    answers.want(("radio.status", {}))
    node.fail(CallFailed("x", "Nothing is known."))
    assert (answers.trouble, node.changes) == ("Nothing is known.", 1)
    answers.ask("radio.status")
    answers.ask("radio.status")
    answers.lost()
    node.fail(Disconnected("gone"))
    assert (node.waiting, node.changes) == ([], 1)
    answers.reload()
    node.settle()
    assert answers.trouble == ""
    assert answers.get("radio.status") is not None


def page(number: int, *texts: str, level: str = "info") -> dict[str, Any]:
    return {"level": level, "number": number, "lines": [{"text": text} for text in texts]}


def test_the_log_is_asked_for_what_is_new() -> None:
    node = Node()
    tail = Tail(node.call, node.changed)
    node.pages = [page(7, "a", "b"), page(8, "c"), page(8)]
    tail.begin()
    tail.more()
    node.settle()
    for _ in range(2):
        tail.more()
        node.settle()
    assert [params["after"] for _, params in node.asked] == [0, 7, 8]
    assert [line["text"] for line in tail.lines] == ["a", "b", "c"]
    assert node.changes == 2, "no line is no change"
    assert len(tail.lines) <= KEPT


def test_another_level_begins_anew_and_late_lines_of_the_old_one_are_dropped() -> None:
    node = Node()
    tail = Tail(node.call, node.changed)
    tail.begin()
    tail.begin("error")
    node.pages = [page(7, "old"), page(7, "new")]
    node.settle()
    assert [line["text"] for line in tail.lines] == ["new"]
    assert [params["level"] for _, params in node.asked] == ["info", "error"]


def test_a_node_that_counts_anew_is_read_from_its_start() -> None:
    node = Node()
    tail = Tail(node.call, node.changed)
    node.pages = [page(90, "old"), page(2), page(2, "new")]
    tail.begin()
    node.settle()
    tail.more()
    node.settle()
    assert [line["text"] for line in tail.lines] == ["new"]


def test_a_log_that_cannot_be_read_says_why() -> None:
    node = Node()
    tail = Tail(node.call, node.changed)
    tail.begin()
    node.fail(CallFailed("x", "There is no log."))
    assert (tail.trouble, node.changes) == ("There is no log.", 1)
    tail.more()
    node.fail(Disconnected("gone"))
    assert node.changes == 1

"""A link to a propagation node whose other end does all sorts of things. Reticulum is a fake here."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from lrgpnode.mesh.propagation import connection
from lrgpnode.mesh.propagation.connection import CUT_OFF, STALLED, UNANSWERED, Connection
from tests.mesh.propagation.test_upload import FakeWorker

NODE = "1" * 32
COMPLETE, REJECTED, FAILED = 6, 0, 7


class FakeLink:
    DESTINATION_CLOSED = 3
    made: list[FakeLink] = []  # noqa: RUF012 - reset by the fixture

    def __init__(
        self,
        destination: Any,
        established_callback: Callable[[Any], None],
        closed_callback: Callable[[Any], None],
    ) -> None:
        self.established = established_callback
        self.closed = closed_callback
        self.rtt = 0.1
        self.traffic_timeout_factor = 6
        self.teardown_reason = 1
        self.pending_requests: list[Any] = []
        self.outgoing_resources: list[Any] = []
        self.torn_down = 0
        self.requests: list[dict[str, Any]] = []
        self.refuses: Exception | None = None
        FakeLink.made.append(self)

    def request(self, path: str, data: Any, **options: Any) -> Any:
        if self.refuses is not None:
            raise self.refuses
        self.requests.append(options)
        self.pending_requests.append(path)
        return object()

    def teardown(self) -> None:
        self.torn_down += 1


class FakeResource:
    COMPLETE, REJECTED, RESPONSE_MAX_GRACE_TIME = COMPLETE, REJECTED, 10
    made: list[FakeResource] = []  # noqa: RUF012 - reset by the fixture

    def __init__(self, data: bytes, link: FakeLink, callback: Any, progress_callback: Any) -> None:
        self.status = COMPLETE
        self.callback = callback
        self.moved = progress_callback
        link.outgoing_resources.append(self)
        FakeResource.made.append(self)


class FakeDestination:
    OUT = SINGLE = 0

    def __init__(self, *_: Any) -> None:
        self.hash = bytes.fromhex(NODE)


@pytest.fixture(autouse=True)
def reticulum(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeLink.made.clear()
    FakeResource.made.clear()
    fake = SimpleNamespace(
        Link=FakeLink,
        Resource=FakeResource,
        Destination=FakeDestination,
        Identity=SimpleNamespace(recall=lambda _: object()),
    )
    monkeypatch.setattr(connection, "RNS", fake)


class Owner:
    def __init__(self, *, node: str = NODE, rests: bool = False) -> None:
        self.worker = FakeWorker()
        self.told: list[str] = []
        self.connection = Connection(
            self.worker,  # type: ignore[arg-type]
            node,
            lambda: self.told.append("open"),
            self.told.append,
            rests=rests,
        )

    @property
    def link(self) -> FakeLink:
        return FakeLink.made[-1]

    def open(self) -> Owner:
        self.link.established(self.link)
        self.worker.pass_time(0.0)
        return self

    def ask(self) -> list[Any]:
        answers: list[Any] = []
        self.connection.request("/get", None, most=10, answered=answers.append)
        return answers


def test_a_node_that_does_not_answer() -> None:
    owner = Owner()
    owner.link.closed(owner.link)
    owner.worker.pass_time(0.0)
    assert owner.told == [UNANSWERED]


def test_a_node_that_closes_the_link() -> None:
    owner = Owner().open()
    owner.link.teardown_reason = FakeLink.DESTINATION_CLOSED
    owner.link.closed(owner.link)
    owner.link.closed(owner.link)
    owner.worker.pass_time(0.0)
    assert owner.told == ["open", CUT_OFF]


def test_an_address_that_is_no_nodes() -> None:
    owner = Owner(node="2" * 32)
    owner.worker.pass_time(0.0)
    assert owner.told == ["this address is not one of a propagation node"]
    assert FakeLink.made == []


def test_a_request_without_an_answer_is_ended_even_if_reticulum_forgets_it() -> None:
    owner = Owner().open()
    owner.ask()
    owner.worker.pass_time(STALLED)
    owner.worker.pass_time(STALLED)
    assert owner.told == ["open", "nothing more came from the propagation node"]
    assert owner.link.torn_down == 1


def test_progress_keeps_it_alive() -> None:
    owner = Owner().open()
    owner.ask()
    receipt = SimpleNamespace(get_progress=lambda: 0.5)
    for _ in range(5):
        owner.worker.pass_time(STALLED * 0.9)
        owner.link.requests[0]["progress_callback"](receipt)
    assert owner.told == ["open"]


def test_an_open_link_may_rest_only_where_that_is_said() -> None:
    resting, busy = Owner(rests=True).open(), Owner().open()
    for owner in (resting, busy):
        owner.worker.pass_time(STALLED * 3)
    assert resting.told == ["open"]
    assert busy.told[1:] == ["nothing more came from the propagation node"]


def test_what_reticulum_raises_is_a_lost_link() -> None:
    owner = Owner().open()
    owner.link.refuses = OSError("link is gone")
    owner.ask()
    owner.worker.pass_time(0.0)
    assert owner.told == ["open", "link is gone"]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (COMPLETE, ["sent"]),
        (REJECTED, ["the propagation node refused the message"]),
        (FAILED, ["the message did not get through to the propagation node"]),
    ],
)
def test_a_transfer(status: int, told: list[str]) -> None:
    owner = Owner().open()
    owner.connection.send(b"data", lambda: owner.told.append("sent"))
    resource = FakeResource.made[0]
    resource.status = status
    resource.callback(resource)
    owner.worker.pass_time(0.0)
    assert owner.told == ["open", *told]


def test_after_it_has_been_closed_nothing_more_is_told() -> None:
    owner = Owner().open()
    answers = owner.ask()
    owner.connection.close()
    owner.link.requests[0]["response_callback"](SimpleNamespace(response=[]))
    owner.link.requests[0]["failed_callback"](None)
    owner.link.closed(owner.link)
    owner.worker.pass_time(STALLED * 3)
    assert (owner.told, answers) == (["open"], [])

"""`outbox`, `resend`, `abandon` and `delete` against a control server."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from lrgpnode.cli.outbox import WAITS_FOR
from lrgpnode.control import models
from lrgpnode.outbox.policy import Waits
from lrgpnode.protocol.session import Status
from storage.model import OutboxState
from tests.cli.conftest import Run
from tests.cli.fakes import ID, ME, PEER, FakeNode


def entry(**more: Any) -> models.OutboxEntry:
    fields: dict[str, Any] = {"outbox_id": 9, "id": ID, "identity": ME, "peer": PEER, "command": "move"}
    fields |= {"state": OutboxState.FAILED, "created_at": 1.0, "updated_at": 2.0, "attempts": 3}
    return models.OutboxEntry(**{**fields, **more})


RESULTS: dict[str, msgspec.Struct] = {
    "outbox.list": models.OutboxPage(
        messages=(
            entry(reason="no path to the peer", waits_for="peer", next_attempt_at=60.0, peer_name="b\x1b[m"),
        ),
        cursor="9",
    ),
    "outbox.resend": models.Resent(messages=(entry(), entry(command="resign"))),
    "outbox.cancel": entry(state=OutboxState.DROPPED),
    "game.resend": models.Resent(messages=(entry(),)),
    "game.abandon": models.Abandoned(id=ID, identity=ME, status=Status.EXPIRED),
    "game.delete": models.DeleteResult(id=ID, identity=ME),
}

CASES = [
    (("outbox", "list"), "outbox.list", {"all": False, "limit": 50}, "the peer is away, no path to the peer"),
    (
        ("outbox", "list", "--all", "--limit", "3", "--cursor", "7"),
        "outbox.list",
        {"all": True, "limit": 3, "cursor": "7"},
        "outbox list --all --cursor 9",
    ),
    (("outbox", "resend", "9"), "outbox.resend", {"outbox_id": 9}, "On its way again: move, resign."),
    (("outbox", "cancel", "9"), "outbox.cancel", {"outbox_id": 9}, f"The move in game {ID} is not sent"),
    (("resend", "3F2A"), "game.resend", {"id": "3f2a"}, "On its way again: move."),
    (("abandon", "3f2a"), "game.abandon", {"id": "3f2a"}, f"Game {ID} is over here."),
    (("delete", "3f2a"), "game.delete", {"id": "3f2a", "force": False}, f"Game {ID} is deleted."),
    (("delete", "3f2a", "--force"), "game.delete", {"id": "3f2a", "force": True}, "deleted"),
]


@pytest.mark.parametrize(("args", "method", "params", "said"), CASES, ids=lambda value: str(value)[:40])
def test_commands(
    node: FakeNode, run: Run, args: tuple[str, ...], method: str, params: dict[str, Any], said: str
) -> None:
    node.results |= RESULTS
    ran = run(*args)
    assert (ran.code, ran.err) == (0, "")
    assert node.calls == [(method, params)]
    assert said in ran.out
    assert "\x1b" not in ran.out
    assert run(*args, "--json").json == msgspec.json.decode(msgspec.json.encode(RESULTS[method]))


def test_every_reason_to_wait_has_words() -> None:
    assert {waits.value for waits in Waits if waits} == set(WAITS_FOR)
    assert {waits.value for waits in Waits} == set(get_args(get_args(models.outbox.WaitsFor)[0]))


def test_an_empty_list(node: FakeNode, run: Run) -> None:
    node.results["outbox.list"] = models.OutboxPage(messages=())
    assert run("outbox", "list").out == "Nothing is on its way.\n"
    assert run("outbox", "list", "--all").out == "Nothing was ever sent.\n"


@pytest.mark.parametrize("args", [("outbox", "resend", "x"), ("outbox", "cancel", "0"), ("resend", "zz")])
def test_what_is_no_number_or_session(node: FakeNode, run: Run, args: tuple[str, ...]) -> None:
    assert run(*args).code == 2
    assert node.calls == []

"""What waits inside LXMF for its next try goes at once when the peer is there."""

from __future__ import annotations

import math
import time
from types import SimpleNamespace
from typing import Any, cast

import LXMF
import pytest

from lrgpnode.mesh.lxmf import NodeRouter

BOB, EVE = b"b" * 16, b"e" * 16


def waiting(destination: bytes, last_sent: float) -> Any:
    return SimpleNamespace(destination_hash=destination, last_sent=last_sent, next_delivery_attempt=2e9)


@pytest.mark.parametrize(("ago", "again"), [(math.inf, True), (60.0, True), (1.0, False)])
def test_only_what_was_not_just_sent_and_only_to_this_peer(ago: float, again: bool) -> None:
    rounds = []
    ours, other = waiting(BOB, time.monotonic() - ago), waiting(EVE, -math.inf)
    router = SimpleNamespace(
        pending_outbound=[other, ours],
        DELIVERY_RETRY_WAIT=LXMF.LXMRouter.DELIVERY_RETRY_WAIT,
        process_outbound=lambda: rounds.append(ours.next_delivery_attempt),
    )
    NodeRouter.hurry(cast("NodeRouter", router), BOB)
    assert rounds == [0.0] * again
    assert other.next_delivery_attempt == 2e9

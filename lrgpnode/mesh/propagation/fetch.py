"""One identity fetches its mail from one propagation node.

The node is asked for a list, then for messages, as many at a time as the router takes in one
transfer; each answer is on our disk, synced, before the next request tells the node to delete it.
Whatever happens in between, the node still has the message or we do, or both: then it is recognised
by its hash. Runs on the mesh's worker.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import RNS

from lrgpnode.protocol.value import Value

from ..inbox import InboxFull
from ..lxmf import NodeRouter
from ..receiver import Receiver
from .connection import Connection
from .report import SyncState

GET: Final = "/get"
NO_IDENTITY: Final = 0xF0
NO_ACCESS: Final = 0xF1

MAX_LISTED: Final = 4096
"""Most messages fetched in one sync; an id has 34 bytes in the list."""

MAX_LIST_BYTES: Final = 256 * 1024
BATCH: Final = 32
"""Most messages asked for at once: the request fits into a few packets."""

ASK_AGAIN: Final = 2
"""The packet that says who we are is not proved. A node that did not get it says so."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Fetched(Value):
    """``reason`` is empty where everything was fetched but what was too large (``left``). ``ours``:
    the fault is here, not at the node."""

    received: int = 0
    left: int = 0
    reason: str = ""
    ours: bool = False


class Fetch:
    """``moved(state, progress, received)`` tells how it goes, ``done`` how it ended, once."""

    def __init__(
        self,
        router: NodeRouter,
        receiver: Receiver,
        moved: Callable[[SyncState, float, int], None],
        done: Callable[[Fetched], None],
    ) -> None:
        self._router = router
        self._receiver = receiver
        self._moved = moved
        self._done = done
        self._connection: Connection
        self._asked = 0
        self._total = 0
        self._received = 0
        self._too_large = 0
        self._wanted: list[bytes] = []
        self._have: list[bytes] = []

    def start(self, connection: Connection) -> None:
        """The connection is open."""
        self._connection = connection
        self._ask_for_list()

    def lost(self, reason: str) -> None:
        self._done(Fetched(self._received, len(self._wanted), reason))

    def _ask_for_list(self) -> None:
        self._asked += 1
        self._moved(SyncState.ASKING, 0.0, 0)
        self._connection.identify(self._router.identity)
        self._connection.request(GET, [None, None], most=MAX_LIST_BYTES, answered=self._on_list)

    def _on_list(self, answer: Any) -> None:
        if answer == NO_IDENTITY and self._asked <= ASK_AGAIN:
            self._ask_for_list()
        elif answer == NO_IDENTITY:
            self._fail("the propagation node did not learn who asked")
        elif answer == NO_ACCESS:
            self._fail("the propagation node does not serve this identity")
        elif not isinstance(answer, list) or not all(map(_is_id, answer)):
            self._fail("the propagation node answered something that is no list of messages")
        else:
            listed = list(dict.fromkeys(answer))[:MAX_LISTED]
            self._have = [each for each in listed if self._router.has_fetched(each)]
            self._wanted = [each for each in listed if not self._router.has_fetched(each)]
            self._total = len(self._wanted)
            self._go_on()

    def _go_on(self) -> None:
        """Ask for the next messages, and have those deleted that are on our disk."""
        batch, have = self._wanted[:BATCH], self._have
        self._have = []
        if not batch and not have:
            self._finish()
            return
        limit = int(self._router.delivery_per_transfer_limit)
        self._moved(SyncState.RECEIVING, self._progress(0.0, 0), self._received)
        self._connection.request(
            GET,
            [batch or None, have, limit],
            # What the messages' frames add is little, but a node may count otherwise than we do.
            most=2 * limit * 1000 + 1024,
            answered=self._on_messages if batch else lambda _: self._finish(),
            moved=lambda part: self._moved(
                SyncState.RECEIVING, self._progress(part, len(batch)), self._received
            ),
        )

    def _on_messages(self, answer: Any) -> None:
        if not isinstance(answer, list) or not all(isinstance(each, bytes) for each in answer):
            self._fail("the propagation node answered something that is no messages")
            return
        batch = self._wanted[:BATCH]
        got = {RNS.Identity.full_hash(each): each for each in answer}
        asked = [each for each in batch if each in got]
        try:
            self._received += self._receiver.mail(self._router, [got[each] for each in asked])
        except (InboxFull, OSError) as error:
            _log.error("mail is left at the propagation node, because it cannot be kept: %s", error)
            self._connection.close()
            self._done(
                Fetched(
                    self._received, len(self._wanted), f"the mail cannot be kept here: {error}", ours=True
                )
            )
            return
        for each in asked:
            self._router.note_fetched(each)
        self._have = asked
        # What the node left out of a batch did not fit in with the rest: alone at the front it may.
        left = [each for each in batch if each not in got]
        rest = self._wanted[len(batch) :]
        if asked:
            self._wanted = left + rest
        elif left:
            # Nothing at all came: the first of them is too large for one transfer, or gone.
            self._wanted = rest
            self._too_large += len(left)
        self._go_on()

    def _progress(self, part: float, batch: int) -> float:
        done = self._total - len(self._wanted) + part * batch
        return min(1.0, done / self._total) if self._total else 1.0

    def _finish(self) -> None:
        self._connection.close()
        self._done(Fetched(self._received, self._too_large))

    def _fail(self, reason: str) -> None:
        self._connection.close()
        self.lost(reason)


def _is_id(value: Any) -> bool:
    return isinstance(value, bytes) and len(value) == RNS.Identity.HASHLENGTH // 8

"""One link to one propagation node, from opening it to its end.

Reticulum calls back on threads of its own; everything is passed on to the mesh's worker, where the
owner of the connection is called. The owner hears nothing more once it has closed the connection or
been told that it is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import RNS

from ..worker import Worker

STALLED: Final = 120.0
"""Seconds without any progress after which a link is given up. Reticulum's own limits are shorter on
a fast medium; this one ends what it forgets."""

UNANSWERED: Final = "the propagation node does not answer"
CUT_OFF: Final = "the propagation node closed the link"


class Connection:
    """Opens the link at once. ``opened`` or ``lost`` is called later, ``lost`` also after ``opened``.

    ``slack``: seconds to add to the time-outs where the medium is slow. ``rests``: it may be open
    without anything to do.
    """

    def __init__(
        self,
        worker: Worker,
        node: str,
        opened: Callable[[], None],
        lost: Callable[[str], None],
        *,
        slack: float = 0.0,
        rests: bool = False,
    ) -> None:
        self.node = node
        self.open = False
        self.was_open = False
        self._worker = worker
        self._opened = opened
        self._lost = lost
        self._slack = slack
        self._rests = rests
        self._over = False
        self._moves = 0
        self._watched = False
        destination = RNS.Destination(
            RNS.Identity.recall(bytes.fromhex(node)),
            RNS.Destination.OUT,
            RNS.Destination.SINGLE,
            "lxmf",
            "propagation",
        )
        if destination.hash.hex() != node:
            # `lost` must not be called before the owner has the connection.
            self._link: Any = None
            worker.call(self._end, "this address is not one of a propagation node")
            return
        self._link = RNS.Link(
            destination,
            established_callback=lambda _: worker.call(self._on_opened),
            closed_callback=lambda link: worker.call(self._on_closed, link.teardown_reason),
        )
        self._moved()

    def identify(self, identity: Any) -> None:
        """Say who we are; a node gives mail only to whom it is for."""
        with self._ending_on_errors():
            self._link.identify(identity)

    @property
    def round_trip(self) -> float:
        return float(self._link.rtt or 0.0)

    def request(
        self,
        path: str,
        data: Any,
        *,
        most: int,
        answered: Callable[[Any], None],
        moved: Callable[[float], None] | None = None,
    ) -> None:
        """Ask the node; ``most`` bytes of an answer are taken. A failure ends the connection."""

        def progress(receipt: Any) -> None:
            self._worker.call(self._on_progress, receipt.get_progress(), moved)

        with self._ending_on_errors():
            receipt = self._link.request(
                path,
                data,
                response_callback=lambda receipt: self._worker.call(
                    self._on_answer, receipt.response, answered
                ),
                failed_callback=lambda _: self._worker.call(
                    self._end, "the propagation node did not answer in time"
                ),
                progress_callback=progress,
                timeout=self._link.rtt * self._link.traffic_timeout_factor
                + RNS.Resource.RESPONSE_MAX_GRACE_TIME * 1.125
                + self._slack,
                max_response_size=most,
            )
            if receipt is False:
                self._worker.call(self._end, "the request could not be sent")
        self._moved()

    def send(self, data: bytes, sent: Callable[[], None]) -> None:
        """Transfer data; ``sent`` is called when the node has proved it. A failure ends the connection."""
        with self._ending_on_errors():
            RNS.Resource(
                data,
                self._link,
                callback=lambda resource: self._worker.call(self._on_transferred, resource.status, sent),
                progress_callback=lambda _: self._worker.call(self._moved),
            )
        self._moved()

    def close(self) -> None:
        """Say goodbye; the owner hears no more."""
        if not self._over:
            self._over = True
            self.open = False
            if self._link is not None:
                self._link.teardown()

    @contextmanager
    def _ending_on_errors(self) -> Iterator[None]:
        """Reticulum raises what it likes on a link that is just being closed."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - as said
            # Not at once: the owner is in the middle of something.
            self._worker.call(self._end, str(error) or type(error).__name__)

    # --- on the worker

    def _on_opened(self) -> None:
        if self._over:
            self._link.teardown()
            return
        self.open = self.was_open = True
        self._moved()
        self._opened()

    def _on_closed(self, why: int) -> None:
        self._end(CUT_OFF if self.was_open and why == RNS.Link.DESTINATION_CLOSED else UNANSWERED)

    def _on_progress(self, progress: float, moved: Callable[[float], None] | None) -> None:
        if not self._over:
            self._moved()
            if moved is not None:
                moved(progress)

    def _on_answer(self, response: Any, answered: Callable[[Any], None]) -> None:
        if not self._over:
            self._moved()
            answered(response)

    def _on_transferred(self, status: int, sent: Callable[[], None]) -> None:
        if self._over:
            return
        self._moved()
        if status == RNS.Resource.COMPLETE:
            sent()
        elif status == RNS.Resource.REJECTED:
            self._end("the propagation node refused the message")
        else:
            self._end("the message did not get through to the propagation node")

    def _end(self, reason: str) -> None:
        if not self._over:
            self.close()
            self._lost(reason)

    def _moved(self) -> None:
        self._moves += 1
        if not self._watched:
            self._watch_later()

    def _watch_later(self) -> None:
        self._watched = True
        self._worker.later(STALLED + self._slack, self._watch, self._moves)

    def _watch(self, moves: int) -> None:
        self._watched = False
        if self._over:
            return
        if self._moves == moves and not self._idle():
            self._end("nothing more came from the propagation node")
        else:
            self._watch_later()

    def _idle(self) -> bool:
        """Nothing is under way that could be stalled, and that is all right."""
        busy = self._link.pending_requests or self._link.outgoing_resources
        return self._rests and self.open and not busy

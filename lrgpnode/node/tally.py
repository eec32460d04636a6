"""What the transport reports, counted."""

from __future__ import annotations

from lrgpnode import metrics
from lrgpnode.mesh.transport import Progress, Received
from lrgpnode.metrics import Counters


def count_received(counters: Counters, message: Received) -> None:
    counters.add(metrics.MESSAGES_IN, metrics.OTHER if message.envelope is None else "lrgp")
    counters.add(metrics.ENVELOPE_BYTES_IN, amount=len(message.envelope or b""))
    counters.did("received")


def count_progress(counters: Counters, progress: Progress) -> None:
    if progress in metrics.ATTEMPTS.values:
        counters.add(metrics.ATTEMPTS, progress)
    if progress in (Progress.SENT, Progress.DELIVERED):
        counters.did(progress)

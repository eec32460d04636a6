"""Finding stamps, LXMF's proof of work, quickly and in one thread."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import Final

STRIDE: Final = 4096
"""How many tries go by between two questions whether to go on; milliseconds even on a small computer."""


def search(cost: int, workblock: bytes, go_on: Callable[[int], bool]) -> tuple[bytes | None, int]:
    """(stamp, tries) such that SHA-256 of work block and stamp begins with ``cost`` zero bits.

    ``go_on`` is asked now and then, with the tries so far; when it says no the stamp is None.

    LXMF's own workers hash the whole work block for every try, outlive a killed node and keep its
    sockets. The state after the work block is the same for every try: it is computed once and copied.
    """
    base = hashlib.sha256(workblock)
    limit = (1 << (256 - cost)).to_bytes(33, "big")[-32:] if cost else b"\xff" * 32
    candidate = int.from_bytes(os.urandom(16), "big")
    tries = 0
    while tries % STRIDE or go_on(tries):
        stamp = (candidate + tries).to_bytes(32, "big")
        attempt = base.copy()
        attempt.update(stamp)
        tries += 1
        if attempt.digest() <= limit:
            return stamp, tries
    return None, tries

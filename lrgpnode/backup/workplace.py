"""A private directory to build something in, beside the place where it is renamed to.

It holds keys, so one that a killed process left behind is removed by the next: who works in one has it
locked, and the kernel lets go of the lock with the process.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def workplace(goal: Path, suffix: str) -> Iterator[Path]:
    """A directory of mode 0700 in ``goal``'s, gone at the end unless it was renamed. Raises ``OSError``."""
    prefix = f".{goal.name}."
    for left in goal.parent.glob(f"{_literal(prefix)}*{suffix}"):
        _remove_unused(left)
    folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=goal.parent))
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield folder
    finally:
        os.close(handle)
        if folder.exists():
            shutil.rmtree(folder)


def _remove_unused(folder: Path) -> None:
    with suppress(OSError):  # in use, or another user's: not ours to remove
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
        finally:
            os.close(handle)


def _literal(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)

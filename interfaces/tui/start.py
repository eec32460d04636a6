"""A node of the interface's own, for whoever has none running.

It is a process like any ``lrgpnode run``, in a session of its own, so that keys typed in the terminal do not
reach it. It ends with the interface, unless a person lets it go on.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

LOG_NAME: Final = "tui-node.log"
STOP_SECONDS: Final = 15.0
TAIL_BYTES: Final = 8192

_PROGRAM: Final = "import sys; from lrgpnode.cli import main; sys.exit(main())"


class OwnNode:
    """``words`` follow the name of the program. ``ended`` is readable when the process is gone."""

    def __init__(self, data: Path, words: Sequence[str]) -> None:
        self.log = data / LOG_NAME
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The process holds the other end as long as it lives, however it ends.
        self.ended, theirs = os.pipe()
        try:
            with self.log.open("wb") as log:
                os.fchmod(log.fileno(), 0o600)
                self._process = subprocess.Popen(  # noqa: S603 - this very program
                    [sys.executable, "-c", _PROGRAM, *words],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(theirs,),
                    start_new_session=True,
                )
        finally:
            os.close(theirs)

    @property
    def pid(self) -> int:
        return self._process.pid

    def why(self) -> str:
        """The last thing it said, for a node that has ended by itself."""
        try:
            with self.log.open("rb") as log:
                log.seek(max(0, self.log.stat().st_size - TAIL_BYTES))
                lines = log.read().decode("utf-8", "replace").split("\n")
        except OSError as error:
            return f"its log {self.log} cannot be read: {error.strerror or error}"
        said = [line.strip() for line in lines if line.strip()]
        return said[-1] if said else "it said nothing"

    def gone(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        """Let it end in order, and wait; where it does not, kill it: it is made for that."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def release(self) -> None:
        """Let go of it: it goes on by itself."""
        os.close(self.ended)


Starter = Callable[[str | None], OwnNode]
"""Starts a node; a name is for the identity that the first run makes. Raises ``OSError``."""


def is_first_run(data: Path) -> bool:
    """Whether no node has ever run on this directory."""
    return not (data / "lrgpnode.db").exists()

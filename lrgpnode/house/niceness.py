"""How far behind the node a thinking process stands."""

from __future__ import annotations

import os
from typing import Final

NICENESS: Final = 10


def be_nice(process: int, node: int) -> None:
    """Let a thinking process stand behind the node in the queue for the processor. May be done twice.

    Raises ``OSError`` where one of them is gone.
    """
    wanted = os.getpriority(os.PRIO_PROCESS, node) + NICENESS
    os.setpriority(os.PRIO_PROCESS, process, max(wanted, os.getpriority(os.PRIO_PROCESS, process)))

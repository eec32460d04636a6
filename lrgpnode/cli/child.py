"""A command of lrgpnode that ends when the process that started it does, however that ends.

Usage: python -m lrgpnode.cli.child PARENT ARGUMENT...
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def end_with(parent: int) -> None:
    """Have SIGTERM sent to this process when its parent ends; on Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it was faster
            sys.exit(1)


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    from lrgpnode.cli import main

    sys.argv = ["lrgpnode", *sys.argv[2:]]
    sys.exit(main())

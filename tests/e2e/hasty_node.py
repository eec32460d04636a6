"""A node that gives up early: `python hasty_node.py` takes what `lrgpnode` takes.

LXMF tries for a minute before it says that a peer cannot be reached, and links are waited for for
twelve seconds. Only these numbers are changed, from outside.
"""

from __future__ import annotations

import sys

import LXMF
import RNS

import lrgpnode.cli

LXMF.LXMRouter.PROCESSING_INTERVAL = 0.5
LXMF.LXMRouter.DELIVERY_RETRY_WAIT = 1
LXMF.LXMRouter.PATH_REQUEST_WAIT = 1
LXMF.LXMRouter.MAX_DELIVERY_ATTEMPTS = 1
RNS.Link.ESTABLISHMENT_TIMEOUT_PER_HOP = 2
RNS.Reticulum.DEFAULT_PER_HOP_TIMEOUT = 2

if __name__ == "__main__":
    sys.exit(lrgpnode.cli.main())

"""A node that kills itself: `python doomed_node.py` takes what `lrgpnode` takes.

$DOOM names the point, $DOOM_PASSAGE its n-th passage, $DOOM_DELAY the most milliseconds to wait
there before SIGKILL. A point "replay ..." is passed only by messages that an earlier life left in the
inbox file. What had happened by then to the message at hand goes to the file $DOOM_REPORT.
Nothing of this is in the product: its functions are wrapped from outside.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lrgpnode.cli
import storage.store
from lrgpnode.control.events import Events
from lrgpnode.mesh.inbox import Inbox
from storage.store import Store

POINT = os.environ["DOOM"]
PASSAGE = int(os.environ.get("DOOM_PASSAGE", "1"))
DELAY = float(os.environ.get("DOOM_DELAY", "1")) / 1000
REPORT = Path(os.environ["DOOM_REPORT"])

_passages = iter(range(1, sys.maxsize))
_proved = threading.Event()
_state = {"arrived": False, "proved": False, "committed": False, "told": False}


def _point(name: str, *, wait_for_proof: bool = False) -> None:
    if not _state["arrived"] and not name.startswith("own"):
        name = f"replay {name}"  # of what an earlier life left in the inbox file
    if name != POINT or next(_passages) != PASSAGE:
        return
    if wait_for_proof and _state["arrived"]:
        _proved.wait(2.0)
    time.sleep(random.uniform(0, DELAY))
    REPORT.write_text(json.dumps({"point": name, **_state}))
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(10)  # the signal is on its way


def _wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, lambda *args, **kwargs: around(original, *args, **kwargs))


def _inbound(unit: Any) -> bool:
    return unit.action is not None and unit.action.sender != unit.action.key.identity


def _append(original: Any, inbox: Any, *args: Any, **kwargs: Any) -> Any:
    # A new message is at hand.
    _proved.clear()
    _state.update(arrived=True, proved=False, committed=False, told=False)
    _point("arrived")
    entry = original(inbox, *args, **kwargs)
    _point("appended")
    return entry


def _sync(original: Any, inbox: Any) -> None:
    original(inbox)
    _point("synced")


def _prove(original: Any, packet: Any, *args: Any, **kwargs: Any) -> Any:
    result = original(packet, *args, **kwargs)
    _state["proved"] = True
    _proved.set()
    return result


def _commit(original: Any, store: Any, unit: Any, **kwargs: Any) -> Any:
    inbound = _inbound(unit)
    if inbound:
        _point("commit", wait_for_proof=True)
    result = original(store, unit, **kwargs)
    if inbound:
        _state["committed"] = True
        _point("committed", wait_for_proof=True)
    elif unit.action is not None:
        _point("own committed")  # not yet given to LXMF
    return result


def _action(original: Any, connection: Any, action: Any) -> Any:
    number = original(connection, action)
    if action.sender != action.key.identity:
        _point("in commit", wait_for_proof=True)
    else:
        _point("own in commit")
    return number


def _publish(original: Any, events: Any, type: str, data: Any) -> Any:
    theirs = type == "game.applied" and not data.own
    if theirs:
        _point("event", wait_for_proof=True)
    result = original(events, type, data)
    if theirs:
        _state["told"] = True
        _point("told", wait_for_proof=True)
    return result


def _patch() -> None:
    import RNS  # as late as the node itself does

    _wrap(Inbox, "append", _append)
    _wrap(Inbox, "sync", _sync)
    _wrap(RNS.Packet, "prove", _prove)
    _wrap(Store, "commit", _commit)
    _wrap(storage.store.actions, "append", _action)
    _wrap(Events, "publish", _publish)


if __name__ == "__main__":
    _patch()
    sys.exit(lrgpnode.cli.main())

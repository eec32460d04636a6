"""What the interface is started with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interfaces.tui.feed import Feed
from interfaces.tui.start import Starter
from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Options(Value):
    """``path`` finds the control socket. ``start`` begins a node of the interface's own, None where it must
    not; ``data`` is that node's directory. ``session`` is the game to open, by a prefix of its id. ``said``
    are looks of the command line, ``settings`` those of the settings file as far as it can be read: the node
    tells them as well. ``feed`` has news from beside the node."""

    path: Callable[[], Path]
    data: Path
    said: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    identity: str | None = None
    start: Starter | None = None
    no_start: str = ""
    stay: bool = False
    session: str = ""
    feed: Feed | None = None

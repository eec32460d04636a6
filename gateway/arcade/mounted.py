"""The arcade inside a node, by setting. Imports the web server only when it is called."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lrgpnode.config import Settings
from lrgpnode.config.kinds import host_and_port

if TYPE_CHECKING:
    from gateway.arcade.app import Arcade, ArcadeSettings

log = logging.getLogger("lrgpnode.arcade")

NEEDS = "the arcade needs aiohttp: install lrgpnode with its extra, `lrgpnode[gateway]`"


MOVE_TIMEOUT: Final = "AGENTBBS_GAME_MOVE_TIMEOUT"
QUEUE_WAIT: Final = "AGENTBBS_GAME_QUEUE_WAIT"
WS_ADDR: Final = "AGENTBBS_GAME_WS_ADDR"
"""Names of the AgentGames specification; what they say goes before the table of settings."""


def arcade_settings(
    settings: Settings, data: Path, environ: Mapping[str, str] = os.environ
) -> ArcadeSettings:
    """What the environment and the table of settings say. Raises ``ImportError`` without the extra."""
    from gateway.agentgames.server.arena import (  # noqa: PLC0415
        MOVE_SECONDS,
        QUEUE_SECONDS,
        ArenaSettings,
    )
    from gateway.arcade.app import ArcadeSettings  # noqa: PLC0415 - loads aiohttp
    from gateway.arcade.auth import Rates  # noqa: PLC0415
    from gateway.arcade.limits import Rate  # noqa: PLC0415

    host, port = host_and_port(settings.arcade_listen)
    calls = Rate(
        per_second=settings.arcade_calls_per_second, burst=max(100, settings.arcade_calls_per_second * 10)
    )
    arena = ArenaSettings(
        move_seconds=_seconds(environ, MOVE_TIMEOUT, settings.arcade_games_move_seconds, MOVE_SECONDS),
        queue_seconds=_seconds(environ, QUEUE_WAIT, settings.arcade_games_queue_seconds, QUEUE_SECONDS),
        level=settings.house_level,
    )
    return ArcadeSettings(
        data=data,
        host=host,
        port=port,
        public_url=settings.arcade_public_url,
        rates=Rates(calls=calls),
        arena=arena,
        play=_address(environ),
        ssh=host_and_port(settings.arcade_ssh_listen) if settings.arcade_ssh_listen else None,
    )


def _seconds(environ: Mapping[str, str], name: str, setting: int, default: float) -> float:
    """A whole number of seconds, 0 or less for the specification's default."""
    text = environ.get(name, "").strip()
    if not text:
        return float(setting)
    try:
        seconds = int(text)
    except ValueError:
        log.error("%s must be a whole number of seconds; the setting counts instead", name)
        return float(setting)
    return float(min(seconds, _LONGEST)) if seconds > 0 else default


_LONGEST: Final = 86_400


def _address(environ: Mapping[str, str]) -> tuple[str, int] | None:
    text = environ.get(WS_ADDR, "").strip()
    if not text:
        return None
    try:
        # As in Go, no host is every address of this machine.
        return host_and_port(f"0.0.0.0{text}" if text.startswith(":") else text)  # noqa: S104
    except ValueError:
        log.error("%s must be HOST:PORT; it is ignored", WS_ADDR)
        return None


async def open_arcade(settings: Settings, data: Path) -> Arcade | None:
    """The arcade of a node, open; None where it cannot be opened, which must not stop the node."""
    try:
        from gateway.arcade.app import Arcade, ArcadeError  # noqa: PLC0415 - loads aiohttp
    except ImportError:
        log.error("%s", NEEDS)
        return None
    arcade = Arcade(arcade_settings(settings, data))
    try:
        await arcade.start()
    except ArcadeError as error:
        log.error("the arcade is not open: %s", error)
        return None
    return arcade

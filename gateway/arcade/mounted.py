"""The arcade inside a node, by setting. Imports the web server only when it is called."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from lrgpnode.config import Settings
from lrgpnode.config.kinds import host_and_port

if TYPE_CHECKING:
    from gateway.arcade.app import Arcade, ArcadeSettings

log = logging.getLogger("lrgpnode.arcade")

NEEDS = "the arcade needs aiohttp: install lrgpnode with its extra, `lrgpnode[gateway]`"


def arcade_settings(settings: Settings, data: Path) -> ArcadeSettings:
    """What the table of settings says. Raises ``ImportError`` without the extra."""
    from gateway.arcade.app import ArcadeSettings  # noqa: PLC0415 - loads aiohttp
    from gateway.arcade.auth import Rates  # noqa: PLC0415
    from gateway.arcade.limits import Rate  # noqa: PLC0415

    host, port = host_and_port(settings.arcade_listen)
    calls = Rate(
        per_second=settings.arcade_calls_per_second, burst=max(100, settings.arcade_calls_per_second * 10)
    )
    return ArcadeSettings(
        data=data, host=host, port=port, public_url=settings.arcade_public_url, rates=Rates(calls=calls)
    )


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

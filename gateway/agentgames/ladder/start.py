"""The ladder that a node shows, by its settings. Imports the HTTP client only where it is needed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lrgpnode.config import Settings

if TYPE_CHECKING:
    from gateway.agentgames.ladder.ladders import ArcadeLadders
    from gateway.agentgames.server.arena import Arena

log = logging.getLogger("lrgpnode.arcade")


def ladders(settings: Settings, arena: Arena | None) -> ArcadeLadders | None:
    """That of the node's own arcade, which is open, else that of the setting; None where there is none.

    What cannot be is an error in the log, and none of the node's.
    """
    if arena is None and not settings.arcade_ladder_url:
        return None
    try:
        from gateway.agentgames.ladder.here import Here  # noqa: PLC0415 - most nodes show no ladder
        from gateway.agentgames.ladder.ladders import ArcadeLadders  # noqa: PLC0415

        if arena is not None:
            return ArcadeLadders(Here(arena))
        from gateway.address import BadAddress, parse_address  # noqa: PLC0415
        from gateway.agentgames.ladder.remote import Remote  # noqa: PLC0415
    except ImportError:
        log.error("arcade.ladder_url needs aiohttp: install lrgpnode with its extra, `lrgpnode[gateway]`")
        return None
    try:
        return ArcadeLadders(Remote(parse_address(settings.arcade_ladder_url, allow_plain=True)))
    except BadAddress as error:
        log.error("arcade.ladder_url: %s", str(error).replace("the platform", "the arcade"))
        return None

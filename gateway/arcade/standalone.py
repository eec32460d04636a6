"""``lrgpnode arcade run``: the arcade as a process of its own, without a node."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import Callable

from gateway.arcade.app import Arcade, ArcadeSettings, is_local

log = logging.getLogger("lrgpnode.arcade")


def run(settings: ArcadeSettings, opened: Callable[[Arcade], None]) -> None:
    """Until it is told to stop; ``opened`` is called once it is open. Raises ``ArcadeError``."""
    asyncio.run(_run(settings, opened))


async def _run(settings: ArcadeSettings, opened: Callable[[Arcade], None]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    arcade = Arcade(settings)
    await arcade.start()
    try:
        if not await asyncio.to_thread(is_local, settings.host):
            log.warning("the arcade is open to other machines, without encryption")
        # What is loaded by now stays: the collector need not look at it while somebody waits.
        gc.collect()
        gc.freeze()
        opened(arcade)
        await stop.wait()
    finally:
        await arcade.stop()

"""The pause that a platform asked for, as its client looks at it before each request."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from .limiter import Limiter


class PlatformGate:
    """Of one platform. ``spawn`` makes the pause durable some time later; it holds at once."""

    def __init__(
        self,
        limiter: Limiter,
        platform: str,
        now: Callable[[], float],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._limiter = limiter
        self._platform = platform
        self._now = now
        self._spawn = spawn

    def remaining(self) -> float:
        """Seconds until something may be sent, 0 for now."""
        return self._limiter.wait(self._platform, "", self._now())

    def hold(self, seconds: float) -> None:
        """The platform wants nothing for ``seconds``."""
        pause = self._limiter.hold(self._platform, "", seconds, "the platform asked for a pause", self._now())
        self._spawn(self._limiter.keep(pause))

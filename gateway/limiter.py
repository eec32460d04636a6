"""When a platform may be asked again: what it said itself, and pauses that grow with failures.

Kept over restarts: who was told to wait for an hour does not knock again because the node was started anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from storage.gateway_model import Pause

LONGEST: Final = 86_400.0
"""Seconds; whatever a platform says, it is asked again after a day."""

FAILURE_PAUSES: Final = (0.0, 2.0, 5.0, 15.0, 60.0, 180.0, 600.0)
"""Seconds without a request after the n-th failure in a row, then always the last."""


class Kept(Protocol):
    """Where pauses are stored; both raise ``StorageError``."""

    async def put(self, pause: Pause) -> None: ...
    async def drop(self, platform: str, account: str) -> None: ...


class Limiter:
    """Of all platforms and accounts of a node. ``account`` "" stands for a platform as a whole."""

    def __init__(self, stored: Iterable[Pause], kept: Kept) -> None:
        self._kept = kept
        self._pauses = {(pause.platform, pause.account): pause for pause in stored}

    def wait(self, platform: str, account: str, now: float) -> float:
        """Seconds until the account may be used, 0 for at once."""
        return max(self._left((platform, key), now) for key in {"", account})

    def pause(self, platform: str, account: str = "") -> Pause | None:
        """What is known of an account's last failures."""
        return self._pauses.get((platform, account))

    async def told(self, platform: str, account: str, seconds: float, reason: str, now: float) -> None:
        """The platform has said for how long it wants no request. Raises ``StorageError``."""
        known = self._pauses.get((platform, account))
        if known is None or known.until < now + min(seconds, LONGEST) - 1.0:
            await self.keep(self.hold(platform, account, seconds, reason, now))

    def hold(self, platform: str, account: str, seconds: float, reason: str, now: float) -> Pause:
        """As ``told``; it holds at once, and is durable after ``keep``."""
        known = self._pauses.get((platform, account))
        pause = Pause(
            platform=platform,
            account=account,
            until=now + min(max(seconds, 0.0), LONGEST),
            failures=known.failures if known is not None else 0,
            reason=reason,
        )
        self._pauses[platform, account] = pause
        return pause

    async def keep(self, pause: Pause) -> None:
        """Make a pause durable. Raises ``StorageError``."""
        await self._kept.put(pause)

    async def failed(self, platform: str, account: str, reason: str, now: float) -> None:
        """A request has failed. Raises ``StorageError``."""
        known = self._pauses.get((platform, account))
        failures = known.failures + 1 if known is not None else 1
        seconds = FAILURE_PAUSES[min(failures, len(FAILURE_PAUSES) - 1)]
        until = max(now + seconds, known.until if known is not None else 0.0)
        pause = Pause(platform=platform, account=account, until=until, failures=failures, reason=reason)
        self._pauses[platform, account] = pause
        await self.keep(pause)

    async def worked(self, platform: str, account: str) -> None:
        """A request was answered. Raises ``StorageError``."""
        if self._pauses.pop((platform, account), None) is not None:
            await self._kept.drop(platform, account)

    def _left(self, key: tuple[str, str], now: float) -> float:
        pause = self._pauses.get(key)
        # A clock that was set back must not make the pause longer than it was meant.
        return 0.0 if pause is None else min(max(0.0, pause.until - now), LONGEST)

"""Taking and reopening seats for bridges: which account, which table, and not before a pause is over."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Collection
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

from storage.errors import StorageError

from .bridge.driver import Bridge
from .seat import (
    Account,
    AccountBusy,
    AccountRefused,
    NoTable,
    Platform,
    RemoteSeat,
    ResumeKey,
    SeatLost,
    Unreachable,
)

if TYPE_CHECKING:
    from .service import Gateway

MANY: Final = 1_000_000
"""More seats than an account ever has: whoever has so many is taken last."""


class Seating:
    """Implements ``bridge.driver.Seats``."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def open(self, bridge: Bridge) -> RemoteSeat:
        """Raises as ``Platform.open_seat``."""
        row = bridge.row
        platform = self._platform(row.platform)
        if row.app not in platform.games:
            raise NoTable(f"{row.platform} has no tables of {row.app}")
        if bridge.notes.rematch_of is not None:
            return await self._again(bridge.notes.rematch_of)
        if row.seat:
            seat = await self._taken_already(bridge, platform)
            if seat is not None:
                return seat
        busy: dict[str, AccountBusy] = {}
        while (account := self._account_for(bridge, busy)).name not in busy:
            try:
                return await self._opened(bridge, platform, account)
            except AccountBusy as error:
                busy[account.name] = error
        raise NoTable(f"{busy[account.name]}. Try again in a few minutes")

    async def _opened(self, bridge: Bridge, platform: Platform, account: Account) -> RemoteSeat:
        """Take a seat with this account."""
        gateway, row = self._gateway, bridge.row
        self._check_pause(row.platform, account.name)

        async def note(key: ResumeKey) -> None:
            try:
                await bridge.change(seat=_dumped(key), account=account.name)
            except StorageError as error:
                # Without it a seat that is taken could be forgotten.
                raise Unreachable(f"the seat cannot be stored: {error}") from None

        name, host = gateway.name(row.peer), gateway.hosts.get(row.platform)
        try:
            async with nullcontext() if host is None else host.still():
                avoid = self.tables(row.platform, bridge)
                opened = platform.open_seat(row.app, row.table or None, account, name, note, avoid)
                return await self._counted(row.platform, account.name, opened)
        except AccountBusy:
            raise
        except NoTable as none:
            if row.table or not self._hosted(row.app):
                raise
            # At tables of ours nobody sits down; who seeks is brought there when somebody has.
            command = f"Write `seek {row.app}` to me, and I challenge you when somebody sits down at mine"
            raise NoTable(f"{none}. {command}") from None

    async def reopen(self, bridge: Bridge) -> RemoteSeat:
        """Raises as ``Platform.resume``."""
        row = bridge.row
        key = json.loads(row.seat or "{}")
        if row.hosted:
            host = self._gateway.hosts.get(row.platform)
            if host is None:
                raise SeatLost("this gateway hosts no tables any more")
            return await host.reopen(key)
        platform = self._platform(row.platform)
        account = self._gateway.accounts.get(row.platform, row.account)
        if account is None:
            raise AccountRefused(f"the account {row.account} of {row.platform} is not there")
        self._check_pause(row.platform, account.name)
        return await self._counted(row.platform, account.name, platform.resume(key, account))

    async def told_to_wait(self, bridge: Bridge, seconds: float, reason: str) -> None:
        """The platform wants no request for so long."""
        gateway, row = self._gateway, bridge.row
        await gateway.limiter.told(row.platform, row.account, seconds, reason, gateway.node.now())

    def tables(self, platform: str, besides: Bridge | None = None) -> Collection[str]:
        """Tables at which we sit, or host: nobody is to play there against ourselves."""
        gateway = self._gateway
        own = {
            table_of(bridge.row.seat)
            for bridge in gateway.bridges.values()
            if bridge is not besides and bridge.row.platform == platform and bridge.row.seat
        }
        host = gateway.hosts.get(platform)
        return own | ({table.id for table in host.tables()} if host is not None else set())

    # Inside

    def _hosted(self, app: str) -> bool:
        """Whether a player can ask by text for an opponent at a table of ours."""
        gateway = self._gateway
        return gateway.settings.texts and any(app in host.games for host in gateway.hosts.values())

    async def _counted(self, platform: str, account: str, asked: Awaitable[RemoteSeat]) -> RemoteSeat:
        """The answer; failures in a row make the pauses longer, also over a restart."""
        limiter = self._gateway.limiter
        try:
            seat = await asked
        except Unreachable as error:
            if error.retry_after is None:
                await limiter.failed(platform, account, str(error), self._gateway.node.now())
            self._gateway.is_trouble(platform, str(error))
            raise
        except AccountRefused as error:
            self._gateway.is_trouble(platform, str(error))
            raise
        self._gateway.is_trouble(platform, "")
        await limiter.worked(platform, account)
        return seat

    def _platform(self, name: str) -> Platform:
        platform = self._gateway.platforms.get(name)
        if platform is None:
            raise SeatLost(f"the platform {name or '(none)'} is switched off here")
        return platform

    def _account_for(self, bridge: Bridge, not_these: Collection[str]) -> Account:
        gateway, row = self._gateway, bridge.row
        if row.account and row.account not in not_these:
            account = gateway.accounts.get(row.platform, row.account)
            if account is not None:
                return account
        others = (other.row for other in gateway.bridges.values() if other is not bridge)
        busy = Counter(one.account for one in others if one.platform == row.platform)
        busy.update(dict.fromkeys(not_these, MANY))
        now = gateway.node.now()
        tired = {
            account.name
            for account in gateway.accounts.pool(row.platform)
            if gateway.limiter.wait(row.platform, account.name, now) > 0
        }
        account = gateway.accounts.pick(row.platform, row.peer, busy, tired)
        if account is None:
            raise AccountRefused(f"this gateway has no account at {row.platform}")
        return account

    def _check_pause(self, platform: str, account: str) -> None:
        limiter, now = self._gateway.limiter, self._gateway.node.now()
        seconds = limiter.wait(platform, account, now)
        if seconds > 0:
            pause = limiter.pause(platform, account) or limiter.pause(platform)
            raise Unreachable(pause.reason if pause is not None else "the platform wants a pause", seconds)

    async def _taken_already(self, bridge: Bridge, platform: Platform) -> RemoteSeat | None:
        """The seat that was asked for before we were stopped, if it was taken."""
        row = bridge.row
        account = self._gateway.accounts.get(row.platform, row.account)
        if account is None:
            return None
        try:
            return await platform.resume(json.loads(row.seat), account)
        except SeatLost:
            return None

    async def _again(self, number: int) -> RemoteSeat:
        before = self._gateway.bridges.get(number)
        if before is None:
            raise NoTable("the invitation to another game is over")
        try:
            return await before.claim_rematch()
        except SeatLost as lost:
            raise NoTable(str(lost)) from None


def table_of(seat: str) -> str:
    """The table of a stored seat, as far as its key says so."""
    key: Any = json.loads(seat or "{}")
    for name in ("session", "hosted", "table", "game"):
        if isinstance(key, dict) and isinstance(key.get(name), str):
            return str(key[name])
    return ""


def _dumped(key: ResumeKey) -> str:
    return json.dumps(dict(key), separators=(",", ":"))

"""What people may ask of the gateway, by whichever interface (``lrgpnode.api.gateway.Desk``)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence

from lrgpnode.config.table import PLATFORMS
from lrgpnode.control import models
from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.session import SessionKey
from storage.gateway_model import Bridge as Row, NewBridge, SeatResult, SeatStage
from storage.model import ASSISTED

from .accounts import AccountError, Source
from .bridge.driver import Bridge
from .bridge.notes import Notes
from .bridge.rules import PLAYED
from .pace import anyway
from .policy import Verdict
from .seat import Platform, PlatformError, RemoteTable, Side
from .seating import table_of
from .seeking import Host, Unwanted
from .service import Gateway

MOST_INVITED = 4
"""Invitations of one player that wait for a challenge."""

ENDED_SHOWN = 50


class GatewayDesk:
    """Implements ``Desk``."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    @property
    def identity(self) -> str:
        return self._gateway.identity

    # Looking

    @property
    def platforms(self) -> Collection[str]:
        return self._gateway.platforms

    def status(self) -> models.GatewayStatus:
        gateway = self._gateway
        name = gateway.own_name
        return models.GatewayStatus(
            enabled=bool(gateway.identity),
            identity=gateway.identity,
            name=name,
            routes=dict(gateway.settings.policy.routes),
            platforms=tuple(self._platform(one) for one in gateway.platforms.values()),
            seats=len(gateway.bridges),
            hosts=tuple(self._host(name, host) for name, host in gateway.hosts.items()),
        )

    def _host(self, platform: str, host: Host) -> models.GatewayHost:
        tables = (
            models.GatewayHostTable(
                id=table.id,
                app=table.app,
                stage=table.stage,
                round=table.round,
                players=table.players,
                seated=table.seated,
                trouble=table.trouble,
            )
            for table in host.tables()
        )
        seeks = (
            models.GatewaySeek(
                peer=seek.peer,
                peer_name=self._gateway.called(seek.peer),
                app=seek.app,
                at=seek.at,
                until=seek.until,
            )
            for seek in host.seeks()
        )
        return models.GatewayHost(
            platform=platform,
            games=tuple(host.games),
            tables=tuple(tables),
            seeks=tuple(seeks),
            trouble=host.trouble(),
        )

    def _platform(self, platform: Platform) -> models.GatewayPlatform:
        gateway, now = self._gateway, self._gateway.node.now()
        names = ["", *(account.name for account in gateway.accounts.pool(platform.name))]
        pauses = [gateway.limiter.pause(platform.name, name) for name in names]
        waiting = [pause for pause in pauses if pause is not None and pause.until > now]
        troubles = [
            bridge.trouble
            for bridge in gateway.bridges.values()
            if bridge.row.platform == platform.name and bridge.trouble
        ]
        troubles += [pause.reason for pause in waiting]
        if gateway.troubles.get(platform.name):
            troubles.insert(0, gateway.troubles[platform.name])
        if not gateway.accounts.sources(platform.name):
            troubles.append("there is no account for it")
        return models.GatewayPlatform(
            name=platform.name,
            games=tuple(app for app in PLAYED if app in platform.games),
            accounts=len(gateway.accounts.sources(platform.name)),
            seats=gateway.store.gateway.used().get(platform.name, 0),
            most_seats=gateway.settings.caps.platform,
            move_seconds=platform.move_seconds,
            trouble=troubles[0] if troubles else "",
            paused_until=max((pause.until for pause in waiting), default=None),
        )

    async def tables(self, app: str | None = None, platform: str | None = None) -> models.GatewayTables:
        """Raises ``CallerError`` for a platform that is not there."""
        asked = [self._known(platform)] if platform else list(self._gateway.platforms.values())
        answers = await asyncio.gather(*(self._tables(one, app) for one in asked))
        tables: list[models.GatewayTable] = []
        troubles: dict[str, str] = {}
        for one, answer in zip(asked, answers, strict=True):
            if isinstance(answer, str):
                troubles[one.name] = answer
            else:
                tables += [_table(one.name, table) for table in answer]
        return models.GatewayTables(tables=tuple(tables), troubles=troubles)

    async def _tables(self, platform: Platform, app: str | None) -> Sequence[RemoteTable] | str:
        limiter, now = self._gateway.limiter, self._gateway.node.now()
        if limiter.wait(platform.name, "", now) > 0:
            pause = limiter.pause(platform.name)
            return pause.reason if pause is not None else "a pause is asked for"
        try:
            found = await platform.tables(app)
        except PlatformError as error:
            return str(error)
        ours = self._gateway.seating.tables(platform.name)
        return [table for table in found if table.id not in ours]

    def seats(self, peer: str | None = None, *, ended: bool = False) -> Sequence[models.GatewaySeat]:
        live = dict(self._gateway.bridges)
        rows = [bridge.row for bridge in live.values()]
        if ended:
            rows += [row for row in self._gateway.store.gateway.newest(ENDED_SHOWN) if row.id not in live]
        rows = [row for row in rows if peer in (None, row.peer)]
        return [self._seat(row) for row in sorted(rows, key=lambda row: -row.id)]

    def _seat(self, row: Row) -> models.GatewaySeat:
        bridge = self._gateway.bridges.get(row.id)
        opponent = bridge.seen.player(Side.THEM) if bridge is not None else None
        return models.GatewaySeat(
            id=row.id,
            peer=row.peer,
            peer_name=self._gateway.called(row.peer),
            app=row.app,
            platform=row.platform,
            stage=row.stage,
            created_at=row.created_at,
            updated_at=row.updated_at,
            session=row.session or "",
            table=row.table or table_of(row.seat),
            opponent=opponent.name if opponent is not None else "",
            account=row.account,
            deadline=bridge.seen.deadline if bridge is not None else None,
            trouble=bridge.trouble if bridge is not None else "",
            result=row.result,
            reason=row.reason,
            hosted=row.hosted,
            move_seconds=bridge.notes.seconds if bridge is not None else None,
            round_trip=self._round_trip(row.peer) if bridge is not None else None,
            assisted=self._assisted(row),
        )

    def _assisted(self, row: Row) -> bool:
        if not row.session:
            return False
        flags = self._gateway.store.mail.flags(SessionKey(row.identity, row.session))
        return any(flag.flag == ASSISTED for flag in flags)

    def _round_trip(self, peer: str) -> float | None:
        trip = self._gateway.round_trip(peer)
        return None if trip is None else round(trip.seconds, 1)

    # Asking

    async def request(
        self,
        peer: str,
        app: str,
        table: str | None = None,
        *,
        platform: str | None = None,
        insists: bool = False,
    ) -> models.GatewaySeat:
        """As ``Desk.request``."""
        gateway = self._gateway
        self._allowed(peer)
        if app not in PLAYED:
            raise CallerError(Kind.VALIDATION, f"nobody plays {app} at a table")
        place = platform or (await self._place(app, table) if table else self._usual(app))
        if place not in gateway.platforms:
            raise CallerError(Kind.VALIDATION, f"there is no platform for {app}; name a table")
        pace = gateway.pace(place, peer)
        if pace is not None and pace.too_slow and not insists:
            raise CallerError(Kind.VALIDATION, anyway(place, pace))
        now = gateway.node.now()
        until = now + gateway.settings.invitation
        notes = Notes(until=until, insists=insists, named=platform is not None)
        invited = [one for one in gateway.of_peer(peer) if one.row.stage is SeatStage.INVITED]
        same = next((one for one in invited if one.row.app == app), None)
        if same is not None:
            await self._forget(same, "another table was asked for")
        elif len(invited) >= MOST_INVITED:
            raise CallerError(Kind.VALIDATION, "you are invited already; challenge me first")
        bridge = await gateway.begin(
            NewBridge(
                identity=gateway.identity,
                peer=peer,
                app=app,
                platform=place,
                table=table or "",
                stage=SeatStage.INVITED,
                at=now,
                notes=notes.dump(),
            )
        )
        return self._seat(bridge.row)

    def _usual(self, app: str) -> str:
        """Where who names no table is sent; "" for nowhere."""
        ours = (name for name, host in self._gateway.hosts.items() if app in host.games)
        return self._gateway.settings.policy.routes.get(app) or next(ours, "")

    async def _place(self, app: str, table: str) -> str:
        """The platform with this table. Raises ``CallerError`` where nobody can sit down there now."""
        listed = await self.tables()
        found = next((one for one in listed.tables if one.id == table), None)
        if found is None:
            away = [f"{name}: {trouble}" for name, trouble in listed.troubles.items()]
            raise CallerError(Kind.VALIDATION, "; ".join(["there is no such table with a free seat", *away]))
        if found.app != app:
            raise CallerError(Kind.VALIDATION, f"at that table {found.app} is played")
        return found.platform

    async def leave(self, peer: str | None, seat: int | None = None) -> models.GatewaySeat:
        """As ``Desk.leave``."""
        found = [
            bridge
            for bridge in self._gateway.bridges.values()
            if peer in (None, bridge.row.peer) and seat in (None, bridge.row.id)
        ]
        if not found:
            raise CallerError(Kind.VALIDATION, "there is no such seat")
        if len(found) > 1:
            numbers = ", ".join(str(bridge.row.id) for bridge in found)
            raise CallerError(Kind.VALIDATION, f"there are several seats; say which: {numbers}")
        bridge = found[0]
        if bridge.row.stage is SeatStage.INVITED:
            await self._forget(bridge, "given up")
        else:
            try:
                await bridge.give_up()
            except PlatformError as error:
                raise CallerError(Kind.VALIDATION, f"the seat cannot be left now: {error}") from None
        return self._seat(bridge.row)

    async def _forget(self, bridge: Bridge, reason: str) -> None:
        await bridge.change(stage=SeatStage.OVER, result=SeatResult.NONE, reason=reason)
        bridge.wake()

    async def seek(self, peer: str, app: str) -> str:
        """As ``Desk.seek``."""
        self._allowed(peer)
        for host in self._gateway.hosts.values():
            if app in host.games:
                try:
                    return await host.seek(peer, app)
                except Unwanted as unwanted:
                    raise CallerError(Kind.VALIDATION, str(unwanted)) from None
        raise CallerError(Kind.VALIDATION, f"no tables of {app} are kept here")

    async def unseek(self, peer: str) -> bool:
        return any([await host.unseek(peer) for host in self._gateway.hosts.values()])

    def _allowed(self, peer: str) -> None:
        judgement = self._gateway.judge(peer)
        if judgement.verdict is not Verdict.TAKE:
            raise CallerError(Kind.VALIDATION, judgement.why or "this gateway has no seats for you")

    # Accounts

    def accounts(self) -> Sequence[models.GatewayAccount]:
        return [self._account(source) for source in self._gateway.accounts.sources()]

    def _account(self, source: Source) -> models.GatewayAccount:
        rows = (bridge.row for bridge in self._gateway.bridges.values())
        busy = Counter((row.platform, row.account) for row in rows)
        return models.GatewayAccount(
            platform=source.platform,
            name=source.name,
            source=source.kind,
            own_of=source.own_of,
            seats=busy[source.platform, source.name],
        )

    async def add_account(self, platform: str, name: str, token: str) -> models.GatewayAccount:
        self._known(platform)
        try:
            source = await asyncio.to_thread(self._gateway.accounts.put, platform, name, token)
        except AccountError as error:
            raise CallerError(Kind.VALIDATION, str(error)) from None
        except OSError as error:
            raise CallerError(Kind.VALIDATION, f"the token cannot be kept: {error.strerror}") from None
        await self._gateway.limiter.worked(platform, name)
        self._gateway.account_changed(platform)
        return self._account(source)

    async def remove_account(self, platform: str, name: str) -> models.GatewayAccount:
        try:
            source = await asyncio.to_thread(self._gateway.accounts.remove, platform, name)
        except AccountError as error:
            raise CallerError(Kind.VALIDATION, str(error)) from None
        except OSError as error:
            raise CallerError(Kind.VALIDATION, f"the token cannot be removed: {error.strerror}") from None
        self._gateway.account_changed(platform)
        return self._account(source)

    def _known(self, platform: str) -> Platform:
        found = self._gateway.platforms.get(platform)
        if found is None:
            names = ", ".join(self._gateway.platforms) or "none"
            known = f"there is no platform {platform}; there are: {names}"
            late = ". Its settings act when the node starts next" if platform in PLATFORMS else ""
            raise CallerError(Kind.VALIDATION, known + late)
        return found


def _table(platform: str, table: RemoteTable) -> models.GatewayTable:
    return models.GatewayTable(
        platform=platform,
        id=table.id,
        app=table.app,
        title=table.title,
        players=table.players,
        seats=table.seats,
        host=table.host,
        names=table.names,
    )

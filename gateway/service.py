"""The gateway of a node: its identity, its bridges, and who gets which seat.

It is told every event of the node, as the house is. A challenge to its identity becomes a bridge, which is
stored with its slot before anything else is done; from then on the bridge looks after itself (``bridge``).
After a restart every bridge that is not over goes on from what is stored and from what the table shows.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from lrgpnode.airtime.roundtrip import RoundTrip
from lrgpnode.config import Settings
from lrgpnode.control.text import clean
from lrgpnode.node import Identities, IdentityError, Node
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.errors import StorageError
from storage.gateway import NoSlot
from storage.gateway_model import Bridge as Row, NewBridge, Pause, SeatStage
from storage.model import Commit, LocalIdentity, Policy, Role
from storage.store import Store
from storage.writer import Writer

from .accounts import Accounts
from .bridge.driver import Bridge
from .challenges import Challenges
from .handover import Handover
from .limiter import Limiter
from .meshside import MeshSide
from .pace import Pace
from .policy import Judgement, Standing, Verdict, full, judge
from .seat import Account, HostedSeat, Platform, PlatformError, RemoteSeat, Unreachable
from .seating import Seating, table_of
from .seeking import Host, Seek, Unwanted
from .settings import GatewaySettings, gate_policy

log = logging.getLogger(__name__)

NAMES: Final = ("gateway", "the gateway", "gateway of lrgpnode")
"""What the gateway is called; the later ones where people have taken the earlier ones."""

TROUBLED_SECONDS: Final = 300.0
WELL_SECONDS: Final = 3600.0
"""Between looks at whether a platform can be used."""

LONGEST_NAME: Final = 24
"""Characters of a player's name at a table."""

Publish = Callable[[str, Mapping[str, Any]], None]


class Gateway:
    """``open`` and ``close`` it on the node's loop. ``name`` gives what a peer is called, or ""."""

    def __init__(
        self,
        settings: GatewaySettings,
        platforms: Sequence[Platform],
        own: Identities,
        store: Store,
        writer: Writer,
        publish: Publish,
        *,
        data: Path,
        name: Callable[[str], str],
        limiter: Limiter | None = None,
        round_trip: Callable[[str], RoundTrip | None] = lambda peer: None,
    ) -> None:
        self.settings = settings
        self.platforms = {platform.name: platform for platform in platforms}
        self.hosts: dict[str, Host] = {}
        self.matched: Callable[[Session], Awaitable[bool]] = _nobody_waits
        self.seated: Callable[[str, str], Awaitable[None]] = _nobody_is_told
        """Told of a player and a game, when the player is brought to a table of ours."""
        """Whether a challenge is what a player on the mesh has waited for, who has it then."""
        self.accounts = Accounts(data)
        self.limiter = limiter or Limiter(store.gateway.pauses(), Kept(store, writer))
        self.bridges: dict[int, Bridge] = {}
        self.identity = ""
        self.troubles: dict[str, str] = {}
        self.store = store
        self._own = own
        self._writer = writer
        self._publish = publish
        self._name = name
        self._round_trip = round_trip
        self._node: Node
        self._mesh: MeshSide
        self._tasks: set[asyncio.Task[None]] = set()
        self._accounts_changed: dict[str, asyncio.Event] = {}
        self._told: dict[int, tuple[Any, ...]] = {}
        self.seating = Seating(self)
        self.challenges = Challenges(self)
        self.handover = Handover(
            self.accounts,
            lambda: self.identity,
            lambda: self.platforms,
            lambda peer: self.judge(peer).verdict is Verdict.TAKE,
            self.tell,
            self.spawn,
            self._try_account,
            self._now,
        )

    # Life

    async def open(self, node: Node) -> None:
        """Make the identity where there is none yet, and go on with every seat. Once the mesh runs.

        What goes wrong closes the gateway and is logged: a node can do without.
        """
        self._node, self._mesh = node, MeshSide(node, self._round_trip)
        try:
            self.identity = await self._begin()
            await self._writer.run(self.store.gateway.prune, node.now())
        except (IdentityError, StorageError) as error:
            log.warning("there is no gateway: %s", error)
            return
        node.texts.discreet = self.handover
        # Before the bridges: they ask it for the seats at its tables.
        for name, host in tuple(self.hosts.items()):
            try:
                await host.start()
            except Exception:
                log.exception("no tables are hosted at %s", name)
                del self.hosts[name]
        for row in self.store.gateway.live():
            try:
                self._add(row)
            except (KeyError, ValueError) as error:
                log.error("seat %d cannot go on: %s", row.id, error)
        for name, host in self.hosts.items():
            rows = [bridge.row for bridge in self.bridges.values()]
            host.reconcile({table_of(row.seat) for row in rows if row.hosted and row.platform == name})
        for platform in self.platforms.values():
            self.spawn(self._look_at(platform))
        self.look_again()

    def look_again(self, peer: str = "") -> None:
        """Look at unanswered challenges, of one player or all: who may have a seat may have changed."""
        if not self.identity:
            return
        for session in self._node.router.list(self.identity, None, self._node.now()):
            if session.status is Status.PENDING and peer in ("", session.peer):
                self.challenges.consider(session.key)

    def use_policy(self, settings: Settings) -> None:
        """Who gets a seat, and where, from now on."""
        for app, platform in (policy := gate_policy(settings)).routes.items():
            if platform not in self.platforms:
                log.warning("gateway.routes: the platform %s for %s is not set up", platform, app)
        self.settings = replace(self.settings, policy=policy)
        self.look_again()

    async def withdraw(self, name: str, why: str) -> None:
        """Use a platform no more, and host nothing there. Before ``open``.

        For the arcade of this node that is not open: what answers at its address then is somebody else's
        program, which must not be sent our tokens.
        """
        self.hosts.pop(name, None)
        platform = self.platforms.pop(name, None)
        if platform is not None:
            self.is_trouble(name, why)
            await platform.close()

    async def close(self) -> None:
        """Do no more; every seat stays ours. Before the node stops."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(bridge.stop() for bridge in self.bridges.values()))
        self.bridges.clear()
        for host in self.hosts.values():
            await host.stop()
        for platform in self.platforms.values():
            await platform.close()

    def told(self, type: str, fields: Mapping[str, Any]) -> None:
        """An event of the node, after what it tells is committed. Returns at once."""
        if not type.startswith("game.") or fields.get("identity") != self.identity or not self.identity:
            return
        key = SessionKey(self.identity, str(fields.get("id", "")))
        bridge = self.of_session(key)
        if bridge is not None:
            bridge.wake()
        elif type == "game.challenged":
            self.challenges.consider(key)

    async def _begin(self) -> str:
        row = self._row()
        if row is None:
            taken = {one.name.casefold() for one in self._own.rows.values()}
            row = await self._own.create(next((n for n in NAMES if n not in taken), NAMES[0]), Role.GATEWAY)
            log.info("there is a gateway: players challenge %s", row.hash)
        if not row.enabled:
            await self._own.enable(row.hash)
        # Who gets a seat is decided here, where a refusal can say why.
        if self._node.admission.policy(row.hash) is not Policy.OPEN:
            await self._node.admission.set_policy(row.hash, "", Policy.OPEN)
        return row.hash

    def _row(self) -> LocalIdentity | None:
        return next((row for row in self._own.rows.values() if row.role is Role.GATEWAY), None)

    # Looking

    @property
    def node(self) -> Node:
        return self._node

    def of_session(self, key: SessionKey) -> Bridge | None:
        return next((bridge for bridge in self.bridges.values() if bridge.key == key), None)

    def of_peer(self, peer: str) -> list[Bridge]:
        """Oldest first."""
        return [bridge for bridge in self.bridges.values() if bridge.row.peer == peer]

    def judge(self, peer: str) -> Judgement:
        """Whether a player gets seats."""
        local = self._own.rows.get(peer)
        standing = Standing(
            local=local is not None,
            house=local is not None and local.role is not Role.PERSON,
            contact=self.store.book.contact(peer) is not None,
        )
        return judge(peer, standing, self.settings.policy)

    def round_trip(self, peer: str) -> RoundTrip | None:
        """How long a move takes to a player and the answer back; None where nothing is known."""
        return self._mesh.round_trip(peer)

    def pace(self, platform: str, peer: str) -> Pace | None:
        """Whether the way to a player is fast enough for a platform; None where that has no clock for all."""
        known = self.platforms.get(platform)
        if known is None or known.move_seconds is None:
            return None
        trip = self.round_trip(peer)
        return Pace(
            limit=known.move_seconds,
            trip=None if trip is None else trip.seconds,
            thinking=self.settings.thinking,
        )

    @property
    def own_name(self) -> str:
        """What the gateway's identity is called."""
        row = self._row()
        return row.name if row is not None and self.identity else ""

    def called(self, peer: str) -> str:
        """What a peer is called here, or ""."""
        return self._name(peer)

    def name(self, peer: str) -> str:
        """What a player is called at tables. Implements ``seeking.Mesh``."""
        name = clean(self._name(peer), LONGEST_NAME).strip() if self.settings.names else ""
        return name or f"player {peer[:6]}"

    # Bridges

    async def begin(self, new: NewBridge, seat: RemoteSeat | None = None) -> Bridge:
        """Store a bridge and start it. Raises ``NoSlot`` and ``StorageError``; then there is none."""
        committed = await self._writer.run(self.store.commit, Commit(bridge=new))
        row = self.store.gateway.get(committed.bridge_id or 0)
        assert row is not None  # it was committed a moment ago
        return self._add(row, seat)

    def _add(self, row: Row, seat: RemoteSeat | None = None) -> Bridge:
        bridge = Bridge(
            row,
            self._node.games[row.app],
            self._mesh,
            self.seating,
            self.store,
            self._writer,
            wait_seconds=self.settings.wait,
            changed=self._changed,
            over=self._over,
            turned=self._turned,
            seat=seat,
        )
        self.bridges[row.id] = bridge
        self._changed(bridge)
        bridge.start()
        return bridge

    def _changed(self, bridge: Bridge) -> None:
        row = bridge.row
        now = (row.stage, row.session, bridge.trouble, row.result)
        if self._told.get(row.id) == now:
            return
        self._told[row.id] = now
        for host in self.hosts.values():
            host.changed()
        self._publish(
            "gateway.seat",
            {
                "id": row.id,
                "peer": row.peer,
                "app": row.app,
                "platform": row.platform,
                "stage": row.stage,
                "session": row.session or "",
                "trouble": bridge.trouble,
                "result": row.result,
                "reason": row.reason,
            },
        )

    def _turned(self, bridge: Bridge) -> None:
        row = bridge.row
        if bridge.seen.deadline is not None:
            self._publish(
                "gateway.turn",
                {
                    "id": row.id,
                    "peer": row.peer,
                    "app": row.app,
                    "platform": row.platform,
                    "session": row.session or "",
                    "deadline": bridge.seen.deadline,
                },
            )

    def is_trouble(self, platform: str, trouble: str) -> None:
        """Whether a platform can be used; "" for yes. People are told of a change."""
        if self.troubles.get(platform, "") != trouble:
            self.troubles[platform] = trouble
            if trouble:
                log.warning("the platform %s: %s", platform, trouble)
            self._publish("gateway.platform", {"name": platform, "trouble": trouble})

    def problems(self) -> list[str]:
        """For the status of the node."""
        return [f"Platform {name}: {trouble}" for name, trouble in self.troubles.items() if trouble]

    def _over(self, bridge: Bridge) -> None:
        self.bridges.pop(bridge.row.id, None)
        self._told.pop(bridge.row.id, None)
        for host in self.hosts.values():
            host.changed()

    async def _look_at(self, platform: Platform) -> None:
        """See whether a platform can be used: at the start, then now and then."""
        changed = self._accounts_changed.setdefault(platform.name, asyncio.Event())
        while True:
            changed.clear()
            pool = self.accounts.pool(platform.name)
            names = ["", *(account.name for account in pool[:1])]
            waits = [self.limiter.wait(platform.name, name, self._mesh.now()) for name in names]
            if max(waits) > 0:
                await _event_within(changed, max(waits))
                continue
            try:
                await platform.check(pool[0] if pool else None)
            except PlatformError as error:
                self.is_trouble(platform.name, str(error))
            else:
                self.is_trouble(platform.name, "")
            trouble = bool(self.troubles.get(platform.name))
            await _event_within(changed, TROUBLED_SECONDS if trouble else WELL_SECONDS)

    def account_changed(self, platform: str) -> None:
        """Another token may be taken where the last one was not: see at once."""
        if (changed := self._accounts_changed.get(platform)) is not None:
            changed.set()

    def _now(self) -> float:
        return self._mesh.now()

    async def _try_account(self, account: Account) -> None:
        """Ask the platform whether it takes an account. Raises as ``Platform.check``."""
        platform = self.platforms.get(account.platform)
        wait = self.limiter.wait(account.platform, "", self._mesh.now())
        if platform is None or wait > 0:
            raise Unreachable("it wants no request just now", wait or None)
        # What was known of an account of this name was of another token.
        await self.limiter.worked(account.platform, account.name)
        await platform.check(account)

    # What house hosts need (``seeking.Mesh``)

    def free(self, peer: str, platform: str) -> bool:
        full = self.store.gateway.reached(platform, peer, self.settings.caps, self._mesh.now())
        return full is None and self.judge(peer).verdict is Verdict.TAKE

    async def seat(self, seek: Seek, seat: HostedSeat, account: Account) -> None:
        """Bring a player to a seat at a table of ours: by a challenge, or by the one he has sent.

        Raises ``Unwanted`` and ``StorageError``.
        """
        if not self.identity or self.judge(seek.peer).verdict is not Verdict.TAKE:
            raise Unwanted("That player gets no seat")
        new = NewBridge(
            identity=self.identity,
            peer=seek.peer,
            app=seek.app,
            platform=account.platform,
            account=account.name,
            stage=SeatStage.WAITING,
            at=self._mesh.now(),
            session=seek.session or None,
            seat=json.dumps(dict(seat.resume_key), separators=(",", ":")),
            hosted=True,
            caps=self.settings.caps,
        )
        try:
            await self.begin(new, seat)
        except NoSlot as none:
            raise Unwanted(full(none.cap).capitalize()) from None
        await self.seated(seek.peer, seek.app)

    # Tasks

    async def tell(self, peer: str, text: str) -> None:
        """Write to a player, as the gateway; who cannot be written to is not. Implements ``seeking.Mesh``."""
        try:
            await self._mesh.write(self.identity, peer, text, None)
        except (CallerError, StorageError) as error:
            log.info("%s was not told: %s", peer, error)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background, until the gateway is closed."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the gateway failed at something", exc_info=error)


async def _event_within(event: asyncio.Event, seconds: float) -> None:
    """Wait for it, but not for longer than that."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return


async def _nobody_is_told(peer: str, app: str) -> None:
    return


async def _nobody_waits(session: Session) -> bool:
    return False


class Kept:
    """Implements ``limiter.Kept``."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    async def put(self, pause: Pause) -> None:
        await self._writer.run(self._store.gateway.put_pause, pause)

    async def drop(self, platform: str, account: str) -> None:
        await self._writer.run(self._store.gateway.drop_pause, platform, account)

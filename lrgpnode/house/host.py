"""The house of a node: its identity, its player, and what people may ask of it.

The house is an identity like any other, with a key file and a router, and games reach it as messages.
Unless it is open to peers it is never announced, and challenges from the mesh are refused without a
word by its policy.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from typing import Any, Final

from lrgpnode.config import Settings
from lrgpnode.mesh.identity import IdentityError
from lrgpnode.node import Acted, Identities, Node
from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.session import SessionKey
from storage.errors import StorageError
from storage.model import Cursor, LocalIdentity, Policy, Role
from storage.store import Store
from storage.writer import Writer

from .levels import LEVELS
from .manners import Limits
from .memory import DAILY_KEY, META_KEY, Daily, Levels
from .player import Player
from .worker import Thinker, ThinkingProcess

log = logging.getLogger(__name__)

NAMES: Final = ("house", "the house", "house of lrgpnode")
"""What the house is called; the later ones where people have taken the earlier ones."""

_PAGE: Final = 200


class House:
    """``open`` and ``close`` it on the node's loop; closed, it is told things and does nothing."""

    def __init__(
        self,
        settings: Settings,
        own: Identities,
        store: Store,
        writer: Writer,
        thinker: Thinker | None = None,
    ) -> None:
        self._settings = settings
        self._own = own
        self._store = store
        self._writer = writer
        self._thinker = thinker or ThinkingProcess()
        self._node: Node
        self._player: Player | None = None

    # Life

    async def open(self, node: Node) -> None:
        """Make the identity where there is none yet, and begin to play, if the settings say so.

        Once the mesh runs. What goes wrong closes the house and is logged: a node can do without.
        """
        self._node = node
        try:
            if self._settings.house_enabled:
                await self._begin(await self._identity())
            else:
                await self._rest()
        except (IdentityError, StorageError) as error:
            log.warning("there is no opponent in the house: %s", error)

    async def close(self) -> None:
        """Think no more. Before the node stops."""
        if self._player is not None:
            await self._player.stop()
            self._player = None

    def told(self, type: str, fields: Mapping[str, Any]) -> None:
        """An event of the node."""
        if self._player is not None:
            self._player.told(type, fields)

    async def _identity(self) -> str:
        row = self._row()
        if row is None:
            taken = {one.name.casefold() for one in self._own.rows.values()}
            name = next((name for name in NAMES if name not in taken), NAMES[0])
            row = await self._own.create(name, Role.HOUSE)
            log.info("there is an opponent in the house: `lrgpnode house` says how to play with it")
        if not row.enabled:
            await self._own.enable(row.hash)
        return row.hash

    async def _rest(self) -> None:
        row = self._row()
        if row is not None and row.enabled:
            await self._own.disable(row.hash)

    def _row(self) -> LocalIdentity | None:
        return next((row for row in self._own.rows.values() if row.role is Role.HOUSE), None)

    async def _begin(self, identity: str) -> None:
        settings, node = self._settings, self._node
        policy = Policy.OPEN if settings.house_open_to_peers else Policy.NOBODY
        if node.admission.policy(identity) is not policy:
            await node.admission.set_policy(identity, "", policy)
        levels = Levels(
            self._store.book.meta(META_KEY),
            self._keep,
            lambda: [key.session_id for key in self.live()],
            settings.house_level,
        )
        self._player = Player(
            identity,
            node,
            self._thinker,
            levels,
            Daily(self._store.book.meta(DAILY_KEY), self._keep, settings.house_games_per_day),
            live=self.live,
            local=self._own.rows,
            limits=Limits(
                open=settings.house_open_to_peers,
                games=settings.house_max_games,
                peer_games=settings.house_max_games_per_peer,
                pause=float(settings.house_pause_seconds),
            ),
            seed=lambda: secrets.randbits(32),
        )
        self._player.start()

    async def _keep(self, key: str, value: str) -> None:
        await self._writer.run(self._store.book.put_meta, key, value)

    # Looking

    @property
    def identity(self) -> str:
        """Its hash, "" while it is closed."""
        return self._player.identity if self._player is not None else ""

    @property
    def name(self) -> str:
        row = self._row()
        return row.name if row is not None else ""

    @property
    def open_to_peers(self) -> bool:
        return self._settings.house_open_to_peers

    @property
    def thinking(self) -> str:
        """The id of the game that it is thinking about, or ""."""
        return self._player.thinking if self._player is not None else ""

    def usual(self, app: str) -> int:
        """The level of a challenge that names none."""
        return min(self._settings.house_level, len(LEVELS[app]))

    def live(self) -> list[SessionKey]:
        """Its games and challenges that go on. Does not grow with those that have ended."""
        row = self._row()
        keys: list[SessionKey] = []
        before: Cursor | None = None
        while row is not None:
            page = self._store.sessions.page(row.hash, which="live", limit=_PAGE, before=before)
            keys += (summary.key for summary in page)
            if len(page) < _PAGE:
                break
            before = page[-1].cursor
        return keys

    # Playing

    async def challenge(
        self, identity: str, peer: str, app: str, intent: Mapping[str, Any], level: int
    ) -> Acted:
        """Challenge the house at a level. Raises ``CallerError`` or ``StorageError``."""
        player = self._player
        if player is None or peer != player.identity:
            raise CallerError(Kind.VALIDATION, "only the house of this node plays at levels")
        if app not in LEVELS:
            raise CallerError(Kind.VALIDATION, f"the house does not play {app}")
        if not 1 <= level <= len(LEVELS[app]):
            raise CallerError(Kind.VALIDATION, f"the house plays {app} at levels 1 to {len(LEVELS[app])}")
        async with player.gate:
            acted = await self._node.challenge(identity, peer, app, intent)
            await player.levels.choose(acted.session.key.session_id, level)
        return acted

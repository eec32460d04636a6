"""The gateway: platforms, their tables, and the seats of mesh players at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta

from storage.gateway_model import SeatResult, SeatStage

from .base import AppRef, Method, Model, Nothing, PeerRef, Text

PlatformRef = Annotated[
    str, Meta(pattern=r"^[a-z][a-z0-9_]{0,31}\Z", description="A platform, e.g. `rcadia`.")
]
AccountRef = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}\Z", description="Name of an account of the pool.")
]
Token = Annotated[str, Meta(min_length=1, max_length=4096, description="A token; never shown.")]
TableRef = Annotated[str, Meta(min_length=1, max_length=128, description="Id of a table at its platform.")]


class GatewaySeat(Model, frozen=True, kw_only=True):
    """A mesh player at a table, or on the way to one.

    ``session``: id of the game with the player, "" before there is one. ``opponent``: what the platform
    calls the other side. ``trouble``: why it does not go on just now, or "". ``result`` and ``reason`` of
    one that is over. ``hosted``: the table is ours. ``move_seconds``: the time for a move, where the platform
    has one; ``round_trip``: seconds that a move to the player and the answer back take, as far as is known.
    ``assisted``: the node has chosen moves for a player by text.
    """

    id: int
    peer: str
    app: str
    platform: str
    stage: SeatStage
    created_at: float
    updated_at: float
    peer_name: str = ""
    session: str = ""
    table: str = ""
    opponent: str = ""
    account: str = ""
    deadline: float | None = None
    trouble: str = ""
    result: SeatResult | None = None
    reason: str = ""
    hosted: bool = False
    move_seconds: float | None = None
    round_trip: float | None = None
    assisted: bool = False


class GatewayPlatform(Model, frozen=True, kw_only=True):
    """``trouble``: why it cannot be used now, or "". ``paused_until``: no request before that.

    ``move_seconds``: the time for a move, if all tables there have the same.
    """

    name: str
    games: tuple[str, ...]
    accounts: int
    seats: int
    most_seats: int
    trouble: str = ""
    paused_until: float | None = None
    move_seconds: float | None = None


class GatewayHostTable(Model, frozen=True, kw_only=True):
    """A table of ours. ``stage``: `opening`, `open`, `starting`, `playing` or `away`.

    ``seated``: who sits there for us, `house`, `mesh` or "". ``trouble``: why it does not go on now, or "".
    """

    id: str
    app: str
    stage: str
    round: int
    players: int
    seated: str = ""
    trouble: str = ""


class GatewaySeek(Model, frozen=True, kw_only=True):
    """A player who waits for an opponent at our tables, until ``until``."""

    peer: str
    app: str
    at: float
    until: float
    peer_name: str = ""


class GatewayHost(Model, frozen=True, kw_only=True):
    """Tables that we keep open at a platform. ``trouble``: why none can be opened just now, or ""."""

    platform: str
    games: tuple[str, ...]
    tables: tuple[GatewayHostTable, ...] = ()
    seeks: tuple[GatewaySeek, ...] = ()
    trouble: str = ""


class GatewayStatus(Model, frozen=True, kw_only=True):
    """``routes``: where a bare challenge of a game goes, by app id. Empty where the gateway is off."""

    enabled: bool
    identity: str = ""
    name: str = ""
    routes: Mapping[str, str] = {}
    platforms: tuple[GatewayPlatform, ...] = ()
    seats: int = 0
    hosts: tuple[GatewayHost, ...] = ()


class GatewayTable(Model, frozen=True, kw_only=True):
    """A table with a free seat. ``host``: who runs it, in the platform's word."""

    platform: str
    id: str
    app: str
    title: str
    players: int
    seats: int
    host: str = ""
    names: tuple[str, ...] = ()


class GatewayTablesParams(Model, frozen=True, kw_only=True):
    platform: PlatformRef | None = None
    app: AppRef | None = None


class GatewayTables(Model, frozen=True, kw_only=True):
    """``troubles``: platforms that could not be asked, with the reason."""

    tables: tuple[GatewayTable, ...]
    troubles: Mapping[str, str] = {}


class GatewaySeatsParams(Model, frozen=True, kw_only=True):
    """``ended``: also the newest of those that are over."""

    peer: PeerRef | None = None
    ended: bool = False


class GatewaySeats(Model, frozen=True, kw_only=True):
    """The newest first."""

    seats: tuple[GatewaySeat, ...]


class GatewaySeatParams(Model, frozen=True, kw_only=True):
    id: Annotated[int, Meta(ge=1, description="Number of a seat.")]


class GatewaySeekParams(Model, frozen=True, kw_only=True):
    peer: PeerRef
    app: AppRef


class GatewaySought(Model, frozen=True, kw_only=True):
    """``text``: what to tell the player."""

    text: str


class GatewayUnseekParams(Model, frozen=True, kw_only=True):
    peer: PeerRef


class GatewayUnsought(Model, frozen=True, kw_only=True):
    """``waited``: False where the player did not wait."""

    waited: bool


class GatewayAccount(Model, frozen=True, kw_only=True):
    """``source``: `file`, or `credential` for one that systemd hands over. ``own_of``: the player's address
    whose own it is, else ""."""

    platform: str
    name: str
    source: str
    own_of: str = ""
    seats: int = 0


class GatewayAccounts(Model, frozen=True, kw_only=True):
    accounts: tuple[GatewayAccount, ...]


class GatewayAccountAddParams(Model, frozen=True, kw_only=True):
    """The token is written to a file that only the node can read, and shown nowhere again."""

    platform: PlatformRef
    name: AccountRef
    token: Token


class GatewayAccountParams(Model, frozen=True, kw_only=True):
    """``name`` as ``gateway.account.list`` shows it."""

    platform: PlatformRef
    name: Text


class GatewaySeatChanged(Model, frozen=True, kw_only=True):
    """A seat has come on, has ended, or is in trouble."""

    id: int
    peer: str
    app: str
    platform: str
    stage: SeatStage
    session: str = ""
    trouble: str = ""
    result: SeatResult | None = None
    reason: str = ""


class GatewayTurn(Model, frozen=True, kw_only=True):
    """Another clock runs at the table of a seat: whoever is to move has until ``deadline``, Unix seconds."""

    id: int
    peer: str
    app: str
    platform: str
    deadline: float
    session: str = ""


class GatewayPlatformChanged(Model, frozen=True, kw_only=True):
    """A platform can be used again (``trouble`` is ""), or cannot."""

    name: str
    trouble: str = ""


METHODS: Final = (
    Method("gateway.status", Nothing, GatewayStatus, "The gateway and its platforms."),
    Method("gateway.tables", GatewayTablesParams, GatewayTables, "Tables with a free seat, asked for now."),
    Method("gateway.seats", GatewaySeatsParams, GatewaySeats, "Seats of mesh players."),
    Method("gateway.leave", GatewaySeatParams, GatewaySeat, "Give a seat up; a game at it is lost."),
    Method(
        "gateway.seek", GatewaySeekParams, GatewaySought, "A player wants an opponent at a table of ours."
    ),
    Method("gateway.unseek", GatewayUnseekParams, GatewayUnsought, "The player does not wait any more."),
    Method("gateway.account.list", Nothing, GatewayAccounts, "Accounts at the platforms, without tokens."),
    Method(
        "gateway.account.add",
        GatewayAccountAddParams,
        GatewayAccount,
        "Add an account, or renew its token.",
    ),
    Method(
        "gateway.account.remove", GatewayAccountParams, GatewayAccount, "Remove an account with its token."
    ),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "gateway.seat": GatewaySeatChanged,
    "gateway.turn": GatewayTurn,
    "gateway.platform": GatewayPlatformChanged,
}

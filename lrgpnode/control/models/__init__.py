"""Parameters, results and events of the control API (architecture §8), an area a module.

Unknown fields are refused. Times are Unix seconds, hashes and bytes are lower-case hex. From the
tables ``METHODS`` and ``EVENTS`` docs/control-api.md is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import (
    airtime,
    clock,
    contacts,
    game,
    gateway,
    house,
    ladder,
    log,
    message,
    metrics,
    node,
    outbox,
    people,
    propagation,
    radio,
    records,
    settings,
    upkeep,
)
from .airtime import (
    Airtime as Airtime,
    AirtimeOfGame as AirtimeOfGame,
    AirtimeUse as AirtimeUse,
    PacketCount as PacketCount,
    RadioAirtime as RadioAirtime,
)
from .base import (
    PAGE as PAGE,
    AppRef as AppRef,
    IdentityRef as IdentityRef,
    Limit as Limit,
    Method as Method,
    Model as Model,
    Nothing as Nothing,
    PeerRef as PeerRef,
    SessionRef as SessionRef,
    Text as Text,
)
from .clock import ClockParams as ClockParams, ClockResult as ClockResult
from .contacts import (
    AppRecord as AppRecord,
    BlockInfo as BlockInfo,
    BlockList as BlockList,
    BlockParams as BlockParams,
    ContactAddParams as ContactAddParams,
    ContactChoice as ContactChoice,
    ContactInfo as ContactInfo,
    ContactList as ContactList,
    ContactListParams as ContactListParams,
    ContactRenameParams as ContactRenameParams,
    ContactTrustParams as ContactTrustParams,
    PeerRecord as PeerRecord,
    RecordList as RecordList,
    RecordParams as RecordParams,
    RequestArrived as RequestArrived,
    RequestChoice as RequestChoice,
    RequestInfo as RequestInfo,
    RequestList as RequestList,
)
from .game import (
    ActionList as ActionList,
    ActionListParams as ActionListParams,
    ActionResult as ActionResult,
    ActionRow as ActionRow,
    ActParams as ActParams,
    Applied as Applied,
    Challenged as Challenged,
    ChallengeParams as ChallengeParams,
    Deleted as Deleted,
    DeliveryChanged as DeliveryChanged,
    Draw as Draw,
    DrawParams as DrawParams,
    Expired as Expired,
    Frame as Frame,
    Frames as Frames,
    FramesParams as FramesParams,
    GameDetail as GameDetail,
    GameListParams as GameListParams,
    GamePage as GamePage,
    GameSummary as GameSummary,
    InSync as InSync,
    MoveParams as MoveParams,
    OutOfSync as OutOfSync,
    OwnAction as OwnAction,
    RejectedAction as RejectedAction,
    RemoteError as RemoteError,
    SessionParams as SessionParams,
    UnknownGame as UnknownGame,
    view_json as view_json,
)
from .gateway import (
    GatewayAccount as GatewayAccount,
    GatewayAccountAddParams as GatewayAccountAddParams,
    GatewayAccountParams as GatewayAccountParams,
    GatewayAccounts as GatewayAccounts,
    GatewayHost as GatewayHost,
    GatewayHostTable as GatewayHostTable,
    GatewayPlatform as GatewayPlatform,
    GatewayPlatformChanged as GatewayPlatformChanged,
    GatewaySeat as GatewaySeat,
    GatewaySeatChanged as GatewaySeatChanged,
    GatewaySeatParams as GatewaySeatParams,
    GatewaySeats as GatewaySeats,
    GatewaySeatsParams as GatewaySeatsParams,
    GatewaySeek as GatewaySeek,
    GatewaySeekParams as GatewaySeekParams,
    GatewaySought as GatewaySought,
    GatewayStatus as GatewayStatus,
    GatewayTable as GatewayTable,
    GatewayTables as GatewayTables,
    GatewayTablesParams as GatewayTablesParams,
    GatewayTurn as GatewayTurn,
    GatewayUnseekParams as GatewayUnseekParams,
    GatewayUnsought as GatewayUnsought,
)
from .house import HouseGame as HouseGame, HouseInfo as HouseInfo, HouseLevel as HouseLevel
from .ladder import (
    Ladder as Ladder,
    LadderGame as LadderGame,
    LadderMatch as LadderMatch,
    LadderMatches as LadderMatches,
    LadderMatchesParams as LadderMatchesParams,
    LadderParams as LadderParams,
    LadderRow as LadderRow,
    Replay as Replay,
    ReplayFrame as ReplayFrame,
    ReplayParams as ReplayParams,
)
from .log import (
    LogLevelParams as LogLevelParams,
    LogLevelSet as LogLevelSet,
    LogLine as LogLine,
    LogPage as LogPage,
    LogParams as LogParams,
)
from .message import (
    MessageInfo as MessageInfo,
    MessageListParams as MessageListParams,
    MessagePage as MessagePage,
    MessageReadParams as MessageReadParams,
    MessageSendParams as MessageSendParams,
    MessageSent as MessageSent,
    MessagesRead as MessagesRead,
    TextDelivery as TextDelivery,
    TextReceived as TextReceived,
    TextSent as TextSent,
    TextsRead as TextsRead,
    ThreadInfo as ThreadInfo,
    ThreadListParams as ThreadListParams,
    ThreadPage as ThreadPage,
)
from .metrics import (
    MetricFamily as MetricFamily,
    Metrics as Metrics,
    MetricSample as MetricSample,
)
from .node import (
    ActivityInfo as ActivityInfo,
    AirtimeBrief as AirtimeBrief,
    AnnounceParams as AnnounceParams,
    AnnounceResult as AnnounceResult,
    ClockChanged as ClockChanged,
    GameInfo as GameInfo,
    HeldAnnounce as HeldAnnounce,
    InterfaceInfo as InterfaceInfo,
    NodeStarted as NodeStarted,
    NodeStatus as NodeStatus,
    NodeStopping as NodeStopping,
    Subscribed as Subscribed,
    SubscribeParams as SubscribeParams,
)
from .outbox import (
    Abandoned as Abandoned,
    DeleteParams as DeleteParams,
    DeleteResult as DeleteResult,
    OutboxEntry as OutboxEntry,
    OutboxListParams as OutboxListParams,
    OutboxPage as OutboxPage,
    OutboxParams as OutboxParams,
    Resent as Resent,
)
from .people import (
    IdentityChanged as IdentityChanged,
    IdentityChoice as IdentityChoice,
    IdentityCreateParams as IdentityCreateParams,
    IdentityDeleted as IdentityDeleted,
    IdentityDeleteParams as IdentityDeleteParams,
    IdentityDetail as IdentityDetail,
    IdentityImportParams as IdentityImportParams,
    IdentityInfo as IdentityInfo,
    IdentityKey as IdentityKey,
    IdentityList as IdentityList,
    IdentityParams as IdentityParams,
    IdentityPolicies as IdentityPolicies,
    IdentityPolicyParams as IdentityPolicyParams,
    IdentityRenameParams as IdentityRenameParams,
    PeerHeard as PeerHeard,
    PeerInfo as PeerInfo,
    PeerList as PeerList,
    PeerListParams as PeerListParams,
)
from .propagation import (
    AddNodeParams as AddNodeParams,
    HostInfo as HostInfo,
    HostPeer as HostPeer,
    MailOfIdentity as MailOfIdentity,
    MailSync as MailSync,
    NodeChosen as NodeChosen,
    NodeList as NodeList,
    PropagationNode as PropagationNode,
    PropagationStatus as PropagationStatus,
    RemoveNodeParams as RemoveNodeParams,
    StampWork as StampWork,
    SyncParams as SyncParams,
    SyncStarted as SyncStarted,
    UseNodeParams as UseNodeParams,
)
from .radio import (
    CheckedRadio as CheckedRadio,
    CheckParams as CheckParams,
    CheckStarted as CheckStarted,
    HeardInfo as HeardInfo,
    LastPacketInfo as LastPacketInfo,
    RadioChanged as RadioChanged,
    RadioChecked as RadioChecked,
    RadioInfo as RadioInfo,
    RadioStatus as RadioStatus,
    TroubleInfo as TroubleInfo,
)
from .records import (
    ExportParams as ExportParams,
    ExportResult as ExportResult,
)
from .settings import (
    ConfigChanged as ConfigChanged,
    ConfigSetParams as ConfigSetParams,
    ConfigShown as ConfigShown,
    ConfigShowParams as ConfigShowParams,
    ConfigUnsetParams as ConfigUnsetParams,
    SettingInfo as SettingInfo,
)
from .upkeep import BackupParams as BackupParams, BackupResult as BackupResult

_AREAS: Final = (
    node,
    metrics,
    settings,
    log,
    upkeep,
    people,
    contacts,
    game,
    outbox,
    message,
    house,
    gateway,
    ladder,
    propagation,
    radio,
    airtime,
    records,
    clock,
)

METHODS: Final[Mapping[str, Method]] = {method.name: method for area in _AREAS for method in area.METHODS}
"""Every method of the API by name."""

EVENTS: Final[Mapping[str, type[Model]]] = {
    type: model for area in _AREAS for type, model in area.EVENTS.items()
}
"""Every event of the API by its type."""

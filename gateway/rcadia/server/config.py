"""What a game says of itself when its session is made (§2), checked, with defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import msgspec

from gateway.rcadia import wire
from gateway.rcadia.server.refusal import bad
from lrgpnode.protocol.value import Value

TURN_TIMEOUT: Final = 300
MAX_TURN_TIMEOUTS: Final = 2
LEGACY_PLAYERS: Final = 2

SHORTEST_CLOCK: Final = 0.05
"""Seconds; a shorter clock would only fill the host's queue with strikes."""

MAX_CONFIG: Final = 4096
"""Bytes of the whole configuration; it is repeated in every list of tables."""


class Mode(Enum):
    """How turns go (§4)."""

    SEQUENTIAL = "sequential"
    SIMULTANEOUS = "simultaneous"
    FREE = "free"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GameConfig(Value):
    """``legacy``: a game of v1 (§9). ``echo`` is the whole configuration as JSON, with defaults filled in."""

    mode: Mode
    legacy: bool
    min_players: int
    max_players: int
    turn_timeout: float
    max_strikes: int
    forfeit: bool
    auto_rematch: bool
    game_type: str | None
    echo: msgspec.Raw


def read(given: Mapping[str, Any]) -> GameConfig:
    """Raises ``Refusal`` (400)."""
    try:
        request = wire.read_config(given)
    except msgspec.ValidationError as error:
        raise bad(f"The configuration cannot be used: {error}.") from None
    legacy = request.sdk_version is None
    low, high = _players(request, legacy=legacy)
    timeout = TURN_TIMEOUT if request.turn_timeout is None else request.turn_timeout
    if 0 < timeout < SHORTEST_CLOCK:
        raise bad(f"turnTimeout must be 0 for no clock, or at least {SHORTEST_CLOCK} seconds.")
    turn_based = request.turn_based is not False
    simultaneous = request.simultaneous is True
    filled = {
        "minPlayers": low,
        "maxPlayers": high,
        "turnBased": turn_based,
        "simultaneous": simultaneous,
        "turnTimeout": TURN_TIMEOUT,
        "maxTurnTimeouts": request.max_turn_timeouts or MAX_TURN_TIMEOUTS,
        "forfeitOnTimeout": request.forfeit_on_timeout is not False,
        "autoRematch": request.auto_rematch is True,
    }
    echo = {**filled, **{name: value for name, value in given.items() if value is not None}}
    encoded = msgspec.json.encode(echo)
    if len(encoded) > MAX_CONFIG:
        raise bad(f"The configuration is larger than {MAX_CONFIG} bytes.")
    return GameConfig(
        mode=Mode.SIMULTANEOUS if simultaneous else Mode.SEQUENTIAL if turn_based else Mode.FREE,
        legacy=legacy,
        min_players=low,
        max_players=high,
        turn_timeout=timeout,
        max_strikes=request.max_turn_timeouts or MAX_TURN_TIMEOUTS,
        forfeit=request.forfeit_on_timeout is not False,
        auto_rematch=request.auto_rematch is True and not legacy,
        game_type=request.game_type,
        echo=msgspec.Raw(encoded),
    )


def _players(request: wire.ConfigRequest, *, legacy: bool) -> tuple[int, int]:
    low, high = request.min_players, request.max_players
    if legacy:
        low = min(LEGACY_PLAYERS, high or LEGACY_PLAYERS) if low is None else low
        high = max(LEGACY_PLAYERS, low) if high is None else high
    if low is None or high is None:
        raise bad("The configuration needs minPlayers and maxPlayers.")
    if low > high:
        raise bad("minPlayers must not be more than maxPlayers.")
    return low, high

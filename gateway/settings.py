"""What the gateway is told of the settings."""

from __future__ import annotations

from dataclasses import dataclass

from lrgpnode.config import Settings
from lrgpnode.protocol.value import Value
from storage.gateway_model import Caps

from .bridge.rules import PLAYED
from .policy import GatePolicy, Players


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GatewaySettings(Value):
    """``names``: whether players are shown by their names. ``wait``, ``invitation``: seconds.

    ``thinking``: seconds that a player should have for a move beside its way, where a platform limits moves;
    ``insist``: seconds in which who was refused for that gets the seat by challenging again.

    ``texts``: whether the gateway's identity takes text commands.
    """

    policy: GatePolicy
    caps: Caps
    wait: float
    invitation: float = 1800.0
    thinking: float = 10.0
    insist: float = 600.0
    names: bool = True
    texts: bool = True


class RouteError(ValueError):
    """A route is none; the message says why, for people."""


def routes(settings: tuple[str, ...]) -> dict[str, str]:
    """``chess=rcadia`` and so on, by game. Raises ``RouteError``."""
    found: dict[str, str] = {}
    for route in settings:
        app, sign, platform = (part.strip() for part in route.partition("="))
        if not sign or not platform:
            raise RouteError(f"{route!r} is no route; write for example chess=rcadia")
        if app not in PLAYED:
            raise RouteError(f"{app!r} cannot be routed; these can: {', '.join(PLAYED)}")
        found[app] = platform
    return found


def gate_policy(settings: Settings) -> GatePolicy:
    """Who gets a seat, and where. Raises ``RouteError``."""
    return GatePolicy(
        players=Players(settings.gateway_players),
        allow=frozenset(settings.gateway_allow),
        block=frozenset(settings.gateway_block),
        routes=routes(settings.gateway_routes),
    )


def read(settings: Settings) -> GatewaySettings:
    """Raises ``RouteError``."""
    caps = Caps(
        platform=settings.gateway_max_seats,
        player=settings.gateway_max_seats_per_player,
        day=settings.gateway_seats_per_day,
    )
    return GatewaySettings(
        policy=gate_policy(settings),
        caps=caps,
        wait=settings.gateway_wait_minutes * 60.0,
        thinking=float(settings.gateway_thinking_seconds),
        insist=settings.gateway_insist_minutes * 60.0,
        names=settings.gateway_show_names,
        texts=settings.text_enabled,
    )

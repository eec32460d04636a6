"""Who gets a seat. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lrgpnode.protocol.value import Value
from storage.gateway_model import Cap


class Players(StrEnum):
    """Who may use the gateway. LISTED: only addresses in ``gateway.allow``."""

    EVERYONE = "everyone"
    CONTACTS = "contacts"
    LISTED = "listed"


class Verdict(StrEnum):
    """IGNORE: no answer at all, which costs no airtime; the challenge ends by itself in a day."""

    TAKE = "take"
    DECLINE = "decline"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Standing(Value):
    """What a player is to us. ``local``: an identity of this node; ``house``: one that a program plays."""

    local: bool = False
    house: bool = False
    contact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GatePolicy(Value):
    """``routes``: platform by app id, for a bare challenge."""

    players: Players = Players.EVERYONE
    allow: frozenset[str] = frozenset()
    block: frozenset[str] = frozenset()
    routes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Judgement(Value):
    """``why``: what the player is told with a DECLINE."""

    verdict: Verdict
    why: str = ""


_TAKE: Final = Judgement(Verdict.TAKE)
_IGNORE: Final = Judgement(Verdict.IGNORE)

_FULL: Final = {
    Cap.PLATFORM: "all seats of this gateway are taken; try again later",
    Cap.PLAYER: "you have a seat already; finish that game first",
    Cap.DAY: "you have had your games for today; try again tomorrow",
}


def judge(peer: str, standing: Standing, policy: GatePolicy) -> Judgement:
    """Whether a player gets a seat at all, before it is looked whether one is free."""
    if peer in policy.block:
        return _IGNORE
    if standing.house:
        return Judgement(Verdict.DECLINE, "seats are for people; the house plays here only")
    if standing.local or peer in policy.allow:
        return _TAKE
    match policy.players:
        case Players.EVERYONE:
            return _TAKE
        case Players.CONTACTS:
            return _TAKE if standing.contact else _IGNORE
        case Players.LISTED:
            return _IGNORE


def full(cap: Cap) -> str:
    """What a player is told for whom no slot is free."""
    return _FULL[cap]

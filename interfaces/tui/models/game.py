"""All of one game: what it says, and what can be done in it now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from lrgpnode.control.text import score
from lrgpnode.protocol.value import Value

from . import words
from .words import Delivery

Json = Mapping[str, Any]


class Deed(Enum):
    """What a person can do beside moving. The value is the method of the API that does it."""

    ACCEPT = "game.accept"
    DECLINE = "game.decline"
    RESIGN = "game.resign"
    OFFER = "game.draw offer"
    AGREE = "game.draw accept"
    REFUSE = "game.draw decline"
    CLAIM = "game.draw claim"
    RESEND = "game.resend"
    ABANDON = "game.abandon"
    REMATCH = "game.challenge"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Offer(Value):
    """A deed that is possible now. ``question``: it is asked before, "" where it can be taken back."""

    deed: Deed
    key: str
    label: str
    question: str = ""


_OFFERS: Final[Mapping[Deed, tuple[str, str, str]]] = {
    Deed.ACCEPT: ("a", "accept", ""),
    Deed.DECLINE: ("x", "decline", "Decline this challenge?"),
    Deed.RESIGN: ("r", "resign", "Resign this game? Your opponent wins it."),
    Deed.OFFER: ("d", "offer draw", "Offer a draw?"),
    Deed.AGREE: ("a", "accept draw", "Accept the draw? The game ends without a winner."),
    Deed.REFUSE: ("x", "decline draw", ""),
    Deed.CLAIM: ("c", "claim draw", "Claim a draw? The game ends by rule."),
    Deed.RESEND: ("s", "send again", ""),
    Deed.ABANDON: ("b", "abandon", "End this game here? Your opponent is not told."),
    Deed.REMATCH: ("n", "play again", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Page(Value):
    """What is written beside the board. ``remarks`` have a role of the theme each.

    ``presence`` is "" where nobody is there to be heard. ``score``: how games of this kind with the opponent
    have ended, "" where none has.
    """

    title: str
    opponent: str
    presence: str
    status: str
    my_turn: bool
    ended: bool
    delivery: Delivery | None
    remarks: tuple[tuple[str, str], ...]
    offers: tuple[Offer, ...]
    own_commands: tuple[str, ...]
    score: str = ""


STANDARD: Final = frozenset(
    (
        "challenge",
        "accept",
        "decline",
        "move",
        "resign",
        "draw_offer",
        "draw_accept",
        "draw_decline",
        "error",
    )
)
"""Commands that every client has words and keys for."""


def page(game: Json, name: str, actions: tuple[str, ...], now: float, heard_at: float | None) -> Page:
    """``game`` is the result of ``game.show``; ``name`` and ``actions`` are those of the app."""
    view = game["view"]
    seat = str(view.get("seat") or "")
    ended = game["status"] not in ("pending", "active")
    return Page(
        title=f"{name}, you are {seat}" if seat else name,
        opponent=words.who(game.get("peer_name", ""), game["peer"]),
        presence=words.presence(heard_at, now),
        status=words.outcome(view, game["identity"], game["status"]),
        my_turn=bool(view.get("my_turn")),
        ended=ended,
        delivery=words.delivery(game.get("last_own")),
        remarks=tuple(_remarks(game, view, now)),
        offers=tuple(_offers(game, view, actions)),
        own_commands=() if ended else tuple(one for one in actions if one not in STANDARD),
        score=score(game["record"]) if game.get("record") else "",
    )


def _remarks(game: Json, view: Json, now: float) -> Iterator[tuple[str, str]]:
    offered = view.get("draw_offered_by")
    if offered and game["status"] == "active":
        mine = offered == game["identity"]
        yield ("text", "You offered a draw.") if mine else ("warn", "A draw is offered to you.")
    if view.get("extras", {}).get("claimable") and game["status"] == "active":
        reason = str(view["extras"]["claimable"])
        words_of = {"3fr": "threefold repetition", "50m": "fifty moves"}
        yield "warn", f"You can claim a draw: {words_of.get(reason, reason)}."
    for flag, reason in game.get("flags", {}).items():
        yield "bad" if flag == "out_of_sync" else "warn", words.flag(flag, str(reason))
    if game["status"] in ("pending", "active"):
        later = words.again(game.get("last_own"), now)
        if later:
            yield "faint", f"{later}."
        if game.get("expires_at"):
            yield "faint", f"Ends by itself {words.left(game['expires_at'] - now)}."


def _offers(game: Json, view: Json, actions: tuple[str, ...]) -> Iterator[Offer]:
    me, status = game["identity"], game["status"]
    if status == "pending":
        if game["initiator"] != me:
            yield _offer(Deed.ACCEPT)
            yield _offer(Deed.DECLINE)
        else:
            yield Offer(deed=Deed.DECLINE, key="x", label="take back", question="Take your challenge back?")
    elif status == "active":
        offered = view.get("draw_offered_by")
        if offered and offered != me:
            yield _offer(Deed.AGREE)
            yield _offer(Deed.REFUSE)
        elif view.get("extras", {}).get("claimable") and view.get("my_turn"):
            yield _offer(Deed.CLAIM)
        elif not offered and "draw_offer" in actions:
            yield _offer(Deed.OFFER)
        if "resign" in actions:
            yield _offer(Deed.RESIGN)
    else:
        yield _offer(Deed.REMATCH)
    if status in ("pending", "active") and _in_trouble(game):
        yield _offer(Deed.RESEND)
        if "out_of_sync" in game.get("flags", {}):
            yield _offer(Deed.ABANDON)


def _in_trouble(game: Json) -> bool:
    own = game.get("last_own") or {}
    return own.get("state") == "failed" or bool({"out_of_sync", "doubt"} & set(game.get("flags", {})))


def _offer(deed: Deed) -> Offer:
    key, label, question = _OFFERS[deed]
    return Offer(deed=deed, key=key, label=label, question=question)


def call(deed: Deed, game: Json) -> tuple[str, dict[str, Any]]:
    """The request that carries a deed out: method and parameters."""
    method, _, what = deed.value.partition(" ")
    if deed is Deed.REMATCH:
        return method, {"peer": game["peer"], "app": game["app"], "identity": game["identity"]}
    params = {"id": game["id"], "identity": game["identity"]}
    return method, params | {"what": what} if what else params

"""What events have told of the delivery of own actions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

Json = Mapping[str, Any]

KEPT: Final = 200
"""Deliveries that are remembered until their action is known."""

UNDER_WAY: Final = ("queued", "sending", "sent")


class Deliveries:
    """By the number of the message in the outbox.

    An event may come before the answer that first names its action, and the node tells a delivery before it
    writes it: so what an answer says is on its way may have arrived.
    """

    def __init__(self) -> None:
        self._told: OrderedDict[int, Json] = OrderedDict()

    def tell(self, data: Json) -> None:
        """A ``game.delivery`` event."""
        self._told[int(data["outbox_id"])] = {
            name: data[name] for name in ("state", "reason") if name in data
        }
        if len(self._told) > KEPT:
            self._told.popitem(last=False)

    def newest(self, own: Json | None) -> Json | None:
        """An own action with what was told of it."""
        told = self._told.get(own["outbox_id"]) if own is not None else None
        return own if own is None or told is None else {**own, **told}

    def answered(self, own: Json | None) -> Json | None:
        """An own action as an answer has it, which is newer than events unless it is under way."""
        return self.newest(own) if own is not None and own["state"] in UNDER_WAY else own

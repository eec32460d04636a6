"""Answers of the node that a screen shows while it is open: asked for once, and again when events say so.

answers.want(("radio.status", {}), ("node.status", {}))
answers.get("radio.status")            # None until it has arrived
answers.ask("radio.status")            # again, e.g. after something was changed
answers.want()                         # the screen is closed: nothing is asked any more
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lrgpnode.control.client import CallFailed, ClientError

from .link import Done, Failed

Json = Mapping[str, Any]
Ask = tuple[str, Json]
Call = Callable[[str, Json, Done, Failed], None]

AFTER: Final[Mapping[str, tuple[str, ...]]] = {
    "radio.": ("radio.status", "radio.airtime", "node.status"),
    "propagation.": ("propagation.status", "node.status"),
    "game.": ("outbox.list",),
    "identity.": ("identity.policy", "propagation.status"),
    "peer.heard": ("identity.show",),
    "gateway.": ("gateway.status", "gateway.seats"),
}
"""What is asked again after an event, by the beginning of its type."""


class Answers:
    """``changed`` is called when there is another answer."""

    def __init__(self, call: Call, changed: Callable[[], object]) -> None:
        self._call = call
        self._changed = changed
        self._wanted: dict[str, Json] = {}
        self._found: dict[str, tuple[Json, Json]] = {}
        self._asking: set[str] = set()
        self._again: set[str] = set()
        self.trouble = ""

    def want(self, *asks: Ask) -> None:
        """Ask for these now, and for nothing else from now on."""
        self._wanted = dict(asks)
        self.reload()

    def get(self, method: str) -> Json | None:
        """The last answer to what is wanted, None until there is one."""
        params, answer = self._found.get(method, ({}, None))
        return answer if method in self._wanted and params == self._wanted[method] else None

    def ask(self, *methods: str) -> None:
        """Ask again, once more if the answer is on its way; what is not wanted is not asked."""
        for method in methods:
            if method not in self._wanted:
                continue
            if method in self._asking:
                self._again.add(method)
            else:
                self._ask(method)

    def reload(self) -> None:
        """Ask for all that is wanted."""
        self.ask(*self._wanted)

    def lost(self) -> None:
        """The node is gone; it is asked again when it is back."""
        self._again.clear()

    def event(self, kind: str) -> None:
        """Something has happened."""
        for beginning, methods in AFTER.items():
            if kind.startswith(beginning):
                self.ask(*methods)

    def _ask(self, method: str) -> None:
        params = self._wanted[method]
        self._asking.add(method)

        def arrived(answer: Json) -> None:
            self._found[method] = (params, answer)
            self.trouble = ""
            self._over(method)
            self._changed()

        def failed(error: ClientError) -> None:
            self._over(method)
            # That the node is gone is said elsewhere.
            if isinstance(error, CallFailed):
                self.trouble = error.message
                self._changed()

        self._call(method, params, arrived, failed)

    def _over(self, method: str) -> None:
        self._asking.discard(method)
        if method in self._again:
            self._again.discard(method)
            self.ask(method)

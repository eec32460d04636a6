"""What the routes need to know of whoever calls; the application that mounts them decides it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from aiohttp import web

from gateway.rcadia.server.refusal import Refusal
from lrgpnode.protocol.value import Value

Scope: TypeAlias = Literal["play", "host"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Who(Value):
    """An account, by whichever of its tokens. ``kind``: what its tables show as host."""

    account: str
    name: str
    scopes: frozenset[str]
    kind: str

    def check(self, scope: Scope) -> None:
        """Raises ``Refusal`` (403) without the scope."""
        if scope not in self.scopes:
            raise Refusal(403, "missing_scope", f"This token does not have the scope {scope}.")


class Gate(Protocol):
    """Every method raises ``Refusal``."""

    def who(self, request: web.Request, scope: Scope) -> Who:
        """The account that calls: 401, 403 without the scope, 429 if it calls too often."""

    def caller(self, request: web.Request) -> Who:
        """The account that calls, whatever its scopes: 401, 429."""

    def permit(self, request: web.Request) -> Callable[[], bool]:
        """Says at any time whether whoever has sent this request may still be here. Does not raise."""

    def anybody(self, request: web.Request) -> None:
        """A call without an account: 429 if there are too many from one address."""

    def costly(self, who: Who, what: str) -> None:
        """Something that costs memory, such as a new session: 429 if it is done too often."""

"""What the models of all areas share (architecture §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from lrgpnode.protocol.value import Value

PAGE: Final = 50
"""Most entries of one page of a list."""

Text = Annotated[str, Meta(min_length=1, max_length=256)]
SessionRef = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{1,16}\Z", description="Session id, or a unique prefix of one.")
]
IdentityRef = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=256,
        description="Name or unique hash prefix of a local identity; needed only where there are several.",
    ),
]
PeerRef = Annotated[
    str,
    Meta(min_length=1, max_length=256, description="A peer: its hash, a unique prefix of it, or its name."),
]
AppRef = Annotated[str, Meta(min_length=1, max_length=64, description="App id of a game, e.g. `chess`.")]
Limit = Annotated[int, Meta(ge=1, le=PAGE, description="Most entries to return.")]


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of everything that crosses the socket."""


class Nothing(Model, frozen=True, kw_only=True):
    """No fields."""


@dataclass(frozen=True, slots=True, repr=False)
class Method(Value):
    """A row of the table of methods. ``help`` is one sentence."""

    name: str
    params: type[Model]
    result: type[Model]
    help: str

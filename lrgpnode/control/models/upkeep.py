"""Looking after the node's files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta

from .base import Method, Model


class BackupParams(Model, frozen=True, kw_only=True):
    """``file`` is absolute: the node works in another directory than its clients."""

    file: Annotated[str, Meta(min_length=2, max_length=4096, pattern=r"^/[^\0]*\Z")]


class BackupResult(Model, frozen=True, kw_only=True):
    """The backup that is on the disk, ``size`` in bytes. ``sessions`` is the number of games in it."""

    file: str
    size: int
    created_at: float
    identities: tuple[str, ...]
    members: int
    sessions: int


METHODS: Final = (
    Method(
        "node.backup",
        BackupParams,
        BackupResult,
        "Write the whole node, with its private keys, to a file; answered when it is on the disk.",
    ),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}

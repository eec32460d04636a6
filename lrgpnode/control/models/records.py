"""Models of exporting games as files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .base import IdentityRef, Method, Model, SessionRef


class ExportParams(Model, frozen=True, kw_only=True):
    """``signed``: a record that proves who made each action. ``partial``: also where some are not proven."""

    id: SessionRef
    identity: IdentityRef | None = None
    signed: bool = False
    partial: bool = False


class ExportResult(Model, frozen=True, kw_only=True):
    """``content`` is the file. ``notation`` of its text: `pgn` for chess, else usually `moves`.

    ``unproven`` lists the numbers of the actions that a signed record does not prove.
    """

    id: str
    identity: str
    app: str
    notation: str
    signed: bool
    content: str
    unproven: tuple[int, ...] = ()


METHODS: Final = (
    Method("game.export", ExportParams, ExportResult, "A game as text for people, or as a signed record."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}

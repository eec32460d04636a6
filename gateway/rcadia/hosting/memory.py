"""What a house host keeps over a restart: its tables, who sits there for it, the queue. One small JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec

from gateway.seeking import Seek

META_KEY: Final = "gateway.host"


class Shelf(Protocol):
    """Where the text is kept."""

    def load(self) -> str | None: ...

    async def save(self, text: str) -> None:
        """Replace it. Durable when this returns; raises ``StorageError``."""
        ...


class KeptTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``seated``: ``house``, ``mesh`` or ""; ``seat``: what reopens that seat."""

    session: str
    app: str
    hold: bool = False
    before: str = ""
    seated: str = ""
    seat: dict[str, Any] = {}


class KeptSeek(msgspec.Struct, frozen=True, kw_only=True):
    peer: str
    app: str
    at: float
    until: float


class Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    tables: tuple[KeptTable, ...] = ()
    seeks: tuple[KeptSeek, ...] = ()


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A `Shelf` of an arcade without a node: a restart forgets."""

    texts: list[str] = field(default_factory=list)

    def load(self) -> str | None:
        return self.texts[-1] if self.texts else None

    async def save(self, text: str) -> None:
        self.texts[:] = [text]


def read(text: str | None) -> Kept:
    """What was kept; nothing where it is damaged: then the platform ends the tables by itself."""
    if not text:
        return Kept()
    try:
        return msgspec.json.decode(text, type=Kept)
    except msgspec.DecodeError:
        return Kept()


def written(kept: Kept) -> str:
    return msgspec.json.encode(kept).decode()


def kept_seek(seek: Seek) -> KeptSeek:
    return KeptSeek(peer=seek.peer, app=seek.app, at=seek.at, until=seek.until)


def seek_of(kept: KeptSeek) -> Seek:
    return Seek(peer=kept.peer, app=kept.app, at=kept.at, until=kept.until)

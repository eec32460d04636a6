"""The identities of the node: which is shown, which are on the mesh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lrgpnode.protocol.value import Value

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Identity(Value):
    """``shown``: its games are what the window shows, and it is whom one acts as."""

    hash: str
    name: str
    shown: bool
    enabled: bool
    default: bool
    policy: str

    @property
    def note(self) -> str:
        """What is to be known of it, in a few words."""
        parts = ["shown now"] if self.shown else []
        parts += [] if self.enabled else ["off the mesh"]
        parts += ["default"] if self.default else []
        return ", ".join(parts)


def identities(found: Iterable[Json], me: str) -> tuple[Identity, ...]:
    """From ``identity.list``, without the house; by age."""
    people = [one for one in found if one.get("role") != "house"]
    people.sort(key=lambda one: (float(one.get("created_at", 0.0)), str(one["hash"])))
    return tuple(
        Identity(
            hash=str(one["hash"]),
            name=str(one["name"]),
            shown=one["hash"] == me,
            enabled=bool(one["enabled"]),
            default=bool(one.get("default")),
            policy=str(one.get("policy", "")),
        )
        for one in people
    )


def shown(name: str, title: str, people: int) -> str:
    """A title that says who is shown, where there are several."""
    return f"{title} as {name}" if people > 1 and name else title

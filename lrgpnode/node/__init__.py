"""The node: protocol, storage and transport put together."""

from lrgpnode.mesh.identity import IdentityError

from .admission import ALL_GAMES, Admission
from .clock import Clock
from .core import Acted, Node
from .identities import Identities
from .news import Publish, ply

__all__ = [
    "ALL_GAMES",
    "Acted",
    "Admission",
    "Clock",
    "Identities",
    "IdentityError",
    "Node",
    "Publish",
    "ply",
]

"""The node: protocol, storage and transport put together."""

from .clock import Clock
from .core import Acted, Node
from .news import Publish, ply

__all__ = ["Acted", "Clock", "Node", "Publish", "ply"]

"""Durable sending: which committed envelope goes to the transport, how, and when."""

from .outbox import Outbox
from .policy import PRESUPPOSING

__all__ = ["PRESUPPOSING", "Outbox"]

"""Durable sending: which committed envelope goes to the transport, how, and when."""

from .airtime import Airtime
from .outbox import Outbox
from .policy import PRESUPPOSING

__all__ = ["PRESUPPOSING", "Airtime", "Outbox"]

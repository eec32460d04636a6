"""What is said of airtime: to the control API and the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lrgpnode.protocol.value import Value

from .budget import Figures
from .modem import Modem
from .packets import Kind


@dataclass(frozen=True, slots=True, repr=False)
class Sent(Value):
    """Packets of one kind, since the start."""

    packets: int = 0
    bytes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RadioReport(Value):
    """One radio. ``metered``: its packets are seen here; else only what the node submits is counted.

    ``law``: where its limit comes from, for people; ``problem``: why it has none, though it may need one.
    """

    name: str
    metered: bool
    modem: Modem | None
    law: str
    problem: str = ""
    figures: Figures | None = None
    sent: Mapping[Kind, Sent] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AirtimeReport(Value):
    """``why``: in a sentence, why there is nothing to say where ``radios`` is empty."""

    radios: tuple[RadioReport, ...] = ()
    why: str = ""

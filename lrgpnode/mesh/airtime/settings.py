"""What the node is told about airtime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lrgpnode.airtime.budget import SHARES, Limits, Purpose
from lrgpnode.airtime.modem import Modem
from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AirtimeSettings(Value):
    """``percent`` of the hour, 0 for what the law of the ``region`` says and the board itself is set to
    keep. ``modem`` and ``frequency`` (Hz) are those of another program's radio, None if there is none.
    ``enabled``: whether anything is held back; what is sent is counted in any case."""

    enabled: bool = True
    region: str = ""
    percent: float = 0.0
    reserve: float = 0.25
    shares: Mapping[Purpose, float] = field(default_factory=lambda: SHARES)
    peer: float = 0.5
    modem: Modem | None = None
    frequency: int | None = None

    def limits(self, seconds: float | None) -> Limits:
        return Limits(
            seconds=seconds if self.enabled else None,
            reserve=self.reserve,
            shares=self.shares,
            peer=self.peer,
        )
